"""Brute force: farthest and nearest by checking every remaining record; the twin of `sudare.kernels.points.search`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.distance import offer, squared_distance

if TYPE_CHECKING:
    import numpy.typing as npt


class Pool(NamedTuple):
    """The remaining records, without gaps."""

    records: npt.NDArray[np.float64]
    rows: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    """Where each row is, -1 if it is no longer there."""
    left: npt.NDArray[np.int64]
    """The number of remaining records (one number)."""


def pool_of(X: npt.NDArray[np.float64], left: npt.NDArray[np.int64]) -> Pool:
    """Pool of the rows `left` of X."""
    place = np.full(len(X), -1, dtype=np.int64)
    place[left] = np.arange(len(left))
    return Pool(X[left], left.copy(), place, np.array([len(left)], dtype=np.int64))


@kernel
def drop(pool, row):
    """Remove a row; the last one fills the gap."""
    place, last = pool.place[row], pool.left[0] - 1
    moved = pool.rows[last]
    pool.records[place], pool.rows[place], pool.place[moved] = pool.records[last], moved, place
    pool.place[row] = -1
    pool.left[0] = last


@kernel
def scan_farthest(pool, query):
    """The remaining row farthest from a point (the lowest row on a tie), -1 if none remains."""
    best, best_row = -1.0, -1
    for place in range(pool.left[0]):
        distance = squared_distance(pool.records, place, query)
        if distance > best or (distance == best and pool.rows[place] < best_row):
            best, best_row = distance, pool.rows[place]
    return best_row


@kernel
def scan_nearest(pool, query, wanted, distances, rows):
    """The `wanted` nearest remaining rows, offered to a heap of (squared distance, row) with the worst first."""
    for place in range(pool.left[0]):
        distance = squared_distance(pool.records, place, query)
        if distance <= distances[0]:
            offer(distances, rows, wanted, distance, pool.rows[place])
