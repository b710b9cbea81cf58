"""Sums of powers of distances over all ordered pairs, from counts of distinct points."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel


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
