"""Suppressor (undated paper on personalized rho-uncertainty, algorithm 1): safe for every adversary, or k^m-anonymous, by local suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.assess.baskets.pairing import asking_of, subsets_of
from sudare.kernels.baskets.change import count_supports
from sudare.kernels.baskets.entries import Supports, scratch_of
from sudare.kernels.baskets.give_back import give_back
from sudare.kernels.baskets.km import suppress_rare
from sudare.kernels.baskets.suppress import NO_ONE, suppress_stretch, suppress_users

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.baskets.working import Working
    from sudare.assess.baskets.km_anonymity import KmAnonymity
    from sudare.assess.baskets.rho_uncertainty import RhoUncertainty
    from sudare.kernels.baskets.sensitive import Asking
    from sudare.kernels.baskets.subsets import Subsets

_AT_ONCE = 20_000
"""Removals between two progress reports."""


class _Suppressor:
    """Enforces one requirement on all subsets, numbered once, with their supports; subclasses define the sweep."""

    chooses: bool
    """Whether a rule chooses which item is removed."""
    over, under, k = 0, 1, 0
    """Required confidence, over / under, and support, which giving back must not violate."""
    supports: Supports

    def __init__(self, working: Working, subsets: Subsets) -> None:
        self.working = working
        self.subsets = subsets
        longest = int(np.diff(subsets.starts).max(initial=1))
        self.scratch = scratch_of(len(working.baskets), longest, subsets.choose.shape[1] - 1)

    def sweep(self) -> None:
        """Go through every dirty subset once and suppress whatever violates the requirement."""
        raise NotImplementedError

    def reach(self) -> int:
        """Suppress until nothing violates the requirement; returns the number of entries removed.

        Sweeps are repeated until nothing changes; only sets that became rarer are examined again.
        """
        at = self.working
        at.begin()
        dirty = np.ones(len(self.subsets.sizes), dtype=np.bool_)
        self.supports = Supports(_supports(self.subsets, at.alive), dirty)
        first = at.removed
        while True:
            before = at.removed
            self.sweep()
            if at.removed == before:
                return at.removed - first

    def give_back(self, most: float) -> int:
        """Give entries back while the requirement is met and the divergence is at most `most`; returns their number.

        First the entries that bring the frequencies closer, as long as there are any, then those that keep them close.
        """
        at = self.working
        given = 0
        for limit in (0.0, most):
            while True:
                more: int = give_back(
                    self.subsets,
                    at.entries,
                    self.supports.support,
                    at.gone_in_order(),
                    limit,
                    self.over,
                    self.under,
                    self.k,
                    self.scratch,
                )
                at.tell()
                given += more
                if not more:
                    break
        return given


class Uncertain(_Suppressor):
    """Enforces one rho-uncertainty requirement."""

    chooses = True

    def __init__(self, working: Working, requirement: RhoUncertainty, *, by_user: bool = False) -> None:
        """`by_user`: in the order of users, as published, instead of the order of sets."""
        asking = asking_of(working.baskets, "rho-uncertainty")
        self._asking = asking if by_user else None
        width = None if requirement.m is None else requirement.m + 1
        progress = working.context.progress
        super().__init__(working, subsets_of(working.baskets, width, asking, "rho-uncertainty", progress))
        self.over, self.under = requirement.ratio

    def sweep(self) -> None:
        """Go through sets in ascending length of Q. A set becomes dirty again only if it became rarer.

        conf(Q -> e) grows only if supp(Q) falls and supp(Q + e) does not.
        """
        if self._asking is not None:
            self._sweep_users(self._asking)
            return
        at, subsets = self.working, self.subsets
        for size in range(1, subsets.choose.shape[1]):
            place, end = int(subsets.levels[size]), int(subsets.levels[size + 1])
            while place < end:
                place = suppress_stretch(
                    subsets,
                    at.entries,
                    self.supports,
                    at.choice,
                    NO_ONE,
                    self.over,
                    self.under,
                    place,
                    end,
                    _AT_ONCE,
                    self.scratch,
                )
                at.tell()

    def _sweep_users(self, asking: Asking) -> None:
        """Lines 3 to 9 of algorithm 1: for each length of Q and for each user, while an unsafe (u, Q) exists."""
        at, subsets = self.working, self.subsets
        for size in range(1, subsets.choose.shape[1]):
            user, users = 0, len(at.baskets)
            while user < users:
                user = suppress_users(
                    subsets,
                    at.entries,
                    self.supports,
                    at.choice,
                    asking,
                    self.over,
                    self.under,
                    size,
                    user,
                    users,
                    _AT_ONCE,
                    self.scratch,
                )
                at.tell()


class Frequent(_Suppressor):
    """Enforces one k^m-anonymity requirement."""

    chooses = False

    def __init__(self, working: Working, requirement: KmAnonymity) -> None:
        progress = working.context.progress
        super().__init__(working, subsets_of(working.baskets, requirement.m, None, "km-anonymity", progress))
        # Any k above the number of baskets is equivalent to one more than that, which fits into the kernel's integers.
        self.k = min(requirement.k, len(working.baskets) + 1)

    def sweep(self) -> None:
        """Break up every set that occurs fewer than k times."""
        at, subsets = self.working, self.subsets
        place, end = 0, len(subsets.by_size)
        while place < end:
            place = suppress_rare(
                subsets, at.entries, self.supports, self.k, place, end, _AT_ONCE, self.scratch
            )
            at.tell()


def _supports(subsets: Subsets, alive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    if alive.all():
        return np.diff(subsets.posting_starts).astype(np.int32)
    support = np.empty(len(subsets.sizes), dtype=np.int32)
    count_supports(subsets, alive, support)
    return support
