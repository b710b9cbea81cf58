"""Microaggregation: groups of at least k alike records, each replaced by its group's centroid."""
