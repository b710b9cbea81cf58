"""k-member clustering: groups grown one after the other, each with the records that cost it least.

Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques (2007).
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, lean
from sudare.kernels.partition.covers import column_cost, pair_cost


@lean
def grow_groups(model, rows, smallest, labels, first, low, high):
    """Form groups of `smallest` of the rows, numbered from `first`; returns the next number.

    A group starts with the row farthest from the start of the previous group. Leftover rows join the last group;
    `rows` is reordered, `low` and `high` have room for one number per column. No column may be a free set. O(rows²
    columns).
    """
    left = len(rows)
    anyone = labels[:0]
    group = first
    seed = rows[0]
    while left >= smallest:
        place = begin(model, rows, left, seed, labels, anyone, low, high)
        seed = rows[place]
        for _ in range(smallest):
            record = rows[place]
            labels[record] = group
            left -= 1
            rows[place], rows[left] = rows[left], record
            widen(model, record, low, high)
            place = cheapest(model, rows, left, low, high, labels, anyone)
        group += 1
    for index in range(left):
        labels[rows[index]] = max(group - 1, first)
    return max(group, first + 1)


@inlined
def begin(model, rows, left, seed, values, wanted, low, high):
    """Position of the row farthest from `seed` among those for `cheapest`; the span becomes that of the row."""
    farthest, place = -1.0, 0
    for index in range(left):
        if len(wanted) > 0 and wanted[values[rows[index]]] == 0:
            continue
        distance = pair_cost(model, seed, rows[index])
        if distance > farthest:
            farthest, place = distance, index
    for column in range(len(low)):
        low[column] = high[column] = model.codes[rows[place], column]
    return place


@inlined
def widen(model, record, low, high):
    """Extend the span of a group to cover a record."""
    for column in range(len(low)):
        code = model.codes[record, column]
        low[column], high[column] = min(low[column], code), max(high[column], code)


@inlined
def cheapest(model, rows, left, low, high, values, wanted):
    """Position of the row that a group can add at the lowest cost; the first on a tie.

    Only rows whose value is wanted more than 0 times are considered; if `wanted` is empty, any row.
    """
    best, chosen = np.inf, 0
    for index in range(left):
        record = rows[index]
        if len(wanted) > 0 and wanted[values[record]] == 0:
            continue
        total = 0.0
        for column in range(len(low)):
            code = model.codes[record, column]
            total += column_cost(model, column, min(low[column], code), max(high[column], code))
            if total >= best:
                break
        if total < best:
            best, chosen = total, index
    return chosen
