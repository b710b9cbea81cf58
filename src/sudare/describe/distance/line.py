"""Numbers, dates and ranges on a line: Euclidean distance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.describe.ranges import ANYTHING, axis_of, positions, range_ends
from sudare.describe.text import places_among
from sudare.errors import DescriptionError
from sudare.kernels.figures.pairs import gap_sum, line_sum
from sudare.parameters import parameters

if TYPE_CHECKING:
    from sudare.describe.hierarchy.tree import Hierarchy


@parameters
class Euclid:
    """|x - y| for numbers and dates (in days); between ranges the gap, the certain part of their distance.

    [a, b] and [c, d] are max(0, c - b, a - d) apart: the smallest distance between values in them, |x - y| for
    single values. So a wider range never counts as more information; `*` is the range of the whole column, and
    its distance to everything is 0.
    """

    def space(self, cells: ColumnCells) -> LineSpace:
        """The space of the cells' end points."""
        return LineSpace(cells)


class LineSpace(Space):
    """Ranges given by their two ends."""

    def __init__(self, cells: ColumnCells) -> None:
        if not (cells.before.dtype.is_numeric() or cells.before.dtype.is_temporal()):
            raise DescriptionError(
                "describe.distance.not_measured", column=cells.name, dtype=cells.before.dtype
            )
        low, high = line_ends(cells)
        rows = len(cells.before)
        present = low[:rows][~np.isnan(low[:rows])]
        with np.errstate(over="ignore"):
            self.reach = float(present.max() - present.min()) if len(present) else 0.0
        known = ~np.isnan(low)
        # Unique complex numbers differ in either part, and they sort much faster than rows of two.
        points, places = np.unique(low[known] + 1j * high[known], return_inverse=True)
        codes = np.full(len(low), -1, dtype=np.int64)
        codes[known] = places
        self.before, self.after = codes[:rows], codes[rows:]
        self.size = len(points)
        # A loss does not depend on the unit: with distances of about 1 no power overflows or underflows. A power of
        # two changes no digit, and centering keeps the digits of numbers far from 0.
        self.unit = 2.0 ** round(math.log2(self.reach)) if 0 < self.reach < math.inf else 1.0
        center = float(np.median(points.real)) / self.unit if len(points) else 0.0
        self.reach = self.reach / self.unit or 1.0
        self._low, self._high = points.real / self.unit - center, points.imag / self.unit - center
        self._single = np.array_equal(self._low, self._high)

    def ends(self) -> tuple[Floats, Floats]:
        """Lower and upper end of every point, in the column's own unit, relative to a common center."""
        return self._low * self.unit, self._high * self.unit

    def between(self, one: Codes, other: Codes) -> Floats:
        """The gap between two ranges."""
        apart = np.maximum(self._low[one] - self._high[other], self._low[other] - self._high[one])
        distances: Floats = np.maximum(apart, 0.0)
        return distances

    def summed(self, counts: Floats, power: float) -> float | None:
        """Closed forms for p = 2 and p = 1, from sums over ranges that end below, in order of the ends; else None."""
        if power == 2 and self._single:
            used = counts > 0
            weight, values = counts[used], self._low[used]
            mean = (weight @ values) / weight.sum()
            return float(2.0 * weight.sum() * (weight @ (values - mean) ** 2))
        if power in {1, 2}:
            return float(
                gap_sum(self._low, self._high, np.argsort(self._low), np.argsort(self._high), counts, power)
            )
        return None

    def over_pairs(self, points: Codes, counts: Floats, power: float) -> float:
        """Sum over all distinct pairs in a compiled loop."""
        return float(line_sum(self._low[points], self._high[points], counts, power))


def line_ends(cells: ColumnCells) -> tuple[Floats, Floats]:
    """Lower and upper end of every cell, originals first, then released ones; NaN if missing."""
    before = axis_of(cells.before).fill_null(float("nan")).to_numpy()
    present = before[~np.isnan(before)]
    ends = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
    low, high = _released_ends(cells, *ends)
    return np.concatenate([before, low]), np.concatenate([before, high])


def _released_ends(cells: ColumnCells, smallest: float, largest: float) -> tuple[Floats, Floats]:
    after = cells.after
    if after.dtype != pl.String:
        plain = axis_of(after).fill_null(float("nan")).to_numpy()
        return plain, plain
    distinct = after.drop_nulls().unique()
    lows, highs = (
        positions(side, cells.before.dtype).fill_null(float("nan")).to_numpy().copy()
        for side in range_ends(distinct)
    )
    _fill_nodes(cells, distinct, lows, highs)
    anything = (distinct == ANYTHING).to_numpy()
    lows[anything], highs[anything] = smallest, largest
    unknown = np.flatnonzero(np.isnan(lows))
    if len(unknown):
        raise DescriptionError(
            "describe.distance.not_a_range", column=cells.name, value=distinct[int(unknown[0])]
        )
    rows = places_among(after, distinct, len(distinct))
    return np.append(lows, np.nan)[rows], np.append(highs, np.nan)[rows]


def _fill_nodes(cells: ColumnCells, distinct: pl.Series, lows: Floats, highs: Floats) -> None:
    """Fill in the ends of labels that only the hierarchy can interpret, such as 2024-Q1 or 20s."""
    tree = cells.hierarchy
    if tree is None:
        return
    unread = np.isnan(lows) & tree.is_label(distinct)
    if unread.any():
        nodes = tree.node_of(distinct.filter(unread))
        lower, upper = _bounds(tree, cells.before.dtype)
        lows[unread], highs[unread] = lower[nodes], upper[nodes]


def _bounds(tree: Hierarchy, dtype: pl.DataType) -> tuple[Floats, Floats]:
    """Ends of every node: as its maker defines them, else the smallest and largest value below it."""
    if tree.lower is not None and tree.upper is not None:
        return tree.lower, tree.upper
    leaves = positions(tree.labels_of(np.arange(tree.leaves)), dtype).fill_null(float("nan")).to_numpy()
    lower, upper = np.full(tree.nodes, np.inf), np.full(tree.nodes, -np.inf)
    lower[: tree.leaves], upper[: tree.leaves] = leaves, leaves
    for node in range(tree.nodes - 1):
        above = tree.parent[node]
        lower[above], upper[above] = np.fmin(lower[above], lower[node]), np.fmax(upper[above], upper[node])
    return lower, upper
