"""A source with its options: recipes, the command line and `sudare.read` share them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.parameters import Part
from sudare.read.source import load

if TYPE_CHECKING:
    import polars as pl

    from sudare.read.source import SourceFacts


class Source(Part):
    """Where the table is."""

    path: str
    """File, '-' for standard input, or database address (postgresql://… or sqlite:///…)."""
    format: str | None = None
    """csv, tsv, parquet, arrow, excel, spss, stata, sas, arff, jsonl, sqlite, postgresql; by the name when left out."""
    table: str | None = None
    """Table of a database."""
    query: str | None = None
    """Query to a database, instead of a table."""
    sheet: str | None = None
    """Sheet of a workbook; must be given when several sheets have contents."""
    delimiter: str | None = None
    """Delimiter of a text file; detected when left out."""
    encoding: str | None = None
    """Encoding of a text file; detected when left out."""
    header: bool | None = None
    """Whether the first line of a text file names the columns; when left out it does, unless it looks like a record."""
    missing: tuple[str, ...] = ("",)
    """Texts that mean a missing value."""

    def load(self) -> tuple[pl.DataFrame, SourceFacts]:
        """Read the table, with what was detected about it."""
        return load(self.path, **self.model_dump(exclude={"path"}))
