"""Adversaries drawn at random: sets of known items, what can be inferred from them, and how to prevent it."""

from __future__ import annotations

import numpy as np

from sudare.kernels.itemsets_sensitive import find, is_sensitive
from sudare.kernels.itemsets_suppress import excess, needed, score
from sudare.kernels.jit import inlined, lean


@lean
def draw_sets(starts, codes, users, size, words, scratch, known):
    """Draw `size` different items of each user's basket, all sets alike; ascending, into `known`."""
    word = 0
    for draw in range(len(users)):
        first = starts[users[draw]]
        length = starts[users[draw] + 1] - first
        for place in range(length):
            scratch[place] = place
        for place in range(size):
            other = place + np.int64(words[word] % np.uint64(length - place))
            word += 1
            scratch[place], scratch[other] = scratch[other], scratch[place]
            position = place  # insertion sort: sizes are small
            code = codes[first + scratch[place]]
            while position > 0 and known[draw, position - 1] > code:
                known[draw, position] = known[draw, position - 1]
                position -= 1
            known[draw, position] = code


@inlined
def mark_of(code):
    """One of 64 bits, by multiplicative hashing: neighboring codes get different bits."""
    return np.uint64(1) << ((np.uint64(code) * np.uint64(11400714819323198485)) >> np.uint64(58))


@lean
def mark_baskets(starts, codes, marks):
    """Set the bits of each basket's items."""
    for row in range(len(starts) - 1):
        for position in range(starts[row], starts[row + 1]):
            marks[row] |= mark_of(codes[position])


@lean
def baskets_with(starts, codes, alive, owner, places_starts, places, marks, known, rows):
    """List the baskets that have all known items now, by way of the rarest of them; how many.

    `marks` has one bit of 64 set for each item a basket once had, which rules out most baskets at a glance.
    """
    rarest = 0
    mark = np.uint64(0)
    for item in range(len(known)):
        mark |= mark_of(known[item])
        here = places_starts[known[item] + 1] - places_starts[known[item]]
        if here < places_starts[known[rarest] + 1] - places_starts[known[rarest]]:
            rarest = item
    count = 0
    for entry in range(places_starts[known[rarest]], places_starts[known[rarest] + 1]):
        position = places[entry]
        row = owner[position]
        if marks[row] & mark != mark or not alive[position]:
            continue
        has = True
        for item in range(len(known)):
            if item != rarest:
                place = find(codes, starts[row], starts[row + 1], known[item])
                if place < 0 or not alive[place]:
                    has = False
                    break
        if has:
            rows[count] = row
            count += 1
    return count


@lean
def tally_items(starts, codes, alive, known, rows, count, tally, seen):
    """Count the items of some baskets beside the known ones; how many different ones there are."""
    used = 0
    for entry in range(count):
        row = rows[entry]
        for position in range(starts[row], starts[row + 1]):
            if alive[position]:
                code = codes[position]
                if tally[code] == 0:
                    seen[used] = code
                    used += 1
                tally[code] += 1
    for item in range(len(known)):
        tally[known[item]] = 0
    return used


@lean
def worst_of_samples(
    starts, codes, alive, owner, places_starts, places, marks, asking,
    users, known, rows, tally, seen, worst,
):  # fmt: skip
    """Write for each drawn adversary its most certain inference: worst[draw] = (item, support with it, support)."""
    for draw in range(len(users)):
        count = baskets_with(starts, codes, alive, owner, places_starts, places, marks, known[draw], rows)
        used = tally_items(starts, codes, alive, known[draw], rows, count, tally, seen)
        worst[draw, 0], worst[draw, 1], worst[draw, 2] = -1, 0, count
        for place in range(used):
            code = seen[place]
            if tally[code] > worst[draw, 1] and is_sensitive(asking, users[draw], code):
                worst[draw, 0], worst[draw, 1] = code, tally[code]
            tally[code] = 0


@lean
def suppress_samples(
    starts, codes, alive, owner, places_starts, places, marks, asking,
    users, known, over, under, rule, evenness, counts, original, total, words, state, rows, tally, seen,
):  # fmt: skip
    """Make the release safe for each drawn adversary, one after another; how many of them were dangerous."""
    dangerous = 0
    size = known.shape[1]
    for draw in range(len(users)):
        is_first = True
        while True:
            count = baskets_with(starts, codes, alive, owner, places_starts, places, marks, known[draw], rows)
            used = tally_items(starts, codes, alive, known[draw], rows, count, tally, seen)
            best_consequent, best_code, best_count = -1, -1, 0
            best_score = -np.inf
            for place in range(used):
                consequent = seen[place]
                joint = tally[consequent]
                tally[consequent] = 0
                above = excess(joint, np.int64(count), over, under)
                if above <= 0 or not is_sensitive(asking, users[draw], consequent):
                    continue
                for item in range(size + 1):
                    code = consequent if item == size else known[draw, item]
                    number = needed(above, item == size, over, under)
                    value = score(rule, evenness, counts[code], original[code], total[0], total[1], number)
                    if value > best_score or (value == best_score and number < best_count):
                        best_consequent, best_code, best_count, best_score = consequent, code, number, value
            if best_consequent < 0:
                break
            dangerous += is_first
            is_first = False
            available = 0
            for entry in range(count):
                row = rows[entry]
                place = find(codes, starts[row], starts[row + 1], best_consequent)
                if place >= 0 and alive[place]:
                    rows[available] = row
                    available += 1
            for taken in range(best_count):
                pick = taken + np.int64(words[state[0] % len(words)] % np.uint64(available - taken))
                state[0] += 1
                row = rows[pick]
                rows[pick] = rows[taken]
                alive[find(codes, starts[row], starts[row + 1], best_code)] = False
                counts[best_code] -= 1
                total[0] -= 1
                state[1] += 1
    return dangerous
