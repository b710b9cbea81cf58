"""Numbers, dates and ranges on a line: Euclid's distance."""

from __future__ import annotations

import numpy as np
import polars as pl

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.describe.ranges import ANYTHING, positions, range_ends
from sudare.describe.text import as_text
from sudare.errors import DescriptionError
from sudare.kernels.pairs import line_sum, sorted_sum
from sudare.parameters import parameters


@parameters
class Euclid:
    """|x - y| for numbers and dates (in days).

    A range [a, b] is a point of its own: its distance from [c, d] is sqrt(((a-c)^2 + (b-d)^2) / 2), which is
    |x - y| for single values, 0 only between equal ranges, and a metric. `*` is the range of the whole column.
    """

    def space(self, cells: ColumnCells) -> LineSpace:
        """The space of the cells' ends."""
        return LineSpace(cells)


class LineSpace(Space):
    """Ranges by their two ends."""

    def __init__(self, cells: ColumnCells) -> None:
        if not (cells.before.dtype.is_numeric() or cells.before.dtype.is_temporal()):
            raise DescriptionError(
                f"Column '{cells.name}' holds {cells.before.dtype}, but Euclid's distance needs numbers or dates; "
                "choose another distance, such as Discrete()."
            )
        low, high = line_ends(cells)
        whole = line_ends(ColumnCells(cells.name, cells.before, cells.before, cells.hierarchy))[0]
        present = whole[~np.isnan(whole)]
        self.reach = float(present.max() - present.min()) if len(present) else 0.0
        original = len(cells.before)
        pairs = np.stack([low, high], axis=1)
        known = ~np.isnan(low)
        points, places = np.unique(pairs[known], axis=0, return_inverse=True)
        codes = np.full(len(low), -1, dtype=np.int64)
        codes[known] = places.ravel()
        self.before, self.after = codes[:original], codes[original:]
        self.size = len(points)
        # Centered, so that squares keep their digits far from 0.
        center = float(points.mean()) if len(points) else 0.0
        self._low, self._high = points[:, 0] - center, points[:, 1] - center

    def between(self, one: Codes, other: Codes) -> Floats:
        """Root mean square of the differences of the ends."""
        low, high = self._low[one] - self._low[other], self._high[one] - self._high[other]
        distances: Floats = np.sqrt((low * low + high * high) / 2)
        return distances

    def summed(self, counts: Floats, power: float) -> float | None:
        """P = 2: 2 N sum (x - mean)^2; p = 1 on single values: from the sorted order; else all distinct pairs."""
        if power == 2:
            return _square(self._low, counts) / 2 + _square(self._high, counts) / 2
        if power == 1 and np.array_equal(self._low, self._high):
            return float(sorted_sum(self._low, counts))
        return None

    def over_pairs(self, points: Codes, counts: Floats, power: float) -> float:
        """All distinct pairs in a compiled loop."""
        return float(line_sum(self._low[points], self._high[points], counts, power))


def line_ends(cells: ColumnCells) -> tuple[Floats, Floats]:
    """Lower and upper end of every cell, originals first, then released ones; NaN where missing."""
    original = cells.before.drop_nulls().to_physical().cast(pl.Float64)
    smallest, largest = original.min(), original.max()
    before = cells.before.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    low, high = _released_ends(cells, smallest, largest)
    return np.concatenate([before, low]), np.concatenate([before, high])


def _released_ends(cells: ColumnCells, smallest: object, largest: object) -> tuple[Floats, Floats]:
    after = cells.after
    if after.dtype != pl.String:
        plain = after.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return plain, plain
    distinct = after.drop_nulls().unique()
    lows, highs = (
        positions(side, cells.before.dtype).fill_null(float("nan")).to_numpy().copy()
        for side in range_ends(distinct)
    )
    _fill_nodes(cells, distinct, lows, highs)
    anything = (distinct == ANYTHING).to_numpy()
    lows[anything], highs[anything] = float(str(smallest)), float(str(largest))
    unknown = np.flatnonzero(np.isnan(lows))
    if len(unknown):
        raise DescriptionError(
            f"Column '{cells.name}': '{distinct[int(unknown[0])]}' is neither a number nor a range like [20, 29]; "
            "describe the column with the hierarchy it was generalized by."
        )
    place = as_text(after).cast(pl.Enum(distinct)).to_physical().cast(pl.Int64)
    rows = place.fill_null(len(distinct)).to_numpy()
    return np.append(lows, np.nan)[rows], np.append(highs, np.nan)[rows]


def _fill_nodes(cells: ColumnCells, distinct: pl.Series, lows: Floats, highs: Floats) -> None:
    """Ends of labels that only the hierarchy knows, such as 2024-Q1 or 20s."""
    tree = cells.hierarchy
    if tree is None or tree.lower is None or tree.upper is None:
        return
    unread = np.isnan(lows) & distinct.is_in([label for label in tree.labels if label is not None]).to_numpy()
    if unread.any():
        nodes = tree.node_of(distinct.filter(unread))
        lows[unread], highs[unread] = tree.lower[nodes], tree.upper[nodes]


def _square(values: Floats, counts: Floats) -> float:
    total = counts.sum()
    if total == 0:
        return 0.0
    mean = (counts @ values) / total
    return float(2.0 * total * (counts @ (values - mean) ** 2))
