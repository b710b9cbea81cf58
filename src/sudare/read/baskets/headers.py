"""The first line of a table of baskets: names of columns, or data already."""

from __future__ import annotations

import polars as pl

from sudare.errors import InputError
from sudare.read.baskets.tables import looks_long
from sudare.read.text import column_names


def check_nameless(layout: str | None, columns: tuple[str | None, ...]) -> None:
    """Only a long table may be without names, and then none can be given."""
    if layout not in {None, "long"}:
        raise InputError(
            "header=False goes with a text table of users and items (layout='long'); leave it out for other layouts."
        )
    if any(columns):
        raise InputError(
            "Columns without names cannot be named by id, items or sensitive; leave them out: the first column holds the "
            "users, the second the items."
        )


def named_columns(cells: pl.DataFrame, source: str) -> pl.DataFrame:
    """A table without names: users first, then items."""
    if cells.width != 2:
        raise InputError(
            f"'{source}' has {cells.width} column{'' if cells.width == 1 else 's'} and no names, but users and items are two; name the columns in its first "
            "line, and then id='…' and items='…'."
        )
    return pl.DataFrame(
        [column.cast(pl.String).alias(name) for column, name in zip(cells, ("id", "item"), strict=True)]
    )


def refuse_data_as_names(cells: pl.DataFrame, source: str) -> None:
    """What stands in the first line and again below it is no name: the line would be lost."""
    if not cells.height or looks_long([str(cell) for cell in cells.row(0)]):
        return
    for column in cells:
        if column[0] is not None and (column.slice(1) == column[0]).any():
            raise InputError(
                f"The first line of '{source}' holds {str(column[0])!r}, which also stands below it, so it looks like data "
                "and not like names of columns; say header=False if there are no names, else header=True."
            )


def lifted_names(cells: pl.DataFrame, source: str) -> pl.DataFrame:
    """The table with its first row as names."""
    names = column_names(["" if cell is None else str(cell) for cell in cells.row(0)], source)
    columns = [column.slice(1).cast(pl.String) for column in cells.get_columns()]
    return pl.DataFrame([column.alias(name) for column, name in zip(columns, names, strict=True)])
