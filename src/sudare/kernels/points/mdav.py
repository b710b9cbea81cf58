"""MDAV by brute force and by a kd-tree: the same decisions from the same numbers.

Both use the squared distances of `sudare.kernels.points.distance`, and both maintain the centroid of the remaining
records in the same way (centroid drift controlled): their sum is a compensated (Neumaier) sum from which the members
of each group are subtracted in the order in which they join, and it is recomputed, in row order, whenever half of the
records in the last full sum are gone.

x_s is searched for after the group of x_r has been removed: being the farthest from x_r, it is not among the k - 1
nearest, so this is the same record, and it is also defined if all distances are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.distance import sort_heap
from sudare.kernels.points.drift import farthest_drifting
from sudare.kernels.points.kdtree import delete, stale
from sudare.kernels.points.scan import drop, scan_farthest, scan_nearest
from sudare.kernels.points.search import farthest, nearest

if TYPE_CHECKING:
    import numpy.typing as npt


class State(NamedTuple):
    """The state of a run between slices."""

    labels: npt.NDArray[np.int64]
    """Group of each row, -1 while it remains."""
    sums: npt.NDArray[np.float64]
    """Sum of the remaining records and its compensation (2, columns)."""
    left: npt.NDArray[np.int64]
    """Records remaining, records in the last full sum, groups formed."""
    distances: npt.NDArray[np.float64]
    """The k - 1 nearest, squared."""
    rows: npt.NDArray[np.int64]


def initial_state(X: npt.NDArray[np.float64], k: int) -> State:
    """The state before anything is grouped or summed."""
    return State(
        labels=np.full(len(X), -1, dtype=np.int64),
        sums=np.zeros((2, X.shape[1])),
        left=np.array([len(X), 2 * len(X), 0], dtype=np.int64),
        distances=np.empty(k - 1),
        rows=np.empty(k - 1, dtype=np.int64),
    )


@kernel
def mdav_indexed(X, k, tree, queue, scratch, built, state, rounds):
    """Form at most `rounds` pairs of groups; stops when fewer than 3k records remain or the tree is stale.

    `built` is the number of records from which the tree was built.
    """
    center = np.empty(X.shape[1])
    for _ in range(rounds):
        if state.left[0] < 3 * k or stale(tree, built):
            return
        _centroid(X, state, center)
        first = farthest_drifting(queue, tree, X, center, scratch)
        _group_indexed(X, k, tree, scratch, state, first)
        _group_indexed(X, k, tree, scratch, state, farthest(tree, X, X[first], scratch))


@kernel
def _group_indexed(X, k, tree, scratch, state, row):
    _assign(X, state, row)
    delete(tree, row)
    state.distances[:], state.rows[:] = np.inf, len(X)
    nearest(tree, X, X[row], k - 1, state.distances, state.rows, scratch)
    sort_heap(state.distances, state.rows, k - 1)
    for member in state.rows:
        _assign(X, state, member)
        delete(tree, member)
    state.left[2] += 1


@kernel
def mdav_brute(X, k, pool, state, rounds):
    """Perform at most `rounds` rounds over all remaining records, up to the end."""
    center = np.empty(X.shape[1])
    for _ in range(rounds):
        left = state.left[0]
        if left >= 2 * k:
            _centroid(X, state, center)
            first = scan_farthest(pool, center)
            _group_brute(X, k, pool, state, first)
            if left >= 3 * k:
                _group_brute(X, k, pool, state, scan_farthest(pool, X[first]))
                continue
        for place in range(state.left[0]):
            state.labels[pool.rows[place]] = state.left[2]
        state.left[0] = 0
        return


@kernel
def _group_brute(X, k, pool, state, row):
    _assign(X, state, row)
    drop(pool, row)
    state.distances[:], state.rows[:] = np.inf, len(X)
    scan_nearest(pool, X[row], k - 1, state.distances, state.rows)
    sort_heap(state.distances, state.rows, k - 1)
    for member in state.rows:
        _assign(X, state, member)
        drop(pool, member)
    state.left[2] += 1


@kernel
def _assign(X, state, row):
    state.labels[row] = state.left[2]
    state.left[0] -= 1
    add(state.sums, X, row, -1.0)


@kernel
def _centroid(X, state, center):
    if 2 * state.left[0] <= state.left[1]:
        state.sums[:] = 0.0
        for row in range(len(X)):
            if state.labels[row] < 0:
                add(state.sums, X, row, 1.0)
        state.left[1] = state.left[0]
    for column in range(len(center)):
        center[column] = (state.sums[0, column] + state.sums[1, column]) / state.left[0]


@kernel
def add(sums, X, row, sign):
    """Neumaier summation: what a sum loses to rounding is accumulated separately."""
    for column in range(X.shape[1]):
        value = sign * X[row, column]
        total = sums[0, column] + value
        if abs(sums[0, column]) >= abs(value):
            sums[1, column] += (sums[0, column] - total) + value
        else:
            sums[1, column] += (value - total) + sums[0, column]
        sums[0, column] = total
