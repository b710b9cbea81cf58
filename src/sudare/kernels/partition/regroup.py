"""Groups of a region formed anew by schemes, cheapest first; rows that no scheme takes join where they cost least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.rules import satisfied
from sudare.kernels.partition.covers import SET, column_cost
from sudare.kernels.recoding.schemes import Blocks, label_taken, number_blocks, room_for_blocks


class Regrouping(NamedTuple):
    """Rows removed from their groups, and the groups they form instead."""

    rows: npt.NDArray[np.int64]
    """Records of the region; below they are numbered by their positions here."""
    codes: npt.NDArray[np.int32]
    """Their codes, stored contiguously."""
    left: npt.NDArray[np.int64]
    """Places that no scheme has taken yet."""
    fresh: npt.NDArray[np.int64]
    """New group of each place; -1 until it has one."""
    costs: npt.NDArray[np.float64]
    """Cost of each new group."""
    some: npt.NDArray[np.int64]
    """Work space: the records of one group."""
    blocks: Blocks


@kernel
def room_for_regrouping(rows, columns):
    """Room for a region of this many rows."""
    return Regrouping(
        np.empty(rows, dtype=np.int64),
        np.empty((rows, columns), dtype=np.int32),
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty(rows),
        np.empty(rows, dtype=np.int64),
        room_for_blocks(rows),
    )


@kernel
def regrouped(model, limits, schemes, order, regrouping, count, limit, largest):
    """Form groups of regrouping.rows[:count]: how many, and their cost; 0 groups where they would cost `limit` or more.

    Schemes are tried in `order`. No group gets more than `largest` rows.
    """
    rows, codes, left = regrouping.rows, regrouping.codes, regrouping.left
    some, blocks = regrouping.some, regrouping.blocks
    for index in range(count):
        left[index] = index
        regrouping.fresh[index] = -1
        for column in range(codes.shape[1]):
            codes[index, column] = model.codes[rows[index], column]
    made, cost, remaining = 0, 0.0, count
    for scheme in order:
        if remaining < limits.smallest:
            break
        found = number_blocks(codes, schemes, scheme, left, remaining, blocks)
        taken = False
        for block in range(found):
            if not limits.smallest <= blocks.size[block] <= largest:
                continue
            size = 0
            for index in range(remaining):
                if blocks.place[index] == block:
                    some[size] = rows[left[index]]
                    size += 1
            if len(limits.rules.kind) > 0 and not satisfied(limits.rules, limits.scratch, some, 0, size):
                continue
            regrouping.costs[made] = _cover_cost(model, some, size) * size
            cost += regrouping.costs[made]
            blocks.size[block] = -1 - made
            made += 1
            taken = True
        if taken:
            remaining = label_taken(left, remaining, regrouping.fresh, blocks)
            if cost >= limit:
                break
    if made == 0:
        return 0, cost
    for index in range(remaining):
        if cost >= limit:
            break
        cost += _join(model, limits, regrouping, count, left[index], made, largest)
    return (made, cost) if cost < limit else (0, cost)


@kernel
def _join(model, limits, regrouping, count, place, made, largest):
    """Add a row that no scheme took to the new group where it costs least; returns the added cost, or inf."""
    rows, fresh, some = regrouping.rows, regrouping.fresh, regrouping.some
    best, chosen = np.inf, -1
    for group in range(made):
        size = 0
        for other in range(count):
            if fresh[other] == group:
                some[size] = rows[other]
                size += 1
        if size == largest:
            continue
        some[size] = rows[place]
        size += 1
        cost = _cover_cost(model, some, size) * size - regrouping.costs[group]
        if cost < best and (
            len(limits.rules.kind) == 0 or satisfied(limits.rules, limits.scratch, some, 0, size)
        ):
            best, chosen = cost, group
    if chosen >= 0:
        fresh[place] = chosen
        regrouping.costs[chosen] += best
    return best


@kernel
def _cover_cost(model, rows, count):
    """Cost per record of covering these rows."""
    codes, modes = model.codes, model.mode
    total = 0.0
    for column in range(codes.shape[1]):
        low = high = codes[rows[0], column]
        distinct = np.int32(1)
        for index in range(1, count):
            code = codes[rows[index], column]
            low, high = min(low, code), max(high, code)
            if modes[column] == SET:
                seen = False
                for earlier in range(index):
                    seen = seen or codes[rows[earlier], column] == code
                distinct += not seen
        if modes[column] == SET:
            low = high = distinct
        total += column_cost(model, column, low, high)
    return total
