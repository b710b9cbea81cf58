"""The node of a lattice with the lowest objective: a greedy descent, then proof by elimination."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.kernels.recoding.lattice import cheaper_nodes, drop_candidates

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from sudare.anonymize.full_domain.count import Counted, Counter
    from sudare.progress import Progress

_LISTED = 2**24
"""Maximum number of levels (nodes x columns) listed: 32 MB. With more, the best node found is not proven."""


@dataclass(frozen=True)
class Found:
    """The best node of a search."""

    best: Counted
    proven: bool
    """Whether no other node can be better."""
    counted: int
    """Nodes whose blocks were counted."""


class _SpentError(Exception):
    """The budget of nodes is used up."""


class _Purse:
    """A counter that may count only a limited number of nodes."""

    def __init__(self, counter: Counter, budget: int, progress: Progress) -> None:
        self.counter, self.budget, self.progress = counter, budget, progress

    def count(self, node: tuple[int, ...]) -> Counted:
        if node not in self.counter.known and len(self.counter.known) >= self.budget:
            raise _SpentError
        return self.counter.count(node)


def search(counter: Counter, budget: int, progress: Progress) -> Found:
    """The best node, proven if the nodes that cost less than the first one found can be listed.

    The cost without leaving out rows is a sum over columns that never decreases going up. A row left out costs 1, and
    a published one at most 1, so that cost bounds the objective of the node and of all above it. The cost of blocks
    that are hereditarily too small (`Counter`) bounds all below. A greedy descent from the top gives a first
    solution. Of all nodes that cost less (listed without visiting others), the most expensive is counted next, because
    it eliminates the most nodes below, until none is left.
    """
    purse = _Purse(counter, budget, progress)
    progress.start("search_the_lattice", 1.0)
    best = counter.count(counter.lattice.top)
    proven = False
    try:
        best = _descend(purse, best, counter.orders[0])
        proven, best = _eliminate(purse, best)
        if not proven:
            best = _improve(purse, best)
    except _SpentError:
        known = counter.known.values()
        best = min(known, key=_order)
    progress.update(1.0)
    return Found(best, proven, len(counter.known))


def _order(counted: Counted) -> tuple[float, int, float]:
    """Feasible before infeasible, then by objective; infeasible ones by the number of violating rows."""
    return (counted.objective, 0, 0.0) if counted.feasible else (math.inf, counted.suppressed, counted.cost)


def _descend(
    purse: _Purse, start: Counted, order: npt.NDArray[np.float64], frozen: Collection[int] = ()
) -> Counted:
    """Lower one column by one level while it helps; the one with the largest entry in `order` comes first.

    If no node below can comply, the column need not be tried again further down.
    """
    current, stuck = start, set(frozen)
    while True:
        gain = {
            column: order[column, level]
            for column, level in enumerate(current.node)
            if level > 0 and column not in stuck
        }
        for column in sorted(gain, key=lambda column: (-gain[column], column)):
            lower = purse.count(_moved(current.node, column, -1))
            purse.progress.update(0.0)
            if _order(lower) < _order(current):
                current = lower
                break
            if math.isinf(lower.floor):
                stuck.add(column)
        else:
            return current


def _eliminate(purse: _Purse, best: Counted) -> tuple[bool, Counted]:
    """Count or exclude every node that could be better; False if there are too many to list."""
    counter = purse.counter
    heights = np.array(counter.lattice.top, dtype=np.int64)
    capacity = min(counter.lattice.size, _LISTED // max(len(heights), 1))
    levels, costs, complete = cheaper_nodes(counter.costs, heights, best.objective, capacity)
    if not complete:
        return False, best
    order = np.argsort(costs, kind="stable")
    levels, costs = levels[order], costs[order]
    floors = np.zeros(len(costs))
    total = left = len(costs)
    for known in list(counter.known.values()):
        left = _drop(levels[:left], costs[:left], floors[:left], known, best)
    while left:
        counted = purse.count(tuple(int(level) for level in levels[left - 1]))
        if counted.objective < best.objective:
            best = counted
        left = _drop(levels[:left], costs[:left], floors[:left], counted, best)
        purse.progress.update(1.0 - left / total)
    return True, best


def _drop(
    levels: npt.NDArray[np.int16],
    costs: npt.NDArray[np.float64],
    floors: npt.NDArray[np.float64],
    counted: Counted,
    best: Counted,
) -> int:
    """How many candidates are left (at the front) after a node was counted."""
    node = np.array(counted.node, dtype=np.int64)
    return int(drop_candidates(levels, costs, floors, node, counted.floor, best.objective))


def _improve(purse: _Purse, best: Counted) -> Counted:
    """Raise a column and descend by the others first, repeatedly, until no column helps."""
    counter, improved = purse.counter, True
    top = counter.lattice.top
    best = min(best, _descend(purse, counter.count(top), counter.orders[1]), key=_order)
    while improved:
        improved = False
        for column in range(len(top)):
            if best.node[column] == top[column]:
                continue
            raised = purse.count(_moved(best.node, column, 1))
            for order in counter.orders:
                other = _descend(purse, _descend(purse, raised, order, {column}), order)
                if _order(other) < _order(best):
                    best, improved = other, True
    return best


def _moved(node: tuple[int, ...], column: int, by: int) -> tuple[int, ...]:
    return (*node[:column], node[column] + by, *node[column + 1 :])
