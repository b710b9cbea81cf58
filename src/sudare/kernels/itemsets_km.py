"""Suppress items until every set of at most m items that occurs does so k times: the inner loops."""

from __future__ import annotations

from sudare.kernels.itemsets_change import has_all, subsets_with, take_out
from sudare.kernels.jit import lean


@lean
def suppress_rare(
    starts, codes, choose, tables, numbers, sizes, items, posting_starts, postings, by_size,
    alive, support, counts, original, total, dirty, k, low, high, budget, walk, found,
):  # fmt: skip
    """Break up the sets by_size[low … high] that occur, but fewer than k times; where it stopped.

    In each basket that has such a set, the item goes that breaks up most rare sets of this basket at once; among
    equals the one of which most is left.
    """
    removed = 0
    for place in range(low, high):
        rare = by_size[place]
        if not dirty[rare]:
            continue
        if removed >= budget:
            return place
        dirty[rare] = False
        if support[rare] == 0 or support[rare] >= k:
            continue
        for entry in range(posting_starts[rare], posting_starts[rare + 1]):
            row = postings[entry]
            if not has_all(starts, codes, alive, items, rare, sizes[rare], row):
                continue
            best, best_broken, best_left = -1, -1, -1.0
            for item in range(sizes[rare]):
                position = starts[row]
                while codes[position] != items[rare, item]:
                    position += 1
                listed = subsets_with(starts, choose, tables, numbers, alive, row, position, walk, found)
                broken = 0
                for which in range(listed):
                    broken += support[found[which]] < k
                left = counts[codes[position]] / original[codes[position]]
                if broken > best_broken or (broken == best_broken and left > best_left):
                    best, best_broken, best_left = position, broken, left
            take_out(
                starts, codes, choose, tables, numbers, alive, support, counts, dirty, row, best, walk, found
            )
            total[0] -= 1
            removed += 1
    return high
