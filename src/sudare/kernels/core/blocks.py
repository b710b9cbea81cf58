"""Rows with equal keys get equal labels; and summaries of groups of rows: ranges of codes, lowest common nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.kernels.core.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_LARGEST_KEY = 2**62


def block_labels(
    columns: Sequence[npt.NDArray[np.int32]], cardinalities: Sequence[int], rows: int
) -> tuple[npt.NDArray[np.int32], int]:
    """Label rows by their combination of codes, in order of first appearance; also returns the number of labels.

    Codes of several columns are packed into one 64-bit key; if the product of the cardinalities would overflow, what
    is packed so far is relabeled first (at most `rows` labels), so there is no limit on the number of columns.
    """
    key = np.zeros(rows, dtype=np.int64)
    size = 1
    for codes, cardinality in zip(columns, cardinalities, strict=True):
        if size * max(cardinality, 1) > _LARGEST_KEY:
            labels, size = dense_labels(key)
            key = labels.astype(np.int64)
        key = key * cardinality + codes
        size *= max(cardinality, 1)
    return dense_labels(key)


def dense_labels(key: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], int]:
    """Relabel arbitrary 64-bit keys to 0, 1, … in order of first appearance."""
    labels = np.empty(len(key), dtype=np.int32)
    capacity = 1 << max(4, (2 * len(key)).bit_length())
    count = _fill_labels(
        key, labels, np.full(capacity, -1, dtype=np.int32), np.empty(capacity, dtype=np.int64)
    )
    return labels, int(count)


@kernel
def _fill_labels(key, labels, slot_label, slot_key):
    # Open addressing with Fibonacci hashing: one pass, no sort.
    mask = len(slot_label) - 1
    count = 0
    for row in range(len(key)):
        value = key[row]
        hashed = np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((hashed ^ (hashed >> np.uint64(32))) & np.uint64(mask))
        while slot_label[slot] >= 0 and slot_key[slot] != value:
            slot = (slot + 1) & mask
        if slot_label[slot] < 0:
            slot_label[slot] = count
            slot_key[slot] = value
            count += 1
        labels[row] = slot_label[slot]
    return count


@kernel
def rows_by_label(labels, count):
    """Counting sort: row indices grouped by label, and where each label's rows start (count + 1 entries)."""
    starts = np.zeros(count + 1, dtype=np.int64)
    for row in range(len(labels)):
        starts[labels[row] + 1] += 1
    for label in range(count):
        starts[label + 1] += starts[label]
    fill = starts[:-1].copy()
    order = np.empty(len(labels), dtype=np.int64)
    for row in range(len(labels)):
        label = labels[row]
        order[fill[label]] = row
        fill[label] += 1
    return order, starts


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
