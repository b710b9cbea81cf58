"""Suppress items until no inference is more certain than rho: the inner loops."""

from __future__ import annotations

import numpy as np

from sudare.kernels.itemsets_change import has_all, take_out
from sudare.kernels.jit import lean

PAPER, EVEN = 0, 1


@lean
def excess(support_all, support_known, over, under):
    """How far conf = support_all / support_known lies above rho = over / under, times under x support_known."""
    return support_all * under - support_known * over


@lean
def needed(above, is_consequent, over, under):
    """In how many baskets an item must go: ceil(above / under) for e, ceil(above / (under - over)) for one of Q."""
    by = under if is_consequent else under - over
    return (above + by - 1) // by


@lean
def score(rule, evenness, now, before, total_now, total_before, count):
    """How much is to be said for taking `count` of an item out.

    PAPER: F = D log(D / D0) / count. EVEN: -count (D0 / D')^evenness, the number of entries lost, weighed by how
    rare the item will have become beside the others: D' is its share when they are gone.
    """
    if rule == PAPER:
        return now / total_now * np.log((now / total_now) / (before / total_before)) / count
    return -count * ((before / total_before) / (max(now - count, 0.5) / total_now)) ** evenness


@lean
def suppress_stretch(
    starts, codes, choose, tables, numbers, sizes, items, posting_starts, postings,
    extension_starts, extensions, added, by_size,
    alive, support, counts, original, total, dirty, words, state, over, under, rule, evenness,
    low, high, budget, rows, walk, found,
):  # fmt: skip
    """Make the sets by_size[low … high] safe, one after another; where it stopped after `budget` removals.

    `state` holds [next random word, removals]; `total` [entries now, entries before].
    """
    limit = state[1] + budget
    for place in range(low, high):
        known = by_size[place]
        if not dirty[known]:
            continue
        if state[1] >= limit:
            return place
        dirty[known] = False
        while support[known] > 0:
            best, best_item, best_count = -1, -1, 0
            best_score = -np.inf
            for entry in range(extension_starts[known], extension_starts[known + 1]):
                joint = extensions[entry]
                above = excess(np.int64(support[joint]), np.int64(support[known]), over, under)
                if above <= 0:
                    continue
                for item in range(sizes[joint]):
                    count = needed(above, item == added[entry], over, under)
                    code = items[joint, item]
                    value = score(rule, evenness, counts[code], original[code], total[0], total[1], count)
                    if value > best_score or (value == best_score and count < best_count):
                        best, best_item, best_count, best_score = joint, item, count, value
            if best < 0:
                break
            available = 0
            for entry in range(posting_starts[best], posting_starts[best + 1]):
                if has_all(starts, codes, alive, items, best, sizes[best], postings[entry]):
                    rows[available] = postings[entry]
                    available += 1
            code = items[best, best_item]
            for taken in range(best_count):
                pick = taken + np.int64(words[state[0] % len(words)] % np.uint64(available - taken))
                state[0] += 1
                row = rows[pick]
                rows[pick] = rows[taken]
                position = starts[row]
                while codes[position] != code:
                    position += 1
                take_out(starts, codes, choose, tables, numbers, alive, support, counts, dirty, row, position,
                         walk, found)  # fmt: skip
                state[1] += 1
                total[0] -= 1
    return high
