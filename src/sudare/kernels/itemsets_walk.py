"""Walk all subsets of all baskets depth first: number them, describe them, and find what must stay uncertain."""

from __future__ import annotations

import numpy as np

from sudare.kernels.itemsets_sensitive import find, is_sensitive
from sudare.kernels.jit import inlined, lean


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
def list_roots(codes, starts, owner, stack, ranks, heads, edges, tally):
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
def number_subsets(
    starts, codes, choose, tables, owner, stack, ranks, heads, edges, tally, cursor, width, low, high, count, numbers
):  # fmt: skip
    """Walk the subsets that begin with the roots low … high and write their numbers; how many there are now.

    Depth first, into the baskets' tables, from `count` on.
    """
    used, at = cursor[0], cursor[1]
    used[1], at[1] = high, low
    size = 1 if low < high else 0
    while size > 0:
        bucket = at[size]
        at[size] += 1
        low, high = edges[size, bucket], edges[size, bucket + 1]
        for entry in range(low, high):
            row = owner[stack[size, entry]]
            offset = size_offset(choose, starts[row + 1] - starts[row], size)
            numbers[tables[row] + offset + ranks[size, entry]] = count
        count += 1
        size = _go_on(
            codes, starts, choose, owner, stack, ranks, heads, edges, tally, cursor, width, size, low, high
        )
    return count


@lean
def describe_subsets(
    starts, codes, choose, tables, owner, stack, ranks, heads, edges, tally, cursor, width, root_low, root_high, count,
    numbers, sizes, names, below, posting_starts, postings, where,
):  # fmt: skip
    """Walk again and write down what each subset is; how many are described now."""
    used, at = cursor[0], cursor[1]
    posted = posting_starts[count]
    used[1], at[1] = root_high, root_low
    size = 1 if root_low < root_high else 0
    while size > 0:
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
        size = _go_on(
            codes, starts, choose, owner, stack, ranks, heads, edges, tally, cursor, width, size, low, high
        )
    posting_starts[count] = posted
    return count


@lean
def _go_on(codes, starts, choose, owner, stack, ranks, heads, edges, tally, cursor, width, size, low, high):
    """Open the next size for the entries low … high, if there is one; the size whose turn it is, 0 at the end."""
    used, at = cursor[0], cursor[1]
    if size < width:
        used[size + 1] = _bucket(
            codes, starts, choose, owner, stack, ranks, heads, edges, tally, size, low, high
        )
        at[size + 1] = 0
        size += 1
    while size > 0 and at[size] == used[size]:
        size -= 1
    return size


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
def ask_inferences(sizes, names, below, posting_starts, postings, asking, needs, wanted, low, high):
    """Set the bits of the inferences that must stay uncertain, and count them by what they are drawn from.

    Of the subsets low … high.

    An inference Q -> e must, if somebody whose basket has Q calls e sensitive.
    """
    for number in range(low, high):
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
def list_extensions(sizes, below, needs, ends, extensions, added):
    """List the inferences by what they are drawn from; `ends` begins as the first place of each."""
    for number in range(len(sizes)):
        for item in range(sizes[number]):
            if (needs[number] >> np.uint32(item)) & np.uint32(1):
                known = below[number, item]
                extensions[ends[known]] = number
                added[ends[known]] = item
                ends[known] += 1
