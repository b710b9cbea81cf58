"""The discrete distance: equal or not."""

from __future__ import annotations

import numpy as np

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.describe.ranges import ANYTHING
from sudare.parameters import parameters


@parameters
class Discrete:
    """0 between equal cells, 1 between different ones. Works for any column.

    A suppressed cell (`*`) may be any value, so nothing certainly differs from it: its distance to everything is 0.
    """

    def space(self, cells: ColumnCells) -> LabelSpace:
        """The space of the cells' texts."""
        return LabelSpace(cells)


class LabelSpace(Space):
    """Texts that are equal or not."""

    def __init__(self, cells: ColumnCells) -> None:
        texts, self.before, self.after = cells.texts()
        self.size = len(texts)
        self.reach = 1.0
        self._anything = np.array([text == ANYTHING for text in texts], dtype=np.bool_)
        # A `*` that occurs in the original is a value like any other.
        self._anything[self.before[self.before >= 0]] = False

    def between(self, one: Codes, other: Codes) -> Floats:
        """1 where two points differ."""
        known = ~(self._anything[one] | self._anything[other])
        different: Floats = ((one != other) & known).astype(np.float64)
        return different

    def summed(self, counts: Floats, power: float) -> float:  # noqa: ARG002  # 1 to any power
        """N^2 - sum of squared counts, over the cells that are not suppressed."""
        known = counts[~self._anything]
        return float(known.sum() ** 2 - (known**2).sum())
