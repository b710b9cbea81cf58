"""Coarser columns: a level of the hierarchy, top and bottom coding, rounding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Self

import polars as pl

from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, numeric_columns, same_rows
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.errors import ErrorSentence, ParameterError
from sudare.parameters import Annotated, Field, Names, model_validator, parameters
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from sudare.describe.table import Table

_FITS = 2**62
"""The sum of two integers below this fits in 64 bits."""
_HUGE = 2**70
"""More than twice any integer in a column: everything is nearest to 0."""


@dataclass(frozen=True, eq=False)
class _Given:
    """A hierarchy that exists already."""

    tree: Hierarchy

    def build(self, values: pl.Series, column: str) -> Hierarchy:  # noqa: ARG002  # made for this column
        return self.tree


@parameters
class Coarsen:
    """Publish columns at a fixed level of their hierarchies, before other methods generalize further.

    Level 0 are the values themselves, the height of the hierarchy its root. What is above the level remains the hierarchy of
    the column, so that a method that follows can go on from there.
    """

    levels: Annotated[dict[str, Annotated[int, Field(ge=1)]], Field(min_length=1)]
    """The level of each column."""

    generalizes: ClassVar[bool] = True
    keeps_rows: ClassVar[bool] = True

    @property
    def replaces(self) -> tuple[str, ...]:
        """Columns that are not quasi-identifiers have nothing to be generalized for."""
        return ()

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the same on every run
        """Raise each column to its level."""
        for name, level in self.levels.items():
            table = raised(table, name, level)
        named = enumerated(f"{name} ({level})" for name, level in self.levels.items())
        return same_rows(table, Note("raised", columns=named))


def raised(table: Table, name: str, level: int) -> Table:
    """The table with a column at a level of its hierarchy, with the rest of the tree above it."""
    column = table.column(name)
    tree = table.hierarchy(name)
    if column.role != "quasi" or tree is None:
        raise ParameterError("anonymize.simple.no_hierarchy", column=name)
    if not 0 < level <= tree.height:
        raise ParameterError("anonymize.simple.no_such_level", column=name, level=level, height=tree.height)
    if table.frame[name].null_count() == table.rows:
        return table  # missing stays missing
    labels = [tree.labels_of(tree.ancestors(at)).to_list() for at in range(level, tree.height + 1)]
    maker = None  # nothing is above the root
    if level < tree.height:
        paths = [path for path in dict.fromkeys(zip(*labels, strict=True)) if path[0] is not None]
        above = Hierarchy.from_levels(paths, name)
        # Missing cells stay missing below the root.
        maker = _Given(above.with_missing() if None in labels[0] else above)
    values = pl.Series(name, labels[0], dtype=pl.String).gather(table.leaves(name, tree))
    columns = [
        replace(one, kind="nominal", hierarchy=maker) if one.name == name else one for one in table.columns
    ]
    return table.with_values(values).changed(columns=columns)


@parameters
class TopBottomCode:
    """Replace values beyond a limit with the limit: x -> min(max(x, bottom), top). Missing stays missing."""

    column: str
    """The numeric column to code."""
    bottom: float | None = None
    """Smallest value that is published unchanged."""
    top: float | None = None
    """Largest value that is published unchanged."""

    @model_validator(mode="after")
    def _some_limit(self) -> Self:
        if self.bottom is None and self.top is None:
            raise ValueError(ErrorSentence("anonymize.simple.no_limit"))
        if self.bottom is not None and self.top is not None and self.bottom > self.top:
            raise ValueError(
                ErrorSentence("anonymize.simple.crossed_limits", bottom=self.bottom, top=self.top)
            )
        return self

    keeps_rows: ClassVar[bool] = True

    @property
    def replaces(self) -> tuple[str, ...]:
        """The coded column."""
        return (self.column,)

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the same on every run
        """Clip the column; it keeps its type unless a limit does not fit that type."""
        (name,) = numeric_columns(table, [self.column], "TopBottomCode")
        before = table.frame[name]
        limits = [limit for limit in (self.bottom, self.top) if limit is not None]
        if before.dtype.is_integer() and all(limit == int(limit) for limit in limits):
            whole = exactly(before, *map(int, limits))
            clipped = whole.clip(
                *(None if limit is None else int(limit) for limit in (self.bottom, self.top))
            )
            after = fitted(clipped, before.dtype)
        else:
            clipped = before.cast(pl.Float64).clip(self.bottom, self.top)
            after = fitted(clipped, before.dtype) if before.dtype.is_float() else clipped
        changed = int((before.cast(clipped.dtype) != clipped).sum())
        return same_rows(table.with_values(after.rename(name)), Note("coded", changed=changed, column=name))


@parameters
class Round:
    """Round numbers to the nearest multiple of a base; halves go to the even multiple. Missing stays missing."""

    columns: Names
    """Numeric columns to round."""
    base: Annotated[float, Field(gt=0)]
    """Round to a multiple of this number: 10, 0.5, 1000 …"""

    keeps_rows: ClassVar[bool] = True

    @property
    def replaces(self) -> tuple[str, ...]:
        """The named columns."""
        return self.columns

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the same on every run
        """Round the columns; integers rounded to an integer base stay integers."""
        names = numeric_columns(table, self.columns, "Round")
        result = table
        for name in names:
            result = result.with_values(self._rounded(table.frame[name]).rename(name))
        return same_rows(result, Note("rounded", columns=enumerated(names), base=self.base))

    def _rounded(self, before: pl.Series) -> pl.Series:
        if before.dtype.is_integer() and self.base == int(self.base):
            # Integers use integer arithmetic: doubles are not exact beyond 2^53.
            base = int(self.base)
            if base > _HUGE:
                return before.clip(0, 0)
            whole = exactly(before, base)
            none, two, step = (pl.Series([number], dtype=whole.dtype) for number in (0, 2, base))
            down = whole // step
            rest = whole - down * step
            up = (rest + rest > step) | ((rest + rest == step) & (down % two != none))
            return fitted((down + up.cast(whole.dtype)) * step, before.dtype)
        digits = max(0, -int(Decimal(str(self.base)).as_tuple().exponent))
        multiples = (before.cast(pl.Float64) / self.base).round(0, mode="half_to_even")
        return (multiples * self.base).round(digits)


def exactly(series: pl.Series, *others: int) -> pl.Series:
    """Integers in a type that allows comparison with `others`, and addition, without rounding."""
    ends: tuple[Any, Any] = series.min(), series.max()
    numbers = [*others, *(int(end) for end in ends if end is not None)]
    return series.cast(pl.Int64 if all(abs(number) < _FITS for number in numbers) else pl.Int128)


def fitted(series: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The series in the given type if every value fits, otherwise in the next type that files support."""
    for candidate in (dtype, pl.Int64(), pl.Float64()) if dtype.is_integer() else (dtype,):
        narrow = series.cast(candidate, strict=False)
        if narrow.null_count() == series.null_count():
            return narrow
    return series
