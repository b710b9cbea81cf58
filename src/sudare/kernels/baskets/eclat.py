"""Frequent itemsets and association rules, depth first over occurrences.

A set is a node of a prefix tree: its items are in the order of their codes, and its parent lacks the last one. Each
node keeps the positions of its last item in the baskets that contain the set, so the sets one item longer are found and
counted just by reading on from these positions to the ends of the baskets (Uno et al.: LCM ver. 2, 2004;
the depth-first search is that of Eclat, Zaki 2000). The children of a node are adjacent, by ascending code,
so that the support of any subset is found by walking down the tree.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, kernel
from sudare.kernels.core.sort import sort_in_place


@kernel
def mine(starts, codes, count, least, limit):
    """All sets of items that are contained in at least `least` baskets.

    Returns the tree (parent, item, support, first child, number of children; node 0 is the empty set), and whether it
    is complete: the search stops when there would be more than `limit` sets.
    """
    total = len(codes)
    ends = np.empty(total, dtype=np.int64)
    for basket in range(len(starts) - 1):
        for place in range(starts[basket], starts[basket + 1]):
            ends[place] = starts[basket + 1]
    capacity = 1024
    parents = np.empty(capacity, dtype=np.int32)
    items = np.empty(capacity, dtype=np.int32)
    supports = np.empty(capacity, dtype=np.int32)
    firsts = np.zeros(capacity, dtype=np.int32)
    widths = np.zeros(capacity, dtype=np.int32)
    begins = np.empty(capacity, dtype=np.int64)
    parents[0] = -1
    items[0] = -1
    supports[0] = len(starts) - 1
    nodes = 1

    counts = np.zeros(count, dtype=np.int32)
    filled = np.empty(count, dtype=np.int64)
    touched = np.empty(count, dtype=np.int32)
    buffer = np.empty(2 * total + 16, dtype=np.int32)
    used = 0
    # The path of nodes whose children are being visited; each child's positions are in the buffer below `used`.
    path = np.empty(count + 2, dtype=np.int64)
    tops = np.empty(count + 2, dtype=np.int64)
    depth = 0
    node = 0
    while True:
        # Count what can follow the node, then assign each frequent follower its positions.
        seen = 0
        if node == 0:
            seen = _count(codes, 0, total, counts, touched, seen)
        else:
            for index in range(begins[node], begins[node] + supports[node]):
                place = buffer[index]
                seen = _count(codes, place + 1, ends[place], counts, touched, seen)
        frequent = 0
        needed = 0
        for index in range(seen):
            code = touched[index]
            if counts[code] >= least:
                touched[frequent] = code
                frequent += 1
                needed += counts[code]
            else:
                counts[code] = 0
        tops[depth] = used
        if frequent:
            if nodes - 1 + frequent > limit:
                return parents[:nodes], items[:nodes], supports[:nodes], firsts[:nodes], widths[:nodes], False
            sort_in_place(touched, frequent)
            if nodes + frequent > capacity:
                capacity = max(2 * capacity, nodes + frequent)
                parents = _grown(parents, nodes, capacity)
                items = _grown(items, nodes, capacity)
                supports = _grown(supports, nodes, capacity)
                firsts = _grown(firsts, nodes, capacity)
                widths = _grown(widths, nodes, capacity)
                begins = _grown(begins, nodes, capacity)
            if used + needed > len(buffer):
                buffer = _grown(buffer, used, max(2 * len(buffer), used + needed))
            firsts[node] = nodes
            widths[node] = frequent
            for index in range(frequent):
                code = touched[index]
                parents[nodes] = node
                items[nodes] = code
                supports[nodes] = counts[code]
                firsts[nodes] = 0
                widths[nodes] = 0
                begins[nodes] = used
                filled[code] = used
                used += counts[code]
                nodes += 1
            if node == 0:
                _note_places(codes, 0, total, counts, buffer, filled)
            else:
                for index in range(begins[node], begins[node] + supports[node]):
                    place = buffer[index]
                    _note_places(codes, place + 1, ends[place], counts, buffer, filled)
            for index in range(frequent):
                counts[touched[index]] = 0
            path[depth] = firsts[node]
            node = path[depth]
            depth += 1
            continue
        # A leaf: continue with the next sibling of the nearest ancestor that has one.
        while depth > 0:
            parent = parents[path[depth - 1]]
            path[depth - 1] += 1
            if path[depth - 1] < firsts[parent] + widths[parent]:
                node = path[depth - 1]
                break
            depth -= 1
            used = tops[depth]
        if depth == 0:
            return parents[:nodes], items[:nodes], supports[:nodes], firsts[:nodes], widths[:nodes], True


@inlined
def _count(codes, first, last, counts, touched, seen):
    """Count the items at positions first … last - 1, and list those new to the count; returns how many are listed."""
    for place in range(first, last):
        code = codes[place]
        if counts[code] == 0:
            touched[seen] = code
            seen += 1
        counts[code] += 1
    return seen


@inlined
def _note_places(codes, first, last, counts, buffer, filled):
    """Write the positions first … last - 1 of counted items to the end of each item's list of positions."""
    for place in range(first, last):
        code = codes[place]
        if counts[code]:
            buffer[filled[code]] = place
            filled[code] += 1


@kernel
def single_rules(parents, items, supports, firsts, widths, numerator, denominator):
    """Rules with one item as consequent and sufficient confidence: (node of body and head, head, support of the body).

    The confidence is sufficient if support * denominator >= numerator * support of the body.
    """
    capacity = 1024
    nodes = np.empty(capacity, dtype=np.int32)
    heads = np.empty(capacity, dtype=np.int32)
    bodies = np.empty(capacity, dtype=np.int32)
    found = 0
    longest = 0
    depths = np.zeros(len(parents), dtype=np.int32)
    for node in range(1, len(parents)):
        depths[node] = depths[parents[node]] + 1
        longest = max(longest, depths[node])
    chain = np.empty(longest + 1, dtype=np.int32)
    for node in range(1, len(parents)):
        size = depths[node]
        if size < 2:
            continue
        current = node
        for place in range(size - 1, -1, -1):
            chain[place] = items[current]
            current = parents[current]
        for left_out in range(size):
            body = 0
            for place in range(size):
                if place != left_out:
                    low = firsts[body]
                    high = low + widths[body] - 1
                    while low < high:
                        middle = (low + high) // 2
                        if items[middle] < chain[place]:
                            low = middle + 1
                        else:
                            high = middle
                    body = low
            if np.int64(supports[node]) * denominator >= np.int64(supports[body]) * numerator:
                if found == capacity:
                    capacity *= 2
                    nodes = _grown(nodes, found, capacity)
                    heads = _grown(heads, found, capacity)
                    bodies = _grown(bodies, found, capacity)
                nodes[found] = node
                heads[found] = chain[left_out]
                bodies[found] = supports[body]
                found += 1
    return nodes[:found], heads[:found], bodies[:found]


@kernel
def _grown(array, used, capacity):
    larger = np.empty(capacity, dtype=array.dtype)
    larger[:used] = array[:used]
    return larger
