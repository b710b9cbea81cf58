"""Every small subset of every basket: a number for each, who has it, and which inferences must stay uncertain.

Baskets are rows of positions `starts[r] … starts[r + 1]` into `codes` (ascending within a basket). A subset of at
most `width` items of a basket has a place in that basket's table, by size and then by combinatorial rank
(sum of C(p_j, j + 1) over its ascending local positions p_0 < p_1 < …); the table says its number. Numbers are
given depth first: a set, then its extensions by later items, each with the list of baskets it occurs in, so
no keys are sorted or hashed and any number of items fits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sudare.kernels.itemsets_sensitive import find, is_sensitive, read_only
from sudare.kernels.jit import inlined, lean


class Subsets(NamedTuple):
    """All subsets of at most `width` items, by number."""

    starts: np.ndarray
    """First position of each basket, and the end."""
    codes: np.ndarray
    """Items, ascending within a basket."""
    choose: np.ndarray
    """Binomials C(n, k)."""
    tables: np.ndarray
    """First place of each basket in `numbers`, and the end."""
    numbers: np.ndarray
    """Number of the subset at each place of each basket's table."""
    sizes: np.ndarray
    """Items in each subset."""
    items: np.ndarray
    """Its items, ascending; -1 beyond its size."""
    below: np.ndarray
    """Number of the subset without the j-th item."""
    posting_starts: np.ndarray
    postings: np.ndarray
    """Baskets that have each subset."""
    needs: np.ndarray
    """Bit j: someone who has the rest calls the j-th item sensitive, so rest -> item must stay uncertain."""
    extension_starts: np.ndarray
    extensions: np.ndarray
    """For each subset Q the subsets Q + e for which Q -> e must stay uncertain."""
    added: np.ndarray
    """Place of e in each of these."""
    levels: np.ndarray
    """First place of each size in `by_size`, and the end; size 0 is empty."""
    by_size: np.ndarray
    """Numbers ordered by size."""


def count_occurrences(starts: Any, width: int) -> float:
    """How many subsets of at most `width` items all baskets have together, as a float that cannot overflow."""
    lengths, baskets = np.unique(np.diff(starts), return_counts=True)
    total = 0.0
    for length, count in zip(lengths.tolist(), baskets.tolist(), strict=True):
        one, sum_ = 1.0, 0.0
        for size in range(1, min(width, length) + 1):
            one *= (length - size + 1) / size
            sum_ += one
        total += count * sum_
    return total


def index_subsets(starts: Any, codes: Any, items: int, width: int, asking: Any = None) -> Subsets:
    """Number all subsets; `asking` says who calls what sensitive, where inferences matter."""
    starts, codes = read_only(starts), read_only(codes)
    longest = int(np.diff(starts).max(initial=0))
    width = max(1, min(width, longest))
    choose = binomials(longest, width)
    rows, positions = len(starts) - 1, len(codes)
    per_length = choose[:, 1:].sum(axis=1)
    tables = np.concatenate([[0], np.cumsum(per_length[np.diff(starts)])]).astype(np.int64)
    numbers = np.empty(int(tables[-1]), dtype=np.int32)
    owner = np.repeat(np.arange(rows, dtype=np.int32), np.diff(starts))
    stack = np.empty((width + 1, positions), dtype=np.int32)
    ranks = np.empty((width + 1, positions), dtype=np.int64)
    heads = np.zeros((width + 2, items + 1), dtype=np.int32)
    cursor = np.zeros((2, width + 2), dtype=np.int64)
    edges = np.zeros((width + 2, items + 2), dtype=np.int64)
    tally = np.zeros(items + 1, dtype=np.int64)
    walk = (starts, codes, choose, tables, owner, stack, ranks, heads, edges, tally, cursor, width)
    count = _number(*walk, numbers)
    sizes = np.empty(count, dtype=np.int8)
    names = np.full((count, width), -1, dtype=np.int32)
    below = np.full((count, width), -1, dtype=np.int32)
    posting_starts = np.zeros(count + 1, dtype=np.int64)
    postings = np.empty(len(numbers), dtype=np.int32)
    where = np.empty(width + 1, dtype=np.int64)
    _describe(*walk, numbers, sizes, names, below, posting_starts, postings, where)
    needs = np.zeros(count, dtype=np.uint32)
    extension_starts = np.zeros(count + 1, dtype=np.int64)
    if asking is not None:
        _ask(sizes, names, below, posting_starts, postings, asking, needs, extension_starts)
        np.cumsum(extension_starts, out=extension_starts)
    extensions = np.empty(int(extension_starts[-1]), dtype=np.int32)
    added = np.empty(len(extensions), dtype=np.int8)
    _list_extensions(sizes, below, needs, extension_starts[:-1].copy(), extensions, added)
    by_size = np.argsort(sizes, kind="stable").astype(np.int32)
    levels = np.searchsorted(sizes[by_size], np.arange(width + 2)).astype(np.int64)
    return Subsets(starts, codes, choose, tables, numbers, sizes, names, below, posting_starts, postings, needs,
                   extension_starts, extensions, added, levels, by_size)  # fmt: skip


def binomials(longest: int, width: int) -> Any:
    """C(n, k) for n to `longest` and k to `width`."""
    choose = np.zeros((longest + 1, width + 1), dtype=np.int64)
    choose[:, 0] = 1
    for n in range(1, longest + 1):
        choose[n, 1:] = choose[n - 1, 1:] + choose[n - 1, :-1]
    return choose


@inlined
def size_offset(choose, length, size):
    """Place of the first subset of a size in the table of a basket of a length."""
    offset = 0
    for smaller in range(1, size):
        offset += choose[length, smaller]
    return offset


@lean
def _bucket(codes, starts, choose, owner, stack, ranks, heads, edges, tally, size, low, high):
    """Sort what comes after the entries low … high of a size by item: the entries of the next size."""
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
            ranks[size + 1, place] = ranks[size, entry] + choose[after - first, size + 1]
    for bucket in range(used):
        tally[heads[size + 1, bucket]] = 0
    return used


@lean
def _roots(codes, starts, owner, stack, ranks, heads, edges, tally):
    """The entries of size 1: every position, by item."""
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
        stack[1, place] = position
        ranks[1, place] = position - starts[owner[position]]
    for bucket in range(used):
        tally[heads[1, bucket]] = 0
    return used


@lean
def _number(starts, codes, choose, tables, owner, stack, ranks, heads, edges, tally, cursor, width, numbers):
    """Walk all subsets depth first and write their numbers into the baskets' tables; how many there are."""
    count = 0
    used, at = cursor[0], cursor[1]
    size = 1
    used[1] = _roots(codes, starts, owner, stack, ranks, heads, edges, tally)
    at[1] = 0
    while size > 0:
        if at[size] == used[size]:
            size -= 1
            continue
        bucket = at[size]
        at[size] += 1
        low, high = edges[size, bucket], edges[size, bucket + 1]
        for entry in range(low, high):
            row = owner[stack[size, entry]]
            offset = size_offset(choose, starts[row + 1] - starts[row], size)
            numbers[tables[row] + offset + ranks[size, entry]] = count
        count += 1
        if size < width:
            used[size + 1] = _bucket(
                codes, starts, choose, owner, stack, ranks, heads, edges, tally, size, low, high
            )
            at[size + 1] = 0
            size += 1
    return count


@lean
def _describe(
    starts, codes, choose, tables, owner, stack, ranks, heads, edges, tally, cursor, width, numbers,
    sizes, names, below, posting_starts, postings, where,
):  # fmt: skip
    """Walk again and write down what each subset is."""
    used, at = cursor[0], cursor[1]
    count = posted = 0
    size = 1
    used[1] = _roots(codes, starts, owner, stack, ranks, heads, edges, tally)
    at[1] = 0
    while size > 0:
        if at[size] == used[size]:
            size -= 1
            continue
        bucket = at[size]
        at[size] += 1
        low, high = edges[size, bucket], edges[size, bucket + 1]
        sizes[count] = size
        if size > 1:
            for place in range(size - 1):
                names[count, place] = heads[place + 1, at[place + 1] - 1]
        names[count, size - 1] = heads[size, bucket]
        posting_starts[count] = posted
        for entry in range(low, high):
            postings[posted] = owner[stack[size, entry]]
            posted += 1
        if size > 1:
            _link_below(
                starts, codes, choose, tables, numbers, names, below, count, size, postings[posted - 1], where
            )
        count += 1
        if size < width:
            used[size + 1] = _bucket(
                codes, starts, choose, owner, stack, ranks, heads, edges, tally, size, low, high
            )
            at[size + 1] = 0
            size += 1
    posting_starts[count] = posted


@lean
def _link_below(starts, codes, choose, tables, numbers, names, below, number, size, row, where):
    """Write the numbers of a subset's own subsets with one item less, read from the table of a basket that has it."""
    first, end = starts[row], starts[row + 1]
    offset = tables[row] + size_offset(choose, end - first, size - 1)
    for item in range(size):
        where[item] = find(codes, first, end, names[number, item]) - first
    for left_out in range(size):
        rank = 0
        for item in range(size):
            if item != left_out:
                rank += choose[where[item], item + (item < left_out)]
        below[number, left_out] = numbers[offset + rank]


@lean
def _ask(sizes, names, below, posting_starts, postings, asking, needs, wanted):
    """Set the bits of the inferences that must stay uncertain, and count them by what they are drawn from.

    An inference Q -> e must, if somebody whose basket has Q calls e sensitive.
    """
    for number in range(len(sizes)):
        if sizes[number] < 2:
            continue
        for item in range(sizes[number]):
            known, code = below[number, item], names[number, item]
            for entry in range(posting_starts[known], posting_starts[known + 1]):
                if is_sensitive(asking, postings[entry], code):
                    needs[number] |= np.uint32(1) << np.uint32(item)
                    wanted[known + 1] += 1
                    break
                if len(asking.common) > 0:
                    break


@lean
def _list_extensions(sizes, below, needs, ends, extensions, added):
    """List the inferences by what they are drawn from; `ends` begins as the first place of each."""
    for number in range(len(sizes)):
        for item in range(sizes[number]):
            if (needs[number] >> np.uint32(item)) & np.uint32(1):
                known = below[number, item]
                extensions[ends[known]] = number
                added[ends[known]] = item
                ends[known] += 1
