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
_ROLE_NAMES = {"quasi": "a quasi-identifier", "sensitive": "sensitive"}


def refuse_given(table: Table, requirements: Sequence[Requirement]) -> None:
    """One sentence where a table cannot be released, or not under these requirements."""
    if table.rows == 0:
        raise DescriptionError("The table has no rows, so there is nothing to release; check the source.")
    if requirements and not table.names("quasi"):
        raise DescriptionError(
            "No column is a quasi-identifier, so the requirements protect nothing; describe some with quasi=[…]."
        )
    _refuse_incomparable(table)
    for roles, largest, why in _TOO_LARGE:
        for name in table.names(*roles):
            numbers = table.frame[name]
            if numbers.dtype.is_float() and (numbers.abs() > largest).any():
                raise DescriptionError(
                    f"Column '{name}' holds numbers beyond {largest:g}, whose {why} are no numbers any more; give them in a "
                    "greater unit."
                )
    refuse_blurred(table)


def _refuse_incomparable(table: Table) -> None:
    """Sets, records and bytes are released as they are or dropped; objects of Python fit into no file."""
    for column in table.columns:
        dtype = table.frame[column.name].dtype
        if dtype == pl.Object:
            raise DescriptionError(
                f"Column '{column.name}' holds Python objects, which no file can hold; turn them into texts, or leave the "
                "column out."
            )
        if column.role in {"quasi", "sensitive"} and has_no_text(dtype):
            raise DescriptionError(
                f"Column '{column.name}' holds {dtype} and cannot be {_ROLE_NAMES[column.role]}, for such values are not "
                "compared; turn each into one text, call the column insensitive or identifier, or read the items with "
                "sd.read_baskets."
            )
