"""A kd-tree of records with deletion, designed for ruling out records (`sudare.kernels.points.search` queries it).

It contains the records centered, rotated to the principal axes (boxes along them are smaller if columns are
correlated), scaled to the unit ball and rounded to single precision, which halves the memory traffic and doubles what
a vector instruction does. A node has up to 16 children, whose boxes are adjacent in memory: all are bounded in one
pass over the axes that the compiler turns into vector instructions, as it does with the distances of a leaf.

Deletion removes a record from its leaf and tightens count, norm and box on the way up, as far as they change. `stale`
says when a new tree pays off: half of the records are gone, or the rest has shrunk so far that single precision gets
coarse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.sort import select
from sudare.kernels.points.unvisited import box_of

if TYPE_CHECKING:
    import numpy.typing as npt

LEAF = 32
"""Number of places in a leaf."""
WIDTH = 16
"""Number of places for the children of a node."""
_FILLED = 28
"""Maximum average number of records in a leaf; uneven cuts add fewer than 4."""
_EXTREMES = (1e-140, 1e140)
"""Squares of values beyond these limits overflow or underflow."""


class Tree(NamedTuple):
    """Nodes in heap order: child c of node b is b * fan + c + 1; numbers beyond the last node are leaves."""

    fan: int
    """Number of children of a node."""
    center: npt.NDArray[np.float64]
    rotation: npt.NDArray[np.float64]
    """Columns are the axes of the boxes, divided by the scale."""
    scale: float
    """Radius of the records about the center: 1 in the tree."""
    lower: npt.NDArray[np.float32]
    """Lowest corner of each child's box (nodes, axes, WIDTH)."""
    upper: npt.NDArray[np.float32]
    reach: npt.NDArray[np.float32]
    """Largest norm of each child (nodes, WIDTH)."""
    left: npt.NDArray[np.int64]
    """Remaining records of each child (nodes, WIDTH)."""
    points: npt.NDArray[np.float32]
    """Coordinates, and the norm last (leaves, axes + 1, LEAF); the first `left` places of a leaf are in use."""
    rows: npt.NDArray[np.int64]
    """Row of each place (leaves, LEAF)."""
    place: npt.NDArray[np.int64]
    """Where each row is: leaf * LEAF + place in the leaf, -1 if not in the tree."""


def build(X: npt.NDArray[np.float64], left: npt.NDArray[np.int64]) -> Tree | None:
    """Tree of the rows `left` of X in O(n log n), or None if numbers are too large or small to be squared."""
    if np.abs(X).max(initial=0.0) > _EXTREMES[1]:
        return None
    records = X[left]
    center = records.mean(axis=0)
    records -= center
    scale = float(np.abs(records).max(initial=0.0)) or 1.0
    records /= scale
    axes = np.linalg.eigh(records.T @ records)[1]
    norms = np.sqrt(np.einsum("ij,ij->i", records, records))
    radius = float(norms.max(initial=0.0)) or 1.0
    if scale * radius < _EXTREMES[0]:
        return None
    points = np.empty((len(left), X.shape[1] + 1), dtype=np.float32)
    points[:, :-1] = records @ (axes / radius)
    points[:, -1] = norms / radius
    depth, fan = 1, 1
    while WIDTH**depth * _FILLED < len(left):
        depth += 1
    while fan**depth * _FILLED < len(left):
        fan += 1
    leaves, nodes = fan**depth, sum(fan**level for level in range(depth))
    tree = Tree(
        fan=fan,
        center=center,
        rotation=np.ascontiguousarray(axes / (scale * radius)),
        scale=scale * radius,
        lower=np.full((nodes, X.shape[1], WIDTH), np.inf, dtype=np.float32),
        upper=np.full((nodes, X.shape[1], WIDTH), -np.inf, dtype=np.float32),
        reach=np.zeros((nodes, WIDTH), dtype=np.float32),
        left=np.zeros((nodes, WIDTH), dtype=np.int64),
        points=np.zeros((leaves, X.shape[1] + 1, LEAF), dtype=np.float32),
        rows=np.full((leaves, LEAF), -1, dtype=np.int64),
        place=np.full(len(X), -1, dtype=np.int64),
    )
    _fill(tree, left, points)
    return tree


@kernel
def stale(tree, built):
    """Whether a new tree pays off: half of the `built` records are gone, or all remaining ones are near the center."""
    left, reach = 0, 0.0
    for child in range(tree.fan):
        left += tree.left[0, child]
        reach = max(reach, tree.reach[0, child])
    return 2 * left <= built or 0.0 < reach < 1.0 / 16.0


@kernel
def delete(tree, row):
    """Remove a row from the tree."""
    leaf, slot = tree.place[row] // LEAF, tree.place[row] % LEAF
    position = leaf + len(tree.left)
    node, child = (position - 1) // tree.fan, (position - 1) % tree.fan
    last = tree.left[node, child] - 1
    moved = tree.rows[leaf, last]
    tree.rows[leaf, slot], tree.place[moved] = moved, leaf * LEAF + slot
    tree.place[row] = -1
    tree.left[node, child] = last
    for axis in range(len(tree.center) + 1):
        tree.points[leaf, axis, slot] = tree.points[leaf, axis, last]
    changed = _bound_leaf(tree, leaf)
    while node > 0:
        position = node
        node, child = (position - 1) // tree.fan, (position - 1) % tree.fan
        tree.left[node, child] -= 1
        if changed:
            changed = _bound_node(tree, position)


@kernel
def _bound_leaf(tree, leaf):
    position = leaf + len(tree.left)
    node, child = (position - 1) // tree.fan, (position - 1) % tree.fan
    count = tree.left[node, child]
    columns = len(tree.center)
    changed = False
    for axis in range(columns):
        lower, upper = np.float32(np.inf), np.float32(-np.inf)
        for slot in range(count):
            value = tree.points[leaf, axis, slot]
            lower, upper = min(lower, value), max(upper, value)
        changed |= lower != tree.lower[node, axis, child] or upper != tree.upper[node, axis, child]
        tree.lower[node, axis, child], tree.upper[node, axis, child] = lower, upper
    reach = np.float32(0.0)
    for slot in range(count):
        reach = max(reach, tree.points[leaf, columns, slot])
    changed |= reach != tree.reach[node, child]
    tree.reach[node, child] = reach
    return changed


@kernel
def _bound_node(tree, position):
    node, child = (position - 1) // tree.fan, (position - 1) % tree.fan
    changed = False
    for axis in range(len(tree.center)):
        lower, upper = np.float32(np.inf), np.float32(-np.inf)
        for inner in range(tree.fan):
            lower = min(lower, tree.lower[position, axis, inner])
            upper = max(upper, tree.upper[position, axis, inner])
        changed |= lower != tree.lower[node, axis, child] or upper != tree.upper[node, axis, child]
        tree.lower[node, axis, child], tree.upper[node, axis, child] = lower, upper
    reach = np.float32(0.0)
    for inner in range(tree.fan):
        reach = max(reach, tree.reach[position, inner])
    changed |= reach != tree.reach[node, child]
    tree.reach[node, child] = reach
    return changed


@kernel
def _fill(tree, left, points):
    # Cut the records in two along the widest axis until each child has its part, node by node.
    nodes, columns = len(tree.left), len(tree.center)
    order, key = np.arange(len(left)), np.empty(len(left), dtype=np.float32)
    starts = np.zeros(nodes + len(tree.rows), dtype=np.int64)
    ends = np.zeros(nodes + len(tree.rows), dtype=np.int64)
    ends[0] = len(left)
    lower, upper = np.empty(columns), np.empty(columns)
    stack = np.empty((WIDTH, 4), dtype=np.int64)
    for node in range(nodes):
        stack[0] = 0, tree.fan, starts[node], ends[node]
        top = 1
        while top > 0:
            top -= 1
            first, last, start, end = stack[top]
            if last - first == 1:
                child = node * tree.fan + first + 1
                starts[child], ends[child] = start, end
                tree.left[node, first] = end - start
                continue
            axis = box_of(points, order, start, end, lower, upper)
            for at in range(start, end):
                key[at] = points[order[at], axis]
            half = (last - first) // 2
            cut = start + (end - start) * half // (last - first)
            select(key, order, start, end, cut)
            stack[top] = first, first + half, start, cut
            stack[top + 1] = first + half, last, cut, end
            top += 2
    for leaf in range(len(tree.rows)):
        start = starts[leaf + nodes]
        for slot in range(ends[leaf + nodes] - start):
            record = order[start + slot]
            row = left[record]
            tree.rows[leaf, slot], tree.place[row] = row, leaf * LEAF + slot
            for axis in range(columns + 1):
                tree.points[leaf, axis, slot] = points[record, axis]
        _bound_leaf(tree, leaf)
    for node in range(nodes - 1, 0, -1):
        _bound_node(tree, node)
