"""An adaptive grid whose cells are halved along their widest side where there are many records, and linked.

Cells are created and linked in slices, so that a caller can report progress and stop in between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.unvisited import box_of


class Dice(NamedTuple):
    """The tree of halvings; its leaves are the cells."""

    order: npt.NDArray[np.int64]
    """Rows; those of a node are adjacent, ascending in a leaf."""
    spare: npt.NDArray[np.int64]
    """Work space for a halving."""
    first: npt.NDArray[np.int64]
    """Where the rows of each node start."""
    last: npt.NDArray[np.int64]
    parent: npt.NDArray[np.int64]
    side: npt.NDArray[np.int64]
    """Column along which a node is halved; -1 for a leaf."""
    child: npt.NDArray[np.int64]
    """The lower half; the upper half follows it."""
    cut: npt.NDArray[np.float64]
    """Largest value on the lower half's side of the column."""
    counters: npt.NDArray[np.int64]
    """Nodes created, leaves, node to examine next, rows in final leaves."""


def new_dice(n: int) -> Dice:
    """One cell with all rows, not yet examined."""
    room = 2 * n
    last = np.zeros(room, dtype=np.int64)
    last[0] = n
    return Dice(
        order=np.arange(n, dtype=np.int64),
        spare=np.empty(n, dtype=np.int64),
        first=np.zeros(room, dtype=np.int64),
        last=last,
        parent=np.full(room, -1, dtype=np.int64),
        side=np.full(room, -1, dtype=np.int64),
        child=np.zeros(room, dtype=np.int64),
        cut=np.zeros(room),
        counters=np.array([1, 1, 0, 0], dtype=np.int64),
    )


@kernel
def halve_slice(X, dice, largest, fewest, budget):
    """Halve cells along their widest side while they have more than `largest` rows or are fewer than `fewest`.

    Sides are those of the bounding box of a cell's records and a cell is halved in the middle of that box, so no empty
    cell is ever created. Stops after examining `budget` rows; returns whether it is done.
    """
    p = X.shape[1]
    low, high = np.empty(p), np.empty(p)
    counters = dice.counters
    looked = 0
    while counters[2] < counters[0]:
        if looked >= budget:
            return False
        node = counters[2]
        start, stop = dice.first[node], dice.last[node]
        looked += stop - start
        halved = False
        if stop - start > largest or counters[1] < fewest:
            widest = box_of(X, dice.order, start, stop, low, high)
            halved = high[widest] > low[widest]
            if halved:
                middle = low[widest] + (high[widest] - low[widest]) / 2
                middle = low[widest] if middle >= high[widest] else middle
                border = _halve(X, dice.order, dice.spare, start, stop, widest, middle)
                lower, upper = counters[0], counters[0] + 1
                dice.side[node], dice.cut[node], dice.child[node] = widest, middle, lower
                dice.first[lower], dice.last[lower], dice.parent[lower] = start, border, node
                dice.first[upper], dice.last[upper], dice.parent[upper] = border, stop, node
                counters[0] += 2
                counters[1] += 1
        if not halved:
            counters[3] += stop - start
        counters[2] += 1
    return True


@kernel
def cells_of(dice):
    """The rows cell by cell, where each cell's rows start, the cell of each row, the cell of each leaf (else -1)."""
    nodes, cells = dice.counters[0], dice.counters[1]
    number = np.full(nodes, -1, dtype=np.int64)
    starts, of_row = np.zeros(cells + 1, dtype=np.int64), np.empty(len(dice.order), dtype=np.int64)
    rows = np.empty(len(dice.order), dtype=np.int64)
    count = 0
    for node in range(nodes):
        if dice.side[node] < 0:
            first, last = dice.first[node], dice.last[node]
            size = last - first
            rows[starts[count] : starts[count] + size] = dice.order[first:last]
            for index in range(first, last):
                of_row[dice.order[index]] = count
            starts[count + 1] = starts[count] + size
            number[node] = count
            count += 1
    return rows, starts, of_row, number


@kernel
def link_slice(X, dice, number, links, start, stop):
    """Link the cells among nodes start, start + 1, … to their neighbors.

    For each column and direction, the link is to the cell next to the middle of that face, -1 at the border of the
    space.
    """
    p = X.shape[1]
    low, high = np.empty(p), np.empty(p)
    for node in range(start, stop):
        if dice.side[node] < 0:
            box_of(X, dice.order, dice.first[node], dice.last[node], low, high)
            _link(dice, number, node, (low + high) / 2, links[number[node]])


@kernel
def _halve(X, order, spare, start, stop, column, middle):
    """Stable partition of order[start:stop], so that rows stay ascending; returns where the upper part starts."""
    border, above = start, 0
    for index in range(start, stop):
        row = order[index]
        if X[row, column] <= middle:
            order[border] = row
            border += 1
        else:
            spare[above] = row
            above += 1
    order[border:stop] = spare[:above]
    return border


@kernel
def _link(dice, number, cell, center, links):
    """The cells next to the faces of a cell: the deepest cut on each side is the face, crossed at the middle."""
    node = cell
    while dice.parent[node] >= 0:
        above = dice.parent[node]
        is_upper = node != dice.child[above]
        column = dice.side[above]
        slot = 2 * column + is_upper
        if links[slot] < 0:
            kept = center[column]
            center[column] = dice.cut[above] if is_upper else np.nextafter(dice.cut[above], np.inf)
            other = 0
            while dice.side[other] >= 0:
                other = dice.child[other] + (center[dice.side[other]] > dice.cut[other])
            links[slot] = number[other]
            center[column] = kept
        node = above
