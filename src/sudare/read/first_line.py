"""Detect a table whose first line is a record: read as column names, a person's record would be published as it is."""

from __future__ import annotations

import polars as pl

from sudare.errors import InputError

_FEWEST, _SHARE = 2, 4
"""At least two columns, and one in four, must be named like one of their values: names seldom are, records often."""
_LONGEST = 40
"""The number of characters of a name that are shown."""


def refuse_record_as_names(frame: pl.DataFrame, name: str) -> None:
    """Refuse a table whose column names look like another record."""
    alike = [column for column in frame.columns if _is_own_value(frame[column])]
    if len(alike) >= _FEWEST and _SHARE * len(alike) >= frame.width:
        # Two names are enough to show the problem; more would reveal what may be a person's data.
        raise InputError(
            "read.first_line", source=name, first=alike[0][:_LONGEST], second=alike[1][:_LONGEST]
        )


def _is_own_value(column: pl.Series) -> bool:
    """Whether the name of a column occurs among its values."""
    name = column.name.strip()
    if column.dtype == pl.String:
        return bool((column == name).any())
    if column.dtype.is_numeric():
        try:
            number = float(name)
        except ValueError:
            return False
        return bool((column == number).any())
    return bool((column.cast(pl.String) == name).any()) if column.dtype.is_temporal() else False
