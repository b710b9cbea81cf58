"""How files are written: data tables, workbooks, baskets, and what a disk refuses."""
