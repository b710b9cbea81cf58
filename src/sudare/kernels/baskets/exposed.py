"""The most certain inferences, and the users exposed by those that are too certain."""

from __future__ import annotations

from sudare.kernels.baskets.sensitive import is_sensitive
from sudare.kernels.core.jit import lean


@lean
def review_inferences(subsets, support, over, under, asking, worst, exposed):
    """Count the inferences above over / under, mark the users they expose, and list the most certain ones.

    `worst` gets (Q, position in the list of extensions), most certain first, on a tie those with the most baskets;
    -1 beyond the last.
    """
    unsafe = 0
    worst[:] = -1
    for known in range(len(support)):
        base = support[known]
        if base == 0:
            continue
        for place in range(subsets.extension_starts[known], subsets.extension_starts[known + 1]):
            joint = support[subsets.extensions[place]]
            if joint == 0:
                continue
            _enter(subsets.extensions, support, worst, known, place)
            if joint * under > base * over:
                unsafe += 1
                code = subsets.items[subsets.extensions[place], subsets.added[place]]
                for entry in range(subsets.posting_starts[known], subsets.posting_starts[known + 1]):
                    user = subsets.postings[entry]
                    if not exposed[user] and is_sensitive(asking, user, code):
                        exposed[user] = True
    return unsafe


@lean
def _enter(extensions, support, worst, known, place):
    """Insert an inference into the list of the worst, if it belongs there."""
    slot = len(worst)
    while slot > 0 and _is_worse(extensions, support, known, place, worst[slot - 1, 0], worst[slot - 1, 1]):
        slot -= 1
        if slot + 1 < len(worst):
            worst[slot + 1, 0], worst[slot + 1, 1] = worst[slot, 0], worst[slot, 1]
    if slot < len(worst):
        worst[slot, 0], worst[slot, 1] = known, place


@lean
def _is_worse(extensions, support, known, place, other, other_place):
    if other < 0:
        return True
    here = support[extensions[place]] * support[other]
    there = support[extensions[other_place]] * support[known]
    return here > there or (here == there and support[known] > support[other])


@lean
def first_asking(rows, code, asking):
    """The first of some users for whom an item is sensitive, or -1."""
    for entry in range(len(rows)):
        if is_sensitive(asking, rows[entry], code):
            return rows[entry]
    return -1
