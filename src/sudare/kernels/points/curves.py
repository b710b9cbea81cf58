"""Orders along space-filling curves: the leaves of a kd-tree, and the Hilbert curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.sort import select
from sudare.kernels.points.unvisited import box_of


class Descent(NamedTuple):
    """The state of a kd-tree ordering between slices."""

    order: npt.NDArray[np.int64]
    """Rows; those of a node are adjacent."""
    keys: npt.NDArray[np.float64]
    """Work space for a cut."""
    starts: npt.NDArray[np.int64]
    """Stack of nodes to descend into; each halves its rows, so there are never more than a hundred or so."""
    stops: npt.NDArray[np.int64]
    result: npt.NDArray[np.int64]
    """Rows output so far."""
    counters: npt.NDArray[np.int64]
    """Number of nodes on the stack, number of rows output."""


def new_descent(n: int) -> Descent:
    """The state at the root, with no row output."""
    stops = np.zeros(128, dtype=np.int64)
    stops[0] = n
    return Descent(
        order=np.arange(n, dtype=np.int64),
        keys=np.empty(n),
        starts=np.zeros(128, dtype=np.int64),
        stops=stops,
        result=np.empty(n, dtype=np.int64),
        counters=np.array([1, 0], dtype=np.int64),
    )


@kernel
def kd_slice(X, descent, budget):
    """Output `budget` more rows in the order of a kd-tree (median of the widest side).

    The half on the side of the last row output comes first, so that the order turns back and forth like a plow.
    """
    p = X.shape[1]
    order, keys, result = descent.order, descent.keys, descent.result
    starts, stops = descent.starts, descent.stops
    low, high = np.empty(p), np.empty(p)
    depth, done = descent.counters
    enough = done + budget
    while depth > 0 and done < enough:
        depth -= 1
        start, stop = starts[depth], stops[depth]
        side = box_of(X, order, start, stop, low, high)
        if stop - start < 2 or high[side] == low[side]:
            result[done : done + stop - start] = np.sort(order[start:stop])
            done += stop - start
            continue
        middle = (start + stop) // 2
        for index in range(start, stop):
            keys[index] = X[order[index], side]
        select(keys, order, start, stop, middle)
        upper_first = done > 0 and X[result[done - 1], side] > keys[middle]
        one, two = (middle, start) if upper_first else (start, middle)
        starts[depth], stops[depth] = two, stop if two == middle else middle
        starts[depth + 1], stops[depth + 1] = one, stop if one == middle else middle
        depth += 2
    descent.counters[:] = depth, done


@kernel
def hilbert_index(places, bits):
    """Position on the Hilbert curve of points with integer coordinates below 2^bits (Skilling 2004)."""
    n, axes = places.shape
    result = np.empty(n, dtype=np.int64)
    x = np.empty(axes, dtype=np.int64)
    for row in range(n):
        x[:] = places[row]
        bit = np.int64(1) << (bits - 1)
        while bit > 1:
            mask = bit - 1
            for axis in range(axes):
                if x[axis] & bit:
                    x[0] ^= mask
                else:
                    swapped = (x[0] ^ x[axis]) & mask
                    x[0] ^= swapped
                    x[axis] ^= swapped
            bit >>= 1
        for axis in range(1, axes):
            x[axis] ^= x[axis - 1]
        flips = np.int64(0)
        bit = np.int64(1) << (bits - 1)
        while bit > 1:
            if x[axes - 1] & bit:
                flips ^= bit - 1
            bit >>= 1
        index = np.int64(0)
        for level in range(bits - 1, -1, -1):
            for axis in range(axes):
                index = (index << 1) | (((x[axis] ^ flips) >> level) & 1)
        result[row] = index
    return result
