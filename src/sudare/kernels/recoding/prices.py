"""Prices of records: the dual of choosing boxes, each with at least k records, that together contain every record once.

A box is a value of the hierarchy for each column; each of its records loses the cost of the box. With a price for
each record, the best use of a box is to take its records whose price exceeds its cost, or its k most expensive ones if
those are fewer. The sum of all prices minus the worth of every box of positive worth is a lower bound of the lowest
total loss (Lagrangian relaxation of "every record exactly once"), whatever the prices; good prices show which
boxes belong to a good solution.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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


class Ascent(NamedTuple):
    """The state of a subgradient ascent."""

    now: npt.NDArray[np.float64]
    """Prices at hand."""
    best: npt.NDArray[np.float64]
    """Those of the best bound so far."""
    direction: npt.NDArray[np.float64]
    uses: npt.NDArray[np.float64]
    """Parts x records: in how many worthwhile boxes of each part of the list a record is used at these prices."""
    worths: npt.NDArray[np.float64]
    """Worth of each box at these prices."""
    figures: npt.NDArray[np.float64]
    """The best bound, the step, and the rounds since the bound last rose."""


@kernel
def ascend(starts, rows, costs, prices, ceilings, free, smallest, goal, rounds, theta, patience):
    """Subgradient ascent of the dual over some boxes: prices rise if a record is in no box, fall if it is in several.

    Box b contains rows[starts[b] : starts[b + 1]] at `costs[b]`; records that are not `free` are ignored; no price
    exceeds its ceiling, which is what the record would lose elsewhere; `goal` is about the loss of a good solution,
    `theta` the first step in units of Polyak's, halved after `patience` rounds without a better bound. Returns the
    best prices and their bound.
    """
    ascent = ascent_of(prices, len(costs), 1, theta)
    for _ in range(rounds):
        use(starts, rows, costs, 0, len(costs), free, smallest, ascent, 0)
        if not rise(ascent, ceilings, free, goal, patience):
            break
    return ascent.best, ascent.figures[0]


@kernel
def ascent_of(prices, boxes, parts, theta):
    """The start of an ascent whose rounds look at the boxes in so many parts."""
    count = len(prices)
    ascent = Ascent(
        np.empty(count),
        np.empty(count),
        np.zeros(count),
        np.zeros((parts, count)),
        np.empty(boxes),
        np.empty(3),
    )
    for row in range(count):
        ascent.now[row] = ascent.best[row] = prices[row]
    ascent.figures[0], ascent.figures[1], ascent.figures[2] = -np.inf, theta, 0.0
    return ascent


@kernel
def use(starts, rows, costs, first, last, free, smallest, ascent, part):
    """Worths of the boxes first … last - 1, and how often those that are worthwhile use each record.

    Parts of the list share nothing that they write, and uses are whole numbers: parts may be looked at by several threads,
    and the result is the same however the list is divided.
    """
    now, uses, worths = ascent.now, ascent.uses[part], ascent.worths
    dearest = np.empty(smallest)
    for row in range(len(now)):
        uses[row] = 0.0
    for box in range(first, last):
        worth, dearer, least, ties = worth_of(
            rows, starts[box], starts[box + 1], costs[box], now, free, smallest, dearest
        )
        worths[box] = worth
        if worth <= 0.0:
            continue
        for index in range(starts[box], starts[box + 1]):
            row = rows[index]
            if not free[row]:
                continue
            used, ties = is_used(now[row] - costs[box], smallest, dearer, least, ties)
            if used:
                uses[row] += 1.0


@kernel
def rise(ascent, ceilings, free, goal, patience):
    """Move the prices by what their use tells; whether the ascent goes on."""
    now, best, direction, uses, figures = (
        ascent.now,
        ascent.best,
        ascent.direction,
        ascent.uses,
        ascent.figures,
    )
    count = len(now)
    bound = 0.0
    for row in range(count):
        bound += now[row] if free[row] else 0.0
    for worth in ascent.worths:
        if worth > 0.0:
            bound -= worth
    if bound > figures[0] + 1e-5 * abs(figures[0]):
        figures[2] = 0.0
    else:
        figures[2] += 1.0
    if bound > figures[0]:
        figures[0] = bound
        for row in range(count):
            best[row] = now[row]
    if figures[2] >= patience:
        figures[1] *= 0.5
        figures[2] = 0.0
        for row in range(count):
            now[row], direction[row] = best[row], 0.0
        return True
    length = 0.0
    for row in range(count):
        slope = 1.0 if free[row] else 0.0
        for part in range(len(uses)):
            slope -= uses[part, row]
        if now[row] >= ceilings[row]:
            slope = min(slope, 0.0)
        direction[row] = slope + _MOMENTUM * direction[row]
        length += direction[row] * direction[row]
    if length == 0.0 or bound >= goal:
        return False
    step = figures[1] * (goal - bound) / length
    for row in range(count):
        now[row] = min(max(now[row] + step * direction[row], 0.0), ceilings[row])
    return True


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
