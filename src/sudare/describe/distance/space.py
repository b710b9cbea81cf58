"""Spaces: the distinct cells of a column, before and after together, with the distances between them.

A distance (its parameters) builds a space for the given cells. A space gives the distance between any two of its
points and, if there is a faster way than all pairs, the sum of powers of all distances.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.describe.text import ANYTHING, as_text, axis_of, places_among, positions, range_ends, set_parts
from sudare.errors import DescriptionError, ErrorSentence
from sudare.kernels.core.rules import block_labels
from sudare.kernels.figures import gap_sum, joint_sum, line_sum, tree_histogram
from sudare.parameters import Field, model_validator, parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        known = points >= 0
        missing = float(len(points) - known.sum())
        counts = np.bincount(points[known] if missing else points, minlength=self.size).astype(np.float64)
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


Order = Annotated[float, Field(ge=1, allow_inf_nan=True)]


@runtime_checkable
class RowDistance(Protocol):
    """(sum w_a d_a^q)^(1/q) over columns a; the largest w_a d_a for q = infinity."""

    @property
    def order(self) -> float:
        """The q."""

    def of_column(self, name: str) -> ColumnDistance | None:
        """The distance of one column; None selects it by the column's kind."""

    def weight_of(self, name: str) -> float | None:
        """The weight of one column; None gives every column equal influence."""

    def named(self) -> list[str]:
        """The columns that it names; if empty, it applies to all."""


@parameters
class Product:
    """sqrt(sum w_a d_a^2) over columns a, or with another order than 2.

    Default weights are w_a = 1 / I_2(column a) of the original, so that every column has equal influence; a column
    whose values are all equal has weight 0.
    """

    distances: dict[str, ColumnDistance] = Field(default_factory=dict)
    """Distance of each column; columns left out are not compared, unless no distances are given."""
    weights: dict[str, float] = Field(default_factory=dict)
    """Weight of each column; 0 excludes it."""
    order: Order = 2.0
    """q: 1 adds the distances, 2 is Euclidean, infinity takes the largest."""

    @model_validator(mode="after")
    def _not_negative(self) -> Self:
        for name, weight in self.weights.items():
            if not weight >= 0:
                raise ValueError(ErrorSentence("describe.distance.weight", name=name, weight=weight))
        return self

    def of_column(self, name: str) -> ColumnDistance | None:
        """The distance of one column."""
        return self.distances.get(name)

    def weight_of(self, name: str) -> float | None:
        """The weight of one column; 0 if others have weights and it has none."""
        return self.weights.get(name, 0.0) if self.weights else None

    def named(self) -> list[str]:
        """The columns that it names."""
        return list(self.distances)


@parameters
class Minkowski:
    """The p-norm of numeric rows, without scaling columns: order 1 is Manhattan, 2 Euclidean, infinity Chebyshev."""

    order: Order = 2.0
    """The p of the norm."""

    def of_column(self, name: str) -> ColumnDistance:  # noqa: ARG002  # numbers only
        """Euclidean, which is |x - y| on one column."""
        return Euclid()

    def weight_of(self, name: str) -> float:  # noqa: ARG002  # no weights
        """Always 1."""
        return 1.0

    def named(self) -> list[str]:
        """All columns."""
        return []


@parameters
class TreeDistance:
    """Number of edges on the path between two nodes of the column's hierarchy.

    Original cells are leaves, released ones may be any node. Missing is a leaf below the root.
    """

    def space(self, cells: ColumnCells) -> TreeSpace:
        """The space of the hierarchy's nodes."""
        if cells.hierarchy is None:
            raise DescriptionError("describe.distance.no_hierarchy", column=cells.name)
        return TreeSpace(cells, cells.hierarchy.with_missing())


class TreeSpace(Space):
    """Nodes of a tree; missing is a node, so no point is -1."""

    def __init__(self, cells: ColumnCells, tree: Hierarchy) -> None:
        self._tree = tree
        self.before = tree.leaf_of(cells.before).astype(np.int64)
        self.after = _nodes(tree, cells.after)
        self.size = tree.nodes
        self._depth = np.zeros(tree.nodes, dtype=np.int64)
        for node in range(tree.nodes - 2, -1, -1):
            self._depth[node] = self._depth[tree.parent[node]] + 1
        self.reach = 2.0 * float(self._depth.max(initial=0))

    def between(self, one: Codes, other: Codes) -> Floats:
        """The number of edges climbed until the two nodes meet."""
        first, second = (np.array(side, dtype=np.int64) for side in np.broadcast_arrays(one, other))
        edges = np.zeros(first.shape)
        while True:
            apart = first != second
            if not apart.any():
                return edges
            # A parent has a larger number than its children, so the smaller number climbs.
            lower = apart & (first < second)
            upper = apart & ~lower
            first[lower] = self._tree.parent[first[lower]]
            second[upper] = self._tree.parent[second[upper]]
            edges += apart

    def summed(self, counts: Floats, power: float) -> float:
        """Sum over the pairs at each distance, from the counts of depths in every subtree: O(nodes * depth^2)."""
        pairs = tree_histogram(self._tree.parent, self._depth, counts)
        lengths = np.arange(len(pairs), dtype=np.float64)
        return float(pairs[1:] @ lengths[1:] ** power)


def _nodes(tree: Hierarchy, after: pl.Series) -> Codes:
    """The node of each released text; a set of values is placed at the lowest common ancestor of its values."""
    texts = as_text(after).alias(after.name)
    leaves = {label: node for node, label in enumerate(tree.labels[: tree.leaves]) if label is not None}
    covers = {}
    for text in texts.unique().drop_nulls():
        parts = set_parts(text, leaves)
        if len(parts) > 1 and text not in tree.labels:
            covers[text] = tree.labels[tree.lowest_common([leaves[part] for part in parts])]
    return tree.node_of(texts.replace(covers) if covers else texts).astype(np.int64)


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
