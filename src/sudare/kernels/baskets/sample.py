"""Randomly drawn attackers: sets of known items, what can be inferred from them, and how to prevent it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.baskets.change import strike
from sudare.kernels.baskets.sensitive import find, is_sensitive
from sudare.kernels.baskets.suppress import deal, excess, needed, score
from sudare.kernels.core.jit import inlined, lean


class Places(NamedTuple):
    """Where each item occurs in the baskets, and work space for the baskets that contain given items."""

    starts: npt.NDArray[np.int64]
    """First entry of each basket, and the end."""
    codes: npt.NDArray[np.int32]
    """Item of each entry, ascending within a basket."""
    owner: npt.NDArray[np.int32]
    """Basket of each entry."""
    item_starts: npt.NDArray[np.int64]
    entries: npt.NDArray[np.int32]
    """Entries of each item."""
    marks: npt.NDArray[np.uint64]
    """One bit of 64 for each item that a basket originally had, which quickly rules out most baskets."""
    rows: npt.NDArray[np.int32]
    tally: npt.NDArray[np.int64]
    seen: npt.NDArray[np.int32]


@lean
def draw_sets(starts, codes, users, size, words, scratch, known):
    """Draw `size` different items of each user's basket into `known`, ascending; all sets are equally likely."""
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
    """One of 64 bits, by multiplicative hashing: adjacent codes get different bits."""
    return np.uint64(1) << ((np.uint64(code) * np.uint64(11400714819323198485)) >> np.uint64(58))


@lean
def mark_baskets(starts, codes, marks):
    """Set the bits of each basket's items."""
    for row in range(len(starts) - 1):
        for position in range(starts[row], starts[row + 1]):
            marks[row] |= mark_of(codes[position])


@lean
def _baskets_with(places, alive, known):
    """List in places.rows the baskets that now contain all known items, starting from the rarest; returns how many."""
    item_starts = places.item_starts
    rarest = 0
    mark = np.uint64(0)
    for item in range(len(known)):
        mark |= mark_of(known[item])
        here = item_starts[known[item] + 1] - item_starts[known[item]]
        if here < item_starts[known[rarest] + 1] - item_starts[known[rarest]]:
            rarest = item
    count = 0
    for entry in range(item_starts[known[rarest]], item_starts[known[rarest] + 1]):
        position = places.entries[entry]
        row = places.owner[position]
        if places.marks[row] & mark != mark or not alive[position]:
            continue
        has = True
        for item in range(len(known)):
            if item != rarest and not _still_has(places, alive, row, known[item]):
                has = False
                break
        if has:
            places.rows[count] = row
            count += 1
    return count


@inlined
def _still_has(places, alive, row, code):
    place = find(places.codes, places.starts[row], places.starts[row + 1], code)
    return place >= 0 and alive[place]


@lean
def _tally_items(places, alive, known, count):
    """Count the items in the listed baskets other than the known ones; returns the number of different items."""
    tally = places.tally
    used = 0
    for entry in range(count):
        row = places.rows[entry]
        for position in range(places.starts[row], places.starts[row + 1]):
            if alive[position]:
                code = places.codes[position]
                if tally[code] == 0:
                    places.seen[used] = code
                    used += 1
                tally[code] += 1
    for item in range(len(known)):
        tally[known[item]] = 0
    return used


@lean
def worst_of_samples(places, alive, asking, users, known, worst):
    """For each drawn attacker, write the most certain inference: worst[draw] = (item, support with it, support)."""
    tally = places.tally
    for draw in range(len(users)):
        count = _baskets_with(places, alive, known[draw])
        used = _tally_items(places, alive, known[draw], count)
        worst[draw, 0], worst[draw, 1], worst[draw, 2] = -1, 0, count
        for place in range(used):
            code = places.seen[place]
            if tally[code] > worst[draw, 1] and is_sensitive(asking, users[draw], code):
                worst[draw, 0], worst[draw, 1] = code, tally[code]
            tally[code] = 0


@lean
def suppress_samples(places, entries, asking, users, known, over, under, choice):
    """Make the release safe against each drawn attacker in turn; returns how many of them were dangerous."""
    rows, tally, alive = places.rows, places.tally, entries.alive
    dangerous = 0
    size = known.shape[1]
    for draw in range(len(users)):
        is_first = True
        while True:
            count = _baskets_with(places, alive, known[draw])
            used = _tally_items(places, alive, known[draw], count)
            best_consequent, best_code, best_count = -1, -1, 0
            best_score = -np.inf
            for place in range(used):
                consequent = places.seen[place]
                joint = tally[consequent]
                tally[consequent] = 0
                above = excess(joint, np.int64(count), over, under)
                if above <= 0 or not is_sensitive(asking, users[draw], consequent):
                    continue
                for item in range(size + 1):
                    code = consequent if item == size else known[draw, item]
                    number = needed(above, item == size, over, under)
                    value = score(choice, entries, code, number)
                    if value > best_score or (value == best_score and number < best_count):
                        best_consequent, best_code, best_count, best_score = consequent, code, number, value
            if best_consequent < 0:
                break
            dangerous += is_first
            is_first = False
            available = 0
            for entry in range(count):
                if _still_has(places, alive, rows[entry], best_consequent):
                    rows[available] = rows[entry]
                    available += 1
            for taken in range(best_count):
                row = deal(choice, rows, taken, available)
                position = find(places.codes, places.starts[row], places.starts[row + 1], best_code)
                strike(entries, position, best_code)
    return dangerous
