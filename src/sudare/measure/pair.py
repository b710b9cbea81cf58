"""A table before and after, row by row: the input of every measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from sudare.describe.distance.space import ColumnCells
from sudare.describe.table import Table
from sudare.describe.text import ANYTHING, refuse_blurred
from sudare.errors import DescriptionError, ParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.measure.distributions import Margin
    from sudare.measure.losses import CountedCells


@dataclass(frozen=True, eq=False)
class DistinctCells:
    """The distinct cells of a column before and after, and which of them each row has.

    A table has far fewer distinct cells than rows, so what depends on a cell alone is computed here and then counted.
    """

    cells: ColumnCells
    """The distinct cells, in the form that distances take."""
    before: npt.NDArray[np.int32]
    """For each original row, its place among `cells.before`."""
    after: npt.NDArray[np.int32]
    """For each released row, its place among `cells.after`."""

    @cached_property
    def counts(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """How often each distinct cell occurs before and after."""
        return (
            np.bincount(self.before, minlength=len(self.cells.before)),
            np.bincount(self.after, minlength=len(self.cells.after)),
        )


@dataclass(frozen=True, eq=False)
class Pair:
    """The original table, what was released, and which original row each released row comes from."""

    before: Table
    after: Table
    rows: npt.NDArray[np.int64] | None
    """For each released row, its original; None if rows have no originals, as in synthetic data."""
    cells: dict[str, CountedCells] = field(default_factory=dict)
    """What each released cell leaves open, cached by `sudare.measure.losses`."""
    margins: dict[str, Margin] = field(default_factory=dict)
    """Distributions of each column, cached by `sudare.measure.distributions`."""
    found: dict[str, DistinctCells] = field(default_factory=dict)
    """The distinct cells of each column, cached by `distinct`."""

    @cached_property
    def place(self) -> npt.NDArray[np.int64]:
        """The row of the release that each original row became; -1 if it was left out."""
        found = np.full(self.before.rows, -1, dtype=np.int64)
        found[self.traced] = np.arange(self.after.rows)
        return found

    @property
    def traced(self) -> npt.NDArray[np.int64]:
        """For each released row, its original; an error if rows have no originals."""
        if self.rows is None:
            raise DescriptionError("measure.rows_unrelated")
        return self.rows

    @property
    def suppressed(self) -> int:
        """How many original rows are not in the release."""
        _ = self.traced
        return self.before.rows - self.after.rows

    @cached_property
    def quasi(self) -> list[str]:
        """Quasi-identifiers that are in both tables."""
        return [name for name in self.before.names("quasi") if name in self.after.frame.columns]

    def released(self, name: str) -> pl.Series:
        """The released cells of a column; for a column that was removed, cells that say nothing."""
        if name in self.after.frame.columns:
            return self.after.frame[name]
        tree = self.before.hierarchy(name)
        label = ANYTHING if tree is None else tree.labels[tree.root]
        return pl.Series(name, [label], dtype=pl.String).new_from_index(0, self.after.rows)

    def distinct(self, name: str) -> DistinctCells:
        """The distinct cells of one column (computed once)."""
        if name not in self.found:
            before, was = _distinct(self.before, name)
            if name in self.after.frame.columns:
                after, now = _distinct(self.after, name)
            else:
                after, now = self.released(name).head(1), np.zeros(self.after.rows, dtype=np.int32)
            cells = ColumnCells(name, before, after, self.before.hierarchy(name))
            self.found[name] = DistinctCells(cells, was, now)
        return self.found[name]

    def target(self, given: str | None, needed: Literal["class", "model"]) -> str:
        """The column to predict: the given one, otherwise the first sensitive one."""
        name = given or next(iter(self.before.names("sensitive")), None)
        if name is None:
            raise ParameterError(f"measure.no_target.{needed}")
        return name


def _distinct(table: Table, name: str) -> tuple[pl.Series, npt.NDArray[np.int32]]:
    series = table.frame[name]
    if series.dtype.is_nested() or series.dtype == pl.Object:
        return series, np.arange(len(series), dtype=np.int32)
    codes = table.codes(name)
    # Where the domain is fixed, there are codes of values that this table does not have.
    present = np.flatnonzero(np.bincount(codes.codes, minlength=codes.count)).astype(np.int32)
    values = codes.decode(present).alias(series.name)
    if len(present) == codes.count:
        return values, codes.codes
    place = np.zeros(codes.count, dtype=np.int32)
    place[present] = np.arange(len(present))
    return values, place[codes.codes]


def pair_of(before: Any, after: Any, rows: npt.NDArray[np.int64] | None = None) -> Pair:
    """Pair two tables, frames or releases.

    A release knows where its rows come from, or `rows` says it; other tables must have the same number of rows in the same
    order.
    Roles are taken from `before`; if it has none, every column in both tables counts as a quasi-identifier.
    """
    if isinstance(after, Pair):
        return after
    original = before if isinstance(before, Table) else Table.from_frame(getattr(before, "table", before))
    rows = getattr(after, "rows_of_original", rows)
    released = getattr(after, "table", after)
    if not isinstance(released, Table):
        released = Table.from_frame(released)
    common = [name for name in original.frame.columns if name in released.frame.columns]
    if not common:
        raise DescriptionError("measure.pair.nothing_in_common")
    if not original.names("quasi", "sensitive", "identifier"):
        original = original.describe(quasi=common)
    if rows is None and not hasattr(after, "rows_of_original"):
        if original.rows != released.rows:
            raise DescriptionError("measure.pair.rows", before=original.rows, after=released.rows)
        rows = np.arange(original.rows, dtype=np.int64)
    refuse_blurred(original)
    return Pair(original, released, rows)
