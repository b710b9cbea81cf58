"""Groups of records of codes: Mondrian, full-domain lattices, schemes, boxes and their prices."""
