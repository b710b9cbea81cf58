"""Suppress with several rules, give entries back, and keep the best result: never worse than the paper's rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sudare.anonymize.itemsets.working import EVENNESS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.anonymize.itemsets.every_adversary import Frequent, Uncertain
    from sudare.anonymize.itemsets.working import Working

_NEAR = 0.8
"""Entries are given back up to this share of the divergence that the paper's rule has: the rest is the gain in util2."""


class _Result(NamedTuple):
    removed: int
    divergence: float
    given: int
    alive: npt.NDArray[np.bool_]


def reach_with_less(working: Working, keeper: Uncertain | Frequent) -> int:
    """Leave the best of the results of the rules in `working`; how many entries were given back in it.

    The paper's rule comes first, with the same random words that it would have alone: P is what it reaches. Every rule
    then gives entries back. From P on that lowers util1 with every entry and never lifts util2 above P's, so this
    result is at least as good as P on both counts; that of an even rule is taken if it is so too, and better by the
    sum of both losses, each as a share of P's.
    """
    working.restart(None)
    keeper.reach()
    reference, divergence = working.removed, working.divergence
    most = _NEAR * divergence
    best = _given_back(working, keeper, most)
    if not best.removed or not keeper.chooses:
        return best.given

    def weight(one: _Result) -> float:
        return one.removed / reference + (one.divergence / divergence if divergence else 0.0)

    for evenness in EVENNESS:
        working.restart(evenness)
        keeper.reach()
        other = _given_back(working, keeper, most)
        dominates = other.removed <= reference and other.divergence <= divergence
        if dominates and weight(other) < weight(best):
            best = other
    working.take(best.alive)
    return best.given


def _given_back(working: Working, keeper: Uncertain | Frequent, most: float) -> _Result:
    given = keeper.give_back(most)
    return _Result(working.removed, working.divergence, given, working.alive.copy())
