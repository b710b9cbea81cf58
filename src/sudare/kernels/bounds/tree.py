"""A tree of distinct rows for the bounds: boxes of ranks, cut where the rows on the two sides cost most together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.bounds.pair_costs import STRETCH, Space, rank_cost, wide_cost
from sudare.kernels.core.jit import kernel
from sudare.kernels.core.sort import sort_in_place

LEAF = 16
"""Maximum number of rows in a leaf."""
FAN = 16
"""Maximum number of children of a node."""
_SAMPLE = 48
"""The number of rows of a node that are sampled to choose its cut."""


class Tree(NamedTuple):
    """Rows in the order of the leaves; nodes are numbered from the root 0, a child after its parent."""

    order: npt.NDArray[np.int64]
    """Row at each place."""
    codes: npt.NDArray[np.int32]
    """Ranks of the row at each place."""
    begin: npt.NDArray[np.int64]
    """First place of each node."""
    end: npt.NDArray[np.int64]
    """One past the last place of each node."""
    child: npt.NDArray[np.int64]
    """First child of each node; the others follow it."""
    children: npt.NDArray[np.int64]
    """Number of children, 0 for a leaf."""
    leaf: npt.NDArray[np.int64]
    """The leaf of each place."""
    lowest: npt.NDArray[np.int32]
    """Nodes x columns: lowest rank."""
    highest: npt.NDArray[np.int32]
    present: npt.NDArray[np.uint64]
    """Nodes x columns: bit (rank modulo 64) is set for every rank that occurs, so an unset bit rules out a rank."""


def build(space: Space, codes: npt.NDArray[np.int32]) -> Tree:
    """The tree of distinct rows."""
    order, begin, end, child, children, count = _cut(space, codes)
    shape = (count, codes.shape[1])
    tree = Tree(
        order=order,
        codes=np.ascontiguousarray(codes[order]),
        begin=begin[:count].copy(),
        end=end[:count].copy(),
        child=child[:count].copy(),
        children=children[:count].copy(),
        leaf=np.zeros(len(codes), dtype=np.int64),
        lowest=np.zeros(shape, dtype=np.int32),
        highest=np.zeros(shape, dtype=np.int32),
        present=np.zeros(shape, dtype=np.uint64),
    )
    _bound(tree)
    return tree


@kernel
def box_costs(
    wide,
    kind,
    values,
    base,
    position,
    first,
    last,
    cost,
    rank,
    floor,
    lowest,
    highest,
    present,
    begin,
    end,
    limit,
    out,
):
    """Lower bounds of the cost of the prepared row with any row of the nodes begin … end-1, up to the limit."""
    for node in range(begin, end):
        total = 0.0
        for column in range(wide):
            own = rank[column]
            nearest = min(max(own, lowest[node, column]), highest[node, column])
            if nearest != own:
                total += wide_cost(kind, values, base, position, first, last, cost, column, nearest)
            elif not (present[node, column] >> np.uint64(own & 63)) & np.uint64(1):
                total += floor[column]
        start = wide
        while total < limit and start < len(kind):
            for column in range(start, min(start + STRETCH, len(kind))):
                own = rank[column]
                nearest = min(max(own, lowest[node, column]), highest[node, column])
                occurs = (present[node, column] >> np.uint64(own & 63)) & np.uint64(1)
                total += max(values[base[column] + nearest], 0.0 if occurs else floor[column])
            start += STRETCH
        out[node - begin] = total


@kernel
def _cut(space, codes):
    rows = len(codes)
    order = np.arange(rows)
    most = max(2 * rows, 1)
    begin, end = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    child, children = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    end[0], count = rows, 1
    node = 0
    while node < count:
        if end[node] - begin[node] > LEAF:
            child[node], children[node] = count, 1
            begin[count], end[count] = begin[node], end[node]
            while children[node] < FAN:
                largest = count
                for other in range(count + 1, count + children[node]):
                    if end[other] - begin[other] > end[largest] - begin[largest]:
                        largest = other
                if end[largest] - begin[largest] <= LEAF:
                    break
                start, stop = begin[largest], end[largest]
                column, rank = _best_cut(space, codes, order, start, stop)
                middle = _parted(codes, order, start, stop, column, rank)
                new = count + children[node]
                end[largest], begin[new], end[new] = middle, middle, stop
                children[node] += 1
            count += children[node]
        node += 1
    return order, begin, end, child, children, count


@kernel
def _parted(codes, order, start, stop, column, rank):
    left, right = start, stop - 1
    while left <= right:
        if codes[order[left], column] <= rank:
            left += 1
        else:
            order[left], order[right] = order[right], order[left]
            right -= 1
    return left


@kernel
def _best_cut(space, codes, order, start, stop):
    # In a sample: separate many pairs, at a border of the hierarchy rather than inside a branch.
    size = min(stop - start, _SAMPLE)
    ranks = np.empty(size, dtype=np.int64)
    best, best_column, best_rank = 0.0, -1, 0
    for column in range(codes.shape[1]):
        for index in range(size):
            ranks[index] = codes[order[start + index * (stop - start) // size], column]
        sort_in_place(ranks, size)
        for cut in range(1, size):
            below, above = ranks[cut - 1], ranks[cut]
            if below < above:
                beside = rank_cost(space, column, below, above)
                middles = rank_cost(space, column, ranks[cut // 2], ranks[(cut + size) // 2])
                score = (beside + middles) * cut * (size - cut)
                if score > best:
                    best, best_column, best_rank = score, column, below
    if best_column >= 0:
        return best_column, best_rank
    # The sample is all equal, or its differences cost nothing: use any cut that leaves rows on both sides.
    for column in range(codes.shape[1]):
        lowest = highest = codes[order[start], column]
        for at in range(start + 1, stop):
            lowest = min(lowest, codes[order[at], column])
            highest = max(highest, codes[order[at], column])
        if lowest < highest:
            return column, np.int64((lowest + highest) // 2)
    return 0, np.int64(codes[order[start], 0])


@kernel
def _bound(tree):
    columns = tree.codes.shape[1]
    for node in range(len(tree.begin) - 1, -1, -1):
        for column in range(columns):
            lowest, highest, present = np.int32(2147483647), np.int32(-1), np.uint64(0)
            for below in range(tree.child[node], tree.child[node] + tree.children[node]):
                lowest = min(lowest, tree.lowest[below, column])
                highest = max(highest, tree.highest[below, column])
                present |= tree.present[below, column]
            if not tree.children[node]:
                for place in range(tree.begin[node], tree.end[node]):
                    rank = tree.codes[place, column]
                    lowest, highest = min(lowest, rank), max(highest, rank)
                    present |= np.uint64(1) << np.uint64(rank & 63)
            tree.lowest[node, column], tree.highest[node, column] = lowest, highest
            tree.present[node, column] = present
        if not tree.children[node]:
            tree.leaf[tree.begin[node] : tree.end[node]] = node
