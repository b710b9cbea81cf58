"""Integers that are too large for the float axis on which ranges are chosen and losses are measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import DescriptionError

if TYPE_CHECKING:
    from sudare.describe.table import Table

_EXACT = 2**53
"""Up to this value, a float64 represents every integer exactly."""
_BLUR = 1e-9
"""The largest error of a position on a column's axis, as a share of its range: far below what any figure shows."""


def refuse_blurred(table: Table) -> None:
    """Refuse numeric quasi-identifiers whose values floats cannot distinguish: groups and losses would be wrong.

    Large numbers that are far apart are fine: their differences are large too.
    """
    for name in table.names("quasi"):
        if table.column(name).kind == "numeric" and is_blurred(table.frame[name]):
            raise DescriptionError("describe.column.blurred", column=name)


def is_blurred(series: pl.Series) -> bool:
    """Whether the differences between integers or decimals are lost when they become floats.

    >>> is_blurred(pl.Series([2**60, 2**60 + 1])), is_blurred(pl.Series([0, 2**60, 2**60 + 1]))
    (True, False)
    """
    if not (series.dtype.is_integer() or series.dtype.is_decimal()) or series.null_count() == len(series):
        return False
    low: Any = series.min()
    high: Any = series.max()
    largest = max(abs(low), abs(high))
    if largest <= _EXACT or high == low:
        return False
    if math.ulp(float(largest)) / 2 <= _BLUR * float(high - low):
        return False
    present = series.alias("number").drop_nulls()
    back = present.cast(pl.Float64).cast(series.dtype, strict=False)
    return not bool(back.eq_missing(present).all())
