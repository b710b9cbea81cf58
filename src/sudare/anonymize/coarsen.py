"""Coarser numbers: top and bottom coding, rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import polars as pl

from sudare.anonymize.columns import numeric_columns
from sudare.anonymize.protocol import Context, Outcome, same_rows
from sudare.parameters import Annotated, Field, Names, model_validator, parameters

if TYPE_CHECKING:
    from sudare.describe.table import Table


@parameters
class TopBottomCode:
    """Replace values beyond a limit by the limit: x -> min(max(x, bottom), top). Missing stays missing."""

    column: str
    """A numeric column."""
    bottom: float | None = None
    """Smallest value that is published as it is."""
    top: float | None = None
    """Largest value that is published as it is."""

    @model_validator(mode="after")
    def _some_limit(self) -> Self:
        if self.bottom is None and self.top is None:
            raise ValueError("neither 'bottom' nor 'top' is given; give at least one.")
        if self.bottom is not None and self.top is not None and self.bottom > self.top:
            raise ValueError(f"'bottom' {self.bottom:g} is above 'top' {self.top:g}; exchange them.")
        return self

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the same on every run
        """Clip the column; it keeps its type unless a limit does not fit into it."""
        (name,) = numeric_columns(table, [self.column], "TopBottomCode")
        before = table.frame[name]
        limits = [limit for limit in (self.bottom, self.top) if limit is not None]
        exact = before.dtype.is_float() or all(limit == int(limit) for limit in limits)
        after = (before if exact else before.cast(pl.Float64)).clip(self.bottom, self.top)
        if exact:
            after = after.cast(before.dtype)
        changed = int((before.cast(pl.Float64) != after.cast(pl.Float64)).sum())
        return same_rows(
            table.with_values(after.rename(name)),
            f"Coded {changed:,} values of {name} to its limits.",
        )


@parameters
class Round:
    """Round numbers to the nearest multiple of a base; halves go to the even multiple. Missing stays missing."""

    columns: Names
    """Numeric columns."""
    base: Annotated[float, Field(gt=0)]
    """The multiple to round to: 10, 0.5, 1000 …"""

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the same on every run
        """Round the columns; whole numbers rounded to a whole base stay whole."""
        names = numeric_columns(table, self.columns, "Round")
        result = table
        for name in names:
            before = table.frame[name]
            rounded = (before.cast(pl.Float64) / self.base).round(0, mode="half_to_even") * self.base
            if before.dtype.is_integer() and self.base == int(self.base):
                rounded = rounded.cast(before.dtype)
            result = result.with_values(rounded.rename(name))
        return same_rows(result, f"Rounded {', '.join(names)} to multiples of {self.base:g}.")
