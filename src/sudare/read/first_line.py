"""Whether the first line of a table names its columns: read as names, a person's record would be published as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sudare.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST, _SHARE = 2, 4
"""At least two columns, and one in four, whose name is a value of theirs: a name seldom is, a value often."""


def refuse_record_as_names(frame: pl.DataFrame, name: str) -> None:
    """Refuse a table whose column names look like one more of its records."""
    alike = [column for column in frame.columns if _is_own_value(frame[column])]
    if len(alike) >= _FEWEST and _SHARE * len(alike) >= frame.width:
        raise InputError(
            f"The first line of '{name}' seems to be a record and not the names of columns: {_quoted(alike)} occur as values "
            "in their own columns; say header=False (--no-header) if the file has no names, or header=True (--header) if "
            "these are the names."
        )


def _is_own_value(column: pl.Series) -> bool:
    """Whether the name of a column occurs among its cells."""
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


def _quoted(names: Sequence[str]) -> str:
    """The first two of them: enough to see it, and no more of what may be a person's."""
    return " and ".join(f"'{name[:40]}'" for name in names[:2])
