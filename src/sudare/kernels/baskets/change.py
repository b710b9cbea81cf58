"""Remove an item from a basket, and keep the support of every subset up to date."""

from __future__ import annotations

from sudare.kernels.baskets.sensitive import first_from
from sudare.kernels.baskets.walk import size_offset
from sudare.kernels.core.jit import inlined, lean


@lean
def count_supports(subsets, alive, support):
    """Count the baskets that still contain each subset."""
    for number in range(len(subsets.sizes)):
        count = 0
        for entry in range(subsets.posting_starts[number], subsets.posting_starts[number + 1]):
            count += has_all(subsets, alive, number, subsets.postings[entry])
        support[number] = count


@inlined
def has_all(subsets, alive, number, row):
    """Whether a basket that once contained a subset still contains all of it."""
    codes, position, end = subsets.codes, subsets.starts[row], subsets.starts[row + 1]
    for item in range(subsets.sizes[number]):
        code = subsets.items[number, item]
        if end - position > 16:
            position = first_from(codes, position, end, code)
        else:
            while codes[position] != code:
                position += 1
        if not alive[position]:
            return False
        position += 1
    return True


@lean
def subsets_with(subsets, alive, row, position, scratch):
    """List in scratch.found the subsets of a basket's items plus one position that contain it; returns their number.

    Depth first over ascending positions; nothing beyond the wanted position is tried until it has been taken, so that
    only sets which lead to it are visited.
    """
    choose, numbers, found = subsets.choose, subsets.numbers, scratch.found
    width = choose.shape[1] - 1
    walk = scratch.walk
    live, chosen, following, rank, offset = walk[0], walk[1], walk[2], walk[3], walk[4]
    first, end = subsets.starts[row], subsets.starts[row + 1]
    for size in range(1, width + 1):
        offset[size] = subsets.tables[row] + size_offset(choose, end - first, size)
    count = wanted = 0
    for place in range(first, end):
        if place == position:
            wanted = count
        if alive[place] or place == position:
            live[count] = place - first
            count += 1
    listed = 0
    depth = 1
    chosen[0], rank[0], following[1] = -1, 0, 0
    while depth > 0:
        is_in = chosen[depth - 1] >= wanted
        index = following[depth]
        if not is_in and depth == width:
            index = max(index, wanted)
        if index > (count - 1 if is_in else wanted):
            depth -= 1
            continue
        following[depth] = index + 1
        chosen[depth] = index
        rank[depth] = rank[depth - 1] + choose[live[index], depth]
        if index >= wanted:
            found[listed] = numbers[offset[depth] + rank[depth]]
            listed += 1
        if depth < width and index < count - 1:
            depth += 1
            following[depth] = index + 1
    return listed


@lean
def take_out(subsets, entries, supports, row, position, scratch):
    """Remove a position from its basket; the sets that became rarer are marked."""
    listed = subsets_with(subsets, entries.alive, row, position, scratch)
    for place in range(listed):
        number = scratch.found[place]
        supports.support[number] -= 1
        supports.dirty[number] = True
    strike(entries, position, subsets.codes[position])


@inlined
def strike(entries, position, code):
    """Count an entry of an item as removed."""
    entries.alive[position] = False
    entries.counts[code] -= 1
    entries.total[0] -= 1
