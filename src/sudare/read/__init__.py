"""Read: files, databases and standard input become a polars frame, with a note of what was detected."""
