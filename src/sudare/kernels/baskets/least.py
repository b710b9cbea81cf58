"""A lower bound on the entries that any suppression must lose: the needs of single itemsets, packed to add up."""

from __future__ import annotations

from sudare.kernels.core.jit import lean


@lean
def pack_needs(subsets, sets, needed, used):
    """A lower bound on the entries to remove if `needed` baskets of each of some sets must lose one of its items.

    A basket that is hit loses an entry. Only those baskets of a set count in which none of its entries was counted
    before (`used`): the others, all of which may have been hit, are subtracted from the need. So no entry counts twice.
    """
    total = 0
    for place in range(len(sets)):
        number = sets[place]
        first, last = subsets.posting_starts[number], subsets.posting_starts[number + 1]
        left = needed[place]
        for posting in range(first, last):
            if not _is_fresh(subsets, number, subsets.postings[posting], used):
                left -= 1
        if left <= 0:
            continue
        total += left
        for posting in range(first, last):
            basket = subsets.postings[posting]
            if _is_fresh(subsets, number, basket, used):
                for item in range(subsets.sizes[number]):
                    used[_entry(subsets, basket, subsets.items[number, item])] = True
    return total


@lean
def _is_fresh(subsets, number, basket, used):
    """Whether none of the entries of a set in a basket was counted before."""
    for item in range(subsets.sizes[number]):
        if used[_entry(subsets, basket, subsets.items[number, item])]:
            return False
    return True


@lean
def _entry(subsets, basket, code):
    """The position of an item that a basket contains."""
    low, high = subsets.starts[basket], subsets.starts[basket + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if subsets.codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low
