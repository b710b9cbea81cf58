"""Walk all subsets of all baskets depth first: number them, describe them, and find the inferences to prevent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.baskets.sensitive import find, is_sensitive
from sudare.kernels.core.jit import inlined, lean


class Walk(NamedTuple):
    """The baskets, and the state of a walk through their subsets.

    An entry of size s is a subset of s items of one basket, given by the position of its last item; entries with the
    same items are adjacent, in buckets.
    """

    starts: npt.NDArray[np.int64]
    """First position of each basket, and the end."""
    codes: npt.NDArray[np.int32]
    """Items, ascending within a basket."""
    owner: npt.NDArray[np.int32]
    """Basket of each position."""
    choose: npt.NDArray[np.int64]
    """Binomial coefficients C(n, k)."""
    tables: npt.NDArray[np.int64]
    """First place of each basket in the table of numbers, and the end."""
    stack: npt.NDArray[np.int32]
    """By size: the entries."""
    ranks: npt.NDArray[np.int64]
    """By size: the rank of each entry among the subsets of its basket."""
    heads: npt.NDArray[np.int32]
    """By size: the last item of each bucket."""
    edges: npt.NDArray[np.int64]
    """By size: the first entry of each bucket, and the end."""
    tally: npt.NDArray[np.int64]
    """Work space, one number for each item; zero between calls."""
    used: npt.NDArray[np.int64]
    """By size: the number of buckets."""
    at: npt.NDArray[np.int64]
    """By size: the current bucket."""


class Described(NamedTuple):
    """What each subset is; see `sudare.kernels.baskets.subsets.Subsets`."""

    sizes: npt.NDArray[np.int8]
    items: npt.NDArray[np.int32]
    below: npt.NDArray[np.int32]
    posting_starts: npt.NDArray[np.int64]
    postings: npt.NDArray[np.int32]


def walk_through(starts, codes, items: int, choose, tables) -> Walk:
    """The beginning of a walk, with room for subsets of the sizes that `choose` covers."""
    width, positions = choose.shape[1] - 1, len(codes)
    return Walk(
        starts,
        codes,
        np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts)),
        choose,
        tables,
        stack=np.empty((width + 1, positions), dtype=np.int32),
        ranks=np.empty((width + 1, positions), dtype=np.int64),
        heads=np.zeros((width + 2, items + 1), dtype=np.int32),
        edges=np.zeros((width + 2, items + 2), dtype=np.int64),
        tally=np.zeros(items + 1, dtype=np.int64),
        used=np.zeros(width + 2, dtype=np.int64),
        at=np.zeros(width + 2, dtype=np.int64),
    )


@inlined
def size_offset(choose, length, size):
    """Position of the first subset of a size in the table of a basket of a given length."""
    offset = 0
    for smaller in range(1, size):
        offset += choose[length, smaller]
    return offset


@lean
def list_roots(walk):
    """List the entries of size 1, which are all positions, by item; returns the number of buckets."""
    codes, tally, heads, edges = walk.codes, walk.tally, walk.heads, walk.edges
    for position in range(len(codes)):
        tally[codes[position]] += 1
    used = edge = 0
    for code in range(len(tally)):
        if tally[code] > 0:
            heads[1, used] = code
            edges[1, used] = edge
            edge += tally[code]
            tally[code] = edges[1, used]
            used += 1
    edges[1, used] = edge
    for position in range(len(codes)):
        place = tally[codes[position]]
        tally[codes[position]] += 1
        walk.stack[1, place] = position
        walk.ranks[1, place] = position - walk.starts[walk.owner[position]]
    for bucket in range(used):
        tally[heads[1, bucket]] = 0
    return used


@lean
def number_subsets(walk, root_low, root_high, count, numbers):
    """Walk the subsets that begin with some of the roots and write their numbers; returns how many there are now.

    Depth first, into the baskets' tables, starting from `count`.
    """
    starts, choose, owner, stack = walk.starts, walk.choose, walk.owner, walk.stack
    size = _begin(walk, root_low, root_high)
    while size > 0:
        bucket = walk.at[size]
        walk.at[size] += 1
        low, high = walk.edges[size, bucket], walk.edges[size, bucket + 1]
        for entry in range(low, high):
            row = owner[stack[size, entry]]
            offset = size_offset(choose, starts[row + 1] - starts[row], size)
            numbers[walk.tables[row] + offset + walk.ranks[size, entry]] = count
        count += 1
        size = _go_on(walk, size, low, high)
    return count


@lean
def describe_subsets(walk, root_low, root_high, count, numbers, described, where):
    """Walk again and record what each subset is; returns how many are described now."""
    posting_starts, postings = described.posting_starts, described.postings
    posted = posting_starts[count]
    size = _begin(walk, root_low, root_high)
    while size > 0:
        bucket = walk.at[size]
        walk.at[size] += 1
        low, high = walk.edges[size, bucket], walk.edges[size, bucket + 1]
        described.sizes[count] = size
        for place in range(1, size):
            described.items[count, place - 1] = walk.heads[place, walk.at[place] - 1]
        described.items[count, size - 1] = walk.heads[size, bucket]
        posting_starts[count] = posted
        for entry in range(low, high):
            postings[posted] = walk.owner[walk.stack[size, entry]]
            posted += 1
        if size > 1:
            _link_below(walk, numbers, described, count, size, postings[posted - 1], where)
        count += 1
        size = _go_on(walk, size, low, high)
    posting_starts[count] = posted
    return count


@inlined
def _begin(walk, low, high):
    """Start before the roots low … high; returns the current size, 0 if there is no root."""
    walk.used[1], walk.at[1] = high, low
    return 1 if low < high else 0


@lean
def _go_on(walk, size, low, high):
    """Open the next size for the entries low … high, if there is one; returns the current size, 0 at the end."""
    if size < walk.choose.shape[1] - 1:
        walk.used[size + 1] = _bucket(walk, size, low, high)
        walk.at[size + 1] = 0
        size += 1
    while size > 0 and walk.at[size] == walk.used[size]:
        size -= 1
    return size


@lean
def _bucket(walk, size, low, high):
    """Sort what follows the entries low … high of a size by item: the entries of the next size."""
    codes, starts, owner, stack, ranks = walk.codes, walk.starts, walk.owner, walk.stack, walk.ranks
    heads, edges, tally = walk.heads, walk.edges, walk.tally
    used = 0
    for entry in range(low, high):
        position = stack[size, entry]
        for after in range(position + 1, starts[owner[position] + 1]):
            code = codes[after]
            if tally[code] == 0:
                heads[size + 1, used] = code
                used += 1
            tally[code] += 1
    edge = 0
    for bucket in range(used):
        code = heads[size + 1, bucket]
        edges[size + 1, bucket] = edge
        edge += tally[code]
        tally[code] = edges[size + 1, bucket]
    edges[size + 1, used] = edge
    for entry in range(low, high):
        position = stack[size, entry]
        first = starts[owner[position]]
        for after in range(position + 1, starts[owner[position] + 1]):
            place = tally[codes[after]]
            tally[codes[after]] += 1
            stack[size + 1, place] = after
            ranks[size + 1, place] = ranks[size, entry] + walk.choose[after - first, size + 1]
    for bucket in range(used):
        tally[heads[size + 1, bucket]] = 0
    return used


@lean
def _link_below(walk, numbers, described, number, size, row, where):
    """Write the numbers of a subset's own subsets with one item fewer, from the table of a basket that has it."""
    first, end = walk.starts[row], walk.starts[row + 1]
    offset = walk.tables[row] + size_offset(walk.choose, end - first, size - 1)
    for item in range(size):
        where[item] = find(walk.codes, first, end, described.items[number, item]) - first
    for left_out in range(size):
        rank = 0
        for item in range(size):
            if item != left_out:
                rank += walk.choose[where[item], item + (item < left_out)]
        described.below[number, left_out] = numbers[offset + rank]


@lean
def ask_inferences(described, asking, needs, wanted, low, high):
    """Set the bits of the inferences that must stay uncertain, and count them by their premise.

    Covers the subsets low … high. An inference Q -> e must stay uncertain if e is sensitive for a user whose basket
    has Q.
    """
    posting_starts, sizes = described.posting_starts, described.sizes
    for number in range(low, high):
        if sizes[number] < 2:
            continue
        for item in range(sizes[number]):
            known, code = described.below[number, item], described.items[number, item]
            for entry in range(posting_starts[known], posting_starts[known + 1]):
                if is_sensitive(asking, described.postings[entry], code):
                    needs[number] |= np.uint32(1) << np.uint32(item)
                    wanted[known + 1] += 1
                    break
                if len(asking.common) > 0:
                    break


@lean
def list_extensions(sizes, below, needs, ends, extensions, added):
    """List the inferences by their premise; `ends` starts as the first position of each."""
    for number in range(len(sizes)):
        for item in range(sizes[number]):
            if (needs[number] >> np.uint32(item)) & np.uint32(1):
                known = below[number, item]
                extensions[ends[known]] = number
                added[ends[known]] = item
                ends[known] += 1
