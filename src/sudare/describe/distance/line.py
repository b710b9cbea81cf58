"""Numbers, dates and ranges on a line: Euclid's distance."""

from __future__ import annotations

import numpy as np
import polars as pl

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.describe.ranges import ANYTHING, positions, range_ends
from sudare.describe.text import as_text
from sudare.errors import DescriptionError
from sudare.kernels.pairs import gap_sum, line_sum
from sudare.parameters import parameters

_LARGEST_REACH = 1e75
"""Fourth powers of a million such distances still fit into a double."""


@parameters
class Euclid:
    """|x - y| for numbers and dates (in days); between ranges the gap, what is certain of their distance.

    [a, b] and [c, d] are max(0, c - b, a - d) apart: the least distance that values in them can have, |x - y| for
    single values. So a wider range never counts as more information; `*` is the range of the whole column and
    0 from everything.
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
        # Centered, so that squares keep their digits far from 0; a loss does not depend on the unit, so a range
        # whose squares would overflow is its own unit.
        center = float((points / 2).mean() * 2) if len(points) else 0.0
        unit = self.reach if self.reach > _LARGEST_REACH else 1.0
        self.reach /= unit
        self._low, self._high = points[:, 0] / unit - center / unit, points[:, 1] / unit - center / unit
        self._single = np.array_equal(self._low, self._high)

    def between(self, one: Codes, other: Codes) -> Floats:
        """The gap between two ranges."""
        apart = np.maximum(self._low[one] - self._high[other], self._low[other] - self._high[one])
        distances: Floats = np.maximum(apart, 0.0)
        return distances

    def summed(self, counts: Floats, power: float) -> float | None:
        """P = 2 and p = 1 from sums over those whose range ends below, in the order of the ends; else all pairs."""
        if power == 2 and self._single:
            total = counts.sum()
            mean = (counts @ self._low) / total if total else 0.0
            return float(2.0 * total * (counts @ (self._low - mean) ** 2))
        if power in {1, 2}:
            return float(
                gap_sum(self._low, self._high, np.argsort(self._low), np.argsort(self._high), counts, power)
            )
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
