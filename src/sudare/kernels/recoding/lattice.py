"""Blocks of full-domain recodings: one level for each column, counted on distinct combinations of values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel


class Space(NamedTuple):
    """The G distinct combinations of d columns, and what each value becomes at each level of its column.

    Value v of column c at level l is at index `offset[c] + l * width[c] + v` of the flat arrays.
    """

    codes: npt.NDArray[np.int32]
    """d x G: value of each column."""
    classes: npt.NDArray[np.int32]
    """Which values are equal at a level."""
    marks: npt.NDArray[np.uint64]
    """What a value contributes to the key of its block; equal classes have equal marks."""
    offset: npt.NDArray[np.int64]
    width: npt.NDArray[np.int64]
    exact: bool
    """Whether equal keys mean equal classes (mixed radix); otherwise marks are hashes and classes are compared."""


@kernel
def roll_up(space, levels, members, sizes):
    """Blocks at a node: one member and the number of rows of each block, and the block of each given member.

    `members` are combinations that represent the blocks of any node below (or all of them), `sizes` their rows.
    """
    starts = level_starts(space, levels)
    keys_of_members = _keys(space, starts, members)
    exact = space.exact
    capacity = 16
    while capacity < 2 * len(members):
        capacity *= 2
    mask = capacity - 1
    slots = np.full(capacity, -1, dtype=np.int32)
    keys = np.empty(len(members), dtype=np.uint64)
    found = np.empty(len(members), dtype=np.int32)
    rows = np.zeros(len(members), dtype=np.int64)
    labels = np.empty(len(members), dtype=np.int32)
    count = 0
    for index in range(len(members)):
        member, key = members[index], keys_of_members[index]
        hashed = key * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((hashed ^ (hashed >> np.uint64(32))) & np.uint64(mask))
        while True:
            label = slots[slot]
            if label < 0:
                label = count
                slots[slot] = label
                keys[label] = key
                found[label] = member
                count += 1
                break
            if keys[label] == key and (exact or _same(space, starts, found[label], member)):
                break
            slot = (slot + 1) & mask
        labels[index] = label
        rows[label] += sizes[index]
    return found[:count].copy(), rows[:count].copy(), labels


@kernel
def _keys(space, starts, members):
    # Column by column: one short table of marks at a time stays in the first-level cache.
    keys = np.zeros(len(members), dtype=np.uint64)
    for column in range(len(starts)):
        codes, marks = space.codes[column], space.marks[starts[column] :]
        for index in range(len(members)):
            keys[index] += marks[codes[members[index]]]
    return keys


@kernel
def level_starts(space, levels):
    """Where each column's level begins in the flat arrays."""
    starts = np.empty(len(levels), dtype=np.int64)
    for column in range(len(levels)):
        starts[column] = space.offset[column] + levels[column] * space.width[column]
    return starts


@kernel
def _same(space, starts, one, other):
    for column in range(len(starts)):
        start = starts[column]
        if (
            space.classes[start + space.codes[column, one]]
            != space.classes[start + space.codes[column, other]]
        ):
            return False
    return True


@kernel
def left_out(space, shares, levels, members, sizes, kept):
    """Rows in blocks that are not kept, and what losing them costs beyond publishing them at this node.

    `shares` is flat as in `Space`: the cost of a value at a level; a row costs their sum, at most 1, a lost row 1.
    """
    starts = level_starts(space, levels)
    rows, extra = 0, 0.0
    for block in range(len(members)):
        if not kept[block]:
            cost = 0.0
            for column in range(len(levels)):
                cost += shares[starts[column] + space.codes[column, members[block]]]
            rows += sizes[block]
            extra += sizes[block] * max(0.0, 1.0 - cost)
    return rows, extra


@kernel
def cheaper_nodes(costs, heights, limit, capacity):
    """Levels and costs of the nodes that cost less than the limit, and whether there was room for all of them.

    `costs[c, l]` never decreases with l, so if raising a column reaches the limit its higher levels do too, and
    the odometer carries immediately: every step but d finds a node.
    """
    columns = len(heights)
    levels = np.empty((capacity, columns), dtype=np.int16)
    found = np.empty(capacity)
    node = np.zeros(columns, dtype=np.int64)
    count = 0
    total = _cost(costs, node)
    if not total < limit:
        return levels[:0], found[:0], True
    while True:
        if count == capacity:
            return levels, found, False
        for column in range(columns):
            levels[count, column] = node[column]
        found[count] = total
        count += 1
        column = columns - 1
        while column >= 0:
            if node[column] < heights[column]:
                node[column] += 1
                total = _cost(costs, node)
                if total < limit:
                    break
            node[column] = 0
            column -= 1
        if column < 0:
            return levels[:count], found[:count], True


@kernel
def _cost(costs, node):
    total = 0.0
    for column in range(len(node)):
        total += costs[column, node[column]]
    return total


@kernel
def drop_candidates(levels, costs, floors, node, floor, best):
    """Move the candidates that may still beat `best` to the front; returns how many there are.

    Nodes at or below `node` are now known to cost at least `floor` for rows left out; `node` itself is done.
    """
    kept = 0
    for index in range(len(costs)):
        below, same = True, True
        for column in range(len(node)):
            difference = node[column] - levels[index, column]
            if difference < 0:
                below, same = False, False
                break
            if difference > 0:
                same = False
        raised = max(floors[index], floor) if below else floors[index]
        if same or costs[index] + raised >= best:
            continue
        for column in range(len(node)):
            levels[kept, column] = levels[index, column]
        costs[kept] = costs[index]
        floors[kept] = raised
        kept += 1
    return kept
