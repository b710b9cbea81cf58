"""File name extensions, and the formats they indicate."""

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
"""The table format for each file extension."""
TEXTS = frozenset(ending for ending, kind in FORMATS.items() if kind == "csv")
"""Delimited text, and lines of items."""
TABBED = frozenset({".tsv", ".tab"})
"""Tab-delimited text."""
TABLES = frozenset(FORMATS) - TEXTS
"""Tables that are not text."""
JSON_LINES = frozenset({".jsonl", ".ndjson"})
"""One JSON value per line."""
JSON = JSON_LINES | {".json"}
"""JSON of either kind."""
