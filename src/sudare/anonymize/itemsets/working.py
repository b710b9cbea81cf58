"""What is left of the baskets while items are suppressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.kernels.itemsets_suppress import EVEN, PAPER

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.protocol import Context
    from sudare.describe.baskets import Baskets

EVENNESS = 4.0
"""How strongly the default keeps the items' frequencies in proportion; from 1 to 8 little changes."""


class Working:
    """The state of a suppression: which entries are left, how many of each item, the random words."""

    def __init__(self, baskets: Baskets, context: Context, *, paper: bool) -> None:
        self.baskets = baskets
        self.context = context
        self.rule = PAPER if paper else EVEN
        self.alive = np.ones(len(baskets.codes), dtype=np.bool_)
        self.counts = baskets.supports()
        self.original = self.counts.astype(np.float64)
        self.total = np.full(2, len(baskets.codes), dtype=np.int64)
        # One word a removal, and an entry is removed again only after it was given back, with words left over.
        self.words: npt.NDArray[np.uint64] = context.random.bits(max(2 * len(baskets.codes), 1)).copy()
        self.state = np.zeros(2, dtype=np.int64)
        self.owner = np.repeat(np.arange(len(baskets), dtype=np.int32), baskets.lengths)
        context.progress.start("suppress items", max(len(baskets.codes), 1))

    @property
    def removed(self) -> int:
        """Entries that are gone."""
        return int(self.total[1] - self.total[0])

    def tell(self) -> None:
        """Say how far the work is: as a share of all entries, since nobody knows how many will go."""
        self.context.progress.update(self.removed)

    def gone_in_order(self) -> npt.NDArray[np.int64]:
        """Suppressed entries, those of the items that lost most first; the order of equals is random."""
        gone = np.flatnonzero(~self.alive)
        gone = gone[self.context.random.permutation(len(gone))]
        left = self.counts[self.baskets.codes[gone]] / self.original[self.baskets.codes[gone]]
        return gone[np.argsort(left, kind="stable")].astype(np.int64)

    def result(self) -> Baskets:
        """The baskets without what was suppressed."""
        lengths = np.bincount(self.owner[self.alive], minlength=len(self.baskets))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return self.baskets.with_baskets(starts, self.baskets.codes[self.alive])
