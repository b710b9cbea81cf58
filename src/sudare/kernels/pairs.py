"""Sums of powers of distances over all ordered pairs, from counts of distinct points."""

from __future__ import annotations

import numpy as np

from sudare.kernels.jit import kernel


@kernel
def line_sum(low, high, counts, power):
    """Sum of counts * counts * distance^power between ranges, every two points once and doubled."""
    half = 0.5 * power
    total = 0.0
    for one in range(len(low)):
        row = 0.0
        for other in range(one):
            below, above = low[one] - low[other], high[one] - high[other]
            row += counts[other] * ((below * below + above * above) * 0.5) ** half
        total += counts[one] * row
    return 2.0 * total


@kernel
def sorted_sum(values, counts):
    """Sum of counts * counts * |x - y| for ascending values: each gap separates those below from those above."""
    below = 0.0
    whole = counts.sum()
    total = 0.0
    for index in range(len(values) - 1):
        below += counts[index]
        total += (values[index + 1] - values[index]) * below * (whole - below)
    return 2.0 * total


@kernel
def tree_histogram(parent, depth, counts):
    """Weighted number of ordered pairs at each number of edges apart.

    `below[v, h]` is the weight h edges below v; pairs meet at the node where their subtrees join.
    """
    nodes = len(parent)
    deepest = 0
    for node in range(nodes):
        deepest = max(deepest, depth[node])
    below = np.zeros((nodes, deepest + 1))
    pairs = np.zeros(2 * deepest + 1)
    for node in range(nodes):
        # Children come before their parents: below[node] is complete but for the node itself.
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
