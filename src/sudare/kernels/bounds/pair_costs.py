"""The cost of two rows together: the cells of a row are ranks, and each column defines the cost of two ranks.

Ranks are numbered so that the cost of two ranks never decreases when one of them moves away from the other: leaves of
a hierarchy depth first, numbers ascending, missing last. So a set of rows is bounded by the lowest and highest rank
of each column. The cost of two rows is the sum over columns; each column's cost is a metric, so the sum is one too.

The innermost loops take plain arrays and many rows at a time: a call with so many arguments costs more than a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel

TREE, LINE, TABLE = range(3)
STRETCH = 8
"""The number of columns summed between two checks of the limit."""


class Space(NamedTuple):
    """Columns c = 0 … C-1 with `size[c]` ranks each; the TABLE columns come last."""

    wide: int
    """Number of columns before the TABLE columns."""
    kind: npt.NDArray[np.int64]
    """TREE: cost of the lowest common node; LINE: distance of positions; TABLE: cost of every pair of ranks."""
    size: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    """Where the column begins in `values` (TABLE: size x size costs; LINE: positions) or in the node arrays."""
    cap: npt.NDArray[np.float64]
    """The highest cost of a cell of the column."""
    values: npt.NDArray[np.float64]
    parent: npt.NDArray[np.int64]
    """Parent of each node of the TREE columns, counted from the column's start: leaves by rank, then inner nodes; the
    root is its own parent."""
    first: npt.NDArray[np.int64]
    """First rank below a node."""
    last: npt.NDArray[np.int64]
    """One past the last rank below a node."""
    cost: npt.NDArray[np.float64]
    """Cost of a node, 0 for leaves."""
    height: int
    """The largest number of nodes on a path from a leaf to the root."""
    floor: npt.NDArray[np.float64]
    """C x largest size: cost of a rank together with the nearest other rank."""


class View(NamedTuple):
    """One row, prepared for comparison with many."""

    rank: npt.NDArray[np.int64]
    floor: npt.NDArray[np.float64]
    """The lowest cost of each column with a row that has another rank there."""
    base: npt.NDArray[np.int64]
    """TABLE: where its line of costs begins; LINE: where the positions begin."""
    position: npt.NDArray[np.float64]
    """LINE: its position."""
    first: npt.NDArray[np.int64]
    """TREE: C x height ranges of ranks, growing from the leaf to the root (repeated to fill the line) …"""
    last: npt.NDArray[np.int64]
    cost: npt.NDArray[np.float64]
    """… and their costs; LINE: the cap comes first."""


def view_for(space: Space) -> View:
    """Work space for one row at a time."""
    columns = len(space.kind)
    chain = (columns, max(space.height, 1))
    return View(
        rank=np.zeros(columns, dtype=np.int64),
        floor=np.zeros(columns),
        base=np.zeros(columns, dtype=np.int64),
        position=np.zeros(columns),
        first=np.zeros(chain, dtype=np.int64),
        last=np.zeros(chain, dtype=np.int64),
        cost=np.zeros(chain),
    )


@kernel
def look_from(space, view, codes, row):
    """Prepare a row."""
    for column in range(len(space.kind)):
        rank = np.int64(codes[row, column])
        start = space.start[column]
        view.rank[column], view.floor[column] = rank, space.floor[column, rank]
        if space.kind[column] == TABLE:
            view.base[column] = start + rank * space.size[column]
        elif space.kind[column] == LINE:
            view.base[column], view.position[column] = start, space.values[start + rank]
            view.cost[column, 0] = space.cap[column]
        else:
            node, step = rank, 0
            view.first[column, 0], view.last[column, 0], view.cost[column, 0] = rank, rank + 1, 0.0
            while space.parent[start + node] != node:
                node = space.parent[start + node]
                # nodes of equal cost are one step: use the highest of them
                step += space.cost[start + node] > view.cost[column, step]
                view.first[column, step] = space.first[start + node]
                view.last[column, step] = space.last[start + node]
                view.cost[column, step] = space.cost[start + node]
            for rest in range(step + 1, view.first.shape[1]):
                view.first[column, rest], view.last[column, rest] = (
                    view.first[column, step],
                    view.last[column, step],
                )


@kernel
def wide_cost(kind, values, base, position, first, last, cost, column, rank):
    """Cost of a TREE or LINE column when the prepared row is generalized together with a rank."""
    if kind[column] == LINE:
        return min(abs(values[base[column] + rank] - position[column]), cost[column, 0])
    step = 0
    for outer in range(first.shape[1] - 1):  # always to the end: cheaper than an unpredictable jump
        step += (rank < first[column, outer]) | (rank >= last[column, outer])
    return cost[column, step]


@kernel
def row_costs(wide, kind, values, base, position, first, last, cost, codes, begin, end, limit, out):
    """Costs of the prepared row together with rows begin … end-1; from the limit on, they are only lower bounds."""
    for row in range(begin, end):
        total = 0.0
        for column in range(wide):
            total += wide_cost(kind, values, base, position, first, last, cost, column, codes[row, column])
        start = wide
        while total < limit and start < len(kind):
            for column in range(start, min(start + STRETCH, len(kind))):
                total += values[base[column] + codes[row, column]]
            start += STRETCH
        out[row - begin] = total


@kernel
def rank_cost(space, column, lower, higher):
    """Cost of two ranks, lower <= higher."""
    start = space.start[column]
    if space.kind[column] == TABLE:
        return space.values[start + lower * space.size[column] + higher]
    if space.kind[column] == LINE:
        return min(space.values[start + higher] - space.values[start + lower], space.cap[column])
    node = lower
    while higher >= space.last[start + node]:
        node = space.parent[start + node]
    return space.cost[start + node]
