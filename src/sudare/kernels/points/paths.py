"""Paths cell by cell: a cell is exhausted, always the nearest record next, then the path enters a near unvisited cell.

Since a cell is left only when it is empty, every cell is completely visited or completely unvisited. The two kinds of
cells differ in how the next one is found: ring by ring (grid) or along neighbor links (FlexDice and halving).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.distance import squared_distance
from sudare.kernels.points.unvisited import build_tree, delete, nearest_next_slice

_SMALL = 200  # cells of up to this many records are searched without a tree


class Cells(NamedTuple):
    """Records by cell."""

    rows: npt.NDArray[np.int64]
    """Rows cell by cell, ascending in each."""
    starts: npt.NDArray[np.int64]
    """Where each cell's rows start, plus the end of the last."""
    of_row: npt.NDArray[np.int64]
    """Cell of each row."""


class Walk(NamedTuple):
    """The state of a path between slices."""

    order: npt.NDArray[np.int64]
    visited: npt.NDArray[np.bool_]
    """By cell."""
    unvisited: npt.NDArray[np.int64]
    """Unvisited cells in front, in any order."""
    at: npt.NDArray[np.int64]
    """Position of each cell in `unvisited`."""
    counters: npt.NDArray[np.int64]
    """Rows visited, row to enter next (-1 at the end), unvisited cells."""


def new_walk(cells: Cells, first: int) -> Walk:
    """A walk about to enter its first row."""
    count = len(cells.starts) - 1
    return Walk(
        order=np.empty(len(cells.rows), dtype=np.int64),
        visited=np.zeros(count, dtype=np.bool_),
        unvisited=np.arange(count, dtype=np.int64),
        at=np.arange(count, dtype=np.int64),
        counters=np.array([0, first, count], dtype=np.int64),
    )


@kernel
def exhaust(X, cells, walk):
    """Visit all rows of the cell that contains the row to enter; returns the cell."""
    counters = walk.counters
    entry = counters[1]
    cell = cells.of_row[entry]
    rows = cells.rows[cells.starts[cell] : cells.starts[cell + 1]]
    chain(X, rows, entry, walk.order[counters[0] : counters[0] + len(rows)])
    counters[0] += len(rows)
    counters[2] -= 1
    last, place = walk.unvisited[counters[2]], walk.at[cell]
    walk.unvisited[place], walk.at[last] = last, place
    walk.visited[cell] = True
    return cell


@kernel
def chain(X, rows, entry, out):
    """Write a path through some rows (ascending) to `out`: from `entry` on, always the nearest remaining row."""
    count = len(rows)
    out[0] = entry
    if count > _SMALL:
        tree = build_tree(X, rows)
        delete(tree, entry)
        nearest_next_slice(tree, X, out, 1, count - 1)
        return
    left = rows[rows != entry]
    for step in range(1, count):
        best, chosen = np.inf, 0
        for index in range(count - step):
            distance = squared_distance(X, left[index], X[out[step - 1]])
            if distance < best or (distance == best and left[index] < left[chosen]):
                best, chosen = distance, index
        out[step] = left[chosen]
        left[chosen] = left[count - step - 1]


@kernel
def _nearer(X, cells, cell, last, best, best_row):
    """The row nearest to `last` in a cell, or the nearest so far if that is nearer."""
    for index in range(cells.starts[cell], cells.starts[cell + 1]):
        row = cells.rows[index]
        distance = squared_distance(X, row, X[last])
        if distance < best or (distance == best and row < best_row):
            best, best_row = distance, row
    return best, best_row


@kernel
def grid_slice(X, cells, coordinates, table, widths, walk, budget):
    """Exhaust cells of a grid until `budget` rows are visited.

    `coordinates` are the cells' positions on the axes, `table` gives the cell at a position (mixed radix of `widths`)
    or -1 if there is no record. The table only saves time: without it (no entries), all unvisited cells are compared.
    """
    counters = walk.counters
    stop = counters[0] + budget
    while counters[1] >= 0 and counters[0] < stop:
        cell = exhaust(X, cells, walk)
        last = walk.order[counters[0] - 1]
        counters[1] = -1
        if len(table) > 0:
            counters[1] = _adjacent_entry(X, cells, coordinates, table, widths, walk, cell, last)
        if counters[1] < 0 and counters[2] > 0:
            counters[1] = _ring_entry(X, cells, coordinates, walk, cell, last)


@kernel
def _adjacent_entry(X, cells, coordinates, table, widths, walk, cell, last):
    """Nearest row of the unvisited cells that touch a cell; -1 if there is none."""
    axes = coordinates.shape[1]
    best, best_row = np.inf, -1
    for code in range(3**axes):
        rest, place, inside = code, 0, True
        for axis in range(axes):
            at = coordinates[cell, axis] + rest % 3 - 1
            rest //= 3
            inside = inside and 0 <= at < widths[axis]
            place = place * widths[axis] + at
        if inside and table[place] >= 0 and not walk.visited[table[place]]:
            best, best_row = _nearer(X, cells, table[place], last, best, best_row)
    return best_row


@kernel
def _ring_entry(X, cells, coordinates, walk, cell, last):
    """Nearest row of the unvisited cells on the smallest ring that has any."""
    closest = np.iinfo(np.int64).max
    best, best_row = np.inf, -1
    for index in range(walk.counters[2]):
        other = walk.unvisited[index]
        ring = 0
        for axis in range(coordinates.shape[1]):
            ring = max(ring, abs(coordinates[other, axis] - coordinates[cell, axis]))
        if ring < closest:
            closest, best, best_row = ring, np.inf, -1
        if ring == closest:
            best, best_row = _nearer(X, cells, other, last, best, best_row)
    return best_row


@kernel
def linked_slice(X, cells, links, walk, seen, queue, budget):
    """Exhaust linked cells until `budget` rows are visited; the next cell is found breadth first.

    Stops early, with -1 as the row to enter next, if no link leads to an unvisited cell.
    `seen` (by cell, initially 0) and `queue` (by cell) are work space for the search.
    """
    counters = walk.counters
    stop = counters[0] + budget
    while counters[1] >= 0 and counters[0] < stop:
        cell = exhaust(X, cells, walk)
        counters[1] = -1
        if counters[2] > 0:
            last = walk.order[counters[0] - 1]
            counters[1] = _linked_entry(X, cells, links, walk, seen, queue, cell, last)


@kernel
def _linked_entry(X, cells, links, walk, seen, queue, cell, last):
    """Nearest row of the unvisited cells that are the fewest links away; -1 if links, which are directed, reach none."""
    stamp = walk.counters[0]
    best, best_row = np.inf, -1
    queue[0] = cell
    seen[cell] = stamp
    start, end = 0, 1
    while start < end and best_row < 0:
        level = end
        for index in range(start, level):
            for slot in range(links.shape[1]):
                other = links[queue[index], slot]
                if other < 0 or seen[other] == stamp:
                    continue
                seen[other] = stamp
                queue[end] = other
                end += 1
                if not walk.visited[other]:
                    best, best_row = _nearer(X, cells, other, last, best, best_row)
        start = level
    return best_row
