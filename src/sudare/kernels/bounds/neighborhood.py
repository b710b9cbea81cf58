"""How far around each row one must go to find k rows, or l sensitive values: best first through a tree of boxes.

The radius of a row is the smallest r such that the rows within cost r of it (itself included) are k or more, or have l
or more different values. Equal rows have equal radii, so only distinct rows are searched, and each counts as often as
it occurs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.arrays import starts_of
from sudare.kernels.bounds.pair_costs import Space, look_from, row_costs, view_for
from sudare.kernels.bounds.tree import FAN, LEAF, Tree, box_costs
from sudare.kernels.core.jit import kernel

_OTHER = 63
"""The bit shared by all values beyond the 63 most frequent: it never rules anything out."""


class Wanted(NamedTuple):
    """What is counted around a row; the places are those of the tree."""

    target: int
    """k or l."""
    by_value: bool
    """Whether different values are counted, rather than rows."""
    weight: npt.NDArray[np.int64]
    """Rows at each place."""
    start: npt.NDArray[np.int64]
    """Where the values of each place begin (places + 1)."""
    value: npt.NDArray[np.int64]
    """Different sensitive values of each place, numbered by decreasing frequency."""
    node_bits: npt.NDArray[np.uint64]
    """The values of each node as bits."""


class Search(NamedTuple):
    """Work space and result."""

    radius: npt.NDArray[np.float64]
    """The radius of each place."""
    exact: npt.NDArray[np.bool_]
    """Whether the radius is the true one, or a smaller one because the budget was used up."""
    state: npt.NDArray[np.int64]
    """[next place, comparisons so far]."""
    key: npt.NDArray[np.float64]
    """Heap of nodes by box cost."""
    node: npt.NDArray[np.int64]
    near: npt.NDArray[np.float64]
    """Costs of the nearest rows found so far, ascending."""
    what: npt.NDArray[np.int64]
    """Their number of rows, or their value."""
    own: npt.NDArray[np.int64]
    """For each value, the last searched place that has it itself."""


def wanted_rows(tree: Tree, k: int, weight: npt.NDArray[np.int64]) -> Wanted:
    """Count rows: `weight` is how often each distinct row occurs."""
    places, none = len(tree.order), np.zeros(0, dtype=np.int64)
    return Wanted(
        target=k,
        by_value=False,
        weight=weight[tree.order],
        start=np.zeros(places + 1, dtype=np.int64),
        value=none,
        node_bits=np.zeros(len(tree.begin), dtype=np.uint64),
    )


def wanted_values(
    tree: Tree, target: int, start: npt.NDArray[np.int64], value: npt.NDArray[np.int64]
) -> Wanted:
    """Count values: distinct row i has `value[start[i]:start[i + 1]]`, without repetition."""
    counts = np.diff(start)[tree.order]
    moved = starts_of(counts)
    source = np.repeat(start[:-1][tree.order] - moved[:-1], counts) + np.arange(len(value))
    value = value[source]
    # Bits let the search skip a node whose values are all settled, so frequent values deserve bits of their own.
    frequency = np.bincount(value)
    number = np.empty(len(frequency), dtype=np.int64)
    number[np.argsort(-frequency, kind="stable")] = np.arange(len(frequency))
    value = number[value]
    node_bits = _bits(tree.begin, tree.end, tree.child, tree.children, moved, value)
    return Wanted(target, True, counts, moved, value, node_bits)


def search_for(tree: Tree, wanted: Wanted) -> Search:
    """A search that has not started."""
    places = len(tree.order)
    return Search(
        radius=np.zeros(places),
        exact=np.ones(places, dtype=np.bool_),
        state=np.zeros(2, dtype=np.int64),
        key=np.zeros(len(tree.begin) + 1),
        node=np.zeros(len(tree.begin) + 1, dtype=np.int64),
        near=np.zeros(wanted.target + 1),
        what=np.zeros(wanted.target + 1, dtype=np.int64),
        own=np.full(int(wanted.value.max(initial=0)) + 1, -1, dtype=np.int64),
    )


def go_on(space: Space, tree: Tree, wanted: Wanted, search: Search, budget: int, pause: int) -> bool:
    """Continue the search for about `pause` comparisons; returns whether there is more to do.

    Rows are not limited until half of the budget is used; then each gets an equal share of what is left.
    """
    return bool(_go_on(space, tree, wanted, search, view_for(space), budget, pause))


@kernel
def _go_on(space, tree, wanted, search, view, budget, pause):
    # One long loop on plain arrays: a call with all of these tuples would cost more than its work.
    wide, kind, values = space.wide, space.kind, space.values
    own_rank, floor, base, position = view.rank, view.floor, view.base, view.position
    first, last, cost = view.first, view.last, view.cost
    codes, begin, end, leaf = tree.codes, tree.begin, tree.end, tree.leaf
    child, children = tree.child, tree.children
    lowest, highest, present = tree.lowest, tree.highest, tree.present
    by_value, weight, start, value = wanted.by_value, wanted.weight, wanted.start, wanted.value
    node_bits = wanted.node_bits
    key, heap, near, what, has = search.key, search.node, search.near, search.what, search.own
    paid = np.zeros(max(LEAF, FAN))
    places = len(codes)
    place, spent = search.state
    target = spent + pause
    while place < places and spent < target:
        missing = wanted.target - (start[place + 1] - start[place] if by_value else weight[place])
        if missing <= 0:
            place, spent = place + 1, spent + 1
            continue
        left = max(budget - spent, 0)
        allowance = spent + (left if 2 * spent <= budget else left // (places - place))
        look_from(space, view, codes, place)
        settled = np.uint64(0)
        for at in range(start[place], start[place + 1]):
            has[value[at]] = place
            if value[at] < _OTHER:
                settled |= np.uint64(1) << np.uint64(value[at])
        # The row's own leaf comes first: what is found there rules out most of the other nodes before they are visited.
        own = leaf[place]
        key[0], heap[0], waiting = 0.0, own, 1
        size, radius, seeded = np.int64(0), np.inf, False
        while waiting > 0:
            nearest, node = key[0], heap[0]
            if nearest >= radius:
                break
            if spent >= allowance:
                search.exact[place], radius = False, nearest
                break
            waiting -= 1
            _sink(key, heap, waiting)
            if by_value and seeded:
                done = settled
                for at in range(size):
                    if near[at] <= nearest and what[at] < _OTHER:
                        done |= np.uint64(1) << np.uint64(what[at])
                if node_bits[node] & ~done == 0:
                    continue
            low, high = child[node], child[node] + children[node]
            if low < high:
                box_costs(
                    wide, kind, values, base, position, first, last, cost,
                    own_rank, floor, lowest, highest, present, low, high, radius, paid,
                )  # fmt: skip
                for below in range(low, high):
                    if paid[below - low] < radius and below != own:
                        _rise(key, heap, waiting, paid[below - low], below)
                        waiting += 1
                spent += high - low
                continue
            low, high = begin[node], end[node]
            row_costs(wide, kind, values, base, position, first, last, cost, codes, low, high, radius, paid)
            spent += high - low
            for other in range(low, high):
                if other == place or paid[other - low] >= radius:
                    continue
                if not by_value:
                    size, radius = _take_rows(near, what, size, paid[other - low], weight[other], missing)
                    continue
                for at in range(start[other], start[other + 1]):
                    if has[value[at]] != place:
                        size, radius = _take_value(near, what, size, paid[other - low], value[at], missing)
            if not seeded:
                seeded = True
                if own != 0:
                    _rise(key, heap, waiting, 0.0, np.int64(0))
                    waiting += 1
        search.radius[place] = radius
        place += 1
    search.state[0], search.state[1] = place, spent
    return place < places


@kernel
def _take_rows(near, what, size, cost, rows, missing):
    # Insert by cost; drop what is no longer needed to reach `missing` rows.
    at = size
    while at > 0 and near[at - 1] > cost:
        near[at], what[at] = near[at - 1], what[at - 1]
        at -= 1
    near[at], what[at] = cost, rows
    total = 0
    for at in range(size + 1):
        total += what[at]
        if total >= missing:
            return at + 1, near[at]
    return size + 1, np.inf


@kernel
def _take_value(near, what, size, cost, value, missing):
    # A value counts once, at its lowest cost; at most `missing` values are kept.
    at = 0
    while at < size and what[at] != value:
        at += 1
    if at < size:
        if near[at] <= cost:
            return size, near[missing - 1] if size == missing else np.inf
    elif size < missing:
        size += 1
    elif cost >= near[size - 1]:
        return size, near[size - 1]
    else:
        at = size - 1
    while at > 0 and near[at - 1] > cost:
        near[at], what[at] = near[at - 1], what[at - 1]
        at -= 1
    near[at], what[at] = cost, value
    return size, near[missing - 1] if size == missing else np.inf


@kernel
def _rise(key, node, at, cost, number):
    while at > 0 and key[(at - 1) // 2] > cost:
        above = (at - 1) // 2
        key[at], node[at] = key[above], node[above]
        at = above
    key[at], node[at] = cost, number


@kernel
def _sink(key, node, size):
    # Remove the top of the heap: the last, at `size`, sinks from the top.
    cost, number, at = key[size], node[size], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and key[below + 1] < key[below]:
            below += 1
        if key[below] >= cost:
            break
        key[at], node[at] = key[below], node[below]
        at = below
    key[at], node[at] = cost, number


@kernel
def _bits(begin, end, child, children, start, value):
    bits = np.zeros(len(begin), dtype=np.uint64)
    for node in range(len(begin) - 1, -1, -1):
        for below in range(child[node], child[node] + children[node]):
            bits[node] |= bits[below]
        if not children[node]:
            for at in range(start[begin[node]], start[end[node]]):
                bits[node] |= np.uint64(1) << np.uint64(min(value[at], _OTHER))
    return bits
