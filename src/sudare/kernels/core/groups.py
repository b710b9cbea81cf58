"""Summaries of groups of rows: the range of their codes, the lowest common node of their leaves."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel


@kernel
def group_ranges(codes, labels, count):
    """Smallest and largest code of each group; missing rows have code -1, so a lowest code of -1 shows them."""
    lowest = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full(count, -1, dtype=np.int32)
    for row in range(len(codes)):
        label = labels[row]
        lowest[label] = min(lowest[label], codes[row])
        highest[label] = max(highest[label], codes[row])
    return lowest, highest


@kernel
def group_nodes(leaves, labels, count, parent, first, last):
    """Lowest node of the tree that covers all leaves of each group (every node covers leaf ranks [first, last))."""
    lowest = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full(count, -1, dtype=np.int32)
    some_leaf = np.zeros(count, dtype=np.int32)
    for row in range(len(leaves)):
        label = labels[row]
        rank = first[leaves[row]]
        lowest[label] = min(lowest[label], rank)
        highest[label] = max(highest[label], rank)
        some_leaf[label] = leaves[row]
    result = np.empty(count, dtype=np.int32)
    for label in range(count):
        result[label] = covering_node(some_leaf[label], lowest[label], highest[label], parent, first, last)
    return result


@kernel
def covering_node(node, lowest, highest, parent, first, last):
    """Climb from a node until it covers the leaf ranks lowest … highest."""
    while first[node] > lowest or last[node] <= highest:
        node = parent[node]
    return node
