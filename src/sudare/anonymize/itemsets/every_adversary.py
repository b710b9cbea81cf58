"""Suppressor (seed paper 004, algorithm 1): safe for every adversary, or k^m-anonymous, by local suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.itemsets.working import EVENNESS
from sudare.assess.itemsets.pairing import asking_of, subsets_of
from sudare.kernels.itemsets_change import Scratch, count_supports
from sudare.kernels.itemsets_km import give_back_frequent, suppress_rare
from sudare.kernels.itemsets_suppress import give_back, suppress_stretch

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

    def __init__(self, working: Working, requirement: RhoUncertainty) -> None:
        asking = asking_of(working.baskets, "rho-uncertainty")
        width = None if requirement.m is None else requirement.m + 1
        self.working = working
        self.over, self.under = requirement.ratio
        self.subsets = subsets_of(working.baskets, width, asking, "rho-uncertainty")
        self.scratch = _scratch(self.subsets)
        self.rows = np.empty(len(working.baskets) + 1, dtype=np.int32)

    def reach(self) -> int:
        """Suppress until nothing is unsafe; how many entries went.

        Lengths of Q ascend, and the whole is repeated until nothing changes. Only sets that became rarer are looked
        at again: conf(Q -> e) grows only if supp(Q) falls and supp(Q + e) does not.
        """
        at, subsets, scratch = self.working, self.subsets, self.scratch
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
                        self.over, self.under, at.rule, EVENNESS, place, end, _AT_ONCE, self.rows,
                        scratch.walk, scratch.found,
                    )  # fmt: skip
                    at.tell()
            if at.removed == before:
                return at.removed - first

    def give_back(self) -> int:
        """Give entries back while nothing becomes unsafe, where most is missing first; how many."""
        at, subsets, scratch = self.working, self.subsets, self.scratch
        given, evenly = 0, True
        while True:
            more: int = give_back(
                subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers, subsets.sizes,
                subsets.below, subsets.needs, subsets.items, at.alive, self.support, at.counts, at.original, at.total,
                at.owner, at.gone_in_order(), evenly, self.over, self.under, scratch.walk, scratch.found,
            )  # fmt: skip
            at.tell()
            given += more
            if not more and not evenly:
                return given
            evenly = bool(more)


class Frequent:
    """Keeps one k^m-anonymity requirement."""

    def __init__(self, working: Working, requirement: KmAnonymity) -> None:
        self.working = working
        self.k = requirement.k
        self.subsets = subsets_of(working.baskets, requirement.m, None, "km-anonymity")
        self.scratch = _scratch(self.subsets)

    def reach(self) -> int:
        """Suppress until every set that occurs does so k times; how many entries went."""
        at, subsets, scratch = self.working, self.subsets, self.scratch
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

    def give_back(self) -> int:
        """Give entries back while no set becomes rare; how many."""
        at, subsets, scratch = self.working, self.subsets, self.scratch
        given = 0
        while True:
            more: int = give_back_frequent(
                subsets.starts, subsets.codes, subsets.choose, subsets.tables, subsets.numbers,
                at.alive, self.support, at.counts, at.total, at.owner, at.gone_in_order(), self.k,
                scratch.walk, scratch.found,
            )  # fmt: skip
            at.tell()
            given += more
            if not more:
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
