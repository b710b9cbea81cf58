"""The release of baskets: anonymize, manifest, files."""
