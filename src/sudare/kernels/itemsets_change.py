"""Take an item out of a basket or give it back, and keep the support of every subset true."""

from __future__ import annotations

import numpy as np

from sudare.kernels.itemsets_sensitive import first_from
from sudare.kernels.itemsets_walk import size_offset
from sudare.kernels.jit import lean


class Scratch:
    """Working arrays for the subsets of one basket."""

    def __init__(self, longest: int, width: int) -> None:
        most, one = 1, 1
        for size in range(1, width):
            one = one * (longest - size) // size
            most += max(one, 0)
        self.walk = np.zeros((5, max(longest, width) + 2), dtype=np.int64)
        self.found = np.empty(most + 1, dtype=np.int32)


@lean
def count_supports(starts, postings, posting_starts, items, sizes, codes, alive, support):
    """Count in how many baskets each subset still is."""
    for number in range(len(sizes)):
        count = 0
        for entry in range(posting_starts[number], posting_starts[number + 1]):
            row = postings[entry]
            count += has_all(starts, codes, alive, items, number, sizes[number], row)
        support[number] = count


@lean
def has_all(starts, codes, alive, items, number, size, row):
    """Whether a basket, which had a subset, still has all of it."""
    position = starts[row]
    end = starts[row + 1]
    for item in range(size):
        code = items[number, item]
        if end - position > 16:
            position = first_from(codes, position, end, code)
        else:
            while codes[position] != code:
                position += 1
        if not alive[position]:
            return False
        position += 1
    return True


@lean
def subsets_with(starts, choose, tables, numbers, alive, row, position, walk, found):
    """List the subsets of what a basket has now, and of one position of it, that contain that position; how many.

    Depth first over ascending positions; until the wanted one is taken nothing beyond it is tried, so that only
    sets which lead to it are visited.
    """
    width = choose.shape[1] - 1
    live, chosen, following, rank, offset = walk[0], walk[1], walk[2], walk[3], walk[4]
    first, end = starts[row], starts[row + 1]
    for size in range(1, width + 1):
        offset[size] = tables[row] + size_offset(choose, end - first, size)
    count = wanted = 0
    for place in range(first, end):
        if place == position:
            wanted = count
        if alive[place] or place == position:
            live[count] = place - first
            count += 1
    listed = 0
    depth = 1
    chosen[0], rank[0], following[1] = -1, 0, 0
    while depth > 0:
        is_in = chosen[depth - 1] >= wanted
        index = following[depth]
        if not is_in and depth == width:
            index = max(index, wanted)
        if index > (count - 1 if is_in else wanted):
            depth -= 1
            continue
        following[depth] = index + 1
        chosen[depth] = index
        rank[depth] = rank[depth - 1] + choose[live[index], depth]
        if index >= wanted:
            found[listed] = numbers[offset[depth] + rank[depth]]
            listed += 1
        if depth < width and index < count - 1:
            depth += 1
            following[depth] = index + 1
    return listed


@lean
def take_out(
    starts, codes, choose, tables, numbers, alive, support, counts, dirty, row, position, walk, found
):
    """Take a position out of its basket; the sets that became rarer are marked."""
    listed = subsets_with(starts, choose, tables, numbers, alive, row, position, walk, found)
    for place in range(listed):
        support[found[place]] -= 1
        dirty[found[place]] = True
    alive[position] = False
    counts[codes[position]] -= 1
    return listed
