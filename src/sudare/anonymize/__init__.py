"""Anonymize: the protocol that all methods follow, the catalogue, and one file for each method."""
