"""Regions of groups formed anew by boxes: prices of the region's records say which boxes to take.

Groups are boxes with their records here; a record loses the cost of its box. A region is a few groups that boxes of
a costly record reach. Its records are freed, their prices are raised to the dual of the region alone, and boxes are
taken in the order of their worth at prices that are shaken a little, several times over; every record can also join
a box that is open outside. The best of these replaces the old groups if it costs less, or, by Metropolis, not much
more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.jit import inlined, kernel
from sudare.kernels.prices import ascend, worth_of
from sudare.kernels.random_words import next_index, next_uniform

_TINY = 1e-9
_TOURNAMENT = 6
_STEPS = 80
"""Groups looked at for a region, at most."""
_LARGE = 3
"""Of groups with more than this many times k records only k are taken; the group stays open."""
_DEAREST = 4
"""A box leads to one of its 4 k dearest records."""
_HOPE = 0.3
"""Boxes of a region are used that are worth more than minus this many times the mean loss of k of its records."""
_ROUNDS, _STEP, _WAIT = 20, 1.0, 4
_NEAR = 0.999
"""A region within a thousandth of its lower bound is left alone."""
_TRIALS, _SHAKEN = 6, 0.4
_HOPELESS = 1.3


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
    """A group of each box, -1 for none."""
    state: npt.NDArray[np.int8]
    """Whether a group is in the region (WHOLE), partly (PART), or not (OUTSIDE)."""
    spare: npt.NDArray[np.int64]
    """Empty slots; the first entry says how many follow."""


OUTSIDE, WHOLE, PART = np.int8(0), np.int8(1), np.int8(2)


class Region(NamedTuple):
    """Work space for a region: its records, and boxes as lists of places among them."""

    rows: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    outside: npt.NDArray[np.int64]
    """Group outside that a record can join, -1 for none."""
    ceilings: npt.NDArray[np.float64]
    """What it costs there."""
    counts: npt.NDArray[np.int64]
    """Records of each listed box that are in the region."""
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
def chained(listed, labels, sizes, costs):
    """The groups of `labels` as chains, each with the listed box that has all its records at its cost, if any."""
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
        if sizes[group] == 0:
            spare[0] += 1
            spare[spare[0]] = group
            continue
        found = 0
        row = head[group]
        while row >= 0:
            for index in range(listed.row_starts[row], listed.row_starts[row + 1]):
                box = listed.row_boxes[index]
                if abs(listed.costs[box] - costs[group]) < _TINY:
                    if counts[box] == 0:
                        touched[found] = box
                        found += 1
                    counts[box] += 1
            row = after[row]
        for index in range(found):
            box = touched[index]
            if counts[box] == sizes[group]:
                box_of[group] = box
                group_of[box] = group
            counts[box] = 0
    state = np.zeros(slots, dtype=np.int8)
    return Groups(labels, head, after, before, sizes, costs, box_of, group_of, state, spare)


@kernel
def exchange(listed, groups, prices, smallest, attempts, target, temperature, words):
    """Form `attempts` regions of about `target` records anew; groups are changed in place.

    `temperature` in units of the mean loss of the region's records. Returns the change of the total loss.
    """
    boxes = len(listed.costs)
    most = 2 * target + 2 * (_LARGE + 1) * smallest
    region = Region(
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most),
        np.zeros(boxes, dtype=np.int64),
        np.empty(boxes, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(boxes + most, dtype=np.int64),
    )
    free = np.ones(most, dtype=np.bool_)
    total = 0.0
    for _ in range(attempts):
        seed = _costly(groups, prices, words)
        if groups.cost[groups.label[seed]] <= 0.0:
            continue
        count, taken, cost = _gather(listed, groups, region, seed, target, smallest, words)
        if cost > 0.0:
            starts, places, costs, numbers = _candidates(listed, groups, region, count, smallest)
            own = np.minimum(prices[region.rows[:count]], region.ceilings[:count])
            hope = _HOPE * smallest * cost / count
            starts, places, costs, numbers = _worthy(
                groups, starts, places, costs, numbers, own, free[:count], smallest, hope
            )
            ceilings = region.ceilings[:count]
            goal = 0.995 * cost
            own, bound = ascend(
                starts, places, costs, own, ceilings, free[:count], smallest, goal, _ROUNDS, _STEP, _WAIT
            )
            best = np.inf
            if bound < _NEAR * cost:
                for trial in range(_TRIALS):
                    shaken = own.copy()
                    if trial > 0:
                        for place in range(count):
                            shaken[place] *= 1.0 + _SHAKEN * (next_uniform(words) - 0.5)
                    reached = _taken(region, starts, places, costs, shaken, count, smallest, cost * _HOPELESS)
                    if reached < best:
                        best = reached
                        region.best_owner[:count] = region.owner[:count]
            allowed = -temperature * (cost / count) * np.log(max(next_uniform(words), 1e-300))
            if best < cost - _TINY * cost + allowed:
                total += best - cost
                _install(groups, region, count, taken, costs, numbers)
        for index in range(taken):
            groups.state[region.groups[index]] = OUTSIDE
    return total


@inlined
def _costly(groups, prices, words):
    """Of a few random records the one that loses most beyond its price: the gap to the bound lies there."""
    best, chosen = -np.inf, 0
    for _ in range(_TOURNAMENT):
        row = next_index(words, len(prices))
        regret = groups.cost[groups.label[row]] - prices[row]
        if regret > best:
            best, chosen = regret, row
    return chosen


@kernel
def _gather(listed, groups, region, seed, target, smallest, words):
    """Records of the seed's group and of groups that its boxes reach: how many, of how many groups, their loss."""
    count, taken, cost = 0, 0, 0.0
    row = seed
    for _ in range(_STEPS):
        group = groups.label[row]
        if groups.state[group] == OUTSIDE:
            whole = groups.size[group] <= _LARGE * smallest
            wanted = groups.size[group] if whole else smallest
            if count + wanted <= len(region.rows):
                groups.state[group] = WHOLE if whole else PART
                region.groups[taken] = group
                taken += 1
                cost += groups.cost[group] * wanted
                member = groups.head[group]
                for _ in range(wanted):
                    region.rows[count] = member
                    count += 1
                    member = groups.after[member]
        if count >= target:
            break
        start = seed if next_index(words, 2) == 0 or count == 0 else region.rows[next_index(words, count)]
        first, last = listed.row_starts[start], listed.row_starts[start + 1]
        if first == last:
            continue
        box = listed.row_boxes[first + next_index(words, last - first)]
        if listed.costs[box] > groups.cost[groups.label[start]]:
            box = listed.row_boxes[first + next_index(words, last - first)]
        room = min(listed.starts[box + 1] - listed.starts[box], _DEAREST * smallest)
        row = listed.rows[listed.starts[box] + next_index(words, room)]
    return count, taken, cost


@kernel
def _candidates(listed, groups, region, count, smallest):
    """Boxes with k records of the region that are not open outside, and groups of the region without a listed box.

    Also finds for each record the cheapest group outside. Returns starts, places, costs and numbers (-1: not
    listed).
    """
    counts, touched = region.counts, region.touched
    found, room, extra = 0, 0, 0
    for place in range(count):
        row = region.rows[place]
        group = groups.label[row]
        region.outside[place], region.ceilings[place] = -1, np.inf
        if groups.state[group] == PART:
            region.outside[place], region.ceilings[place] = group, groups.cost[group]
        elif groups.box[group] < 0:
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
def _worthy(groups, starts, places, costs, numbers, prices, free, smallest, hope):
    """The boxes worth more than minus `hope`, and all that are groups now: so the old solution stays possible."""
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
def _taken(region, starts, places, costs, prices, count, smallest, limit):
    """Take boxes by their worth until every record has one or can go outside; the loss, or inf.

    `region.owner` gets the box of each record, -1 for the group outside.
    """
    owner, sizes, outside = region.owner, region.sizes, region.outside
    boxes = len(costs)
    dearest, worths = np.empty(smallest), np.empty(boxes)
    free = np.ones(count, dtype=np.bool_)
    bound_here = 0
    for place in range(count):
        owner[place] = -1
        bound_here += outside[place] < 0
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
        if worth < best - _TINY:
            worths[chosen] = worth
            continue
        fewer = dearer < smallest
        for index in range(starts[chosen], starts[chosen + 1]):
            place = places[index]
            if not free[place]:
                continue
            gain = prices[place] - costs[chosen]
            if gain <= 0.0 and not (fewer and gain > least):
                if ties == 0 or gain != least:
                    continue
                ties -= 1
            owner[place] = chosen
            free[place] = False
            bound_here -= outside[place] < 0
            sizes[chosen] += 1
            total += costs[chosen]
        worths[chosen] = -np.inf
        if total >= limit:
            return np.inf
    return total + _settled(region, starts, places, costs, free, count, smallest)


@kernel
def _settled(region, starts, places, costs, free, count, smallest):
    """Free records go to the cheapest open box, as do others whose box can spare them; the change, or inf."""
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


@kernel
def _install(groups, region, count, taken, costs, numbers):
    """Put the best choice into the place of the region's groups."""
    for place in range(count):
        row = region.rows[place]
        group, earlier, later = groups.label[row], groups.before[row], groups.after[row]
        if earlier >= 0:
            groups.after[earlier] = later
        else:
            groups.head[group] = later
        if later >= 0:
            groups.before[later] = earlier
        groups.size[group] -= 1
    for index in range(taken):
        group = region.groups[index]
        if groups.state[group] == WHOLE:
            if groups.box[group] >= 0 and groups.group_of[groups.box[group]] == group:
                groups.group_of[groups.box[group]] = -1
            groups.box[group], groups.cost[group] = -1, 0.0
            groups.spare[0] += 1
            groups.spare[groups.spare[0]] = group
    slot_of = np.full(len(costs), -1)
    for place in range(count):
        box, group = region.best_owner[place], region.outside[place]
        if box >= 0:
            group = slot_of[box]
            if group < 0:
                group = groups.spare[groups.spare[0]]
                groups.spare[0] -= 1
                slot_of[box] = group
                groups.cost[group], groups.box[group] = costs[box], numbers[box]
                if numbers[box] >= 0:
                    groups.group_of[numbers[box]] = group
        row = region.rows[place]
        groups.label[row] = group
        groups.before[row], groups.after[row] = -1, groups.head[group]
        if groups.head[group] >= 0:
            groups.before[groups.head[group]] = row
        groups.head[group] = row
        groups.size[group] += 1
