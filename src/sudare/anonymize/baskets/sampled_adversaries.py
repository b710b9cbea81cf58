"""SampleSuppressor (undated paper on personalized rho-uncertainty, algorithm 2): safe for nearly all adversaries, shown by samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.assess.baskets.pairing import asking_of
from sudare.assess.baskets.sampling import draw, item_places, sample_size
from sudare.kernels.baskets.sample import suppress_samples

if TYPE_CHECKING:
    from sudare.anonymize.baskets.working import Working
    from sudare.assess.baskets.rho_uncertainty import RhoUncertainty

_REPAIRED = 5_000
"""Adversaries drawn for each length in a round that is not a test."""
_RARE = 0.1
"""A test is tried when the dangers found are at most this share of those allowed."""


class Sampled:
    """Enforces one (eps, delta)-rho^m requirement."""

    def __init__(self, working: Working, requirement: RhoUncertainty) -> None:
        self.working = working
        self.requirement = requirement
        self.rounds = 0
        self.places = item_places(working.baskets)
        self.asking = asking_of(working.baskets, "rho-uncertainty")

    def reach(self) -> int:
        """Make the release safe for repeatedly drawn adversaries until a round proves it; returns the entries removed.

        As published, every round is both a test and a repair. The exact rule repairs with larger samples, of the
        lengths where dangers are still frequent, and tests when there are none: only rounds that could have passed
        count in splitting delta, and the round number keeps counting when several requirements are reached in turn.
        A round that finds a danger removes at least one entry, so there are at most as many such rounds as entries.
        """
        at, asked = self.working, self.requirement
        at.begin()
        eps, delta = asked.eps or 0.5, asked.delta or 0.5
        # Nobody can know more items than the longest basket contains.
        lengths = list(range(1, min(asked.m or 1, int(at.baskets.lengths.max(initial=0))) + 1))
        frequent = lengths if asked.rule == "exact" else []
        first = at.removed
        while True:
            while frequent:
                frequent = [
                    one for one in frequent if self._make_safe(one, _REPAIRED) > _RARE * eps * _REPAIRED
                ]
            self.rounds += 1
            size = sample_size(eps, delta, asked.rule, self.rounds)
            dangerous = [one for one in lengths if self._make_safe(one, size)]
            if not dangerous:
                return at.removed - first
            frequent = dangerous if asked.rule == "exact" else []

    def _make_safe(self, length: int, size: int) -> int:
        """Draw once, then go through the sample until nobody in it is dangerous: one repair may undo another."""
        at = self.working
        drawn = draw(at.baskets, length, size, at.context.random)
        if drawn is None:
            return 0
        over, under = self.requirement.ratio
        found = 0
        while True:
            dangerous: int = suppress_samples(
                self.places, at.entries, self.asking, drawn.users, drawn.known, over, under, at.choice
            )
            at.tell()
            found += dangerous
            if not dangerous:
                return found
