"""What is left of the baskets during suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.arrays import starts_of
from sudare.kernels.baskets.entries import Choice, Entries
from sudare.kernels.baskets.give_back import divergence
from sudare.kernels.baskets.suppress import EVEN, PAPER

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.protocol import Context
    from sudare.describe.baskets.baskets import Baskets

EVENNESS = (4.0, 64.0)
"""How strongly the default keeps the items' frequencies in proportion: it tries both. The first alone is nearly as
good; the second helps if items are about equally frequent, where the paper's rule keeps proportions very well."""


class Working:
    """The state of a suppression: the entries left, the count of each item, the random words."""

    def __init__(self, baskets: Baskets, context: Context, *, paper: bool) -> None:
        self.baskets = baskets
        self.context = context
        counts = baskets.supports()
        self.entries = Entries(
            alive=np.ones(len(baskets.codes), dtype=np.bool_),
            owner=baskets.owners.astype(np.int32),
            counts=counts,
            original=counts.astype(np.float64),
            total=np.full(2, len(baskets.codes), dtype=np.int64),
        )
        # One word per removal, for each of the rules that the default tries.
        tries = 1 if paper else 1 + len(EVENNESS)
        words = context.random.bits(max(tries * len(baskets.codes), 1)).copy()
        self.choice = Choice(PAPER if paper else EVEN, EVENNESS[0], words, np.zeros(1, dtype=np.int64))

    def begin(self) -> None:
        """Report that suppression begins or continues."""
        self.context.progress.start("suppress_items", max(len(self.baskets.codes), 1))

    def restart(self, evenness: float | None) -> None:
        """Put every entry back, to start again with another rule (None: the paper's). Random words are never reused."""
        rule, strength = (PAPER, EVENNESS[0]) if evenness is None else (EVEN, evenness)
        self.choice = self.choice._replace(rule=rule, evenness=strength)
        self.take(np.ones(len(self.alive), dtype=np.bool_))

    def take(self, alive: npt.NDArray[np.bool_]) -> None:
        """Return to an earlier set of remaining entries; supports of sets are not restored."""
        self.alive[:] = alive
        left = self.baskets.codes[alive]
        self.entries.counts[:] = np.bincount(left, minlength=len(self.entries.counts))
        self.entries.total[0] = len(left)

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Whether each entry is left."""
        return self.entries.alive

    @property
    def divergence(self) -> float:
        """KL(D || D0) of the items' frequencies: util2."""
        return float(divergence(self.entries))

    @property
    def removed(self) -> int:
        """Number of entries removed."""
        return int(self.entries.total[1] - self.entries.total[0])

    def tell(self) -> None:
        """Report progress as a share of all entries, because the number to be removed is unknown."""
        self.context.progress.update(self.removed)

    def gone_in_order(self) -> npt.NDArray[np.int64]:
        """Suppressed entries, those of the items that lost most first; ties are in random order."""
        gone = np.flatnonzero(~self.alive)
        gone = gone[self.context.random.permutation(len(gone))]
        left = (self.entries.counts / np.maximum(self.entries.original, 1.0))[self.baskets.codes[gone]]
        return gone[np.argsort(left, kind="stable")].astype(np.int64)

    def result(self) -> Baskets:
        """The baskets without the suppressed entries."""
        lengths = np.bincount(self.entries.owner[self.alive], minlength=len(self.baskets))
        starts = starts_of(lengths)
        return self.baskets.with_baskets(starts, self.baskets.codes[self.alive])
