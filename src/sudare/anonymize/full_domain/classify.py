"""Classifies every node of a lattice as complying or failing, with as few counts as monotonicity allows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.full_domain.count import Counter, Node
    from sudare.progress import Progress

_UNKNOWN, _COMPLIES, _FAILS = range(3)

Place = tuple[int, ...]
"""A node without the columns that have only one level, because numpy supports at most 64 axes."""


def minimal_nodes(counter: Counter, progress: Progress) -> list[Node]:
    """The nodes that comply and have no complying node below them."""
    top = counter.lattice.top
    axes = [column for column, height in enumerate(top) if height > 0]
    state = np.full([top[axis] + 1 for axis in axes], _UNKNOWN, dtype=np.int8)

    def node_at(place: Place) -> Node:
        levels = dict(zip(axes, place, strict=True))
        return tuple(levels.get(column, 0) for column in range(len(top)))

    def complies(place: Place) -> bool:
        """Count a node and record what follows from it for others."""
        counted = counter.count(node_at(place))
        if counted.feasible:
            state[tuple(slice(level, None) for level in place) if counter.monotone else place] = _COMPLIES
        else:
            nowhere_below = math.isinf(counted.floor)
            state[tuple(slice(level + 1) for level in place) if nowhere_below else place] = _FAILS
        return counted.feasible

    progress.start("classify_the_lattice", state.size)
    flat = state.reshape(-1)
    ascending = np.argsort(np.indices(state.shape).sum(axis=0), axis=None, kind="stable")
    # If not monotone, start from the top: only a failing node then decides others, those below it.
    for done, index in enumerate(ascending if counter.monotone else ascending[::-1]):
        if flat[index] == _UNKNOWN:
            place = tuple(int(level) for level in np.unravel_index(index, state.shape))
            path = _path(state, place) if counter.monotone else [place]
            low, high = 0, len(path)
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if complies(path[middle]) else (middle + 1, high)
        progress.update(done + 1)
    return [node_at(place) for place in _minimal(state == _COMPLIES)]


def _path(state: npt.NDArray[np.int8], start: Place) -> list[Place]:
    """Undecided nodes upwards from a start, one step in one column at a time."""
    path = [start]
    while True:
        steps = (
            (*path[-1][:axis], level + 1, *path[-1][axis + 1 :])
            for axis, level in enumerate(path[-1])
            if level + 1 < state.shape[axis]
        )
        above = next((place for place in steps if state[place] == _UNKNOWN), None)
        if above is None:
            return path
        path.append(above)


def _minimal(complying: npt.NDArray[np.bool_]) -> list[Place]:
    """Complying places with no complying place below."""
    covered = complying.copy()
    for axis in range(complying.ndim):
        covered = np.logical_or.accumulate(covered, axis=axis)
    above_some = np.zeros_like(complying)
    for axis in range(complying.ndim):
        ahead = [slice(None)] * complying.ndim
        behind = [slice(None)] * complying.ndim
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        above_some[tuple(ahead)] |= covered[tuple(behind)]
    return [tuple(map(int, place)) for place in np.argwhere(complying & ~above_some)]
