"""Nearest unvisited record, exactly: a kd-tree whose records are deleted as they are visited.

A box's squared distance and a record's are sums over the columns in the same order, and rounding is monotone,
so a box never seems farther than a record in it: what is pruned is farther, to the last bit. Ties go
to the lowest row, for which each node keeps its lowest remaining row; large numbers of duplicates cost nothing extra.

`sudare.kernels.points.kdtree` is the other tree: it first rotates the records to their principal axes, which pays off
if every query asks for many records of a large table. This one is built inside kernels, very quickly, for each of
thousands of cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.sort import select

_WIDTH = 8  # children of a node; a leaf has at most twice as many records
_LEAF = 16


class Tree(NamedTuple):
    """Binary nodes in heap order (children of i: 2i + 1 and 2i + 2); the last level are the leaves.

    The search descends three levels at a time: the boxes of a node's 8 great-grandchildren are stored column by
    column, so that one pass over the columns bounds them all, and likewise the records of a leaf.
    """

    points: npt.NDArray[np.float64]
    """Leaves x columns x 16: records, the remaining ones first, then infinity."""
    rows: npt.NDArray[np.int64]
    """Leaves x 16: row of each of these records."""
    place: npt.NDArray[np.int64]
    """For each row, 16 times the leaf plus the place in it."""
    left: npt.NDArray[np.int64]
    """Number of remaining records in each leaf."""
    wide: npt.NDArray[np.int64]
    """Number of the 8 boxes that a node keeps; -1 for a node that is skipped."""
    fan: npt.NDArray[np.int64]
    """How many levels down these boxes are: 3, except for the root, which takes the remainder."""
    lower: npt.NDArray[np.float64]
    """Wide nodes x columns x 8."""
    upper: npt.NDArray[np.float64]
    least: npt.NDArray[np.int64]
    """Lowest remaining row in each node; the number of rows if none remains."""


@kernel
def build_tree(X, rows):
    """Tree of some rows, split at the median of the widest side."""
    count, p = len(rows), X.shape[1]
    levels = 0
    while ((count + (1 << levels) - 1) >> levels) > _LEAF:
        levels += 1
    leaves = 1 << levels
    nodes = 2 * leaves - 1
    first, last = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    least = np.full(nodes, len(X), dtype=np.int64)
    wide, fan = _wide_nodes(levels)
    boxes = max(1, wide.max() + 1)
    lower, upper = np.full((boxes, p, _WIDTH), np.inf), np.full((boxes, p, _WIDTH), np.inf)
    order, keys = rows.copy(), np.empty(count)
    low, high = np.empty(p), np.empty(p)
    points = np.full((leaves, p, _LEAF), np.inf)
    leaf_rows = np.zeros((leaves, _LEAF), dtype=np.int64)
    left = np.zeros(leaves, dtype=np.int64)
    place = np.full(len(X), -1, dtype=np.int64)
    last[0] = count
    depth = 0
    for node in range(nodes):
        if node + 1 == 1 << (depth + 1):
            depth += 1
        start, stop = first[node], last[node]
        side = box_of(X, order, start, stop, low, high)
        above = node
        for _ in range(3):
            if above > 0 and (above == node or wide[above] < 0):
                above = (above - 1) // 2
        keeps = wide[node] >= 0 or node >= leaves - 1
        if node > 0 and keeps:
            child = (node + 1) - ((above + 1) << fan[above])
            for column in range(p):
                lower[wide[above], column, child] = low[column]
                upper[wide[above], column, child] = high[column]
        for index in range(start, stop):
            least[node] = min(least[node], order[index])
        if node < leaves - 1:
            middle = (start + stop) // 2
            for index in range(start, stop):
                keys[index] = X[order[index], side]
            select(keys, order, start, stop, middle)
            first[2 * node + 1], last[2 * node + 1] = start, middle
            first[2 * node + 2], last[2 * node + 2] = middle, stop
        else:
            leaf = node - (leaves - 1)
            left[leaf] = stop - start
            for index in range(start, stop):
                leaf_rows[leaf, index - start] = order[index]
                place[order[index]] = leaf * _LEAF + index - start
                for column in range(p):
                    points[leaf, column, index - start] = X[order[index], column]
    return Tree(points, leaf_rows, place, left, wide, fan, lower, upper, least)


@kernel
def _wide_nodes(levels):
    wide = np.full(2 ** (levels + 1) - 1, -1, dtype=np.int64)
    fan = np.zeros(len(wide), dtype=np.int64)
    depth = count = 0
    while depth < levels:
        down = (levels - depth - 1) % 3 + 1 if depth == 0 else 3
        for node in range((1 << depth) - 1, (2 << depth) - 1):
            wide[node], fan[node] = count, down
            count += 1
        depth += down
    return wide, fan


@kernel
def box_of(X, order, start, stop, low, high):
    """Write the bounding box of some rows in the first columns to `low` and `high`; returns its widest column."""
    low[:] = np.inf
    high[:] = -np.inf
    for index in range(start, stop):
        row = order[index]
        for column in range(len(low)):
            value = X[row, column]
            low[column] = min(low[column], value)
            high[column] = max(high[column], value)
    widest = 0
    for column in range(1, len(low)):
        if high[column] - low[column] > high[widest] - low[widest]:
            widest = column
    return widest


@kernel
def nearest(tree, query, stack, bounds, totals):
    """The remaining row nearest to a point, the lowest on a tie; -1 if none remains.

    `stack`, `bounds` (256 entries) and `totals` (16 entries) are work space for the search.
    """
    none = len(tree.place)
    best, best_row = np.inf, none
    inner = len(tree.left) - 1
    stack[0], bounds[0] = 0, 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        node, bound = stack[depth], bounds[depth]
        if bound > best or (bound == best and tree.least[node] > best_row) or tree.least[node] == none:
            continue
        if node < inner:
            depth = _push_children(tree, query, node, best, stack, bounds, depth, totals)
            continue
        leaf = node - inner
        points = tree.points[leaf]
        totals[:] = 0.0
        for column in range(len(query)):
            value = query[column]
            for index in range(_LEAF):
                difference = points[column, index] - value
                totals[index] += difference * difference
        for index in range(tree.left[leaf]):
            total, row = totals[index], tree.rows[leaf, index]
            if total < best or (total == best and row < best_row):
                best, best_row = total, row
    return -1 if best_row == none else best_row


@kernel
def _push_children(tree, query, node, best, stack, bounds, depth, totals):
    """Push the boxes under a node on the stack, the nearest on top; returns the new depth."""
    lower, upper = tree.lower[tree.wide[node]], tree.upper[tree.wide[node]]
    totals[:_WIDTH] = 0.0
    for column in range(len(query)):
        value = query[column]
        for child in range(_WIDTH):
            gap = max(lower[column, child] - value, value - upper[column, child], 0.0)
            totals[child] += gap * gap
    fan = tree.fan[node]
    base = ((node + 1) << fan) - 1
    bottom = depth
    for child in range(1 << fan):
        bound, least = totals[child], tree.least[base + child]
        if bound > best or least == len(tree.place):
            continue
        at = depth
        while at > bottom and (
            bounds[at - 1] < bound or (bounds[at - 1] == bound and tree.least[stack[at - 1]] < least)
        ):
            stack[at], bounds[at] = stack[at - 1], bounds[at - 1]
            at -= 1
        stack[at], bounds[at] = base + child, bound
        depth += 1
    return depth


@kernel
def delete(tree, row):
    """Remove a row from the tree."""
    leaf, at = tree.place[row] // _LEAF, tree.place[row] % _LEAF
    tree.left[leaf] -= 1
    end = tree.left[leaf]
    other = tree.rows[leaf, end]
    tree.rows[leaf, at], tree.rows[leaf, end] = other, row
    tree.place[other], tree.place[row] = leaf * _LEAF + at, -1
    for column in range(tree.points.shape[1]):
        tree.points[leaf, column, at] = tree.points[leaf, column, end]
        tree.points[leaf, column, end] = np.inf
    least = len(tree.place)
    for index in range(end):
        least = min(least, tree.rows[leaf, index])
    node = leaf + len(tree.left) - 1
    while tree.least[node] != least:
        tree.least[node] = least
        if node == 0:
            break
        node = (node - 1) // 2
        least = min(tree.least[2 * node + 1], tree.least[2 * node + 2])


@kernel
def nearest_next_slice(tree, X, order, done, budget):
    """Continue a path (order[: done] is visited) to the nearest remaining row, for at most `budget` steps."""
    stack, bounds, totals = np.empty(256, dtype=np.int64), np.empty(256), np.empty(_LEAF)
    stop = min(len(order), done + budget)
    for step in range(done, stop):
        row = nearest(tree, X[order[step - 1]], stack, bounds, totals)
        order[step] = row
        delete(tree, row)
    return stop


@kernel
def nearest_unvisited(tree, X, order, deleted, done):
    """The row of a tree nearest to the last of order[: done]; those from `deleted` on are first deleted from the tree."""
    for step in range(deleted, done):
        delete(tree, order[step])
    stack, bounds, totals = np.empty(256, dtype=np.int64), np.empty(256), np.empty(_LEAF)
    return nearest(tree, X[order[done - 1]], stack, bounds, totals)
