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
    from sudare.measure.losses import Cells


@dataclass(frozen=True, eq=False)
class Pair:
    """The original table, what was released, and which original row each released row comes from."""

    before: Table
    after: Table
    rows: npt.NDArray[np.int64] | None
    """For each released row, its original; None if rows have no originals, as in synthetic data."""
    cells: dict[str, Cells] = field(default_factory=dict)
    """What each released cell leaves open, cached by `sudare.measure.losses`."""
    numbers: dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]] = field(default_factory=dict)
    """Original and released numbers of each numeric column, cached by `sudare.measure.distributions`."""

    margins: dict[str, Margin] = field(default_factory=dict)
    """Distributions of each column, cached by `sudare.measure.distributions`."""

    @cached_property
    def kept(self) -> Table:
        """The original rows in the order of the release."""
        return self.before.take(self.traced)

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

    def column_cells(self, name: str) -> ColumnCells:
        """One column before and after, in the form that distances take."""
        return ColumnCells(name, self.before.frame[name], self.released(name), self.before.hierarchy(name))

    def target(self, given: str | None, needed: Literal["class", "model"]) -> str:
        """The column to predict: the given one, otherwise the first sensitive one."""
        name = given or next(iter(self.before.names("sensitive")), None)
        if name is None:
            raise ParameterError(f"measure.no_target.{needed}")
        return name


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
