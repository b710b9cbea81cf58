"""Suppressor (seed paper 004, algorithm 1): safe for every adversary, or k^m-anonymous, by local suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.assess.itemsets.pairing import asking_of, subsets_of
from sudare.kernels.itemsets_change import Scratch, count_supports
from sudare.kernels.itemsets_give_back import give_back
from sudare.kernels.itemsets_km import suppress_rare
from sudare.kernels.itemsets_suppress import suppress_stretch

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.itemsets.working import Working
    from sudare.assess.itemsets.km_anonymity import KmAnonymity
    from sudare.assess.itemsets.rho_uncertainty import RhoUncertainty
    from sudare.kernels.itemsets import Subsets

_AT_ONCE = 20_000
"""Removals between two reports of progress."""


class _Keeper:
    """Keeps one requirement on all subsets, numbered once, with their supports; a subclass says how to sweep."""

    chooses: bool
    """Whether a rule says which item goes."""
    over, under, k = 0, 1, 0
    """Confidence asked for, over / under, and support: what giving back must not break."""
    support: npt.NDArray[np.int32]

    def __init__(self, working: Working, subsets: Subsets) -> None:
        self.working = working
        self.subsets = subsets
        self.scratch = Scratch(int(np.diff(subsets.starts).max(initial=1)), subsets.choose.shape[1] - 1)

    def sweep(self, dirty: npt.NDArray[np.bool_]) -> None:
        """Suppress what breaks the requirement, of every dirty subset once."""
        raise NotImplementedError

    def reach(self) -> int:
        """Suppress until nothing breaks the requirement; how many entries went.

        Sweeps are repeated until nothing changes; only sets that became rarer are looked at again.
        """
        at = self.working
        at.begin()
        self.support = _supports(self.subsets, at.alive)
        dirty = np.ones(len(self.subsets.sizes), dtype=np.bool_)
        first = at.removed
        while True:
            before = at.removed
            self.sweep(dirty)
            if at.removed == before:
                return at.removed - first

    def give_back(self, most: float) -> int:
        """Give entries back while the requirement holds, with a divergence of at most `most`; how many.

        First what brings the frequencies nearer, for as long as there is any, then what keeps them near enough.
        """
        at, subsets, scratch = self.working, self.subsets, self.scratch
        given = 0
        for limit in (0.0, most):
            while True:
                more: int = give_back(
                    subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers, subsets.sizes,
                    subsets.below, subsets.needs, subsets.items, at.alive, self.support, at.counts, at.original,
                    at.total, at.owner, at.gone_in_order(), limit, self.over, self.under, self.k,
                    scratch.walk, scratch.found,
                )  # fmt: skip
                at.tell()
                given += more
                if not more:
                    break
        return given


class Uncertain(_Keeper):
    """Keeps one rho-uncertainty requirement."""

    chooses = True

    def __init__(self, working: Working, requirement: RhoUncertainty) -> None:
        asking = asking_of(working.baskets, "rho-uncertainty")
        width = None if requirement.m is None else requirement.m + 1
        progress = working.context.progress
        super().__init__(working, subsets_of(working.baskets, width, asking, "rho-uncertainty", progress))
        self.over, self.under = requirement.ratio
        self.rows = np.empty(len(working.baskets) + 1, dtype=np.int32)

    def sweep(self, dirty: npt.NDArray[np.bool_]) -> None:
        """Lengths of Q ascend. A set need not be dirty again unless it became rarer.

        conf(Q -> e) grows only if supp(Q) falls and supp(Q + e) does not.
        """
        at, subsets, scratch = self.working, self.subsets, self.scratch
        for size in range(1, subsets.choose.shape[1]):
            place, end = int(subsets.levels[size]), int(subsets.levels[size + 1])
            while place < end:
                place = suppress_stretch(
                    subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers, subsets.sizes,
                    subsets.items, subsets.posting_starts, subsets.postings,
                    subsets.extension_starts, subsets.extensions, subsets.added, subsets.by_size,
                    at.alive, self.support, at.counts, at.original, at.total, dirty, at.words, at.state,
                    self.over, self.under, at.rule, at.evenness, place, end, _AT_ONCE, self.rows,
                    scratch.walk, scratch.found,
                )  # fmt: skip
                at.tell()


class Frequent(_Keeper):
    """Keeps one k^m-anonymity requirement."""

    chooses = False

    def __init__(self, working: Working, requirement: KmAnonymity) -> None:
        progress = working.context.progress
        super().__init__(working, subsets_of(working.baskets, requirement.m, None, "km-anonymity", progress))
        # More than all baskets is as much as one more than all, and fits into the kernel's integers.
        self.k = min(requirement.k, len(working.baskets) + 1)

    def sweep(self, dirty: npt.NDArray[np.bool_]) -> None:
        """Every set that occurs does so k times."""
        at, subsets, scratch = self.working, self.subsets, self.scratch
        place, end = 0, len(subsets.by_size)
        while place < end:
            place = suppress_rare(
                subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers, subsets.sizes,
                subsets.items, subsets.posting_starts, subsets.postings, subsets.by_size,
                at.alive, self.support, at.counts, at.original, at.total, dirty, self.k, place, end, _AT_ONCE,
                scratch.walk, scratch.found,
            )  # fmt: skip
            at.tell()


def _supports(subsets: Subsets, alive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    if alive.all():
        return np.diff(subsets.posting_starts).astype(np.int32)
    support = np.empty(len(subsets.sizes), dtype=np.int32)
    count_supports(subsets.starts, subsets.postings, subsets.posting_starts, subsets.items, subsets.sizes,
                   subsets.codes, alive, support)  # fmt: skip
    return support
