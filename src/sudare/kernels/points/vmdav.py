"""V-MDAV by brute force and by a kd-tree: the same decisions from the same numbers.

The centroid is that of all data, so the records farthest from it are read from one sorted list. A group is extended
while d_in < gamma * d_out, both distances (not squared): d_in from e_min, the remaining record nearest to any member,
and d_out from e_min to its nearest other remaining record (infinite if e_min is the last one, so it joins unless gamma
= 0). As e_min itself remains, d_out is the second smallest distance from it to the remaining records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.distance import sort_heap
from sudare.kernels.points.kdtree import delete, stale
from sudare.kernels.points.mdav import add
from sudare.kernels.points.scan import drop, scan_farthest, scan_nearest
from sudare.kernels.points.search import nearest

if TYPE_CHECKING:
    import numpy.typing as npt


class State(NamedTuple):
    """The state of a run between slices."""

    labels: npt.NDArray[np.int64]
    """Group of each row, -1 while it remains."""
    left: npt.NDArray[np.int64]
    """Records remaining, position in the sorted list, groups formed."""
    members: npt.NDArray[np.int64]
    """Rows of the current group (2k - 1)."""
    near: npt.NDArray[np.float64]
    """For each member, a distance (squared) below which there is no remaining record."""
    distances: npt.NDArray[np.float64]
    """The k - 1 nearest, squared."""
    rows: npt.NDArray[np.int64]


def initial_state(rows: int, k: int) -> State:
    """The state before anything is grouped."""
    return State(
        labels=np.full(rows, -1, dtype=np.int64),
        left=np.array([rows, 0, 0], dtype=np.int64),
        members=np.empty(2 * k - 1, dtype=np.int64),
        near=np.empty(2 * k - 1),
        distances=np.empty(k - 1),
        rows=np.empty(k - 1, dtype=np.int64),
    )


@kernel
def centroid(X):
    """Mean of all rows by compensated sums."""
    sums = np.zeros((2, X.shape[1]))
    for row in range(len(X)):
        add(sums, X, row, 1.0)
    return (sums[0] + sums[1]) / len(X)


@kernel
def vmdav_indexed(X, k, gamma, order, tree, scratch, built, state, rounds):
    """Form at most `rounds` groups; stops when fewer than k records remain or the tree is stale.

    `order` has the rows by decreasing distance from the centroid, the lowest row first on a tie; `built` is the number
    of records from which the tree was built.
    """
    best, best_row = np.empty(1), np.empty(1, dtype=np.int64)
    two, two_rows = np.empty(2), np.empty(2, dtype=np.int64)
    for _ in range(rounds):
        if state.left[0] < k or stale(tree, built):
            return
        while state.labels[order[state.left[1]]] >= 0:
            state.left[1] += 1
        row = order[state.left[1]]
        size = 0
        size = _join(state, row, size)
        delete(tree, row)
        state.distances[:], state.rows[:] = np.inf, len(X)
        nearest(tree, X, X[row], k - 1, state.distances, state.rows, scratch)
        sort_heap(state.distances, state.rows, k - 1)
        for member in state.rows:
            size = _join(state, member, size)
            delete(tree, member)
        while size < 2 * k - 1 and state.left[0] > 0:
            best[0], best_row[0] = np.inf, len(X)
            # The last to join is the likeliest to be near the remaining records: its distance rules out most others.
            for index in range(size - 1, -1, -1):
                if state.near[index] <= best[0]:
                    nearest(tree, X, X[state.members[index]], 1, best, best_row, scratch)
                    state.near[index] = best[0]
            two[:], two_rows[:] = np.inf, len(X)
            nearest(tree, X, X[best_row[0]], 2, two, two_rows, scratch)
            if not np.sqrt(best[0]) < gamma * np.sqrt(two[0]):
                break
            size = _join(state, best_row[0], size)
            delete(tree, best_row[0])
        state.left[2] += 1


@kernel
def vmdav_brute(X, k, gamma, center, pool, state, rounds):
    """Form at most `rounds` groups over all remaining records; stops when fewer than k remain."""
    best, best_row = np.empty(1), np.empty(1, dtype=np.int64)
    two, two_rows = np.empty(2), np.empty(2, dtype=np.int64)
    for _ in range(rounds):
        if state.left[0] < k:
            return
        row = scan_farthest(pool, center)
        size = 0
        size = _join(state, row, size)
        drop(pool, row)
        state.distances[:], state.rows[:] = np.inf, len(X)
        scan_nearest(pool, X[row], k - 1, state.distances, state.rows)
        sort_heap(state.distances, state.rows, k - 1)
        for member in state.rows:
            size = _join(state, member, size)
            drop(pool, member)
        while size < 2 * k - 1 and state.left[0] > 0:
            best[0], best_row[0] = np.inf, len(X)
            for index in range(size):
                scan_nearest(pool, X[state.members[index]], 1, best, best_row)
            two[:], two_rows[:] = np.inf, len(X)
            scan_nearest(pool, X[best_row[0]], 2, two, two_rows)
            if not np.sqrt(best[0]) < gamma * np.sqrt(two[0]):
                break
            size = _join(state, best_row[0], size)
            drop(pool, best_row[0])
        state.left[2] += 1


@kernel
def _join(state, row, size):
    state.labels[row] = state.left[2]
    state.left[0] -= 1
    state.members[size], state.near[size] = row, 0.0
    return size + 1


@kernel
def nearest_each_indexed(X, rows, tree, scratch):
    """For each of the rows, the nearest record of a tree."""
    found = np.full(len(rows), len(X))
    best = np.empty(1)
    for index in range(len(rows)):
        best[0] = np.inf
        nearest(tree, X, X[rows[index]], 1, best, found[index : index + 1], scratch)
    return found


@kernel
def nearest_each_brute(X, rows, pool):
    """For each of the rows, the nearest record of a pool."""
    found = np.full(len(rows), len(X))
    best = np.empty(1)
    for index in range(len(rows)):
        best[0] = np.inf
        scan_nearest(pool, X[rows[index]], 1, best, found[index : index + 1])
    return found
