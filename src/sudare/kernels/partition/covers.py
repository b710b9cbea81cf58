"""The cost of a group as the loss of its members when each column takes the smallest value that covers them all.

A column's values are numbered in the order of its hierarchy (or its natural order), so that what covers a group
depends only on the lowest and the highest number, and the cost of a column is looked up: in a table of pairs, as
the width of an interval, by climbing a large tree, or by the number of distinct values (free sets). The cost of a
group is its size times the weighted sum over columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import inlined

PAIRS, LINE, CLIMB, SET = range(4)
LARGEST_TABLE = 160
"""The largest number of values of a column for which a table of pairs is used."""


class Covers(NamedTuple):
    """Records as numbers of values, and the data kept about groups."""

    codes: npt.NDArray[np.int32]
    """n x p: number of the value of each record; -1 if missing (LINE only)."""
    mode: npt.NDArray[np.int64]
    """How each column's cost is computed: PAIRS, LINE, CLIMB, SET."""
    start: npt.NDArray[np.int64]
    """Where each column's part of the flat arrays begins."""
    width: npt.NDArray[np.int64]
    """Number of values of each column (PAIRS, SET)."""
    table: npt.NDArray[np.float64]
    """PAIRS: weighted cost of covering (low, high). LINE: position of each value, scaled and weighted. SET: cost of
    0, 1, 2, … distinct values. CLIMB: cost of each node."""
    whole: npt.NDArray[np.float64]
    """Weighted cost of a column that is fully generalized."""
    parent: npt.NDArray[np.int32]
    """CLIMB: parent of each node, from the column's start."""
    last: npt.NDArray[np.int32]
    """CLIMB: one past the highest number that a node covers."""
    low: npt.NDArray[np.int32]
    """slots x p: lowest number among a group's members; SET: the number of distinct ones."""
    high: npt.NDArray[np.int32]
    out: int = -1
    """The group of the records that are left out; -1 if all records stay."""
    most: int = 0
    """Maximum number of records that may be left out."""
    price: float = 1.0
    """Cost of each of them: 1, and more while there are more of them than may be left out."""


@inlined
def out_of(model):
    """The group of the records that are left out, -1 for none."""
    return model.out


@inlined
def has_room(model, size):
    """Whether another record may be left out."""
    return size[model.out] < model.most


@inlined
def column_cost(model, column, low, high):
    """Weighted cost per record of covering the numbers low … high of a column (SET: low = count of values)."""
    table, start = model.table, model.start[column]
    mode = model.mode[column]
    if mode == PAIRS:
        return table[start + low * model.width[column] + high]
    if mode == SET:
        return table[start + low]
    if low == high:
        return 0.0
    if mode == LINE:
        return model.whole[column] if low < 0 else table[start + high] - table[start + low]
    return table[start + _covering(model.parent, model.last, start, low, high)]


@inlined
def pair_cost(model, one, other):
    """The loss of one record when it and another take their smallest common cover."""
    codes = model.codes
    total = 0.0
    for column in range(codes.shape[1]):
        first, second = codes[one, column], codes[other, column]
        if first == second:
            continue
        low, high = min(first, second), max(first, second)
        if model.mode[column] == SET:
            low, high = np.int32(2), np.int32(2)
        total += column_cost(model, column, low, high)
    return total


@inlined
def _covering(parent, last, start, low, high):
    node = low
    while last[start + node] <= high:
        node = parent[start + node]
    return node


@inlined
def _has(codes, members, size, group, column, code, leaving):
    """Whether a member other than `leaving` has this value."""
    for index in range(size[group]):
        record = members[group, index]
        if record != leaving and codes[record, column] == code:
            return True
    return False


@inlined
def _span(codes, members, size, group, column, leaving):
    """Lowest and highest number among the members other than `leaving`."""
    low, high = np.int32(2147483647), np.int32(-2147483648)
    for index in range(size[group]):
        record = members[group, index]
        if record != leaving:
            low, high = min(low, codes[record, column]), max(high, codes[record, column])
    return low, high


@inlined
def _changed_cost(model, members, size, group, gone, come):
    """Cost per record of a group without one member and with another (-1: none)."""
    codes, lows, highs, modes = model.codes, model.low, model.high, model.mode
    starts, widths, table = model.start, model.width, model.table
    total = 0.0
    for column in range(codes.shape[1]):
        low, high, mode = lows[group, column], highs[group, column], modes[column]
        if mode == SET:
            count = low
            if gone >= 0 and not _has(codes, members, size, group, column, codes[gone, column], gone):
                count -= 1
            if come >= 0 and not _has(codes, members, size, group, column, codes[come, column], gone):
                count += 1
            total += table[starts[column] + count]
            continue
        if gone >= 0 and (low < high or size[group] == 1):
            code = codes[gone, column]
            if code in (low, high):
                low, high = _span(codes, members, size, group, column, gone)
        if come >= 0:
            low, high = min(low, codes[come, column]), max(high, codes[come, column])
        if mode == PAIRS:
            total += table[starts[column] + low * widths[column] + high]
        elif low < high:
            if mode == LINE:
                if low < 0:
                    total += model.whole[column]
                else:
                    total += table[starts[column] + high] - table[starts[column] + low]
            else:
                total += table[
                    starts[column] + _covering(model.parent, model.last, starts[column], low, high)
                ]
    return total


@inlined
def refresh(model, members, size, group):
    """Recompute the data kept about a group from its members."""
    if group == model.out:
        return
    codes, lows, highs, modes = model.codes, model.low, model.high, model.mode
    for column in range(codes.shape[1]):
        low, high = _span(codes, members, size, group, column, -1)
        if modes[column] == SET:
            count = np.int32(0)
            for index in range(size[group]):
                fresh = True
                for earlier in range(index):
                    fresh = (
                        fresh
                        and codes[members[group, earlier], column] != codes[members[group, index], column]
                    )
                count += fresh
            low = high = count
        lows[group, column], highs[group, column] = low, high


@inlined
def include(model, members, size, group, record):
    """Update the group after a record has joined; `size` already counts it."""
    if group == model.out:
        return
    codes, lows, highs, modes = model.codes, model.low, model.high, model.mode
    for column in range(codes.shape[1]):
        code = codes[record, column]
        if modes[column] == SET:
            before = lows[group, column] if size[group] > 1 else np.int32(0)
            fresh = not _has(codes, members, size, group, column, code, record)
            lows[group, column] = highs[group, column] = before + fresh
        elif size[group] == 1:
            lows[group, column] = highs[group, column] = code
        else:
            lows[group, column] = min(lows[group, column], code)
            highs[group, column] = max(highs[group, column], code)


@inlined
def exclude(model, members, size, group, record):
    """Update the group after a record has left; `size` no longer counts it."""
    if group == model.out:
        return
    codes, lows, highs, modes = model.codes, model.low, model.high, model.mode
    for column in range(codes.shape[1]):
        code, low, high = codes[record, column], lows[group, column], highs[group, column]
        if modes[column] == SET:
            if not _has(codes, members, size, group, column, code, -1):
                lows[group, column] = highs[group, column] = low - np.int32(1)
        elif low < high and code in (low, high):
            lows[group, column], highs[group, column] = _span(codes, members, size, group, column, -1)


@inlined
def replace_member(model, members, size, group, gone, come):
    """Update the group after one member was replaced by another; `members` contains the new one."""
    refresh(model, members, size, group)


@inlined
def cost_of(model, size, group):
    """The cost of a group, from the data kept."""
    if size[group] == 0:
        return 0.0
    if group == model.out:
        return model.price * size[group]
    lows, highs = model.low, model.high
    total = 0.0
    for column in range(lows.shape[1]):
        total += column_cost(model, column, lows[group, column], highs[group, column])
    return total * size[group]


@inlined
def cost_with(model, members, size, group, record):
    """The cost with one more member."""
    if group == model.out:
        return model.price * (size[group] + 1)
    if size[group] == 0:
        return 0.0
    return _changed_cost(model, members, size, group, -1, record) * (size[group] + 1)


@inlined
def cost_without(model, members, size, group, record):
    """The cost with one member fewer."""
    if group == model.out:
        return model.price * (size[group] - 1)
    if size[group] == 1:
        return 0.0
    return _changed_cost(model, members, size, group, record, -1) * (size[group] - 1)


@inlined
def cost_exchanged(model, members, size, group, gone, come):
    """The cost with one member replaced by another."""
    if group == model.out:
        return model.price * size[group]
    return _changed_cost(model, members, size, group, gone, come) * size[group]
