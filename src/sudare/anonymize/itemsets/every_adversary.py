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


class Uncertain:
    """Keeps one rho-uncertainty requirement: all subsets, numbered once, and their supports."""

    chooses = True
    """Whether a rule says which item goes."""

    def __init__(self, working: Working, requirement: RhoUncertainty) -> None:
        asking = asking_of(working.baskets, "rho-uncertainty")
        width = None if requirement.m is None else requirement.m + 1
        self.working = working
        self.over, self.under = requirement.ratio
        self.subsets = subsets_of(working.baskets, width, asking, "rho-uncertainty", working.context.progress)
        self.scratch = _scratch(self.subsets)
        self.rows = np.empty(len(working.baskets) + 1, dtype=np.int32)

    def reach(self) -> int:
        """Suppress until nothing is unsafe; how many entries went.

        Lengths of Q ascend, and the whole is repeated until nothing changes. Only sets that became rarer are looked
        at again: conf(Q -> e) grows only if supp(Q) falls and supp(Q + e) does not.
        """
        at, subsets, scratch = self.working, self.subsets, self.scratch
        at.begin()
        support, dirty = _supports(subsets, at.alive), np.ones(len(subsets.sizes), dtype=np.bool_)
        self.support = support
        first = at.removed
        while True:
            before = at.removed
            for size in range(1, subsets.choose.shape[1]):
                place, end = int(subsets.levels[size]), int(subsets.levels[size + 1])
                while place < end:
                    place = suppress_stretch(
                        subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers, subsets.sizes,
                        subsets.items, subsets.posting_starts, subsets.postings,
                        subsets.extension_starts, subsets.extensions, subsets.added, subsets.by_size,
                        at.alive, support, at.counts, at.original, at.total, dirty, at.words, at.state,
                        self.over, self.under, at.rule, at.evenness, place, end, _AT_ONCE, self.rows,
                        scratch.walk, scratch.found,
                    )  # fmt: skip
                    at.tell()
            if at.removed == before:
                return at.removed - first

    def give_back(self, most: float) -> int:
        """Give entries back while nothing becomes unsafe, with a divergence of at most `most`; how many."""
        return _give_back(
            self.working, self.subsets, self.support, self.scratch, most, self.over, self.under, 0
        )


class Frequent:
    """Keeps one k^m-anonymity requirement."""

    chooses = False

    def __init__(self, working: Working, requirement: KmAnonymity) -> None:
        self.working = working
        self.k = requirement.k
        self.subsets = subsets_of(
            working.baskets, requirement.m, None, "km-anonymity", working.context.progress
        )
        self.scratch = _scratch(self.subsets)

    def reach(self) -> int:
        """Suppress until every set that occurs does so k times; how many entries went."""
        at, subsets, scratch = self.working, self.subsets, self.scratch
        at.begin()
        support, dirty = _supports(subsets, at.alive), np.ones(len(subsets.sizes), dtype=np.bool_)
        self.support = support
        first = at.removed
        while True:
            before = at.removed
            place, end = 0, len(subsets.by_size)
            while place < end:
                place = suppress_rare(
                    subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers, subsets.sizes,
                    subsets.items, subsets.posting_starts, subsets.postings, subsets.by_size,
                    at.alive, support, at.counts, at.original, at.total, dirty, self.k, place, end, _AT_ONCE,
                    scratch.walk, scratch.found,
                )  # fmt: skip
                at.tell()
            if at.removed == before:
                return at.removed - first

    def give_back(self, most: float) -> int:
        """Give entries back while no set becomes rare, with a divergence of at most `most`; how many."""
        return _give_back(self.working, self.subsets, self.support, self.scratch, most, 0, 1, self.k)


def _give_back(
    at: Working,
    subsets: Subsets,
    support: npt.NDArray[np.int32],
    scratch: Scratch,
    most: float,
    over: int,
    under: int,
    k: int,
) -> int:
    """First what brings the frequencies nearer, for as long as there is any, then what keeps them near enough."""
    given = 0
    for limit in (0.0, most):
        while True:
            more: int = give_back(
                subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers, subsets.sizes,
                subsets.below, subsets.needs, subsets.items, at.alive, support, at.counts, at.original, at.total,
                at.owner, at.gone_in_order(), limit, over, under, k, scratch.walk, scratch.found,
            )  # fmt: skip
            at.tell()
            given += more
            if not more:
                break
    return given


def _scratch(subsets: Subsets) -> Scratch:
    return Scratch(int(np.diff(subsets.starts).max(initial=1)), subsets.choose.shape[1] - 1)


def _supports(subsets: Subsets, alive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    if alive.all():
        return np.diff(subsets.posting_starts).astype(np.int32)
    support = np.empty(len(subsets.sizes), dtype=np.int32)
    count_supports(subsets.starts, subsets.postings, subsets.posting_starts, subsets.items, subsets.sizes,
                   subsets.codes, alive, support)  # fmt: skip
    return support
