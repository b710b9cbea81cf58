"""Anonymize: the protocol of all methods, the catalogue, and one file for each method."""
