"""Figures of whole tables: sums over pairs of records, an attacker's guesses."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.sort import sort_in_place


@kernel
def line_sum(low, high, counts, power):
    """Sum of counts * counts * gap^power between ranges; each pair of points is computed once and doubled."""
    total = 0.0
    for one in range(len(low)):
        row = 0.0
        for other in range(one):
            gap = max(low[one] - high[other], low[other] - high[one])
            if gap > 0.0:
                row += counts[other] * gap**power
        total += counts[one] * row
    return 2.0 * total


@kernel
def gap_sum(low, high, by_low, by_high, counts, power):
    """The same for power 1 or 2 in one sweep: ranges that end before the current one starts are accumulated."""
    weight, first, second = 0.0, 0.0, 0.0
    total = 0.0
    ended = 0
    for place in range(len(by_low)):
        start = low[by_low[place]]
        while ended < len(by_high) and high[by_high[ended]] < start:
            below = by_high[ended]
            weight += counts[below]
            first += counts[below] * high[below]
            second += counts[below] * high[below] * high[below]
            ended += 1
        if power == 1:
            gaps = weight * start - first
        else:
            gaps = weight * start * start - 2.0 * start * first + second
        total += counts[by_low[place]] * max(gaps, 0.0)
    return 2.0 * total


@kernel
def tree_histogram(parent, depth, counts):
    """Weighted number of ordered pairs for each number of edges between them.

    `below[v, h]` is the weight h edges below v; pairs meet at the node where their subtrees join.
    """
    nodes = len(parent)
    deepest = 0
    for node in range(nodes):
        deepest = max(deepest, depth[node])
    below = np.zeros((nodes, deepest + 1))
    pairs = np.zeros(2 * deepest + 1)
    for node in range(nodes):
        # Children come before their parents: below[node] is complete except for the node itself.
        for height in range(1, deepest + 1):
            pairs[height] += 2.0 * counts[node] * below[node, height]
        below[node, 0] += counts[node]
        above = parent[node]
        if above == node:
            continue
        for height in range(deepest):
            weight = below[node, height]
            if weight == 0.0:
                continue
            for other in range(1, deepest + 1):
                pairs[height + 1 + other] += 2.0 * weight * below[above, other]
        for height in range(deepest):
            below[above, height + 1] += below[node, height]
    return pairs


@kernel
def joint_sum(codes, lows, highs, tables, starts, widths, weights, order, counts, power):
    """Sum of counts * counts * distance^power between rows, with distance = (sum w d^order)^(1/order).

    Column c of row r is point codes[c, r]. Its distances are gaps between lows[c] and highs[c] if widths[c] is 0,
    else entries of the table of that width that starts at tables[starts[c]].
    """
    columns, rows = codes.shape
    exponent = power / order
    total = 0.0
    for one in range(rows):
        line = 0.0
        for other in range(one):
            apart = 0.0
            for column in range(columns):
                first, second = codes[column, one], codes[column, other]
                if widths[column] == 0:
                    gap = max(
                        lows[column, first] - highs[column, second],
                        lows[column, second] - highs[column, first],
                    )
                    gap = max(gap, 0.0)
                else:
                    gap = tables[starts[column] + first * widths[column] + second]
                if np.isinf(order):
                    apart = max(apart, weights[column] * gap)
                elif order == 2.0:
                    apart += weights[column] * gap * gap
                elif order == 1.0:
                    apart += weights[column] * gap
                else:
                    apart += weights[column] * gap**order
            line += counts[other] * (apart**power if np.isinf(order) else apart**exponent)
        total += counts[one] * line
    return 2.0 * total


@kernel
def best_guesses(codes, values, order, starts, excluded):
    """Probability of the best guess in each block after `excluded` values are ruled out.

    With counts r1 >= r2 >= …, it is best for the attacker to rule out the `excluded` most frequent values
    other than r1: r1 / (r1 + r_{excluded+2} + r_{excluded+3} + …).
    """
    histogram = np.zeros(values, dtype=np.int64)
    touched = np.zeros(values, dtype=np.int64)
    frequencies = np.empty(values, dtype=np.int64)
    result = np.empty(len(starts) - 1)
    for block in range(len(starts) - 1):
        count = np.int64(0)
        for position in range(starts[block], starts[block + 1]):
            code = codes[order[position]]
            if histogram[code] == 0:
                touched[count] = code
                count += 1
            histogram[code] += 1
        for index in range(count):
            frequencies[index] = histogram[touched[index]]
            histogram[touched[index]] = 0
        sort_in_place(frequencies, count)
        remaining = frequencies[count - 1]
        for index in range(count - 1 - excluded):
            remaining += frequencies[index]
        result[block] = frequencies[count - 1] / remaining
    return result
