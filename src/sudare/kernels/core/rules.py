"""What a group of rows must satisfy, as numbers: size, diversity and closeness of sensitive values.

A conjunction of requirements is compiled (in `sudare.assess`) into `Rules`; the assessor computes the level that each
block reaches (`reached`), and a method checks whether a candidate group is allowed (`satisfied`). Both use the same
definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel, lean
from sudare.kernels.core.kinds import DISTINCT, ENTROPY, EQUAL, ORDERED, RECURSIVE, SIZE
from sudare.kernels.core.sort import sort_in_place

if TYPE_CHECKING:
    from collections.abc import Sequence


TOLERANCE = 1e-9
"""Relative slack for entropies and distances: rounding must not reject what is satisfied with equality."""

STRICTNESS = 1e-12
"""Relative margin of the strict inequality of recursive diversity."""


class Rules(NamedTuple):
    """Rules r = 0 … R-1 over sensitive columns s = 0 … S-1 of a table of n rows."""

    kind: npt.NDArray[np.int64]
    """Which rule: SIZE, DISTINCT, …, HIERARCHICAL."""
    column: npt.NDArray[np.int64]
    """The sensitive column it applies to (0 for SIZE, unused)."""
    at_most: npt.NDArray[np.bool_]
    """Whether the value reached must be at most the bound (distances), rather than at least (sizes, diversity)."""
    bound: npt.NDArray[np.float64]
    """k, l or t."""
    factor: npt.NDArray[np.float64]
    """c of recursive (c, l)-diversity, else 0."""
    sensitive: npt.NDArray[np.int32]
    """S x n codes; -1 for rows with values that are exempt: they neither need diversity nor add to it."""
    overall: npt.NDArray[np.float64]
    """S x V: distribution of each column in the whole table, zero beyond its values."""
    values: npt.NDArray[np.int64]
    """Number of values of each column."""
    leaf: npt.NDArray[np.int32]
    """S x V: the leaf of each value in the column's tree (hierarchical distance only)."""
    parent: npt.NDArray[np.int32]
    """S x T: parent of each tree node; a parent comes after its children, the root is its own parent."""
    height: npt.NDArray[np.float64]
    """S x T: level of each node divided by the level of the root."""
    nodes: npt.NDArray[np.int64]
    """Number of tree nodes of each column."""


class Scratch(NamedTuple):
    """Work space, allocated once; the histogram is all zero between calls."""

    histogram: npt.NDArray[np.int64]
    touched: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.int64]
    extra: npt.NDArray[np.float64]
    surplus: npt.NDArray[np.float64]
    deficit: npt.NDArray[np.float64]


def no_rules() -> Rules:
    """Rules that require nothing."""
    none, number, code = np.zeros(0, dtype=np.int64), np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int32)
    one = np.ones(1, dtype=np.int64)
    truth = np.zeros(0, dtype=np.bool_)
    return Rules(none, none, truth, np.zeros(0), np.zeros(0), code, number, one, code, code, number, one)


def rules_of(rules: Rules, rows: npt.NDArray[np.int64]) -> Rules:
    """The rules for some of the rows; overall distributions remain those of the whole table."""
    return rules._replace(sensitive=np.ascontiguousarray(rules.sensitive[:, rows]))


def scratch_for(rules: Rules) -> Scratch:
    """Work space large enough for these rules."""
    values, nodes = rules.overall.shape[1], rules.parent.shape[1]
    return Scratch(
        np.zeros(values, dtype=np.int64),
        np.zeros(values, dtype=np.int64),
        np.zeros(values, dtype=np.int64),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(nodes),
    )


@lean
def satisfied(rules, scratch, order, start, stop):
    """Whether rows order[start:stop] may form a group under every rule. Groups are never empty."""
    size = stop - start
    if size == 0:
        return False
    for rule in range(len(rules.kind)):
        if rules.kind[rule] == SIZE and size < rules.bound[rule]:
            return False
    for rule in range(len(rules.kind)):
        kind = rules.kind[rule]
        if kind == SIZE:
            continue
        value = reached(rules, rule, scratch, order, start, stop)
        if not holds(kind, rules.at_most[rule], value, rules.bound[rule]):
            return False
    return True


@lean
def holds(kind, at_most, value, bound):
    """Whether the value reached satisfies the bound: `at_most` it, or else at least."""
    if at_most:
        return value <= bound + TOLERANCE
    if kind == ENTROPY:
        return value >= bound * (1.0 - TOLERANCE)
    return value >= bound


@kernel
def holding(kind, at_most, values, bound):
    """`holds` for every block."""
    result = np.empty(len(values), dtype=np.bool_)
    for block in range(len(values)):
        result[block] = holds(kind, at_most, values[block], bound)
    return result


@lean
def reached(rules, rule, scratch, order, start, stop):
    """The level that rows order[start:stop] reach under one rule: size, l (exp of entropy), largest l, or distance.

    Rows that are exempt do not count; a group of nothing else reaches any level.
    """
    kind = rules.kind[rule]
    size = stop - start
    if kind == SIZE:
        return float(size)
    column = rules.column[rule]
    histogram, touched = scratch.histogram, scratch.touched
    codes = rules.sensitive[column]
    count = np.int64(0)  # a plain 0 has a different type: the functions called would be compiled twice
    for position in range(start, stop):
        code = codes[order[position]]
        if code < 0:
            size -= 1
            continue
        if histogram[code] == 0:
            touched[count] = code
            count += 1
        histogram[code] += 1
    if size == 0:
        return np.inf
    if kind == DISTINCT:
        value = float(count)
    elif kind == ENTROPY:
        value = np.exp(_entropy(histogram, touched, count, size))
    elif kind == RECURSIVE:
        value = float(_recursive(histogram, touched, count, rules.factor[rule], scratch.frequencies))
    elif kind == EQUAL:
        value = _equal(histogram, touched, count, size, rules.overall[column])
    elif kind == ORDERED:
        value = _ordered(histogram, size, rules.overall[column], rules.values[column])
    else:
        value = _hierarchical(histogram, size, rules, column, scratch)
    for index in range(count):
        histogram[touched[index]] = 0
    return value


@kernel
def complying(rules, scratch, order, starts):
    """Whether each block complies; rows of block b are order[starts[b]:starts[b + 1]], an empty block does not."""
    result = np.empty(len(starts) - 1, dtype=np.bool_)
    for block in range(len(starts) - 1):
        result[block] = satisfied(rules, scratch, order, starts[block], starts[block + 1])
    return result


@kernel
def reached_by_block(rules, rule, scratch, order, starts):
    """`reached` for every block; rows of block b are order[starts[b]:starts[b + 1]]."""
    result = np.empty(len(starts) - 1)
    for block in range(len(starts) - 1):
        result[block] = reached(rules, rule, scratch, order, starts[block], starts[block + 1])
    return result


@lean
def _entropy(histogram, touched, count, size):
    total = 0.0
    for index in range(count):
        share = histogram[touched[index]] / size
        total -= share * np.log(share)
    return total


@lean
def _recursive(histogram, touched, count, factor, frequencies):
    # Largest l with r_1 < c (r_l + … + r_m); the tail only shrinks with l. The margin keeps the inequality
    # strict if c * tail is rounded up (0.07 * 100 > 7).
    for index in range(count):
        frequencies[index] = histogram[touched[index]]
    sort_in_place(frequencies, count)
    largest = frequencies[count - 1]
    tail = 0
    for index in range(count):
        tail += frequencies[index]
        if largest < factor * tail * (1.0 - STRICTNESS):
            return count - index
    return 0


@lean
def _equal(histogram, touched, count, size, overall):
    # Half the L1 distance; values absent from the group contribute their whole share.
    difference, covered = 0.0, 0.0
    for index in range(count):
        code = touched[index]
        difference += abs(histogram[code] / size - overall[code])
        covered += overall[code]
    return 0.5 * (difference + max(0.0, 1.0 - covered))


@lean
def _ordered(histogram, size, overall, values):
    if values < 2:
        return 0.0
    cumulative, total = 0.0, 0.0
    for code in range(values - 1):
        cumulative += histogram[code] / size - overall[code]
        total += abs(cumulative)
    return total / (values - 1)


@lean
def _hierarchical(histogram, size, rules, column, scratch):
    # Li et al. 2007: at each inner node, the smaller of the surplus and the deficit of its children crosses it.
    nodes = rules.nodes[column]
    extra, surplus, deficit = scratch.extra, scratch.surplus, scratch.deficit
    for node in range(nodes):
        extra[node], surplus[node], deficit[node] = 0.0, 0.0, 0.0
    for code in range(rules.values[column]):
        extra[rules.leaf[column, code]] += histogram[code] / size - rules.overall[column, code]
    total = 0.0
    for node in range(nodes):
        total += rules.height[column, node] * min(surplus[node], deficit[node])
        above = rules.parent[column, node]
        if above != node:
            extra[above] += extra[node]
            if extra[node] > 0.0:
                surplus[above] += extra[node]
            else:
                deficit[above] -= extra[node]
    return total


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
