"""Spaces: the distinct cells of a column, before and after together, with the distances between them.

A distance (its parameters) builds a space for the given cells. A space gives the distance between any two of its
points and, if there is a faster way than all pairs, the sum of powers of all distances.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.describe.text import as_text, places_among

if TYPE_CHECKING:
    from sudare.describe.hierarchy.tree import Hierarchy

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Way = Literal["closed form", "distinct values", "sampled"]

_CHUNK = 4_000_000
"""The number of distances kept in memory when all pairs of distinct points are summed."""


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """One column before and after: everything a distance needs to build its space."""

    name: str
    before: pl.Series
    after: pl.Series
    hierarchy: Hierarchy | None = None

    def texts(self) -> tuple[list[str], Codes, Codes]:
        """The distinct texts of both sides, and the position of each cell among them (-1 if missing)."""
        before, after = as_text(self.before), as_text(self.after)
        distinct = pl.concat([before.alias("text"), after.alias("text")]).drop_nulls().unique().sort()
        return distinct.to_list(), places_among(before, distinct, -1), places_among(after, distinct, -1)


class Space(ABC):
    """Points 0 … size-1 and the distance between any two; -1 means missing.

    Missing is a point of its own: its distance to missing is 0, and to everything else `reach`.
    """

    before: Codes
    """Point of each original cell."""
    after: Codes
    """Point of each released cell."""
    size: int
    """Number of points."""
    reach: float
    """The largest possible distance between original cells, above 0: the distance of missing to any value."""
    unit: float = 1.0
    """The unit of distances, reach and sums: the distance between one and other is `unit * between(…)`."""

    @abstractmethod
    def between(self, one: Codes, other: Codes) -> Floats:
        """Distances between points, pair by pair; shapes are broadcast."""

    def summed(self, counts: Floats, power: float) -> float | None:  # noqa: ARG002  # for those that have one
        """The sum over ordered pairs of counts * counts * distance^power in closed form; None if there is none."""
        return None

    def distances(self, one: Codes, other: Codes) -> Floats:
        """`between`, including missing, in the column's own unit."""
        first, second = np.broadcast_arrays(one, other)
        result = np.where((first < 0) & (second < 0), 0.0, self.reach)
        present = (first >= 0) & (second >= 0)
        result[present] = self.between(first[present], second[present])
        return result * self.unit

    def amount(self, points: Codes, power: float, largest: float) -> tuple[float, Way] | None:
        """Information amount I_p of a column of points in unit^p: the sum over ordered pairs of distance^p.

        None if there is no closed form and the distinct points make more than `largest` pairs.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return self._amount(points, power, largest)

    def _amount(self, points: Codes, power: float, largest: float) -> tuple[float, Way] | None:
        missing = float((points < 0).sum())
        counts = np.bincount(points[points >= 0], minlength=self.size).astype(np.float64)
        around = 2.0 * missing * (len(points) - missing) * float(np.float64(self.reach) ** power)
        used = np.flatnonzero(counts)
        if len(used) < 2:
            # A single value has no distances; the sums would contain only rounding errors.
            return around, "closed form"
        closed = self.summed(counts, power)
        if closed is not None:
            return closed + around, "closed form"
        if float(len(used)) ** 2 > largest:
            return None
        return self.over_pairs(used, counts[used], power) + around, "distinct values"

    def over_pairs(self, points: Codes, counts: Floats, power: float) -> float:
        """The sum over all ordered pairs of these distinct points, computed in blocks."""
        total = 0.0
        rows = max(1, _CHUNK // max(len(points), 1))
        for start in range(0, len(points), rows):
            part = slice(start, start + rows)
            block = self.between(points[part, None], points[None, :]) ** power
            total += float(counts[part] @ block @ counts)
        return total


@runtime_checkable
class ColumnDistance(Protocol):
    """A distance on one column: frozen parameters that build a space, or refuse with a one-sentence error."""

    def space(self, cells: ColumnCells) -> Space:
        """The space of these cells."""
