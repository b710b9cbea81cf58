"""Records as numbers and the costs of covering them: the input to the search for groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sudare.anonymize.grouping.recode import Axis, OrderedAxis, TreeAxis
from sudare.describe.hierarchy.tree import Objective, node_shares
from sudare.kernels.core.rules import block_labels
from sudare.kernels.partition.covers import CLIMB, LARGEST_TABLE, LINE, PAIRS, SET, Covers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.describe.hierarchy.tree import Hierarchy

Cells = Literal["hierarchy", "sets"]


@dataclass(frozen=True, eq=False)
class _Part:
    """One column: how its cost is computed, its codes, and its part of the flat arrays."""

    mode: int
    codes: npt.NDArray[np.int32]
    width: int
    table: npt.NDArray[np.float64]
    parent: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]


def covers_of(axes: Sequence[Axis], weights: Sequence[float], objective: Objective, cells: Cells) -> Covers:
    """The cost model of a table; its unit is the mean cost of a cell, so that a total over rows is a loss times n.

    Weights are normalized to a sum of one. There is room for one group; `with_slots` makes more.
    """
    total = sum(weights)
    parts = [
        _part(axis, weight / total, objective, cells) for axis, weight in zip(axes, weights, strict=True)
    ]
    starts = np.cumsum([0, *(len(part.table) for part in parts)])[:-1]
    return Covers(
        codes=np.ascontiguousarray(np.stack([part.codes for part in parts], axis=1)),
        mode=np.array([part.mode for part in parts], dtype=np.int64),
        start=starts.astype(np.int64),
        width=np.array([part.width for part in parts], dtype=np.int64),
        table=np.concatenate([part.table for part in parts]).astype(np.float64),
        whole=np.array(weights, dtype=np.float64) / total,
        parent=np.concatenate([part.parent for part in parts]),
        last=np.concatenate([part.last for part in parts]),
        low=np.zeros((1, len(parts)), dtype=np.int32),
        high=np.zeros((1, len(parts)), dtype=np.int32),
    )


def with_slots(model: Covers, rows: npt.NDArray[np.int64] | slice, slots: int) -> Covers:
    """The same model for some of the rows, with room for this many groups."""
    shape = (slots, model.codes.shape[1])
    codes = np.ascontiguousarray(model.codes[rows])
    return model._replace(
        codes=codes, low=np.zeros(shape, dtype=np.int32), high=np.zeros(shape, dtype=np.int32)
    )


def _part(axis: Axis, weight: float, objective: Objective, cells: Cells) -> _Part:
    if isinstance(axis, OrderedAxis):
        return _line(axis, weight)
    # The same as in `recode`, so that the search optimizes what is released.
    if cells == "sets" and not axis.ordered:
        return _sets(axis, weight, objective)
    return _tree(axis, weight, objective)


def _line(axis: OrderedAxis, weight: float) -> _Part:
    position = axis.position
    # Numbers that floats cannot tell apart are one place on the line.
    width = float(position[-1] - position[0]) if len(position) and position[-1] > position[0] else 1.0
    # Shifted before scaling, so that a column far from 0 keeps its digits.
    table = (position - position[0]) / width * weight if len(position) else np.zeros(1)
    unused = np.zeros(len(table), dtype=np.int32)
    return _Part(LINE, axis.codes.ranks.astype(np.int32), len(table), table, unused, unused)


def _sets(axis: TreeAxis, weight: float, objective: Objective) -> _Part:
    counts = np.arange(axis.tree.leaves + 2, dtype=np.float64)
    whole = float(max(axis.tree.leaves, 1))
    costs = counts / whole if objective == "ncp" else (counts - 1) / max(whole - 1, 1.0)
    table = np.where(counts > 1, np.minimum(costs, 1.0), 0.0) * weight
    unused = np.zeros(len(table), dtype=np.int32)
    # By rank, as ladders number them: the first groups share values of the hierarchy.
    ranks = axis.tree.first[axis.leaves].astype(np.int32)
    return _Part(SET, ranks, len(table), table, unused, unused)


def _tree(axis: TreeAxis, weight: float, objective: Objective) -> _Part:
    tree = axis.tree
    costs = node_shares(tree, objective) * weight
    ranks = tree.first[axis.leaves].astype(np.int32)
    if tree.leaves > LARGEST_TABLE:
        return _climbed(tree, costs, ranks)
    table = _pair_costs(tree, costs)
    unused = np.zeros(table.size, dtype=np.int32)
    return _Part(PAIRS, ranks, tree.leaves, table.reshape(-1), unused, unused)


def _pair_costs(tree: Hierarchy, costs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cost of the lowest node that covers the ranks low … high: coarse nodes first, finer ones written over them."""
    table = np.zeros((tree.leaves, tree.leaves))
    for node in range(tree.nodes - 1, -1, -1):
        table[tree.first[node] : tree.last[node], tree.first[node] : tree.last[node]] = costs[node]
    return table


def _climbed(tree: Hierarchy, costs: npt.NDArray[np.float64], ranks: npt.NDArray[np.int32]) -> _Part:
    """Nodes renumbered so that leaf r is node r; inner nodes keep their numbers."""
    number = np.arange(tree.nodes, dtype=np.int32)
    number[: tree.leaves] = tree.first[: tree.leaves]
    parent, last, table = np.empty_like(number), np.empty_like(number), np.empty(tree.nodes)
    parent[number] = number[tree.parent]
    last[number] = tree.last
    table[number] = costs
    return _Part(CLIMB, ranks, tree.nodes, table, parent, last)


def distinct_records(codes: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], int]:
    """Labels of equal records, and the number of distinct ones."""
    lowest, highest = codes.min(axis=0, initial=0), codes.max(axis=0, initial=0)
    columns = [codes[:, column] - lowest[column] for column in range(codes.shape[1])]
    return block_labels(columns, [int(width) for width in highest - lowest + 1], len(codes))
