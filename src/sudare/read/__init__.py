"""Read: turn files, databases and standard input into a polars frame, and record what was detected."""
