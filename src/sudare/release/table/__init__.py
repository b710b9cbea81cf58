"""The release of a table: anonymize, manifest, files."""
