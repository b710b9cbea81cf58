"""Pricing: for each record, the group of k containing it with the lowest SSE minus its members' prices, exactly.

The SSE of k records is (1 / k) sum of their squared distances, pair by pair. Branch and bound: if A is chosen
and r records B are missing, the pairs within A are known, and those between A and a candidate j; within B, each j
has at least the squared distances to its r - 1 nearest records, each pair counted twice. So

    SSE - prices >= pairs(A) / k - prices(A) + sum_{j in B} v_j,
    v_j = (sum_{a in A} d_aj^2 + (1 / 2) sum of the r - 1 least d_j^2) / k - price_j,

which is smallest for the r smallest v_j. A child takes one candidate, by increasing v, and chooses from those after it.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.distance import squared_distance


@kernel
def price_groups(X, near, prices, seeds, limit, least, floor, groups):
    """For each seed, the lowest reduced cost (SSE - prices) of a group of k that contains it, if it is below `least`.

    `near` (records x k) has the sums of the 0, 1, … k - 1 smallest squared distances from each record to others. On
    entry, `least` is the cost to beat; on return, it is the cost found, and `groups` (records x k) the group. A group
    found counts for all its members. A search of more than `limit` nodes is abandoned: `floor` is then a lower bound
    for all groups of this seed that were not examined, else it is infinity.
    """
    room = _room(*groups.shape)
    for seed in seeds:
        floor[seed] = _price(X, near, prices, seed, limit, room, least, groups)


@kernel
def raise_prices(X, near, prices, seeds, share, limit, groups):
    """Raise the seeds' prices one by one by a share of the slack, so that no group's prices exceed its SSE.

    The slack is the lowest reduced cost of the groups of k that contain the record: if the prices exceed the SSE of no
    group of k before, they do not afterward. `groups` (records x k) has a group that contains each record (the better,
    the faster) and on return has the best ones found. Returns the number of seeds whose search was abandoned at the
    limit.
    """
    n, k = near.shape
    room = _room(n, k)
    # Prices only rise, so the cost found for a group remains an upper bound.
    least = np.full(n, np.inf)
    given_up = 0
    for seed in seeds:
        least[seed] = min(least[seed], _reduced_cost(X, prices, groups[seed]))
        floor = _price(X, near, prices, seed, limit, room, least, groups)
        given_up += floor < least[seed]
        free = min(least[seed], floor)
        if free > 0:
            prices[seed] += share * free
    return given_up


@kernel
def _reduced_cost(X, prices, group):
    pairs, total = 0.0, 0.0
    for place in range(len(group)):
        total += prices[group[place]]
        for before in range(place):
            pairs += squared_distance(X, group[place], X[group[before]])
    return pairs / len(group) - total


@kernel
def _room(n, k):
    """Room for the nodes from the root to the current one: candidates, links, values; counts, places; bases."""
    return (
        np.empty((k, n), dtype=np.int64),
        np.empty((k, n)),
        np.empty((k, n)),
        np.zeros((2, k), dtype=np.int64),
        np.zeros(k),
        np.empty(k, dtype=np.int64),
        np.arange(n),
        np.zeros(n),
    )


@kernel
def _price(X, near, prices, seed, limit, room, least, groups):
    """Search from one seed, depth first; returns the bound of what was not examined when the limit was reached."""
    candidates, links, values, marks, bases, chosen, everything, nothing = room
    counts, places = marks
    k = near.shape[1]
    floor = np.inf
    chosen[0] = seed
    bases[0] = -prices[seed]
    places[0] = 0
    counts[0] = _open(
        X, near, prices, seed, everything, nothing, k - 1, least[seed] - bases[0],
        candidates[0], links[0], values[0],
    )  # fmt: skip
    depth, nodes = 0, 0
    while depth >= 0:
        place, missing = places[depth], k - 1 - depth
        bound = bases[depth]
        if place + missing > counts[depth]:
            bound = np.inf
        else:
            for m in range(place, place + missing):
                bound += values[depth, m]
        if bound >= least[seed] or nodes >= limit:
            if bound < least[seed]:
                floor = min(floor, bound)
            depth -= 1
            continue
        nodes += 1
        places[depth] += 1
        record = candidates[depth, place]
        chosen[depth + 1] = record
        base = bases[depth] + links[depth, place] / k - prices[record]
        if missing == 1:
            # The value of the last one is its cost: those after it are no better.
            for member in chosen:
                if base < least[member]:
                    least[member] = base
                    groups[member] = chosen
            depth -= 1
            continue
        after = slice(place + 1, counts[depth])
        counts[depth + 1] = _open(
            X, near, prices, record, candidates[depth][after], links[depth][after], missing - 1, least[seed] - base,
            candidates[depth + 1], links[depth + 1], values[depth + 1],
        )  # fmt: skip
        depth += 1
        bases[depth] = base
        places[depth] = 0
    return floor


@kernel
def _open(X, near, prices, record, rows, sums, missing, beat, candidates, links, values):
    """List the rows that may be in a group that beats the cost to beat, by increasing value; returns their number."""
    k = near.shape[1]
    lowest = np.inf
    for place in range(len(rows)):
        row = rows[place]
        links[place] = sums[place] + squared_distance(X, record, X[row])
        values[place] = (links[place] + 0.5 * near[row, missing - 1]) / k - prices[row]
        if row != record:
            lowest = min(lowest, values[place])
    most = beat - (missing - 1) * lowest
    count = 0
    for place in range(len(rows)):
        if values[place] < most and rows[place] != record:
            candidates[count], links[count], values[count] = rows[place], links[place], values[place]
            count += 1
    order = np.argsort(values[:count])
    candidates[:count] = candidates[:count][order]
    links[:count] = links[:count][order]
    values[:count] = values[:count][order]
    return count
