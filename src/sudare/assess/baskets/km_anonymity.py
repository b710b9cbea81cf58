"""k^m-anonymity (Terrovitis, Mamoulis, Kalnis 2008): an attacker who knows m items finds k baskets or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.assess.baskets.adversary import LISTED, Adversary, BasketVerdict
from sudare.assess.baskets.pairing import released_and_original, subsets_of
from sudare.parameters import Annotated, Field, parameters
from sudare.words.sentence import Sentence, counted

if TYPE_CHECKING:
    from sudare.describe.baskets.baskets import Baskets
    from sudare.randomness import Randomness


@parameters
class KmAnonymity:
    """Every set of at most m items that occurs in the release occurs in at least k of its baskets.

    Guarantees that an attacker who knows up to m items of a user is left with at least k baskets (or none, if an item
    was suppressed). Guarantees nothing about what these k have in common: they may all share a sensitive item.
    It depends on the released baskets alone, so it can be checked without the original.

    >>> from sudare.describe.baskets.baskets import Baskets
    >>> KmAnonymity(2, 2).check(Baskets.from_lists([["a", "b"], ["a", "b"], ["b", "c"]])).explanation
    'An attacker who knows that user 3 has {c} is left with 1 basket, but 2 are required; 1 of 3 users are exposed by 2 sets.'
    """

    k: Annotated[int, Field(ge=1)]
    """Minimum number of baskets that share any set of m items."""
    m: Annotated[int, Field(ge=1)]
    """Maximum number of items an adversary knows."""

    def check(
        self,
        data: Any,
        original: Baskets | None = None,
        *,
        random: Randomness | None = None,  # noqa: ARG002  # every set is counted, none is drawn
    ) -> BasketVerdict:
        """Recount every set of at most m items in baskets or a release; the original is not needed."""
        released, _ = released_and_original(data, original)
        if not len(released.codes):
            nobody = np.empty(0, dtype=np.int64)
            said = Sentence("baskets.km_anonymity.no_items")
            return BasketVerdict("KmAnonymity", True, None, nobody, said, risk=("singling_out", 0.0))
        subsets = subsets_of(released, self.m, None, "km-anonymity")
        support = np.diff(subsets.posting_starts)
        rare = support < self.k
        order = np.lexsort((np.arange(len(support)), subsets.sizes, support))[:LISTED]
        worst = tuple(
            Adversary(
                int(subsets.postings[subsets.posting_starts[number]]),
                tuple(released.items[code] for code in subsets.items[number, : subsets.sizes[number]]),
                None,
                int(support[number]),
                int(support[number]),
            )
            for number in order
        )
        users = np.unique(subsets.postings[np.repeat(rare, support)]).astype(np.int64)
        smallest = int(support.min())
        count = int(rare.sum())
        if not count:
            said = Sentence(
                "baskets.km_anonymity.holds", m=self.m, baskets=counted("baskets", smallest), k=self.k
            )
        else:
            said = Sentence(
                "baskets.km_anonymity.fails",
                adversary=worst[0].sentence,
                k=self.k,
                exposed=len(users),
                users=len(released),
                sets=counted("sets", count),
            )
        risk = ("singling_out", 1 / smallest)
        return BasketVerdict("KmAnonymity", count == 0, float(smallest), users, said, worst, risk=risk)
