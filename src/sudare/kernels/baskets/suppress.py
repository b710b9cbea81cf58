"""Suppress items until no inference is more certain than rho: the inner loops."""

from __future__ import annotations

import numpy as np

from sudare.arrays import read_only
from sudare.kernels.baskets.change import has_all, take_out
from sudare.kernels.baskets.sensitive import Asking, is_sensitive
from sudare.kernels.baskets.walk import size_offset
from sudare.kernels.core.jit import inlined, lean

PAPER, EVEN = 0, 1
NO_ONE = Asking(
    read_only(np.zeros(0, dtype=np.bool_)),
    read_only(np.zeros((0, 1), np.uint64)),
    read_only(np.zeros(0, dtype=np.int64)),
    read_only(np.zeros(0, dtype=np.int32)),
)
"""Of no user in particular."""


@lean
def excess(support_all, support_known, over, under):
    """How much conf = support_all / support_known exceeds rho = over / under, times under x support_known."""
    return support_all * under - support_known * over


@lean
def needed(above, is_consequent, over, under):
    """How many baskets must lose an item: ceil(above / under) for e, ceil(above / (under - over)) for one of Q."""
    by = under if is_consequent else under - over
    return (above + by - 1) // by


@inlined
def score(choice, entries, code, count):
    """How favorable it is to remove `count` entries of an item.

    PAPER: F = D log(D / D0) / count. EVEN: -count (D0 / D')^evenness, the number of entries lost, weighted by how
    rare the item will be relative to the others: D' is its share after the removal.
    """
    now, before = entries.counts[code], entries.original[code]
    total_now, total_before = entries.total[0], entries.total[1]
    if choice.rule == PAPER:
        return now / total_now * np.log((now / total_now) / (before / total_before)) / count
    return -count * ((before / total_before) / (max(now - count, 0.5) / total_now)) ** choice.evenness


@inlined
def deal(choice, rows, taken, available):
    """A random one of rows[taken:available], moved to position `taken`."""
    pick = taken + np.int64(choice.words[choice.used[0] % len(choice.words)] % np.uint64(available - taken))
    choice.used[0] += 1
    row = rows[pick]
    rows[pick] = rows[taken]
    return row


@lean
def suppress_stretch(subsets, entries, supports, choice, no_one, over, under, low, high, budget, scratch):
    """Make the sets by_size[low … high] safe, one after another; returns where it stopped after `budget` removals.

    `no_one` is `NO_ONE`: adversaries of all users who have a set are handled together.
    """
    support, dirty = supports.support, supports.dirty
    last = entries.total[0] - budget
    for place in range(low, high):
        known = subsets.by_size[place]
        if not dirty[known]:
            continue
        if entries.total[0] <= last:
            return place
        dirty[known] = False
        while support[known] > 0 and remove_once(
            subsets, entries, supports, choice, no_one, 0, over, under, known, scratch
        ):
            pass
    return high


@lean
def suppress_users(subsets, entries, supports, choice, asking, over, under, size, low, high, budget, scratch):
    """Make users low … high safe from adversaries who know `size` items; returns where it stopped after `budget` removals.

    The inner loops of algorithm 1 as published: user by user, and only what is sensitive for that user is considered.
    The sets Q of a user are gone through in the order of their places, again and again until none is unsafe.
    """
    support = supports.support
    last = entries.total[0] - budget
    for user in range(low, high):
        if entries.total[0] <= last:
            return user
        length = subsets.starts[user + 1] - subsets.starts[user]
        if length < size:
            continue
        first = subsets.tables[user] + size_offset(subsets.choose, length, size)
        unsafe = True
        while unsafe:
            unsafe = False
            for place in range(first, first + subsets.choose[length, size]):
                known = subsets.numbers[place]
                while support[known] > 0 and remove_once(
                    subsets, entries, supports, choice, asking, user, over, under, known, scratch
                ):
                    unsafe = True
    return high


@lean
def remove_once(subsets, entries, supports, choice, asking, user, over, under, known, scratch):
    """Remove the best item of the unsafe inferences from a set; returns whether there was one.

    With `asking`, only inferences of what is sensitive for the user are considered; without (`NO_ONE`), those of what is
    sensitive for any user who has the set.
    """
    support, rows = supports.support, scratch.rows
    for_all = len(asking.common) + len(asking.bits) + len(asking.starts) == 0
    best, best_item, best_count = -1, -1, 0
    best_score = -np.inf
    for entry in range(subsets.extension_starts[known], subsets.extension_starts[known + 1]):
        joint = subsets.extensions[entry]
        above = excess(np.int64(support[joint]), np.int64(support[known]), over, under)
        if above <= 0:
            continue
        if not for_all and not is_sensitive(asking, user, subsets.items[joint, subsets.added[entry]]):
            continue
        for item in range(subsets.sizes[joint]):
            count = needed(above, item == subsets.added[entry], over, under)
            value = score(choice, entries, subsets.items[joint, item], count)
            if value > best_score or (value == best_score and count < best_count):
                best, best_item, best_count, best_score = joint, item, count, value
    if best < 0:
        return False
    available = 0
    for entry in range(subsets.posting_starts[best], subsets.posting_starts[best + 1]):
        if has_all(subsets, entries.alive, best, subsets.postings[entry]):
            rows[available] = subsets.postings[entry]
            available += 1
    code = subsets.items[best, best_item]
    for taken in range(best_count):
        row = deal(choice, rows, taken, available)
        position = subsets.starts[row]
        while subsets.codes[position] != code:
            position += 1
        take_out(subsets, entries, supports, row, position, scratch)
    return True
