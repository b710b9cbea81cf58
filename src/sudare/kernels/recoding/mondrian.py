"""Top-down multidimensional partitioning (LeFevre, DeWitt, Ramakrishnan 2006) as a loop over a stack.

A segment of the row order is cut along one column into parts that all satisfy the rules; a segment that no
column can cut becomes a group. The work is done in slices so that the caller can show progress and cancel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import lean
from sudare.kernels.core.rules import covering_node, satisfied
from sudare.kernels.core.sort import select, sort_in_place

_LARGEST = np.int32(np.iinfo(np.int32).max)


class Space(NamedTuple):
    """The columns to cut: D columns of n rows; arrays about trees are padded to the largest tree."""

    codes: npt.NDArray[np.int32]
    """D x n: rank of the value (missing: -1) for ordered columns, leaf for trees."""
    is_tree: npt.NDArray[np.bool_]
    position: npt.NDArray[np.float64]
    """D x V: where each rank lies on the axis of its column (ordered columns)."""
    weight: npt.NDArray[np.float64]
    """D: weight of a column when the widest is chosen."""
    extent: npt.NDArray[np.float64]
    """D: width of the whole column (largest minus smallest value, or leaves - 1), so that widths are comparable."""
    parent: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]


class State(NamedTuple):
    """The state of the loop between slices."""

    order: npt.NDArray[np.int64]
    """Row indices; every segment is a contiguous part."""
    starts: npt.NDArray[np.int64]
    """Stack of open segments."""
    stops: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int32]
    """Group of each row, once closed."""
    counters: npt.NDArray[np.int64]
    """Open segments, closed groups, closed rows."""
    spare: npt.NDArray[np.int64]
    cuts: npt.NDArray[np.int64]
    """Boundaries of the parts of the last split."""
    member: npt.NDArray[np.int32]
    child_group: npt.NDArray[np.int32]
    """Group of each tree node within the current split, -1 between splits."""
    begin: npt.NDArray[np.int64]
    """Where each of these groups begins."""
    key: npt.NDArray[np.int64]
    """Sort key of these groups."""
    width: npt.NDArray[np.float64]
    """Width of the segment in each column, -1 once a cut was tried."""
    node: npt.NDArray[np.int32]
    """Lowest common node of the segment in each tree column."""


def initial_state(space: Space) -> State:
    """One open segment with all rows."""
    columns, rows = space.codes.shape
    nodes = space.parent.shape[1]
    state = State(
        order=np.arange(rows, dtype=np.int64),
        starts=np.zeros(rows + 1, dtype=np.int64),
        stops=np.zeros(rows + 1, dtype=np.int64),
        labels=np.zeros(rows, dtype=np.int32),
        counters=np.zeros(3, dtype=np.int64),
        spare=np.zeros(rows, dtype=np.int64),
        cuts=np.zeros(rows + 1, dtype=np.int64),
        member=np.zeros(rows, dtype=np.int32),
        child_group=np.full(nodes, -1, dtype=np.int32),
        begin=np.zeros(nodes + 1, dtype=np.int64),
        key=np.zeros(nodes, dtype=np.int64),
        width=np.zeros(columns),
        node=np.zeros(columns, dtype=np.int32),
    )
    state.stops[0] = rows
    state.counters[0] = 1
    return state


@lean
def partition_slice(space, state, rules, scratch, least, relaxed, budget):
    """Cut open segments until about `budget` rows have been examined or nothing is open."""
    counters = state.counters
    seen = 0
    while counters[0] > 0 and seen < budget:
        counters[0] -= 1
        start, stop = state.starts[counters[0]], state.stops[counters[0]]
        seen += stop - start
        parts = 0
        if stop - start >= 2 * least:
            parts = _split(space, state, rules, scratch, relaxed, start, stop)
        if parts < 2:
            for index in range(start, stop):
                state.labels[state.order[index]] = counters[1]
            counters[1] += 1
            counters[2] += stop - start
        else:
            for part in range(parts):
                state.starts[counters[0]] = state.cuts[part]
                state.stops[counters[0]] = state.cuts[part + 1]
                counters[0] += 1


@lean
def _split(space, state, rules, scratch, relaxed, start, stop):
    """Try the columns, the widest first; returns the number of parts of the first allowed cut, else 0."""
    columns, width = len(space.is_tree), state.width
    for column in range(columns):
        width[column], state.node[column] = _width(space, state, column, start, stop)
    for _ in range(columns):
        column = np.int64(
            0
        )  # a plain 0 has a different type: everything called below would be compiled twice
        for other in range(1, columns):
            if width[other] > width[column]:
                column = other
        if width[column] <= 0.0:
            return 0
        width[column] = -1.0
        if space.is_tree[column]:
            parts = _split_tree(space, state, rules, scratch, column, state.node[column], start, stop)
        else:
            parts = _split_ordered(space, state, rules, scratch, relaxed, column, start, stop)
        if parts >= 2:
            return parts
    return 0


@lean
def _width(space, state, column, start, stop):
    """Normalized width of a segment in one column, and (trees) its lowest common node."""
    codes, order = space.codes[column], state.order
    if not space.is_tree[column]:
        lowest, highest = _LARGEST, np.int32(-1)
        for index in range(start, stop):
            code = codes[order[index]]
            lowest = min(lowest, code)
            highest = max(highest, code)
        if highest < 0 or lowest == highest:
            return 0.0, np.int32(0)
        if lowest < 0:
            # A group of missing and non-missing values can only be published as "anything".
            return space.weight[column], np.int32(0)
        span = space.position[column, highest] - space.position[column, lowest]
        return space.weight[column] * span / space.extent[column], np.int32(0)
    first, last = space.first[column], space.last[column]
    low, high = _LARGEST, np.int32(-1)
    for index in range(start, stop):
        rank = first[codes[order[index]]]
        low = min(low, rank)
        high = max(high, rank)
    node = covering_node(codes[order[start]], low, high, space.parent[column], first, last)
    return space.weight[column] * (last[node] - first[node] - 1) / space.extent[column], node


@lean
def _split_ordered(space, state, rules, scratch, relaxed, column, start, stop):
    """Two parts: missing from present, or below and above the median."""
    codes, order = space.codes[column], state.order
    size = stop - start
    missing = 0
    for index in range(start, stop):
        code = codes[order[index]]
        state.member[index - start] = code
        missing += code < 0
    select(state.member, state.member[:0], 0, size, (size - 1) // 2)
    median = np.int64(state.member[(size - 1) // 2])
    below, through = 0, 0
    for index in range(start, stop):
        code = codes[order[index]]
        below += code < median
        through += code <= median
    # First the more even of the two cuts next to the median.
    even, other = through, below
    if abs(2 * below - size) < abs(2 * through - size):
        even, other = below, through
    for attempt in range(4):  # one call site: each is compiled with all it calls
        value, left = median, even if attempt == 2 else other
        if attempt == 0:
            value, left = np.int64(-1), missing
        elif attempt == 1:
            left = size // 2 if relaxed else 0
        if 0 < left < size and _try_cut(space, state, rules, scratch, column, start, stop, value, left):
            return 2
    return 0


@lean
def _try_cut(space, state, rules, scratch, column, start, stop, value, left):
    """Put `left` rows first: all below `value`, then as many equal to it as fit."""
    codes, order = space.codes[column], state.order
    below = 0
    for index in range(start, stop):
        below += codes[order[index]] < value
    equal_left = left - below
    fill, spared = start, 0
    for index in range(start, stop):
        row = order[index]
        code = codes[row]
        goes_left = code < value
        if code == value and equal_left > 0:
            goes_left = True
            equal_left -= 1
        if goes_left:
            order[fill] = row
            fill += 1
        else:
            state.spare[spared] = row
            spared += 1
    for index in range(spared):
        order[fill + index] = state.spare[index]
    state.cuts[0], state.cuts[1], state.cuts[2] = start, fill, stop
    return satisfied(rules, scratch, order, start, fill) and satisfied(rules, scratch, order, fill, stop)


@lean
def _split_tree(space, state, rules, scratch, column, node, start, stop):
    """One part for each child of the common node; children too small to be groups are pooled.

    If the pool itself breaks a rule, the smallest children that comply are added to it until it complies.
    """
    order, cuts, begin, key = state.order, state.cuts, state.begin, state.key
    groups = _group_by_child(space, state, column, node, start, stop)
    # Sort key: complying groups by decreasing size, then the others; ties keep their order.
    size, standing = stop - start, 0
    for group in range(groups):
        if satisfied(rules, scratch, order, begin[group], begin[group + 1]):
            key[group] = (size - begin[group + 1] + begin[group]) * groups + group
            standing += 1
        else:
            key[group] = size * groups + group
    if standing == 0:
        return 0
    if standing == groups:
        for group in range(groups + 1):
            cuts[group] = begin[group]
        return groups
    sort_in_place(key, groups)
    cuts[0], filled = start, 0
    for place in range(groups):
        group = key[place] % groups
        for index in range(begin[group], begin[group + 1]):
            state.spare[filled] = order[index]
            filled += 1
        cuts[place + 1] = start + filled
    _take_back(state, start, stop)
    while standing > 0 and not satisfied(rules, scratch, order, cuts[standing], stop):
        standing -= 1
    if standing == 0:
        return 0
    cuts[standing + 1] = stop
    return standing + 1


@lean
def _group_by_child(space, state, column, node, start, stop):
    """Counting sort of a segment by the child of `node` above each row; returns the number of children found.

    Children are numbered by first appearance; rows of child c are then at begin[c] … begin[c + 1] - 1.
    """
    codes, parent = space.codes[column], space.parent[column]
    order, member, begin, fill = state.order, state.member, state.begin, state.cuts
    groups = 0
    for index in range(start, stop):
        child = codes[order[index]]
        while parent[child] != node:
            child = parent[child]
        if state.child_group[child] < 0:
            state.child_group[child] = groups
            fill[groups] = child
            begin[groups + 1] = 0
            groups += 1
        member[index - start] = state.child_group[child]
        begin[member[index - start] + 1] += 1
    begin[0] = start
    for group in range(groups):
        state.child_group[fill[group]] = -1
        fill[group] = begin[group]
        begin[group + 1] += begin[group]
    for index in range(start, stop):
        group = member[index - start]
        state.spare[fill[group] - start] = order[index]
        fill[group] += 1
    _take_back(state, start, stop)
    return groups


@lean
def _take_back(state, start, stop):
    """Copy the segment back in the order in which its rows were set aside."""
    for index in range(start, stop):
        state.order[index] = state.spare[index - start]
