"""Endings of file names, and what they tell about a file."""

from __future__ import annotations

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sav": "spss",
    ".zsav": "spss",
    ".dta": "stata",
    ".sas7bdat": "sas",
    ".xpt": "sas",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}
"""Format of the tables whose files end so."""
TEXTS = frozenset(ending for ending, kind in FORMATS.items() if kind == "csv")
"""Delimited texts, and lines of items."""
TABBED = frozenset({".tsv", ".tab"})
"""Texts delimited by tabs."""
TABLES = frozenset(FORMATS) - TEXTS
"""Tables that are no texts."""
JSON_LINES = frozenset({".jsonl", ".ndjson"})
"""A JSON value a line."""
JSON = JSON_LINES | {".json"}
"""JSON of either kind."""
