"""Groups of coded records: Mondrian, full-domain lattices, schemes, boxes and their prices."""
