"""The report on the release of a table."""
