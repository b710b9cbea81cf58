"""Groups and paths of points: MDAV, V-MDAV, MIL, kd-trees, curves, tours and cuts."""
