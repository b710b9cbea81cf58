"""Hierarchy from a CSV file of levels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import AfterValidator

from sudare.describe.hierarchy.files import read_levels
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.parameters import Annotated, Field, parameters

if TYPE_CHECKING:
    import polars as pl


AnyPath = Annotated[str | Path, AfterValidator(lambda given: Path(str(given)))]


@parameters
class LevelsFile:
    """A table of levels in a CSV file: one row per value, leaf first, most general last (ARX's format).

    Repeating a label pads a ragged tree. Every value of the column must have a row; the file may have rows for other
    values.
    """

    path: AnyPath
    """The file."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Character between levels; detected among ; , tab | if not given."""
    encoding: str | None = None
    """Encoding of the file; detected if not given, as for a table."""
    header: bool = False
    """Whether the first row names the levels."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The file's tree, which must cover the values."""
        rows = read_levels(Path(self.path), self.delimiter, self.encoding)
        return Hierarchy.from_levels(rows[1:] if self.header else rows, column).build(values, column)
