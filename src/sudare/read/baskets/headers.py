"""The first line of a table of baskets: column names or already data."""

from __future__ import annotations

import polars as pl

from sudare.errors import InputError
from sudare.read.baskets.tables import looks_long
from sudare.read.text import column_names


def check_nameless(layout: str | None, columns: tuple[str | None, ...]) -> None:
    """Check that only a long table lacks column names, and that no names are given for it."""
    if layout not in {None, "long"}:
        raise InputError("read.baskets.header_layout")
    if any(columns):
        raise InputError("read.baskets.header_columns")


def named_columns(cells: pl.DataFrame, source: str) -> pl.DataFrame:
    """A table without column names: users first, then items."""
    if cells.width != 2:
        number = "one" if cells.width == 1 else "many"
        raise InputError(f"read.baskets.header_width.{number}", source=source, columns=cells.width)
    return pl.DataFrame(
        [column.cast(pl.String).alias(name) for column, name in zip(cells, ("id", "item"), strict=True)]
    )


def refuse_data_as_names(cells: pl.DataFrame, source: str) -> None:
    """Refuse a first line whose cells also occur below it: it is data, and would be lost as column names."""
    if not cells.height or looks_long([str(cell) for cell in cells.row(0)]):
        return
    for column in cells:
        if column[0] is not None and (column.slice(1) == column[0]).any():
            raise InputError("read.baskets.header_data", source=source, cell=str(column[0]))


def lifted_names(cells: pl.DataFrame, source: str) -> pl.DataFrame:
    """The table with its first row as column names."""
    names = column_names(["" if cell is None else str(cell) for cell in cells.row(0)], source)
    columns = [column.slice(1).cast(pl.String) for column in cells.get_columns()]
    return pl.DataFrame([column.alias(name) for column, name in zip(columns, names, strict=True)])
