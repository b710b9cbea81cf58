"""Rows as points: the joint distance of several columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sudare.describe.distance.line import LineSpace
from sudare.describe.distance.space import Codes, Floats, Space
from sudare.kernels.core.blocks import block_labels
from sudare.kernels.figures.pairs import joint_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST_TABLE = 4_000_000


class JointSpace(Space):
    """Rows as points; their distance is (sum w d^q)^(1/q) over the columns."""

    def __init__(self, spaces: Sequence[Space], weights: Sequence[float], order: float) -> None:
        self._spaces, self._weights, self._order = spaces, weights, order
        rows = len(spaces[0].before) + len(spaces[0].after)
        codes = [np.concatenate([space.before, space.after]) for space in spaces]
        labels, count = block_labels(
            [(code + 1).astype(np.int32) for code in codes], [space.size + 1 for space in spaces], rows
        )
        first = np.zeros(count, dtype=np.int64)
        first[labels[::-1]] = np.arange(rows)[::-1]
        self._points = [code[first] for code in codes]
        self.before, self.after = np.split(labels.astype(np.int64), [len(spaces[0].before)])
        self.size, self.reach = count, 1.0
        self._tables: list[Floats | None] = [None] * len(spaces)

    def between(self, one: Codes, other: Codes) -> Floats:
        """Distances between pairs of rows."""
        first, second = np.broadcast_arrays(one, other)
        total = np.zeros(first.shape)
        for number, weight in enumerate(self._weights):
            if weight > 0:
                apart = self._apart(number, first, second)
                if math.isinf(self._order):
                    np.maximum(total, weight * apart, out=total)
                else:
                    total += weight * apart**self._order
        return total if math.isinf(self._order) else total ** (1 / self._order)

    def over_pairs(self, points: Codes, counts: Floats, power: float) -> float:
        """Sum over all distinct pairs in a compiled loop, if every column is a line or has a table."""
        tables = [
            None if self._is_line(number) else self._table(number) for number in range(len(self._spaces))
        ]
        if any(table is None and not self._is_line(number) for number, table in enumerate(tables)):
            return super().over_pairs(points, counts, power)
        longest = max([space.size for space in self._spaces], default=1)
        lows, highs = np.zeros((2, len(self._spaces), longest))
        for number, space in enumerate(self._spaces):
            if isinstance(space, LineSpace):
                lows[number, : space.size], highs[number, : space.size] = space.ends()
        sizes = np.array([0 if table is None else table.size for table in tables], dtype=np.int64)
        widths = np.array([0 if table is None else len(table) for table in tables], dtype=np.int64)
        codes = np.stack([self._points[number][points] for number in range(len(self._spaces))])
        # Missing is the last row and column of a table.
        codes = np.where(codes < 0, widths[:, None] - 1, codes)
        flat = np.concatenate([np.zeros(0), *(table.ravel() for table in tables if table is not None)])
        starts = np.cumsum(sizes) - sizes
        weights = np.array(self._weights, dtype=np.float64)
        return float(
            joint_sum(
                codes, lows, highs, flat, starts, widths, weights, float(self._order), counts, float(power)
            )
        )

    def _is_line(self, number: int) -> bool:
        space = self._spaces[number]
        return isinstance(space, LineSpace) and not (self._points[number] < 0).any()

    def _table(self, number: int) -> Floats | None:
        """Distances between all pairs of points of a column, missing last; None if there are too many."""
        space = self._spaces[number]
        if self._tables[number] is None and (space.size + 1) ** 2 <= _LARGEST_TABLE:
            everything = np.append(np.arange(space.size), -1)
            self._tables[number] = space.distances(everything[:, None], everything[None, :])
        return self._tables[number]

    def _apart(self, number: int, first: Codes, second: Codes) -> Floats:
        """Distances in one column, from a table if it has few distinct points."""
        points, table = self._points[number], self._table(number)
        if table is None:
            return self._spaces[number].distances(points[first], points[second])
        # Missing is -1, the last row and column of the table.
        distances: Floats = table[points[first], points[second]]
        return distances
