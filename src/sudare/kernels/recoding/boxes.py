"""Boxes and their worth at given prices of records: every combination of levels, with pruning.

A box is a value of the hierarchy for each column; each of its records loses the cost of the box (see
`sudare.kernels.recoding.prices`).
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, kernel

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel
def find_boxes(
    codes, counts, classes, shares, offsets, widths, levels, top, prices, smallest, hope, most_records
):
    """The boxes worth more than `-hope` at these prices that have level `top` in the first column.

    Row r represents `counts[r]` equal records; rows must be in the order of decreasing prices.
    `classes[offsets[c, level] + code]` numbers the value of that level below `widths[c]`, `shares[...]` is its cost.
    Columns are refined one after the other; a block of rows is abandoned if it has fewer than k records, if it is not
    worth enough even at the cost so far, or if its records agree on a finer value (then the finer box is
    better). For each box the most expensive rows are listed, until they have
    `most_records`. Returns starts, rows, costs, names (a random word for each box, the same at every call) and the
    sum of all positive worths.
    """
    count, columns = codes.shape
    lines, line_of = _lines(codes, classes, offsets, levels)
    most_blocks = min(count, counts.sum() // smallest) + 1
    row_at = np.empty((columns + 1, count), dtype=np.int32)
    block_at = np.zeros((columns + 1, count), dtype=np.int32)
    cost_at = np.zeros((columns + 1, most_blocks))
    name_at = np.zeros((columns + 1, most_blocks), dtype=np.uint64)
    rows_left = np.zeros(columns + 1, dtype=np.int64)
    row_at[0] = np.arange(count)
    rows_left[0] = count
    level = np.zeros(columns, dtype=np.int64)
    table = np.full(most_blocks * widths.max(), -1, dtype=np.int32)
    slots = np.empty(count, dtype=np.int64)
    place = np.empty(count, dtype=np.int32)
    box_cost = np.empty(count)
    size, listed, worth = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count)
    first, number = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int64)
    differs, tight = np.empty(count, dtype=np.bool_), np.empty(count, dtype=np.int64)
    starts, costs = np.zeros(1024, dtype=np.int64), np.empty(1024)
    names, box_name = np.empty(1024, dtype=np.uint64), np.empty(count, dtype=np.uint64)
    rows = np.empty(1 << 16, dtype=np.int64)
    boxes, filled = 0, 0
    gained = 0.0
    column = 0
    level[0] = top
    while True:
        start = offsets[column, level[column]]
        finest = level[column] == 0
        line = line_of[column] + level[column]
        values, finer = lines[line], lines[line if finest else line - 1]
        here, blocks = row_at[column], block_at[column]
        final = column + 1 == columns
        left = rows_left[column]
        width = widths[column]
        found = 0
        for index in range(left):
            row, block = here[index], blocks[index]
            slot = block * width + values[row]
            box = table[slot]
            if box < 0:
                box = found
                table[slot] = box
                slots[box] = slot
                box_cost[box] = cost_at[column, block] + shares[start + codes[row, column]]
                box_name[box] = _named(name_at[column, block], column, level[column], values[row])
                worth[box], size[box], listed[box] = 0.0, 0, 0
                first[box], differs[box] = index, finest
                found += 1
            elif not differs[box]:
                differs[box] = finer[row] != finer[here[first[box]]]
            gain = prices[row] - box_cost[box]
            if gain > 0.0:
                worth[box] += gain * counts[row]
            elif size[box] < smallest:
                worth[box] += gain * min(counts[row], smallest - size[box])
            listed[box] += size[box] < most_records
            size[box] += counts[row]
            place[index] = box
        kept, room = 0, 0
        for box in range(found):
            table[slots[box]] = -1
            number[box] = -1
            if size[box] < smallest or not differs[box]:
                continue
            # Refined further, it has fewer records and costs more: its worth cannot increase.
            if worth[box] <= -hope:
                continue
            number[box] = kept
            kept += 1
            room += listed[box]
        if kept > 0 and not final:
            for box in range(found):
                if number[box] >= 0:
                    cost_at[column + 1, number[box]] = box_cost[box]
                    name_at[column + 1, number[box]] = box_name[box]
            going = 0
            next_rows, next_blocks = row_at[column + 1], block_at[column + 1]
            for index in range(left):
                block = number[place[index]]
                if block >= 0:
                    next_rows[going] = here[index]
                    next_blocks[going] = block
                    going += 1
            rows_left[column + 1] = going
            column += 1
            level[column] = 0
            continue
        if kept > 0:
            _drop_loose(lines, line_of, level, here[:left], place, first, number, tight)
            while filled + room > len(rows):
                rows = np.concatenate((rows, np.empty(len(rows), dtype=np.int64)))
            while boxes + kept + 1 > len(costs):
                costs = np.concatenate((costs, np.empty(len(costs))))
                names = np.concatenate((names, np.empty(len(names), dtype=np.uint64)))
                starts = np.concatenate((starts, np.empty(len(starts), dtype=np.int64)))
            for box in range(found):
                if number[box] >= 0:
                    gained += max(worth[box], 0.0)
                    costs[boxes], names[boxes] = box_cost[box], box_name[box]
                    number[box] = filled
                    filled += listed[box]
                    boxes += 1
                    starts[boxes] = filled
            for index in range(left):
                box = place[index]
                if number[box] >= 0 and listed[box] > 0:
                    rows[number[box]] = row_at[column, index]
                    number[box] += 1
                    listed[box] -= 1
        while column > 0:
            level[column] += 1
            if level[column] < levels[column]:
                break
            column -= 1
        if column == 0:
            break
    return (
        starts[: boxes + 1].copy(),
        rows[:filled].copy(),
        costs[:boxes].copy(),
        names[:boxes].copy(),
        gained,
    )


@inlined
def _named(name, column, level, value):
    """The name of a box that is refined by a value of a column."""
    word = np.uint64(value) + (np.uint64(level) << np.uint64(40)) + (np.uint64(column + 1) << np.uint64(48))
    word = (name ^ word) * _MULTIPLIER
    return word ^ (word >> np.uint64(29))


@kernel
def _lines(codes, classes, offsets, levels):
    """The class of every row at every level of every column, one line each, and the first line of each column."""
    count, columns = codes.shape
    line_of = np.zeros(columns, dtype=np.int64)
    for column in range(1, columns):
        line_of[column] = line_of[column - 1] + levels[column - 1]
    lines = np.empty((levels.sum(), count), dtype=np.int32)
    for column in range(columns):
        for level in range(levels[column]):
            line, start = lines[line_of[column] + level], offsets[column, level]
            for row in range(count):
                line[row] = classes[start + codes[row, column]]
    return lines, line_of


@kernel
def _drop_loose(lines, line_of, level, rows, place, first, number, tight):
    """Set `number` to -1 for boxes whose records agree on a finer value in some column."""
    full = 0
    for column in range(len(level)):
        full |= (level[column] > 0) << column
    for index in range(len(rows)):
        box = place[index]
        if number[box] < 0:
            continue
        if first[box] == index:
            tight[box] = 0
            continue
        if tight[box] == full:
            continue
        row, other = rows[index], rows[first[box]]
        for column in range(len(level)):
            if level[column] > 0 and not (tight[box] >> column) & 1:
                finer = lines[line_of[column] + level[column] - 1]
                if finer[row] != finer[other]:
                    tight[box] |= 1 << column
    for index in range(len(rows)):
        box = place[index]
        if first[box] == index and number[box] >= 0 and tight[box] != full:
            number[box] = -1
