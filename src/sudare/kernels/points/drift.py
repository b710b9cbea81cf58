"""The record farthest from a drifting point: a queue of the leaves of a kd-tree by how far they can still reach.

The centroid of the remaining records moves little from one round of MDAV to the next, but over many rounds, and most
with heavy tails, farther than bounds about a fixed center can tolerate. When the point has moved by L in total since a
leaf was examined, no record of the leaf is farther from it than D + L, where D was the farthest then. All leaves drift
alike, so a heap ordered by D minus the distance moved at that time stays in order by itself: only leaves whose bound
reaches the best found are examined again, a few per query. Distances that decide are exact, as in the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.distance import sink, squared_distance
from sudare.kernels.points.search import far_bound, far_limit, leaf_distances, turn

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.points.kdtree import Tree

_ROUNDING = 1e-12


class Queue(NamedTuple):
    """Leaves as a heap, the largest key first."""

    key: npt.NDArray[np.float64]
    """Farthest distance when the leaf was examined, minus the distance moved by then."""
    leaf: npt.NDArray[np.int64]
    point: npt.NDArray[np.float64]
    """The last position of the point."""
    way: npt.NDArray[np.float64]
    """The distance moved (one number)."""


def queue_of(tree: Tree) -> Queue:
    """All leaves of a tree, none examined yet."""
    leaves = len(tree.rows)
    return Queue(np.full(leaves, np.inf), np.arange(leaves), tree.center.copy(), np.zeros(1))


@kernel
def farthest_drifting(queue, tree, X, query, scratch):
    """The remaining row farthest from a point (the lowest row on a tie), -1 if none remains."""
    key, leaves = queue.key, queue.leaf
    moved = 0.0
    for column in range(len(query)):
        moved += (query[column] - queue.point[column]) ** 2
        queue.point[column] = query[column]
    queue.way[0] += np.sqrt(moved) * (1.0 + _ROUNDING)
    way = queue.way[0]
    rounding = _ROUNDING * (tree.scale + way)
    turn(tree, query, scratch.query)
    best, best_row, limit, reached = -1.0, -1, np.float32(-1.0), -1.0
    size = len(key)
    while size > 0 and key[0] + way + rounding >= reached:
        leaf = leaves[0]
        count = leaf_distances(tree, leaf, scratch.query, scratch.distance)
        largest = np.float32(-1.0)
        for slot in range(count):
            distance = scratch.distance[slot]
            largest = max(largest, distance)
            if distance >= limit:
                row = tree.rows[leaf, slot]
                exact = squared_distance(X, row, query)
                if exact > best or (exact == best and row < best_row):
                    best, best_row = exact, row
                    limit, reached = far_limit(tree, best), np.sqrt(best)
        # The leaf moves behind the heap until the query is done, so that it is examined only once.
        size -= 1
        sink(key, leaves, size, key[size], leaves[size])
        key[size], leaves[size] = (far_bound(tree, largest) - way if count > 0 else -np.inf), leaf
    for entry in range(size, len(key)):
        _rise(key, leaves, entry)
    return best_row


@kernel
def _rise(key, leaves, at):
    value, leaf = key[at], leaves[at]
    while at > 0 and key[(at - 1) // 2] < value:
        parent = (at - 1) // 2
        key[at], leaves[at] = key[parent], leaves[parent]
        at = parent
    key[at], leaves[at] = value, leaf
