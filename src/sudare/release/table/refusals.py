"""What cannot be released as a table, or not under these requirements: one sentence each, before any work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sudare.describe.blur import refuse_blurred
from sudare.describe.text import has_no_text
from sudare.errors import DescriptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table

_TOO_LARGE = ((("sensitive", "insensitive"), 1e150, "squares"), (("quasi",), 4e307, "differences"))
"""Roles, the largest number, and what of a larger one overflows."""


def refuse_given(table: Table, requirements: Sequence[Requirement]) -> None:
    """One sentence where a table cannot be released, or not under these requirements."""
    if table.rows == 0:
        raise DescriptionError("release.table.no_rows")
    if requirements and not table.names("quasi"):
        raise DescriptionError("release.table.no_quasi")
    _refuse_incomparable(table)
    for roles, largest, what in _TOO_LARGE:
        for name in table.names(*roles):
            numbers = table.frame[name]
            if numbers.dtype.is_float() and (numbers.abs() > largest).any():
                raise DescriptionError(f"release.table.too_large.{what}", column=name, largest=largest)
    refuse_blurred(table)


def _refuse_incomparable(table: Table) -> None:
    """Sets, records and bytes are released as they are or dropped; objects of Python fit into no file."""
    for column in table.columns:
        dtype = table.frame[column.name].dtype
        if dtype == pl.Object:
            raise DescriptionError("release.table.objects", column=column.name)
        if column.role in {"quasi", "sensitive"} and has_no_text(dtype):
            raise DescriptionError(
                f"release.table.not_compared.{column.role}", column=column.name, dtype=dtype
            )
