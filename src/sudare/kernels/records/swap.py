"""Pairs for rank swapping."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel


@kernel
def rank_swap_partners(uniform, reach):
    """Partner of each rank: an unpaired rank drawn uniformly among the next `reach`; the rank itself if none is left.

    A Fenwick tree counts the unpaired ranks, so that each draw costs O(log n) whatever the window.
    """
    count = len(uniform)
    partner = np.arange(count)
    tree = np.zeros(count + 1, dtype=np.int64)
    for place in range(1, count + 1):
        tree[place] = place & -place
    for rank in range(count):
        if partner[rank] != rank:
            continue
        before = _free_through(tree, rank)
        free = _free_through(tree, min(rank + reach, count - 1)) - before
        if free == 0:
            continue
        ahead = _find(tree, before + 1 + int(uniform[rank] * free))
        partner[rank], partner[ahead] = ahead, rank
        _take(tree, rank)
        _take(tree, ahead)
    return partner


@kernel
def _free_through(tree, rank):
    """Unpaired ranks in 0 … rank."""
    total, place = 0, rank + 1
    while place > 0:
        total += tree[place]
        place -= place & -place
    return total


@kernel
def _find(tree, wanted):
    """The rank of the `wanted`-th unpaired rank (from 1)."""
    step, place = 1, 0
    while 2 * step < len(tree):
        step *= 2
    while step > 0:
        if place + step < len(tree) and tree[place + step] < wanted:
            place += step
            wanted -= tree[place]
        step //= 2
    return place


@kernel
def _take(tree, rank):
    place = rank + 1
    while place < len(tree):
        tree[place] -= 1
        place += place & -place
