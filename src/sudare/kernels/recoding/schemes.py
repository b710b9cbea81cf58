"""Cheapest scheme first: rows are taken block by block, starting with the least generalized schemes.

A scheme is a level for each column. Rows not yet taken that agree under a scheme form a block; a block that
satisfies the rules becomes a group. Schemes are in the order of their mean cost, so that a row is taken where it
loses least among its first opportunities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import inlined, kernel, lean
from sudare.kernels.core.rules import satisfied

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Schemes(NamedTuple):
    """Combinations of levels, what they cost, and the words that tell their blocks apart."""

    levels: npt.NDArray[np.int64]
    """Schemes x columns: the level of each column."""
    costs: npt.NDArray[np.float64]
    """Columns x levels: mean cost of each level."""
    class_words: npt.NDArray[np.uint64]
    """`class_words[starts[c, level] + code]`: the 64-bit share of a value in the key of its block."""
    starts: npt.NDArray[np.int64]
    """Columns x levels: where the codes of a level begin."""


class Taking(NamedTuple):
    """How far rows have been taken by schemes."""

    rows: npt.NDArray[np.int64]
    """Those not taken yet at the front, in their order."""
    labels: npt.NDArray[np.int64]
    """Group of each row that was taken."""
    taken: npt.NDArray[np.int64]
    """Rows that each scheme took."""


class Blocks(NamedTuple):
    """Current rows in blocks, and the hash table that finds the block of a key."""

    place: npt.NDArray[np.int64]
    """Block of each current row."""
    size: npt.NDArray[np.int64]
    """Number of rows of each block; -1 - g if it became group g."""
    key: npt.NDArray[np.uint64]
    """Key of each block."""
    slot: npt.NDArray[np.int64]
    """Block at each slot of the table."""
    stamp: npt.NDArray[np.int64]
    """The numbering in which each slot was last filled, so that the table is never cleared."""
    clock: npt.NDArray[np.int64]
    """One number: the numberings so far."""


@kernel
def room_for_blocks(rows):
    """Room to number the blocks of this many rows."""
    slots = _slots(rows)
    return Blocks(
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.uint64),
        np.empty(slots, dtype=np.int64),
        np.zeros(slots, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@inlined
def _slots(rows):
    """A power of two that is at least twice the number of rows."""
    slots = 16
    while slots < 2 * rows:
        slots *= 2
    return slots


@inlined
def number_blocks(codes, schemes, scheme, rows, count, blocks):
    """Number the blocks of rows[:count] under one of the schemes, as they appear; how many there are."""
    # Taken out of the tuples once: every access to a member of a tuple counts references.
    class_words, starts, levels = schemes.class_words, schemes.starts, schemes.levels[scheme]
    place, size, keys, slots, stamp = blocks.place, blocks.size, blocks.key, blocks.slot, blocks.stamp
    mask = _slots(count) - 1
    blocks.clock[0] += 1
    now = blocks.clock[0]
    found = 0
    for index in range(count):
        row = rows[index]
        key = np.uint64(0)
        for column in range(codes.shape[1]):
            key += class_words[starts[column, levels[column]] + codes[row, column]]
        slot = np.int64((key * _MULTIPLIER) >> np.uint64(20)) & mask
        while stamp[slot] == now and keys[slots[slot]] != key:
            slot = (slot + 1) & mask
        if stamp[slot] != now:
            stamp[slot] = now
            slots[slot] = found
            keys[found] = key
            size[found] = 0
            found += 1
        place[index] = slots[slot]
        size[slots[slot]] += 1
    return found


@kernel
def take_slice(codes, schemes, first, last, limits, taking, count, groups, blocks):
    """Apply schemes first … last - 1 to the `count` rows that are left; `groups` is the first new label.

    `codes` n x p; a group must keep the limits. Returns how many rows are left at the front of `taking.rows`, and the
    number of groups so far.
    """
    order = np.empty(count, dtype=np.int64)
    for scheme in range(first, last):
        if count < limits.smallest:
            break
        found = number_blocks(codes, schemes, scheme, taking.rows, count, blocks)
        left, groups = _take_blocks(limits, taking, count, groups, blocks, found, order)
        taking.taken[scheme] = count - left
        count = left
    return count, groups


@kernel
def _take_blocks(limits, taking, count, groups, blocks, found, order):
    """Turn blocks that comply into groups; the rows left keep their order."""
    smallest, rules, rows = limits.smallest, limits.rules, taking.rows
    size, place = blocks.size, blocks.place
    large = 0
    for block in range(found):
        if size[block] >= smallest:
            large += 1
    if large == 0:
        return count, groups
    if len(rules.kind) == 0:
        for block in range(found):
            if size[block] >= smallest:
                size[block] = -1 - groups
                groups += 1
    else:
        # Make the rows of each large block adjacent, so that the rules can be checked.
        starts = np.full(found, -1, dtype=np.int64)
        filled = 0
        for block in range(found):
            if size[block] >= smallest:
                starts[block] = filled
                filled += size[block]
        ends = starts.copy()
        for index in range(count):
            block = place[index]
            if starts[block] >= 0:
                order[ends[block]] = rows[index]
                ends[block] += 1
        for block in range(found):
            if starts[block] >= 0 and satisfied(rules, limits.scratch, order, starts[block], ends[block]):
                size[block] = -1 - groups
                groups += 1
    return label_taken(rows, count, taking.labels, blocks), groups


@lean
def label_taken(rows, count, labels, blocks):
    """Label the rows of blocks that became groups; the others move to the front in order; returns their number."""
    left = 0
    for index in range(count):
        size = blocks.size[blocks.place[index]]
        if size < 0:
            labels[rows[index]] = -1 - size
        else:
            rows[left] = rows[index]
            left += 1
    return left
