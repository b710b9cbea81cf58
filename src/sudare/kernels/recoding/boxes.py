"""Boxes and their worth at given prices of records: every combination of levels, with pruning.

A box is a value of the hierarchy for each column; each of its records loses the cost of the box (see
`sudare.kernels.recoding.prices`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import inlined, kernel, lean

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FIRST_BOXES, _FIRST_ROWS = 1024, 1 << 16
"""Room for boxes and their rows at first; it doubles as needed."""


_LISTING = 10
"""Listing a row counts as much as looking at it so many times: it is looked at again and again in the ascent."""


class Levels(NamedTuple):
    """Every level of every column: the class of each code, and what it costs."""

    classes: npt.NDArray[np.int64]
    """`classes[offsets[c, level] + code]`: number of the code's class on that level, below `widths[c]`."""
    shares: npt.NDArray[np.float64]
    """What that class costs, at the same place."""
    offsets: npt.NDArray[np.int64]
    """Columns x levels: where the codes of a level begin."""
    widths: npt.NDArray[np.int64]
    """How many classes the finest level of each column has."""
    heights: npt.NDArray[np.int64]
    """How many levels each column has."""


class PricedRows(NamedTuple):
    """Combinations of codes in the order of falling prices."""

    codes: npt.NDArray[np.int32]
    """Rows x columns."""
    counts: npt.NDArray[np.int64]
    """Equal records that each row stands for."""
    prices: npt.NDArray[np.float64]
    """Price of one of these records."""


class Boxes(NamedTuple):
    """Boxes with their rows."""

    starts: npt.NDArray[np.int64]
    """First place of each box in `rows`, and the end."""
    rows: npt.NDArray[np.int64]
    costs: npt.NDArray[np.float64]
    """What a record loses in each box."""
    names: npt.NDArray[np.uint64]
    """A random word for each box, the same at every call."""


class _Lines(NamedTuple):
    """The class of every row on every level of every column."""

    classes: npt.NDArray[np.int32]
    """A line for each level of each column."""
    first: npt.NDArray[np.int64]
    """The first line of each column."""


class _Blocks(NamedTuple):
    """For each column the blocks of rows that are refined by it: those kept at the chosen levels of the columns before."""

    level: npt.NDArray[np.int64]
    """The level at hand of each column."""
    left: npt.NDArray[np.int64]
    """How many rows are in a block."""
    rows: npt.NDArray[np.int32]
    """Columns x rows: these rows."""
    block: npt.NDArray[np.int32]
    """Block of each of them."""
    cost: npt.NDArray[np.float64]
    """Columns x blocks: what a block costs so far."""
    name: npt.NDArray[np.uint64]


class _Refined(NamedTuple):
    """The boxes that the blocks of one column fall into at one of its levels, as they appear."""

    place: npt.NDArray[np.int32]
    """Box of each row that is left."""
    table: npt.NDArray[np.int32]
    """Box of each block and class; -1 between two refinements."""
    slot: npt.NDArray[np.int64]
    """Where the table has each box."""
    cost: npt.NDArray[np.float64]
    name: npt.NDArray[np.uint64]
    worth: npt.NDArray[np.float64]
    size: npt.NDArray[np.int64]
    """Records of each box."""
    listed: npt.NDArray[np.int64]
    """Rows of each box that are to be listed."""
    first: npt.NDArray[np.int32]
    """Place of each box's first row among those left."""
    differs: npt.NDArray[np.bool_]
    """Whether its rows differ on the next finer level; on the finest they count as doing so."""
    number: npt.NDArray[np.int64]
    """Number of each box among those kept, -1 if it is not; then where its next row is listed."""
    tight: npt.NDArray[np.int64]
    """Bit c: its rows differ on the next finer level of column c."""


@kernel
def find_boxes(rows, levels, top, smallest, hope, most_records, visits):
    """The boxes worth more than `-hope` at the prices of `rows` that have level `top` in the first column.

    Columns are refined one after the other; a block of rows is left when it has fewer than k records, when it is not
    worth enough even at the cost so far, or when its records agree on a finer value (then the finer box is the better
    one). Of each box the dearest rows are listed, until they have `most_records`. `visits[0]` falls by the rows that
    are looked at; when it is negative, the search ends early. Returns the boxes and the sum of all positive worths.
    """
    columns = rows.codes.shape[1]
    lines = _lines(rows.codes, levels)
    blocks = _room_for_blocks(rows, smallest)
    widest = 0
    for width in levels.widths:
        widest = max(widest, width)
    refined = _room_for_refined(len(rows.counts), blocks.cost.shape[1] * widest)
    listed = _room_for_listed()
    boxes, filled, gained = 0, 0, 0.0
    column = 0
    blocks.level[0] = top
    while visits[0] >= 0:
        visits[0] -= blocks.left[column]
        found = _refine(rows, levels, lines, blocks, column, smallest, most_records, refined)
        kept, room = _keep(refined, found, smallest, hope)
        if kept > 0 and column + 1 < columns:
            _pass_on(refined, found, blocks, column)
            column += 1
            blocks.level[column] = 0
            continue
        if kept > 0:
            here = blocks.rows[column, : blocks.left[column]]
            _drop_loose(lines, blocks.level, here, refined)
            visits[0] -= _LISTING * room
            listed = _with_room(listed, boxes + kept, filled + room)
            boxes, filled, gained = _list(refined, found, here, listed, boxes, filled, gained)
        column = _next_column(blocks.level, levels.heights, column)
        if column == 0:
            break
    return _resized(listed, boxes, boxes + 1, filled), gained


@kernel
def _lines(codes, levels):
    count, columns = codes.shape
    first = np.zeros(columns, dtype=np.int64)
    for column in range(1, columns):
        first[column] = first[column - 1] + levels.heights[column - 1]
    lines = np.empty((first[columns - 1] + levels.heights[columns - 1], count), dtype=np.int32)
    for column in range(columns):
        for level in range(levels.heights[column]):
            line, start = lines[first[column] + level], levels.offsets[column, level]
            for row in range(count):
                line[row] = levels.classes[start + codes[row, column]]
    return _Lines(lines, first)


@kernel
def _room_for_blocks(rows, smallest):
    """All rows in one block for the first column, and room for the others."""
    count, columns = rows.codes.shape
    records = 0
    for each in rows.counts:
        records += each
    most_blocks = min(count, records // smallest) + 1
    blocks = _Blocks(
        np.zeros(columns, dtype=np.int64),
        np.zeros(columns, dtype=np.int64),
        np.empty((columns, count), dtype=np.int32),
        np.zeros((columns, count), dtype=np.int32),
        np.zeros((columns, most_blocks)),
        np.zeros((columns, most_blocks), dtype=np.uint64),
    )
    for row in range(count):
        blocks.rows[0, row] = row
    blocks.left[0] = count
    return blocks


@kernel
def _room_for_refined(count, slots):
    return _Refined(
        np.empty(count, dtype=np.int32),
        np.full(slots, -1, dtype=np.int32),
        np.empty(count, dtype=np.int64),
        np.empty(count),
        np.empty(count, dtype=np.uint64),
        np.empty(count),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int32),
        np.empty(count, dtype=np.bool_),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
    )


@kernel
def _room_for_listed():
    return Boxes(
        np.zeros(_FIRST_BOXES, dtype=np.int64),
        np.empty(_FIRST_ROWS, dtype=np.int64),
        np.empty(_FIRST_BOXES),
        np.empty(_FIRST_BOXES, dtype=np.uint64),
    )


@lean
def _refine(rows, levels, lines, blocks, column, smallest, most_records, refined):
    """Divide the blocks of a column by its classes on the level at hand; how many boxes that makes."""
    codes, counts, prices, shares = rows.codes, rows.counts, rows.prices, levels.shares
    place, table, cost, worth = refined.place, refined.table, refined.cost, refined.worth
    size, listed, first, differs = refined.size, refined.listed, refined.first, refined.differs
    level = blocks.level[column]
    start, width = levels.offsets[column, level], levels.widths[column]
    finest = level == 0
    line = lines.first[column] + level
    values, finer = lines.classes[line], lines.classes[line if finest else line - 1]
    here, block_at = blocks.rows[column], blocks.block[column]
    found = 0
    for index in range(blocks.left[column]):
        row, block = here[index], block_at[index]
        slot = block * width + values[row]
        box = table[slot]
        if box < 0:
            box = found
            table[slot] = box
            refined.slot[box] = slot
            cost[box] = blocks.cost[column, block] + shares[start + codes[row, column]]
            refined.name[box] = _named(blocks.name[column, block], column, level, values[row])
            worth[box], size[box], listed[box] = 0.0, 0, 0
            first[box], differs[box] = index, finest
            found += 1
        elif not differs[box]:
            differs[box] = finer[row] != finer[here[first[box]]]
        gain = prices[row] - cost[box]
        if gain > 0.0:
            worth[box] += gain * counts[row]
        elif size[box] < smallest:
            worth[box] += gain * min(counts[row], smallest - size[box])
        listed[box] += size[box] < most_records
        size[box] += counts[row]
        place[index] = box
    return found


@lean
def _keep(refined, found, smallest, hope):
    """Number the boxes that are worth going on with: how many, and how many rows they list; clears the table."""
    kept, room = 0, 0
    for box in range(found):
        refined.table[refined.slot[box]] = -1
        refined.number[box] = -1
        if refined.size[box] < smallest or not refined.differs[box]:
            continue
        # Refined further it has fewer records and costs more: it cannot become worth more.
        if refined.worth[box] <= -hope:
            continue
        refined.number[box] = kept
        kept += 1
        room += refined.listed[box]
    return kept, room


@lean
def _pass_on(refined, found, blocks, column):
    """Make the boxes that are kept the blocks of the next column."""
    number, place, here = refined.number, refined.place, blocks.rows[column]
    for box in range(found):
        if number[box] >= 0:
            blocks.cost[column + 1, number[box]] = refined.cost[box]
            blocks.name[column + 1, number[box]] = refined.name[box]
    next_rows, next_blocks = blocks.rows[column + 1], blocks.block[column + 1]
    going = 0
    for index in range(blocks.left[column]):
        block = number[place[index]]
        if block >= 0:
            next_rows[going] = here[index]
            next_blocks[going] = block
            going += 1
    blocks.left[column + 1] = going


@lean
def _drop_loose(lines, level, rows, refined):
    """Set `number` to -1 for boxes whose records agree on a finer value in some column."""
    place, first, number, tight = refined.place, refined.first, refined.number, refined.tight
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
                finer = lines.classes[lines.first[column] + level[column] - 1]
                if finer[row] != finer[other]:
                    tight[box] |= 1 << column
    for index in range(len(rows)):
        box = place[index]
        if first[box] == index and number[box] >= 0 and tight[box] != full:
            number[box] = -1


@kernel
def _with_room(listed, boxes, rows):
    """The list with room for so many boxes and rows."""
    most_boxes, most_rows = len(listed.costs), len(listed.rows)
    while rows > most_rows:
        most_rows *= 2
    while boxes + 1 > most_boxes:
        most_boxes *= 2
    if most_boxes == len(listed.costs) and most_rows == len(listed.rows):
        return listed
    return _resized(listed, most_boxes, most_boxes, most_rows)


@kernel
def _resized(listed, boxes, starts, rows):
    """A copy of the list with other lengths."""
    made = Boxes(
        np.empty(starts, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(boxes),
        np.empty(boxes, dtype=np.uint64),
    )
    for box in range(min(starts, len(listed.starts))):
        made.starts[box] = listed.starts[box]
    for box in range(min(boxes, len(listed.costs))):
        made.costs[box], made.names[box] = listed.costs[box], listed.names[box]
    for place in range(min(rows, len(listed.rows))):
        made.rows[place] = listed.rows[place]
    return made


@lean
def _list(refined, found, here, listed, boxes, filled, gained):
    """List the boxes that are kept, with their dearest rows: boxes, rows and worth so far."""
    number, place, left = refined.number, refined.place, refined.listed
    for box in range(found):
        if number[box] >= 0:
            gained += max(refined.worth[box], 0.0)
            listed.costs[boxes], listed.names[boxes] = refined.cost[box], refined.name[box]
            number[box] = filled
            filled += left[box]
            boxes += 1
            listed.starts[boxes] = filled
    for index in range(len(here)):
        box = place[index]
        if number[box] >= 0 and left[box] > 0:
            listed.rows[number[box]] = here[index]
            number[box] += 1
            left[box] -= 1
    return boxes, filled, gained


@lean
def _next_column(level, heights, column):
    """Go to the next level of the last column that has one, and return that column; 0 when all are done."""
    while column > 0:
        level[column] += 1
        if level[column] < heights[column]:
            break
        column -= 1
    return column


@inlined
def _named(name, column, level, value):
    """The name of a box that is refined by a value of a column."""
    word = np.uint64(value) + (np.uint64(level) << np.uint64(40)) + (np.uint64(column + 1) << np.uint64(48))
    word = (name ^ word) * _MULTIPLIER
    return word ^ (word >> np.uint64(29))
