"""Nearby records among coded records: candidates are close in one of several sorted orders.

Records that agree on the first columns of an order are together in it; with the columns permuted, records that
agree on most columns are together in some order. The candidates of a record are those within a window of it in
any order; of these, the ones with the cheapest common cover are kept.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, kernel
from sudare.kernels.partition.covers import pair_cost

_REACH = 10
"""How many of the nearest are followed, and how many of their nearest are tried."""


@kernel
def near_slice(model, orders, places, window, start, stop, near, costs):
    """Fill the rows start … stop - 1 of `near` (record numbers, cheapest cover first; -1: none) and `costs`."""
    count, kept = len(model.codes), near.shape[1]
    for record in range(start, stop):
        filled = 0
        for order in range(len(orders)):
            place = places[order, record]
            for other_place in range(max(0, place - window), min(count, place + window + 1)):
                other = orders[order, other_place]
                if other == record:
                    continue
                cost = pair_cost(model, record, other)
                filled = _insert(cost, record, other, near, costs, filled, kept)


@kernel
def near_of_near_slice(model, start, stop, near, costs, marked):
    """Try the near records of near records as candidates for rows start … stop - 1."""
    kept = near.shape[1]
    before = np.empty(kept, dtype=near.dtype)
    for record in range(start, stop):
        for place in range(kept):
            before[place] = near[record, place]
        filled = 0
        while filled < kept and near[record, filled] >= 0:
            marked[near[record, filled]] = record
            filled += 1
        marked[record] = record
        for index in range(min(filled, _REACH)):
            for step in range(min(kept, _REACH)):
                other = near[before[index], step]
                if other < 0:
                    break
                if marked[other] != record:
                    marked[other] = record
                    cost = pair_cost(model, record, other)
                    filled = _insert(cost, record, other, near, costs, filled, kept)


@inlined
def _insert(cost, record, other, near, costs, filled, kept):
    """Insert a candidate into the sorted list if it belongs there and is not yet in it."""
    if filled == kept and cost >= costs[record, kept - 1]:
        return filled
    for index in range(filled):
        if near[record, index] == other:
            return filled
    place = min(filled, kept - 1)
    while place > 0 and costs[record, place - 1] > cost:
        costs[record, place], near[record, place] = costs[record, place - 1], near[record, place - 1]
        place -= 1
    costs[record, place], near[record, place] = cost, other
    return min(filled + 1, kept)
