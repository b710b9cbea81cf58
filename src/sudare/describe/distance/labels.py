"""The discrete distance: equal or not."""

from __future__ import annotations

import numpy as np

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.parameters import parameters


@parameters
class Discrete:
    """0 between equal cells, 1 between different ones. Takes any column."""

    def space(self, cells: ColumnCells) -> LabelSpace:
        """The space of the cells' texts."""
        return LabelSpace(cells)


class LabelSpace(Space):
    """Texts that are equal or not."""

    def __init__(self, cells: ColumnCells) -> None:
        texts, self.before, self.after = cells.texts()
        self.size = len(texts)
        self.reach = 1.0

    def between(self, one: Codes, other: Codes) -> Floats:
        """1 where two points differ."""
        different: Floats = (one != other).astype(np.float64)
        return different

    def summed(self, counts: Floats, power: float) -> float:  # noqa: ARG002  # 1 to any power
        """N^2 - sum of squared counts."""
        return float(counts.sum() ** 2 - (counts**2).sum())
