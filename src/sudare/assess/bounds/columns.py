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
from sudare.describe.hierarchy.shares import Objective, node_shares
from sudare.describe.kinds import ORDERED_KINDS
from sudare.describe.ranges import ANYTHING, places_of
from sudare.describe.text import as_text
from sudare.errors import ParameterError, did_you_mean, shown

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
