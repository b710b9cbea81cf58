"""Regions of groups formed anew from boxes: prices of the region's records decide which boxes to take.

Here, groups are boxes with their records; a record loses the cost of its box. A region is a few groups that boxes of
a costly record reach. Its records are freed, their prices are raised to the dual of the region alone, and boxes are
taken in the order of their worth at slightly perturbed prices, several times over; every record can also join
an open box outside the region. The best of these solutions replaces the old groups if it costs less, or, by Metropolis,
not much more.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, kernel
from sudare.kernels.core.random_words import next_index, next_uniform
from sudare.kernels.recoding.prices import ascend
from sudare.kernels.recoding.regions import (
    OUTSIDE,
    PART,
    TINY,
    WHOLE,
    Region,
    candidates,
    taken_by_worth,
    worthy,
)

_TOURNAMENT = 6
_LEAST = 0.4
"""The smallest region is about this share of the largest: if all had the same size, every region of a small table would
be the whole table, and end in the same groups again and again."""
_STEPS = 80
"""Maximum number of groups examined for a region."""
_LARGE = 3
"""From groups with more than this many times k records, only k are taken; the group stays open."""
_DEAREST = 4
"""A box leads to one of its 4 k most expensive records."""
_BIAS = 7.0
"""A record leads to its boxes of highest worth: to position u^7 (as a share) in its list, u uniform. Groups joined by
poor boxes do not depend on each other, and a region of such groups would be formed again as it was."""
_KEPT = 0.5
"""Prices of a region start halfway between the dual of the table and those the record had in its last region."""
_HOPE = 0.3
"""A region uses boxes that are worth more than minus this many times the mean loss of k of its records."""
_ROUNDS, _STEP, _WAIT = 20, 1.0, 4
_NEAR = 0.999
"""A region within a thousandth of its lower bound is left alone."""
_TRIALS, _SHAKEN = 6, 0.4
_HOPELESS = 1.3


@kernel
def exchange(listed, groups, prices, local, smallest, attempts, largest, temperature, words, most):
    """Form `attempts` regions of up to about `largest` records anew; groups and `local` are changed in place.

    Up to `most` records may be left out, each at the cost of the group `groups.out`.

    Boxes must be listed in the order of decreasing worth. `prices` are those of the table, `local` those of each
    record in its last region. `temperature` is in units of the mean loss of the region's records. Returns the change
    of the total loss.
    """
    boxes = len(listed.costs)
    room = 2 * largest + 2 * (_LARGE + 1) * smallest
    region = Region(
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room),
        np.zeros(boxes, dtype=np.int64),
        np.empty(boxes, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(boxes + room, dtype=np.int64),
    )
    free = np.empty(room, dtype=np.bool_)
    for place in range(room):
        free[place] = True
    total = 0.0
    for _ in range(attempts):
        target = int(largest * (_LEAST + (1.0 - _LEAST) * next_uniform(words)))
        seed = _costly(groups, prices, words)
        if groups.cost[groups.label[seed]] <= 0.0:
            continue
        count, taken, cost = _gather(listed, groups, region, seed, target, smallest, words)
        if cost > 0.0:
            already, left = 0, 0
            if groups.out >= 0:
                left = groups.size[groups.out]
                for place in range(count):
                    already += groups.label[region.rows[place]] == groups.out
            may_leave = groups.out >= 0 and left - already < most
            starts, places, costs, numbers = candidates(listed, groups, region, count, smallest, may_leave)
            own = np.empty(count)
            for place in range(count):
                row = region.rows[place]
                kept = (1.0 - _KEPT) * prices[row] + _KEPT * local[row]
                own[place] = min(kept, region.ceilings[place])
            hope = _HOPE * smallest * cost / count
            starts, places, costs, numbers = worthy(
                groups, starts, places, costs, numbers, own, free[:count], smallest, hope
            )
            ceilings = region.ceilings[:count]
            goal = 0.995 * cost
            own, bound = ascend(
                starts, places, costs, own, ceilings, free[:count], smallest, goal, _ROUNDS, _STEP, _WAIT
            )
            for place in range(count):
                local[region.rows[place]] = own[place]
            best, shaken = np.inf, np.empty(count)
            if bound < _NEAR * cost:
                for trial in range(_TRIALS):
                    for place in range(count):
                        shake = _SHAKEN * (next_uniform(words) - 0.5) if trial > 0 else 0.0
                        shaken[place] = own[place] * (1.0 + shake)
                    reached = taken_by_worth(
                        region, starts, places, costs, shaken, count, smallest, cost * _HOPELESS, groups.out
                    )
                    if reached < best and (
                        not may_leave or left - already + _leaving(region, count, groups.out) <= most
                    ):
                        best = reached
                        for place in range(count):
                            region.best_owner[place] = region.owner[place]
            allowed = -temperature * (cost / count) * np.log(max(next_uniform(words), 1e-300))
            if best < cost - TINY * cost + allowed:
                total += best - cost
                _install(groups, region, count, taken, costs, numbers)
        for index in range(taken):
            groups.state[region.groups[index]] = OUTSIDE
    return total


@inlined
def _leaving(region, count, out):
    """Number of records of the region that are left out by the last choice."""
    found = 0
    for place in range(count):
        found += region.owner[place] < 0 and region.outside[place] == out
    return found


@inlined
def _costly(groups, prices, words):
    """The record among a few random ones that loses most beyond its price: the gap to the bound is there."""
    best, chosen = -np.inf, 0
    for _ in range(_TOURNAMENT):
        row = next_index(words, len(prices))
        regret = groups.cost[groups.label[row]] - prices[row]
        if regret > best:
            best, chosen = regret, row
    return chosen


@kernel
def _gather(listed, groups, region, seed, target, smallest, words):
    """Gather records of the seed's group and of groups that its boxes reach; returns their number, groups and loss."""
    count, taken, cost = 0, 0, 0.0
    row = seed
    for _ in range(_STEPS):
        group = groups.label[row]
        if group == groups.out:
            known = count >= len(region.rows)
            for place in range(count):
                known = known or region.rows[place] == row
            if not known:
                region.rows[count] = row
                count += 1
                cost += groups.cost[group]
        elif groups.state[group] == OUTSIDE:
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
        if listed.row_starts[start] == listed.row_starts[start + 1]:
            continue
        box = _worthy_box(listed, start, words)
        if listed.costs[box] > groups.cost[groups.label[start]]:
            box = _worthy_box(listed, start, words)
        room = min(listed.starts[box + 1] - listed.starts[box], _DEAREST * smallest)
        row = listed.rows[listed.starts[box] + next_index(words, room)]
    return count, taken, cost


@inlined
def _worthy_box(listed, row, words):
    """A random box of a record, with a preference for high worth."""
    first, last = listed.row_starts[row], listed.row_starts[row + 1]
    return listed.row_boxes[first + int((last - first) * next_uniform(words) ** _BIAS)]


@kernel
def _install(groups, region, count, taken, costs, numbers):
    """Replace the region's groups with the best choice."""
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
    slot_of = np.empty(len(costs), dtype=np.int64)
    for box in range(len(costs)):
        slot_of[box] = -1
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
