"""A lower bound on the cost of suppression, for every release of baskets that leaves items out and adds none.

If conf(Q -> e) = supp(Q + e) / supp(Q) is above rho, a release in which it is not has removed an item of Q + e from
at least

    N = ceil(supp(Q + e) - rho supp(Q))

of the baskets that have Q + e: every basket that loses one lowers supp(Q + e) by 1 and supp(Q) by at most 1, and
supp(Q + e) - h <= rho (supp(Q) - y) with y >= 0 needs h >= N. For k^m-anonymity, a set that occurs in s < k baskets
must lose an item in each of them: N = s. The needs of sets with disjoint entries add up. Sets are taken in descending
order of need, and for each only the baskets count in which nothing was counted before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.assess.baskets.pairing import asking_of, subsets_of
from sudare.kernels.baskets.change import count_supports
from sudare.kernels.baskets.least import pack_needs
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.assess.baskets.km_anonymity import KmAnonymity
    from sudare.describe.baskets.baskets import Baskets
    from sudare.kernels.baskets.subsets import Subsets


class Inferences(NamedTuple):
    """Every inference that must stay uncertain, in the baskets as they are."""

    subsets: Subsets
    sets: npt.NDArray[np.int64]
    """Index of the set Q + e."""
    joint: npt.NDArray[np.int64]
    """Baskets with Q + e."""
    base: npt.NDArray[np.int64]
    """Baskets with Q."""

    @property
    def largest(self) -> float:
        """The largest confidence: the smallest rho that the baskets reach as they are."""
        return float((self.joint / self.base).max(initial=0.0))

    def unsafe(self, over: int, under: int) -> int:
        """Number of inferences with a confidence above over / under."""
        return int((self.joint * under > self.base * over).sum())

    def least(self, over: int, under: int) -> int:
        """Number of entries that every release with rho = over / under must have lost."""
        chosen = np.flatnonzero(self.joint * under > self.base * over)
        needed = -((over * self.base[chosen] - under * self.joint[chosen]) // under)
        return _packed(self.subsets, self.sets[chosen], needed)


def inferences_of(baskets: Baskets, m: int | None, progress: Progress = SILENT) -> Inferences:
    """The inferences of adversaries who know at most m items (None: any number)."""
    asking = asking_of(baskets, "rho-uncertainty")
    subsets = subsets_of(baskets, None if m is None else m + 1, asking, "rho-uncertainty", progress)
    support = np.empty(len(subsets.sizes), dtype=np.int64)
    count_supports(subsets, np.ones(len(baskets.codes), dtype=np.bool_), support)
    known = np.repeat(np.arange(len(support)), np.diff(subsets.extension_starts))
    sets = subsets.extensions.astype(np.int64)
    return Inferences(subsets, sets, support[sets], support[known])


def least_for_km(baskets: Baskets, requirement: KmAnonymity, progress: Progress = SILENT) -> int:
    """Number of entries that every k^m-anonymous release by suppression must have lost."""
    subsets = subsets_of(baskets, requirement.m, None, "km-anonymity", progress)
    support = np.diff(subsets.posting_starts)
    rare = np.flatnonzero(support < requirement.k)
    return _packed(subsets, rare, support[rare])


def _packed(subsets: Subsets, sets: npt.NDArray[np.int64], needed: npt.NDArray[np.int64]) -> int:
    """Entries needed; sets with the largest needs first, and among equals small sets, which leave room for others."""
    order = np.lexsort((sets, subsets.sizes[sets], -needed))
    used = np.zeros(len(subsets.codes), dtype=np.bool_)
    return int(pack_needs(subsets, sets[order], needed[order].astype(np.int64), used))
