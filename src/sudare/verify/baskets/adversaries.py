"""Sampled adversaries of the independent verifier: drawn and counted with plain numpy, apart from the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.randomness import Randomness
from sudare.verify.baskets.asked import RhoAsked, Sampling, refuse_many_drawn
from sudare.verify.finding import Finding, FindingSentence

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy.typing as npt

    from sudare.describe.baskets.baskets import Baskets

_AT_ONCE = 2_000_000
"""Items of drawn baskets that are put into random order together."""


def check_sample(
    known: Baskets,
    left: npt.NDArray[np.bool_],
    requirement: dict[str, Any],
    asked: RhoAsked,
    sampling: Sampling,
) -> Finding:
    """Draw adversaries anew, with enough of them that a share below eps shows: exact binomial bound."""
    from scipy.stats import beta

    eps, delta, drawn = sampling
    longest = asked.m or 1
    refuse_many_drawn(known.lengths, longest, drawn)
    dangers = draw_and_count(known, left, longest, drawn, asked.rho)
    bound = max(
        (float(beta.isf(delta, bad + 1, drawn - bad)) if bad < drawn else 1.0 for bad in dangers),
        default=0.0,
    )
    sentence = FindingSentence(
        "rho.sampled",
        drawn=drawn,
        lengths=len(dangers),
        dangerous=sum(dangers),
        confidence=1 - delta,
        bound=bound,
        eps=eps,
    )
    return Finding(requirement, bound < eps, bound, sentence, 0)


def draw_and_count(
    known: Baskets, left: npt.NDArray[np.bool_], longest: int, drawn: int, ratio: Fraction
) -> list[int]:
    """How many of the adversaries drawn for each length are dangerous; lengths that nobody has are left out."""
    random = Randomness()
    codes = known.codes[left]
    starts = np.concatenate([[0], np.cumsum(left)])[known.starts]
    rows = np.repeat(np.arange(len(known)), np.diff(starts))
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(known.items) + 1))
    having = [rows[order[bounds[code] : bounds[code + 1]]] for code in range(len(known.items))]
    dangers = []
    for length in range(1, longest + 1):
        eligible = np.flatnonzero(known.lengths >= length)
        if not len(eligible):
            break
        bad, block = 0, max(1, _AT_ONCE // (1 + int(known.lengths[eligible].mean())))
        for first in range(0, drawn, block):
            users = eligible[random.integers(len(eligible), min(block, drawn - first))]
            drawn_sets = _some_of_each(known, users, length, random)
            tallies: dict[tuple[int, ...], tuple[int, npt.NDArray[np.int64]]] = {}
            # The same user with the same items is drawn again and again where baskets are few.
            rows_of, times = np.unique(np.column_stack([users, drawn_sets]), axis=0, return_counts=True)
            for (user, *items), often in zip(rows_of.tolist(), times.tolist(), strict=True):
                chosen = tuple(items)
                if chosen not in tallies:
                    tallies[chosen] = _tally(chosen, having, starts, codes, ratio)
                base, certain = tallies[chosen]
                if base > 0 and np.isin(certain, known.sensitive_of(user)).any():
                    bad += often
        dangers.append(bad)
    return dangers


def _some_of_each(
    known: Baskets, users: npt.NDArray[np.int64], length: int, random: Randomness
) -> npt.NDArray[np.int64]:
    """For each user so many items of the basket, ascending: those that come first in a random order of it."""
    sizes = known.lengths[users]
    before = np.cumsum(sizes) - sizes
    owners = np.repeat(np.arange(len(users)), sizes)
    ranks = np.arange(len(owners)) - before[owners]
    order = np.lexsort((random.bits(len(owners)), owners))
    # The entries of an owner stay where they were, in another order; an entry's rank there is that of its place.
    first = np.sort(order[ranks < length].reshape(len(users), length), axis=1)
    return known.codes[known.starts[users][:, None] + ranks[first]].astype(np.int64)


def _tally(
    chosen: tuple[int, ...],
    having: list[npt.NDArray[np.int64]],
    starts: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int32],
    ratio: Fraction,
) -> tuple[int, npt.NDArray[np.int64]]:
    """(baskets with the chosen items, items that are in more than the ratio of them)."""
    rows = having[chosen[0]]
    for code in chosen[1:]:
        rows = np.intersect1d(rows, having[code], assume_unique=True)
    if not len(rows):
        return 0, np.empty(0, dtype=np.int64)
    sizes = starts[rows + 1] - starts[rows]
    places = np.arange(sizes.sum()) + np.repeat(starts[rows] - (np.cumsum(sizes) - sizes), sizes)
    items, counts = np.unique(codes[places], return_counts=True)
    certain = [
        int(item)
        for item, count in zip(items.tolist(), counts.tolist(), strict=True)
        if count * ratio.denominator > len(rows) * ratio.numerator and item not in chosen
    ]
    return len(rows), np.array(certain, dtype=np.int64)
