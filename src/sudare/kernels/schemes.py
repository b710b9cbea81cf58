"""Cheapest scheme first: rows are taken block by block from the least generalized schemes on.

A scheme is a level for each column. Rows not yet taken that agree under a scheme form a block; a block that
satisfies the rules becomes a group. Schemes come in the order of their mean cost, so that a row is taken where it
loses least among its first chances.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.jit import kernel, lean
from sudare.kernels.rules import satisfied

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel
def take_slice(
    codes,
    table,
    starts,
    schemes,
    first,
    last,
    rows,
    count,
    labels,
    groups,
    smallest,
    rules,
    scratch,
    work,
    taken,
):
    """Apply schemes first … last - 1 to rows[:count]; taken rows get the labels groups, groups + 1 and so on.

    `codes` n x p; `table[starts[c, level] + code]`: the 64-bit share of a value in the key of its block.
    `taken` counts the rows that each scheme took. Returns how many rows are left at the front of `rows`, and the
    number of groups so far.
    """
    keys, slots, sizes, order, places = work
    columns = codes.shape[1]
    for scheme in range(first, last):
        if count < smallest:
            break
        bits = 4
        while (1 << bits) < 2 * count:
            bits += 1
        mask = np.uint64((1 << bits) - 1)
        for slot in range(1 << bits):
            slots[slot] = -1
        blocks = 0
        for index in range(count):
            row = rows[index]
            key = np.uint64(0)
            for column in range(columns):
                key += table[starts[column, schemes[scheme, column]] + codes[row, column]]
            slot = np.int64(((key * _MULTIPLIER) >> np.uint64(20)) & mask)
            while slots[slot] >= 0 and keys[slots[slot]] != key:
                slot = (slot + 1) & np.int64(mask)
            if slots[slot] < 0:
                slots[slot] = blocks
                keys[blocks] = key
                sizes[blocks] = 0
                blocks += 1
            block = slots[slot]
            places[index] = block
            sizes[block] += 1
        left, groups = _take_blocks(
            rows, count, labels, groups, smallest, rules, scratch, sizes, order, places, blocks
        )
        taken[scheme] = count - left
        count = left
    return count, groups


@kernel
def _take_blocks(rows, count, labels, groups, smallest, rules, scratch, sizes, order, places, blocks):
    """Turn blocks that comply into groups; the rows left keep their order."""
    plain = len(rules.kind) == 0
    large = 0
    for block in range(blocks):
        if sizes[block] >= smallest:
            large += 1
    if large == 0:
        return count, groups
    if plain:
        for block in range(blocks):
            if sizes[block] >= smallest:
                sizes[block] = -1 - groups
                groups += 1
    else:
        # Rows of each large block side by side, so that the rules can be asked.
        starts = np.full(blocks, -1, dtype=np.int64)
        filled = 0
        for block in range(blocks):
            if sizes[block] >= smallest:
                starts[block] = filled
                filled += sizes[block]
        ends = starts.copy()
        for index in range(count):
            block = places[index]
            if starts[block] >= 0:
                order[ends[block]] = rows[index]
                ends[block] += 1
        for block in range(blocks):
            if starts[block] >= 0 and satisfied(rules, scratch, order, starts[block], ends[block]):
                sizes[block] = -1 - groups
                groups += 1
    return label_taken(rows, count, labels, sizes, places), groups


@lean
def label_taken(rows, count, labels, sizes, places):
    """Label the rows of blocks that became groups; the others move to the front in their order; how many these are.

    `places` has the block of each row; the size of a block that became group g is -1 - g.
    """
    left = 0
    for index in range(count):
        size = sizes[places[index]]
        if size < 0:
            labels[rows[index]] = -1 - size
        else:
            rows[left] = rows[index]
            left += 1
    return left
