"""Quasi-identifiers as the kernels of the bounds see them: ranks, and the cost of generalizing two ranks together.

The costs are those of `sudare.measure`, cell by cell, for the most specific text that covers both values: the label of
the lowest common node of a hierarchy, a range if the column is ordered and has no hierarchy, `*` otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

import numpy as np
import numpy.typing as npt

from sudare.arrays import starts_of
from sudare.describe.hierarchy.tree import Objective, node_shares
from sudare.describe.kinds import ORDERED_KINDS
from sudare.describe.text import ANYTHING, as_text, places_of
from sudare.errors import ParameterError, did_you_mean, shown
from sudare.kernels.bounds.neighborhood import LINE, TABLE, TREE, Space

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.describe.codes import Codes
    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.describe.table import Table

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FAR = 3.0
"""Position of missing values on an axis of length 1: farther from any value than the whole axis."""


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """One quasi-identifier."""

    ranks: npt.NDArray[np.int32]
    """Rank of each row."""
    beside: Floats
    """Cost of joining each rank with the next."""
    positions: Floats = field(default_factory=lambda: np.zeros(0))
    """Position of each rank if the column is ordered; otherwise it is a tree."""
    parent: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Parent of each node: ranks first, then inner nodes; the root is last and its own parent."""
    first: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    last: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    cost: Floats = field(default_factory=lambda: np.zeros(0))
    cap: float = 1.0

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.beside) + 1

    @property
    def is_tree(self) -> bool:
        """Whether it is generalized along the nodes of a tree."""
        return len(self.parent) > 0

    def costs(self, lower: npt.NDArray[np.int32], higher: npt.NDArray[np.int32]) -> Floats:
        """Costs of pairs of ranks, lower <= higher."""
        if not self.is_tree:
            return np.minimum(self.positions[higher] - self.positions[lower], self.cap)
        nodes = lower.astype(np.int64)
        while (beyond := higher >= self.last[nodes]).any():
            nodes = np.where(beyond, self.parent[nodes], nodes)
        return self.cost[nodes]


def check_objective(objective: str) -> None:
    """Refuse a name that is not an objective."""
    if objective not in get_args(Objective):
        raise ParameterError(
            "assess.bounds.objective",
            objective=objective,
            hint=did_you_mean(str(objective), get_args(Objective)),
        )


def weights_of(names: Sequence[str], weights: Mapping[str, float] | None) -> dict[str, float]:
    """The weight of each of these quasi-identifiers: 1 unless given."""
    for name, weight in (weights or {}).items():
        if name not in names or not 0 <= weight < np.inf:
            raise ParameterError("assess.bounds.weight", name=name, given=shown(weight))
    return {name: float((weights or {}).get(name, 1.0)) for name in names}


def ranked_column(table: Table, name: str, objective: Objective, weight: float) -> RankedColumn:
    """How one quasi-identifier is generalized, and at what cost."""
    codes, tree = table.codes(name), table.hierarchy(name)
    if tree is not None:
        return _along(tree, table.leaves(name, tree), objective, weight)
    if table.column(name).kind in ORDERED_KINDS:
        return _ordered(codes, weight)
    # A value is kept or becomes `*`. The measures count the leaves of present values only, and treat `*` as a leaf
    # if it is a value: a bound must not exceed what they compute.
    free = ANYTHING in as_text(codes.values) or (objective == "loss" and len(codes.values) <= 1)
    price = 0.0 if free else weight
    count = codes.count
    return RankedColumn(
        ranks=codes.codes,
        beside=np.full(max(count - 1, 0), price),
        parent=np.full(count + 1, count, dtype=np.int64),
        first=np.append(np.arange(count), 0),
        last=np.append(np.arange(count) + 1, count),
        cost=np.append(np.zeros(count), price),
        cap=weight,
    )


def _along(
    tree: Hierarchy, leaves: npt.NDArray[np.int32], objective: Objective, weight: float
) -> RankedColumn:
    depth_first = tree.first[leaves]
    occurs = np.zeros(tree.leaves, dtype=np.bool_)
    occurs[depth_first] = True
    before = starts_of(occurs.astype(np.int64))
    size = int(before[-1])
    inner = np.arange(tree.leaves, tree.nodes)
    leaf_at = np.empty(tree.leaves, dtype=np.int64)
    leaf_at[tree.leaf_order] = np.arange(tree.leaves)
    kept = np.concatenate([leaf_at[occurs], inner])
    number = np.full(tree.nodes, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    first, last = before[tree.first[kept]], before[tree.last[kept]]
    cost = weight * _node_costs(tree, objective)[kept]
    beside = np.zeros(max(size - 1, 0))
    for node in range(len(kept) - 1, size - 1, -1):  # from the root down: what is lower overwrites
        if last[node] > first[node]:  # there are branches without any value of the column
            beside[first[node] : last[node] - 1] = cost[node]
    return RankedColumn(
        ranks=before[depth_first].astype(np.int32),
        beside=beside,
        parent=number[tree.parent[kept]],
        first=first,
        last=last,
        cost=cost,
        cap=weight,
    )


def _node_costs(tree: Hierarchy, objective: Objective) -> Floats:
    """The cost of a cell released as each node, never more than that of its parent."""
    cost = node_shares(tree, objective)
    # The measures read labels: if two nodes share one, the lower counts, and a bound must not exceed that.
    read = cost[tree.node_of(tree.labels_of(np.arange(tree.nodes)))]
    if (read < cost).any():
        cost = read
        for node in range(tree.nodes - 2, -1, -1):
            cost[node] = min(cost[node], cost[tree.parent[node]])
    return cost


def _ordered(codes: Codes, weight: float) -> RankedColumn:
    values = codes.values
    halves = places_of(values) / 2  # the width of the axis itself may not fit a float
    extent = float(halves[-1] - halves[0]) if len(halves) else 0.0
    scaled = (halves - halves[0]) / extent if extent > 0 else np.zeros(len(halves))
    if codes.missing is not None:
        # A number and a missing value become `*`; if all numbers are equal, the measure finds no width in it.
        ranked = not (values.dtype.is_numeric() or values.dtype.is_temporal())
        scaled = np.append(scaled, _FAR if extent > 0 or ranked else 0.0)
    positions = weight * scaled
    return RankedColumn(
        ranks=codes.codes,
        beside=np.minimum(np.diff(positions), weight),
        positions=positions,
        cap=weight,
    )


_LARGEST_TABLE = 1500
"""Columns with at most this many values get a table of all pairs …"""
_LARGEST_TABLES = 8_000_000
"""… those with the fewest values first, as long as the tables have no more cells than this (64 MB)."""
_SAMPLE = 2000
"""Number of row pairs sampled to order the columns."""


def space_of(axes: Sequence[RankedColumn]) -> tuple[Space, npt.NDArray[np.int32]]:
    """Costs and ranks (rows x columns): wide columns, then tables, each with the most discriminating columns first.

    Sums that are compared with a limit can then stop early.
    """
    tabled: set[int] = set()
    cells = 0
    for column in sorted(range(len(axes)), key=lambda column: axes[column].size):
        cells += axes[column].size ** 2
        if axes[column].size <= _LARGEST_TABLE and cells <= _LARGEST_TABLES:
            tabled.add(column)
    telling = [_telling(axis) for axis in axes]
    order = sorted(range(len(axes)), key=lambda column: (column in tabled, -telling[column]))
    codes = np.stack([axes[column].ranks for column in order], axis=1).astype(np.int32)
    return _assembled([axes[column] for column in order], len(axes) - len(tabled)), codes


def _telling(axis: RankedColumn) -> float:
    """Mean cost of pairs of rows that are far apart in the table."""
    rows = len(axis.ranks)
    pairs = np.arange(min(_SAMPLE, rows))
    one, other = axis.ranks[pairs * 7919 % rows], axis.ranks[(pairs * 104_729 + rows // 2) % rows]
    return float(axis.costs(np.minimum(one, other), np.maximum(one, other)).mean())


def _assembled(axes: Sequence[RankedColumn], wide: int) -> Space:
    trees = [axis for axis in axes[:wide] if axis.is_tree]
    kinds, starts = [], []
    values: list[Floats] = []
    length = nodes = 0
    floor = np.zeros((len(axes), max(axis.size for axis in axes)))
    for column, axis in enumerate(axes):
        if axis.size > 1:
            floor[column, : axis.size] = np.minimum(
                np.append(np.inf, axis.beside), np.append(axis.beside, np.inf)
            )
        if column < wide and axis.is_tree:
            kinds.append(TREE)
            starts.append(nodes)
            nodes += len(axis.parent)
            continue
        kinds.append(LINE if column < wide else TABLE)
        starts.append(length)
        values.append(axis.positions if column < wide else _table(axis).ravel())
        length += len(values[-1])
    return Space(
        wide=wide,
        kind=np.array(kinds, dtype=np.int64),
        size=np.array([axis.size for axis in axes], dtype=np.int64),
        start=np.array(starts, dtype=np.int64),
        cap=np.array([axis.cap for axis in axes], dtype=np.float64),
        values=np.concatenate(values) if values else np.zeros(0),
        parent=_joined([axis.parent for axis in trees]),
        first=_joined([axis.first for axis in trees]),
        last=_joined([axis.last for axis in trees]),
        cost=np.concatenate([axis.cost for axis in trees]) if trees else np.zeros(0),
        height=max([_height(axis) for axis in trees], default=1),
        floor=floor,
    )


def _table(axis: RankedColumn) -> Floats:
    """Costs of all pairs of ranks."""
    if not axis.is_tree:
        return np.minimum(np.abs(axis.positions[:, None] - axis.positions[None, :]), axis.cap)
    table = np.zeros((axis.size, axis.size))
    for rank in range(axis.size - 1):
        # the lowest node over a run of leaves is the most expensive of those over neighbors
        table[rank, rank + 1 :] = np.maximum.accumulate(axis.beside[rank:])
    return np.maximum(table, table.T)


def _height(axis: RankedColumn) -> int:
    above, nodes = np.arange(axis.size), 1
    while (above != len(axis.parent) - 1).any():
        above, nodes = axis.parent[above], nodes + 1
    return nodes


def _joined(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays).astype(np.int64) if arrays else np.zeros(0, dtype=np.int64)
