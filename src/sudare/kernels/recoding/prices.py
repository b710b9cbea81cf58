"""Prices of records: the dual of choosing boxes, each with at least k records, that together contain every record once.

A box is a value of the hierarchy for each column; each of its records loses the cost of the box. With a price for
each record, the best use of a box is to take its records whose price exceeds its cost, or its k most expensive ones if
those are fewer. The sum of all prices minus the worth of every box of positive worth is a lower bound of the lowest
total loss (Lagrangian relaxation of "every record exactly once"), whatever the prices; good prices show which
boxes belong to a good solution.
"""

from __future__ import annotations

import heapq

import numpy as np

from sudare.kernels.core.jit import inlined, kernel

_TINY = 1e-12
_MOMENTUM = 0.6


@inlined
def worth_of(rows, first, last, cost, prices, free, smallest, dearest):
    """Worth of a box to its free records priced above its cost, or its k most expensive; -inf with fewer than k.

    `dearest` is work space of length k. Returns the worth, how many records are priced above the cost, the smallest
    gain (price minus cost) of a record that is used, and how many of those not priced above it are used with exactly
    this gain.
    """
    total, dearer, kept = 0.0, 0, 0
    for index in range(first, last):
        row = rows[index]
        if not free[row]:
            continue
        gain = prices[row] - cost
        if gain > 0.0:
            total += gain
            dearer += 1
        elif dearer < smallest and (kept < smallest or gain > dearest[kept - 1]):
            place = kept if kept < smallest else kept - 1
            while place > 0 and dearest[place - 1] < gain:
                dearest[place] = dearest[place - 1]
                place -= 1
            dearest[place] = gain
            kept = min(kept + 1, smallest)
    missing = smallest - dearer
    if missing <= 0:
        return total, dearer, 0.0, 0
    if missing > kept:
        return -np.inf, dearer, 0.0, 0
    least, ties = dearest[missing - 1], 0
    for place in range(missing):
        total += dearest[place]
        ties += dearest[place] == least
    return total, dearer, least, ties


@inlined
def is_used(gain, smallest, dearer, least, ties):
    """Whether a free record with this gain is among those that `worth_of` counts; and the ties still to be used."""
    if gain > 0.0 or (dearer < smallest and gain > least):
        return True, ties
    if ties > 0 and gain == least:
        return True, ties - 1
    return False, ties


@kernel
def ascend(starts, rows, costs, prices, ceilings, free, smallest, goal, rounds, theta, patience):
    """Subgradient ascent of the dual over some boxes: prices rise if a record is in no box, fall if it is in several.

    Box b contains rows[starts[b] : starts[b + 1]] at `costs[b]`; records that are not `free` are ignored; no price
    exceeds its ceiling, which is what the record would lose elsewhere; `goal` is about the loss of a good solution,
    `theta` the first step in units of Polyak's, halved after `patience` rounds without a better bound. Returns the
    best prices and their bound.
    """
    count = len(prices)
    dearest = np.empty(smallest)
    now, best_prices = np.empty(count), np.empty(count)
    slope, direction = np.empty(count), np.empty(count)
    for row in range(count):
        now[row] = best_prices[row] = prices[row]
        direction[row] = 0.0
    best, waited = -np.inf, 0
    for _ in range(rounds):
        bound = 0.0
        for row in range(count):
            bound += now[row] if free[row] else 0.0
            slope[row] = 1.0 if free[row] else 0.0
        for box in range(len(costs)):
            worth, dearer, least, ties = worth_of(
                rows, starts[box], starts[box + 1], costs[box], now, free, smallest, dearest
            )
            if worth <= 0.0:
                continue
            bound -= worth
            for index in range(starts[box], starts[box + 1]):
                row = rows[index]
                if not free[row]:
                    continue
                used, ties = is_used(now[row] - costs[box], smallest, dearer, least, ties)
                if used:
                    slope[row] -= 1.0
        if bound > best + 1e-5 * abs(best):
            waited = 0
        else:
            waited += 1
        if bound > best:
            best = bound
            for row in range(count):
                best_prices[row] = now[row]
        if waited >= patience:
            theta *= 0.5
            waited = 0
            for row in range(count):
                now[row], direction[row] = best_prices[row], 0.0
            continue
        length = 0.0
        for row in range(count):
            if now[row] >= ceilings[row]:
                slope[row] = min(slope[row], 0.0)
            direction[row] = slope[row] + _MOMENTUM * direction[row]
            length += direction[row] * direction[row]
        if length == 0.0 or bound >= goal:
            break
        step = theta * (goal - bound) / length
        for row in range(count):
            now[row] = min(max(now[row] + step * direction[row], 0.0), ceilings[row])
    return best_prices, best


@kernel
def choose(starts, rows, costs, prices, free, smallest, least_worth, quota, groups, labels):
    """Take boxes of the greatest worth first; each takes the free records that make up its worth and becomes a group.

    A box is used once. Ends when `quota` records are taken or no remaining box is worth `least_worth`. `free` and
    `labels` are updated; labels start at `groups`. Returns the number of groups.
    """
    dearest = np.empty(smallest)
    queue = [(0.0, np.int64(0))]
    queue.pop()
    for box in range(len(costs)):
        worth, _, _, _ = worth_of(
            rows, starts[box], starts[box + 1], costs[box], prices, free, smallest, dearest
        )
        if worth >= least_worth:
            queue.append((-worth, np.int64(box)))
    heapq.heapify(queue)
    while len(queue) > 0 and quota > 0:
        box = heapq.heappop(queue)[1]
        worth, dearer, least, ties = worth_of(
            rows, starts[box], starts[box + 1], costs[box], prices, free, smallest, dearest
        )
        if worth < least_worth:
            continue
        if len(queue) > 0 and -worth > queue[0][0] + _TINY:
            heapq.heappush(queue, (-worth, box))
            continue
        for index in range(starts[box], starts[box + 1]):
            row = rows[index]
            if not free[row]:
                continue
            used, ties = is_used(prices[row] - costs[box], smallest, dearer, least, ties)
            if not used:
                continue
            labels[row] = groups
            free[row] = False
            quota -= 1
        groups += 1
    return groups


@kernel
def worths_of(starts, rows, costs, prices, smallest):
    """The worth of each box if every record is free."""
    found, free, dearest = np.empty(len(costs)), np.ones(len(prices), dtype=np.bool_), np.empty(smallest)
    for box in range(len(costs)):
        found[box] = worth_of(
            rows, starts[box], starts[box + 1], costs[box], prices, free, smallest, dearest
        )[0]
    return found
