"""The farthest and the nearest remaining records of a kd-tree, exactly.

**Decisions and bounds are separate.** Every distance that decides something comes from `squared_distance`: original
coordinates, summed over the columns in their order. The tree only rules out records: a node or record is skipped
only if its bound fails by more than all rounding together (`_OFFSET` absolutely, `_relative` relatively), so ties
are always seen, and go to the lowest row.

**Farthest.** With c0 the center, w = q - c0 and rho the largest norm about c0 in a node, no record x of the node is
farther from q than either of

    |x-q|^2 <= rho^2 + |w|^2 + 2 max_box(-(x-c0).w),        |x-q|^2 <= (rho + |w|)^2.

**Nearest.** No record of a node is nearer than its box, nor than |w| - rho.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.kernels.core.jit import inlined, kernel
from sudare.kernels.points.distance import offer, squared_distance
from sudare.kernels.points.kdtree import LEAF, WIDTH

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.points.kdtree import Tree

_OFFSET = 4e-7
"""Error of a distance in the unit ball from rounding both ends to single precision (2^-24 each), more than doubled."""
_EPSILON = 1.2e-7
"""Relative error of one operation in single precision, doubled."""
_GREATEST, _LEAST = np.float32(1.0), np.float32(-1.0)
"""Which bounds come first, as a sign."""


class Scratch(NamedTuple):
    """Memory for queries, allocated once."""

    distance: npt.NDArray[np.float32]
    """Squared distances of the places of a leaf."""
    query: npt.NDArray[np.float32]
    """The query in the tree's coordinates."""
    bound: npt.NDArray[np.float32]
    """Bounds of the children of a node."""
    stack: npt.NDArray[np.int64]
    stack_bound: npt.NDArray[np.float32]


def scratch_of(tree: Tree) -> Scratch:
    """Memory for the queries of a tree."""
    return Scratch(
        distance=np.empty(LEAF, dtype=np.float32),
        query=np.empty(len(tree.center), dtype=np.float32),
        bound=np.empty(WIDTH, dtype=np.float32),
        stack=np.empty(64 * WIDTH, dtype=np.int64),
        stack_bound=np.empty(64 * WIDTH, dtype=np.float32),
    )


@kernel
def farthest(tree, X, query, scratch):
    """The remaining row farthest from a point (the lowest row on a tie), -1 if none remains."""
    stack, stack_bound, bound, distance = scratch.stack, scratch.stack_bound, scratch.bound, scratch.distance
    norm = turn(tree, query, scratch.query)
    nodes = len(tree.left)
    best, best_row, limit = -1.0, -1, np.float32(-1.0)
    stack[0], stack_bound[0] = 0, np.inf
    top = 1
    while top > 0:
        top -= 1
        if stack_bound[top] < limit:
            continue
        node = stack[top]
        if node >= nodes:
            leaf = node - nodes
            count = leaf_distances(tree, leaf, scratch.query, distance)
            for slot in range(count):
                if distance[slot] >= limit:
                    row = tree.rows[leaf, slot]
                    exact = squared_distance(X, row, query)
                    if exact > best or (exact == best and row < best_row):
                        best, best_row = exact, row
                        limit = far_limit(tree, best)
            continue
        _upper_bounds(tree, node, scratch.query, norm, bound)
        top = _push_children(tree, node, bound, limit, stack, stack_bound, top, _GREATEST)
    return best_row


@kernel
def _upper_bounds(tree, node, w, norm, out):
    # No record of a child is farther (squared) from the query; rounding is added: a corner's norm is at
    # most sqrt(columns) times the reach, and the error of each product and sum is relative to it.
    margin = np.float32(2.0 * _EPSILON * (len(w) + 8) * np.sqrt(len(w)))
    reach = tree.reach[node]
    for child in range(len(out)):
        out[child] = np.float32(0.0)
    for axis in range(len(w)):
        value = np.float32(-2.0) * w[axis]
        corner = tree.upper[node, axis] if value > np.float32(0.0) else tree.lower[node, axis]
        for child in range(len(out)):
            out[child] += corner[child] * value
    for child in range(len(out)):
        largest = (reach[child] + norm) * (reach[child] + norm)
        along = reach[child] * reach[child] + norm * norm + out[child]
        out[child] = (min(largest, along)) + margin * largest


@kernel
def nearest(tree, X, query, wanted, distances, rows, scratch):
    """The `wanted` nearest remaining rows, as a heap of (squared distance, row) with the worst first.

    On entry, `distances` and `rows` contain a heap to beat, with infinite distances if there is none.
    """
    stack, stack_bound, bound, distance = scratch.stack, scratch.stack_bound, scratch.bound, scratch.distance
    norm = turn(tree, query, scratch.query)
    nodes = len(tree.left)
    limit = near_limit(tree, distances[0])
    stack[0], stack_bound[0] = 0, 0.0
    top = 1
    while top > 0:
        top -= 1
        if stack_bound[top] > limit:
            continue
        node = stack[top]
        if node >= nodes:
            leaf = node - nodes
            count = leaf_distances(tree, leaf, scratch.query, distance)
            for slot in range(count):
                if distance[slot] <= limit:
                    row = tree.rows[leaf, slot]
                    offer(distances, rows, wanted, squared_distance(X, row, query), row)
                    limit = near_limit(tree, distances[0])
            continue
        _lower_bounds(tree, node, scratch.query, norm, bound)
        top = _push_children(tree, node, bound, limit, stack, stack_bound, top, _LEAST)


@kernel
def _lower_bounds(tree, node, w, norm, out):
    # No record of a child is nearer (squared) to the query.
    zero = np.float32(0.0)
    reach = tree.reach[node]
    for child in range(len(out)):
        out[child] = zero
    for axis in range(len(w)):
        value = w[axis]
        lower, upper = tree.lower[node, axis], tree.upper[node, axis]
        for child in range(len(out)):
            below, above = lower[child] - value, value - upper[child]
            outside = max(above, below)
            outside = max(zero, outside)
            out[child] += outside * outside
    for child in range(len(out)):
        inside = norm - reach[child]
        inside = inside * inside if inside > zero else zero
        out[child] = max(inside, out[child])


@inlined
def _push_children(tree, node, bound, limit, stack, stack_bound, top, first):
    """Push the children whose bound reaches the limit, the greatest or least bound on top; returns the new top."""
    base = top
    for child in range(tree.fan):
        if first * bound[child] >= first * limit and tree.left[node, child] > 0:
            at = top
            while at > base and first * stack_bound[at - 1] > first * bound[child]:
                stack[at], stack_bound[at] = stack[at - 1], stack_bound[at - 1]
                at -= 1
            stack[at], stack_bound[at] = node * tree.fan + child + 1, bound[child]
            top += 1
    return top


@kernel
def leaf_distances(tree, leaf, w, out):
    """Squared distances in the tree of all places of a leaf; returns how many of them are in use."""
    points = tree.points[leaf]
    for slot in range(len(out)):
        out[slot] = np.float32(0.0)
    for axis in range(len(w)):
        value = w[axis]
        for slot in range(len(out)):
            difference = points[axis, slot] - value
            out[slot] += difference * difference
    position = leaf + len(tree.left) - 1
    return tree.left[position // tree.fan, position % tree.fan]


@kernel
def turn(tree, query, w):
    """Write the coordinates of a point in the tree into w; returns their norm."""
    columns = len(query)
    squares = 0.0
    for axis in range(columns):
        value = 0.0
        for column in range(columns):
            value += (query[column] - tree.center[column]) * tree.rotation[column, axis]
        w[axis] = value
        squares += value * value
    return np.float32(np.sqrt(squares))


@kernel
def far_limit(tree, squared):
    """A lower bound of the squared distance in the tree of a record that is as far as this (squared, exact)."""
    distance = (np.sqrt(squared) / tree.scale - _OFFSET) / (1.0 + _relative(len(tree.center)))
    return np.float32(distance * distance) if distance > 0.0 else np.float32(-1.0)


@kernel
def far_bound(tree, squared):
    """An upper bound of the distance (not squared, exact) of a record with this squared distance in the tree."""
    return (np.sqrt(np.float64(squared)) * (1.0 + _relative(len(tree.center))) + _OFFSET) * tree.scale


@kernel
def near_limit(tree, squared):
    """An upper bound of the squared distance in the tree of a record that is as near as this (squared, exact)."""
    distance = (np.sqrt(squared) / tree.scale + _OFFSET) * (1.0 + _relative(len(tree.center)))
    return np.float32(distance * distance)


@kernel
def _relative(columns):
    # For a sum of squared differences, and for the rounding of a limit.
    return _EPSILON * (columns + 6)
