"""Suppress items until every set of at most m items that occurs at all occurs k times: the inner loops."""

from __future__ import annotations

from sudare.kernels.baskets.change import has_all, subsets_with, take_out
from sudare.kernels.core.jit import lean


@lean
def suppress_rare(subsets, entries, supports, k, low, high, budget, scratch):
    """Break up the sets by_size[low … high] that occur, but fewer than k times; returns where it stopped.

    In each basket with such a set, the item is removed that breaks up the most rare sets of this basket at once; on a
    tie, the one with the most remaining entries.
    """
    codes, support = subsets.codes, supports.support
    last = entries.total[0] - budget
    for place in range(low, high):
        rare = subsets.by_size[place]
        if not supports.dirty[rare]:
            continue
        if entries.total[0] <= last:
            return place
        supports.dirty[rare] = False
        if support[rare] == 0 or support[rare] >= k:
            continue
        for entry in range(subsets.posting_starts[rare], subsets.posting_starts[rare + 1]):
            row = subsets.postings[entry]
            if not has_all(subsets, entries.alive, rare, row):
                continue
            best, best_broken, best_left = -1, -1, -1.0
            for item in range(subsets.sizes[rare]):
                position = subsets.starts[row]
                while codes[position] != subsets.items[rare, item]:
                    position += 1
                listed = subsets_with(subsets, entries.alive, row, position, scratch)
                broken = 0
                for which in range(listed):
                    broken += support[scratch.found[which]] < k
                left = entries.counts[codes[position]] / entries.original[codes[position]]
                if broken > best_broken or (broken == best_broken and left > best_left):
                    best, best_broken, best_left = position, broken, left
            take_out(subsets, entries, supports, row, best, scratch)
    return high
