"""FlexDice: a variable grid whose cells are halved along all sides where there are many records, and linked across faces.

Nakamura, Kamidoi, Wakabayashi, Yoshida 2005, as Suzaki, Hashimoto, Kamidoi and Wakabayashi (undated) use it. A record's
place is a whole number of `BITS` bits on each column; the cell of depth d that contains it is given by the upper d bits.
So cells of one depth are a regular grid, and all arithmetic of cells is exact. Cells are created and linked in slices,
so that a caller can report progress and stop in between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel

BITS = 52
"""Depth at which halving ends: float64 represents no finer share of a column's width."""


class Dice(NamedTuple):
    """The tree of splits; its leaves are the cells. A split that leaves all records in one part makes no node."""

    order: npt.NDArray[np.int64]
    """Rows; those of a node are adjacent, ascending in a leaf."""
    spare: npt.NDArray[np.int64]
    """Work space for a split."""
    first: npt.NDArray[np.int64]
    """Where the rows of each node start."""
    last: npt.NDArray[np.int64]
    depth: npt.NDArray[np.int64]
    """How often the space was halved for the node's box."""
    child: npt.NDArray[np.int64]
    """The first of a node's parts, which are adjacent and sorted by their places; -1 for a leaf."""
    children: npt.NDArray[np.int64]
    counters: npt.NDArray[np.int64]
    """Nodes created, leaves, node to examine next, rows in final leaves."""


def new_dice(n: int) -> Dice:
    """One cell with all rows, not yet examined."""
    room = 2 * n
    last = np.zeros(room, dtype=np.int64)
    last[0] = n
    return Dice(
        order=np.arange(n, dtype=np.int64),
        spare=np.empty(2 * n, dtype=np.int64),
        first=np.zeros(room, dtype=np.int64),
        last=last,
        depth=np.zeros(room, dtype=np.int64),
        child=np.full(room, -1, dtype=np.int64),
        children=np.zeros(room, dtype=np.int64),
        counters=np.array([1, 1, 0, 0], dtype=np.int64),
    )


@kernel
def split_slice(Q, dice, largest, fewest, budget):
    """Halve all sides of cells with more than `largest` rows, and of others if at most `fewest` cells exist afterwards.

    `Q` are the records' places. Cells are examined in the order in which they were made. Stops after examining `budget`
    rows; returns whether it is done.
    """
    counters = dice.counters
    looked = 0
    while counters[2] < counters[0]:
        if looked >= budget:
            return False
        node = counters[2]
        start, stop = dice.first[node], dice.last[node]
        looked += stop - start
        parts = 0
        if stop - start > largest or counters[1] < fewest:
            depth = _shared_depth(Q, dice.order, start, stop)
            if depth < BITS:
                sorted_rows = _by_part(Q, dice, start, stop, BITS - 1 - depth)
                parts = 1
                for index in range(1, stop - start):
                    parts += _differ(Q, sorted_rows[index - 1], sorted_rows[index], BITS - 1 - depth)
                if stop - start <= largest and counters[1] - 1 + parts > fewest:
                    parts = 0
        if parts > 0:
            dice.order[start:stop] = sorted_rows
            dice.child[node], dice.children[node] = counters[0], parts
            begin = start
            for index in range(start + 1, stop + 1):
                if index == stop or _differ(Q, dice.order[index - 1], dice.order[index], BITS - 1 - depth):
                    made = counters[0]
                    dice.first[made], dice.last[made], dice.depth[made] = begin, index, depth + 1
                    begin = index
                    counters[0] += 1
            counters[1] += parts - 1
        else:
            counters[3] += stop - start
        counters[2] += 1
    return True


@kernel
def _shared_depth(Q, order, start, stop):
    """The number of leading bits that the places of some rows share on every column."""
    differing = 0
    for index in range(start + 1, stop):
        for column in range(Q.shape[1]):
            differing |= Q[order[index], column] ^ Q[order[start], column]
    depth = BITS
    while differing > 0:
        differing >>= 1
        depth -= 1
    return depth


@kernel
def _differ(Q, one, other, bit):
    """Whether two rows lie in different parts of their cell: whether they differ in one bit of a column."""
    for column in range(Q.shape[1]):  # noqa: SIM110  # numba compiles no generators here
        if (Q[one, column] ^ Q[other, column]) >> bit & 1:
            return True
    return False


@kernel
def _by_part(Q, dice, start, stop, bit):
    """The rows of a node sorted by that bit of the first column, then of the second, …; ascending in each part."""
    size = stop - start
    rows, above = dice.spare[:size], dice.spare[size : 2 * size]
    rows[:] = dice.order[start:stop]
    for column in range(Q.shape[1] - 1, -1, -1):
        low = high = 0
        for index in range(size):
            row = rows[index]
            if Q[row, column] >> bit & 1:
                above[high] = row
                high += 1
            else:
                rows[low] = row
                low += 1
        rows[low:] = above[:high]
    return rows


@kernel
def cells_of(dice):
    """The rows cell by cell, where each cell's rows start, the cell of each row, the cell of each leaf (else -1)."""
    nodes, cells = dice.counters[0], dice.counters[1]
    number = np.full(nodes, -1, dtype=np.int64)
    starts, of_row = np.zeros(cells + 1, dtype=np.int64), np.empty(len(dice.order), dtype=np.int64)
    rows = np.empty(len(dice.order), dtype=np.int64)
    count = 0
    for node in range(nodes):
        if dice.child[node] < 0:
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
def link_slice(Q, width, dice, number, links, start, stop):
    """Link the cells among nodes start, start + 1, … across their faces; -1 where there is nothing to link to.

    The link of a column and direction leads to the cell that contains the box of the same size beyond that face. If
    that box was itself split, it leads to one cell in it: from part to part, the one whose center is nearest to the
    center of the linking cell (the first on a tie). There is none if the box is empty or outside the space.
    """
    p = Q.shape[1]
    place, center = np.empty(p, dtype=np.int64), np.empty(p)
    for node in range(start, stop):
        if dice.child[node] >= 0:
            continue
        depth, row = dice.depth[node], dice.order[dice.first[node]]
        for column in range(p):
            place[column] = Q[row, column] >> (BITS - depth)
            center[column] = width[column] * ((place[column] + 0.5) / 2.0**depth)
        for column in range(p):
            for upper in range(2):
                step = 1 if upper else -1
                if 0 <= place[column] + step < 1 << depth:
                    place[column] += step
                    other = _node_within(Q, dice, place, depth)
                    place[column] -= step
                    if other >= 0:
                        links[number[node], 2 * column + upper] = number[
                            _nearest_cell(Q, width, dice, other, center)
                        ]


@kernel
def _node_within(Q, dice, place, depth):
    """The topmost node whose records all lie in a box, or the leaf that contains the box; -1 if the box is empty."""
    node = 0
    while dice.child[node] >= 0 and dice.depth[dice.child[node]] <= depth:
        below = dice.depth[dice.child[node]]
        # The parts are sorted by their places, so the one that may contain the box is found by halving.
        low, high = dice.child[node], dice.child[node] + dice.children[node] - 1
        while low < high:
            middle = (low + high) // 2
            if _before(Q, dice.order[dice.first[middle]], place, below, depth):
                low = middle + 1
            else:
                high = middle
        if not _inside(Q, dice.order[dice.first[low]], place, below, depth):
            return -1
        node = low
    if dice.child[node] >= 0 and not _inside(Q, dice.order[dice.first[node]], place, depth, depth):
        return -1
    return node


@kernel
def _before(Q, row, place, below, depth):
    """Whether a row's part precedes a box in the order of parts, by the last bit of their places at a depth."""
    for column in range(Q.shape[1]):
        own, other = Q[row, column] >> (BITS - below) & 1, place[column] >> (depth - below) & 1
        if own != other:
            return own < other
    return False


@kernel
def _inside(Q, row, place, below, depth):
    """Whether the box of a row at one depth contains a box of another depth."""
    for column in range(Q.shape[1]):  # as above
        if Q[row, column] >> (BITS - below) != place[column] >> (depth - below):
            return False
    return True


@kernel
def _nearest_cell(Q, width, dice, node, center):
    """The leaf that is reached by always going to the part whose center is nearest to a point."""
    while dice.child[node] >= 0:
        best, chosen = np.inf, dice.child[node]
        depth = dice.depth[chosen]
        for child in range(dice.child[node], dice.child[node] + dice.children[node]):
            row = dice.order[dice.first[child]]
            total = 0.0
            for column in range(Q.shape[1]):
                middle = width[column] * (((Q[row, column] >> (BITS - depth)) + 0.5) / 2.0**depth)
                total += (middle - center[column]) ** 2
            if total < best:
                best, chosen = total, child
        node = chosen
    return node
