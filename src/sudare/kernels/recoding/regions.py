"""Groups as boxes with their records, and the small problem that a region of them poses.

Finds the boxes of a region, those worth considering, and a choice of them by worth; see
`sudare.kernels.recoding.exchange` for how regions are selected and replaced.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel
from sudare.kernels.recoding.prices import is_used, worth_of

TINY = 1e-9
_WILLING = 0.7
"""A record is willing to be left out if its price, which may have been shaken, is at least this share of the cost of it."""


class Listed(NamedTuple):
    """Boxes with their records, and records with their boxes."""

    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    costs: npt.NDArray[np.float64]
    row_starts: npt.NDArray[np.int64]
    row_boxes: npt.NDArray[np.int64]


class Groups(NamedTuple):
    """Groups 0 … slots-1, some of them empty, as chains of records."""

    label: npt.NDArray[np.int64]
    head: npt.NDArray[np.int64]
    """First record of each group, -1 for none."""
    after: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    cost: npt.NDArray[np.float64]
    """What each of its records loses."""
    box: npt.NDArray[np.int64]
    """Listed box of each group, -1 for none."""
    group_of: npt.NDArray[np.int64]
    """One group of each box, -1 for none."""
    state: npt.NDArray[np.int8]
    """Whether a group is in the region (WHOLE), partly (PART), or not (OUTSIDE)."""
    spare: npt.NDArray[np.int64]
    """Empty slots; the first entry is their number."""
    out: int
    """The group of the records that are left out, which may be of any size; -1 if all records stay."""


OUTSIDE, WHOLE, PART = np.int8(0), np.int8(1), np.int8(2)


class Region(NamedTuple):
    """Work space for a region: its records, and boxes as lists of places among them."""

    rows: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    outside: npt.NDArray[np.int64]
    """Group outside the region that a record can join, -1 for none."""
    ceilings: npt.NDArray[np.float64]
    """What it costs there."""
    counts: npt.NDArray[np.int64]
    """Number of records of each listed box that are in the region."""
    touched: npt.NDArray[np.int64]
    owner: npt.NDArray[np.int64]
    best_owner: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]


@kernel
def boxes_of_rows(starts, rows, count):
    """The boxes of each record: starts and numbers."""
    row_starts = np.zeros(count + 1, dtype=np.int64)
    for row in rows:
        row_starts[row + 1] += 1
    for row in range(count):
        row_starts[row + 1] += row_starts[row]
    filled = row_starts[:-1].copy()
    found = np.empty(len(rows), dtype=np.int64)
    for box in range(len(starts) - 1):
        for index in range(starts[box], starts[box + 1]):
            found[filled[rows[index]]] = box
            filled[rows[index]] += 1
    return row_starts, found


@kernel
def chained(listed, labels, sizes, costs, out):
    """The groups of `labels` as chains, each with the listed box that contains all its records at its cost, if any."""
    slots, count, boxes = len(sizes), len(labels), len(listed.costs)
    head, after, before = np.full(slots, -1), np.full(count, -1), np.full(count, -1)
    for row in range(count):
        group = labels[row]
        after[row] = head[group]
        if head[group] >= 0:
            before[head[group]] = row
        head[group] = row
    box_of, group_of = np.full(slots, -1), np.full(boxes, -1)
    counts, touched = np.zeros(boxes, dtype=np.int64), np.empty(boxes, dtype=np.int64)
    spare = np.zeros(slots + 1, dtype=np.int64)
    for group in range(slots - 1, -1, -1):
        if group == out:
            continue
        if sizes[group] == 0:
            spare[0] += 1
            spare[spare[0]] = group
            continue
        found = 0
        row = head[group]
        while row >= 0:
            for index in range(listed.row_starts[row], listed.row_starts[row + 1]):
                box = listed.row_boxes[index]
                if abs(listed.costs[box] - costs[group]) < TINY:
                    if counts[box] == 0:
                        touched[found] = box
                        found += 1
                    counts[box] += 1
            row = after[row]
        for index in range(found):
            box = touched[index]
            if counts[box] == sizes[group]:
                box_of[group] = box
            counts[box] = 0
        # Of one box alone: when the group is gone, no other may still lead to it.
        if box_of[group] >= 0:
            group_of[box_of[group]] = group
    state = np.zeros(slots, dtype=np.int8)
    return Groups(labels, head, after, before, sizes, costs, box_of, group_of, state, spare, out)


@kernel
def candidates(listed, groups, region, count, smallest, may_leave):
    """Boxes with k records of the region that are not open outside, and groups of the region without a listed box.

    Also finds the cheapest group outside for each record; if records `may_leave`, that may be the group of those left
    out. Returns starts, places, costs and numbers (-1: not listed).
    """
    counts, touched = region.counts, region.touched
    out = groups.out
    found, room, extra = 0, 0, 0
    for place in range(count):
        row = region.rows[place]
        group = groups.label[row]
        region.outside[place], region.ceilings[place] = -1, np.inf
        if may_leave:
            region.outside[place], region.ceilings[place] = out, groups.cost[out]
        if groups.state[group] == PART:
            if groups.cost[group] < region.ceilings[place]:
                region.outside[place], region.ceilings[place] = group, groups.cost[group]
        elif groups.box[group] < 0 and group != out:
            room += 1
            extra += groups.head[group] == row
        for index in range(listed.row_starts[row], listed.row_starts[row + 1]):
            box = listed.row_boxes[index]
            if counts[box] == 0:
                touched[found] = box
                found += 1
            counts[box] += 1
            group = groups.group_of[box]
            if group >= 0 and groups.state[group] != WHOLE and listed.costs[box] < region.ceilings[place]:
                region.outside[place], region.ceilings[place] = group, listed.costs[box]
    used = 0
    for index in range(found):
        box = touched[index]
        group = groups.group_of[box]
        if counts[box] >= smallest and (group < 0 or groups.state[group] == WHOLE):
            room += counts[box]
            used += 1
    starts, places = np.zeros(used + extra + 1, dtype=np.int64), np.empty(room, dtype=np.int64)
    costs, numbers = np.empty(used + extra), np.full(used + extra, -1)
    made = 0
    for index in range(found):
        box = touched[index]
        group = groups.group_of[box]
        if counts[box] >= smallest and (group < 0 or groups.state[group] == WHOLE):
            starts[made + 1] = starts[made] + counts[box]
            costs[made], numbers[made] = listed.costs[box], box
            counts[box] = starts[made]
            made += 1
        else:
            counts[box] = -1
    for place in range(count):
        row = region.rows[place]
        for index in range(listed.row_starts[row], listed.row_starts[row + 1]):
            box = listed.row_boxes[index]
            if counts[box] >= 0:
                places[counts[box]] = place
                counts[box] += 1
    for index in range(found):
        counts[touched[index]] = 0
    filled = starts[made]
    for place in range(count):
        group = groups.label[region.rows[place]]
        if (
            groups.state[group] == WHOLE
            and groups.box[group] < 0
            and groups.head[group] == region.rows[place]
        ):
            # The records of a group were gathered one after the other, its head first.
            for member in range(place, place + groups.size[group]):
                places[filled] = member
                filled += 1
            costs[made] = groups.cost[group]
            made += 1
            starts[made] = filled
    return starts, places, costs, numbers


@kernel
def worthy(groups, starts, places, costs, numbers, prices, free, smallest, hope):
    """The boxes worth more than minus `hope`, and all that are groups now, to keep the old solution possible."""
    dearest = np.empty(smallest)
    kept, filled = 0, 0
    first = 0
    for box in range(len(costs)):
        last = starts[box + 1]
        worth = worth_of(places, first, last, costs[box], prices, free, smallest, dearest)[0]
        if worth > -hope or numbers[box] < 0 or groups.group_of[numbers[box]] >= 0:
            for index in range(first, last):
                places[filled] = places[index]
                filled += 1
            costs[kept], numbers[kept] = costs[box], numbers[box]
            kept += 1
            starts[kept] = filled
        first = last
    return starts[: kept + 1], places[:filled], costs[:kept], numbers[:kept]


@kernel
def taken_by_worth(region, starts, places, costs, prices, count, smallest, limit, out):
    """Take boxes by worth until every record has one or can go outside; returns the loss, or inf.

    `region.owner` gets the box of each record, -1 for the group outside. A record whose only way outside is to be left
    out (`out`) takes it only if its price comes near to what that costs.
    """
    owner, sizes, outside = region.owner, region.sizes, region.outside
    boxes = len(costs)
    dearest, worths = np.empty(smallest), np.empty(boxes)
    free, bound = np.ones(count, dtype=np.bool_), np.empty(count, dtype=np.bool_)
    bound_here = 0
    for place in range(count):
        owner[place] = -1
        bound[place] = outside[place] < 0 or (
            outside[place] == out and prices[place] < _WILLING * region.ceilings[place]
        )
        bound_here += bound[place]
    for box in range(boxes):
        sizes[box] = 0
        worths[box] = worth_of(
            places, starts[box], starts[box + 1], costs[box], prices, free, smallest, dearest
        )[0]
    total = 0.0
    while True:
        best, chosen = -np.inf, -1
        for box in range(boxes):
            if worths[box] > best:
                best, chosen = worths[box], box
        if chosen < 0 or (best < 0.0 and bound_here == 0):
            break
        worth, dearer, least, ties = worth_of(
            places, starts[chosen], starts[chosen + 1], costs[chosen], prices, free, smallest, dearest
        )
        if worth < best - TINY:
            worths[chosen] = worth
            continue
        for index in range(starts[chosen], starts[chosen + 1]):
            place = places[index]
            if not free[place]:
                continue
            used, ties = is_used(prices[place] - costs[chosen], smallest, dearer, least, ties)
            if not used:
                continue
            owner[place] = chosen
            free[place] = False
            bound_here -= bound[place]
            sizes[chosen] += 1
            total += costs[chosen]
        worths[chosen] = -np.inf
        if total >= limit:
            return np.inf
    return total + _settled(region, starts, places, costs, free, count, smallest)


@kernel
def _settled(region, starts, places, costs, free, count, smallest):
    """Move free records, and others that their box can spare, to the cheapest open box; returns the change, or inf."""
    owner, sizes = region.owner, region.sizes
    cheapest, target = region.ceilings[:count].copy(), np.full(count, -1)
    for box in range(len(costs)):
        if sizes[box] == 0:
            continue
        for index in range(starts[box], starts[box + 1]):
            if costs[box] < cheapest[places[index]]:
                cheapest[places[index]], target[places[index]] = costs[box], box
    change = 0.0
    for place in range(count):
        if not free[place]:
            continue
        if cheapest[place] == np.inf:
            return np.inf
        owner[place] = target[place]
        change += cheapest[place]
        if target[place] >= 0:
            sizes[target[place]] += 1
    for place in range(count):
        box = owner[place]
        if box >= 0 and sizes[box] > smallest and cheapest[place] < costs[box]:
            change += cheapest[place] - costs[box]
            sizes[box] -= 1
            owner[place] = target[place]
            if target[place] >= 0:
                sizes[target[place]] += 1
    return change
