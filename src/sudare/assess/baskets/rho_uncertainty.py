"""rho-uncertainty (Cao et al. 2010), and personalized rho-uncertainty (undated paper): a sensitive set per user."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator

from sudare.assess.baskets.adversary import LISTED, Adversary, BasketVerdict
from sudare.assess.baskets.pairing import asking_of, kept_mask, released_and_original, subsets_of
from sudare.assess.baskets.sampling import (
    MOST_DRAWN,
    checked_size,
    draw,
    is_endless,
    item_places,
    risk_bound,
)
from sudare.errors import ErrorSentence
from sudare.kernels.baskets.change import count_supports
from sudare.kernels.baskets.exposed import first_asking, review_inferences
from sudare.kernels.baskets.sample import worst_of_samples
from sudare.parameters import Annotated, Field, model_validator, parameters
from sudare.randomness import Randomness
from sudare.rational import exact_share
from sudare.words.sentence import Sentence, counted

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.describe.baskets.baskets import Baskets
    from sudare.kernels.baskets.subsets import Subsets

_FINEST = 10**9

Ratio = Annotated[
    float | str, BeforeValidator(lambda given: str(given) if isinstance(given, Fraction) else given)
]
"""A number that may also be written as a fraction: 0.5, "1/3"."""


@parameters
class RhoUncertainty:
    """An attacker who knows some items of a user can infer no sensitive item of theirs with confidence above rho.

    For every user u, every non-empty set Q of items of u's original basket (of at most m items, if m is given) and
    every item e outside Q that is sensitive for u (u need not have it):

        conf(Q -> e) = supp(Q + e) / supp(Q) <= rho,  or no released basket has Q,

    with supp counted in the release. One sensitive set for all users gives rho-uncertainty, a separate set for each
    user personalized rho-uncertainty, and an m rho^m-uncertainty. With eps and delta, the condition applies to an
    adversary drawn at random (a user with at least l items, then l of their items, uniformly) instead of every one:
    for each length l <= m, an adversary in danger is drawn with probability below eps, with confidence 1 - delta.

    Guarantees nothing about sets of sensitive items (each item is considered alone), about adversaries who know that
    an item is absent, or about finding a user (see k^m-anonymity). Q ranges over the original basket because
    suppression does not reduce what an adversary knows; so a check needs the original.
    rho is a rational number: 0.3 means 3/10, "1/3" is a third; beyond nine decimals it is rounded down.

    >>> from sudare.describe.baskets.baskets import Baskets
    >>> baskets = Baskets.from_lists([["x", "y"], ["x", "y"], ["x", "y"], ["x"]]).describe(sensitive=["y"])
    >>> RhoUncertainty(0.5).check(baskets).explanation
    'An attacker who knows that user 1 has {x} can infer y with confidence 3/4, but at most 0.5 is allowed; 4 of 4 users are exposed by 1 inference.'
    """

    needs_sensitive: ClassVar[bool] = True
    """It concerns sensitive items, and says nothing if there are none."""

    rho: Ratio
    """Largest confidence allowed: a number from 0 to 1, or a fraction such as "1/3"."""
    m: Annotated[int, Field(ge=1)] | None = None
    """Maximum number of items an adversary knows; unlimited if left out."""
    eps: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of adversaries that may be dangerous, if adversaries are sampled."""
    delta: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Probability that a sample may mislead."""
    rule: Literal["exact", "paper"] = "exact"
    """How many adversaries a method draws: exact (valid over all its rounds) or paper (as published)."""

    @model_validator(mode="after")
    def _check(self) -> RhoUncertainty:
        exact_share(self.rho, "rho")
        if (self.eps is None) != (self.delta is None):
            raise ValueError(ErrorSentence("assess.baskets.eps_and_delta"))
        if self.eps is not None and self.m is None:
            raise ValueError(ErrorSentence("assess.baskets.no_m"))
        if self.eps is not None and self.delta is not None and is_endless(self.eps, self.delta):
            raise ValueError(
                ErrorSentence("assess.baskets.endless", eps=self.eps, delta=self.delta, most=MOST_DRAWN)
            )
        return self

    @property
    def ratio(self) -> tuple[int, int]:
        """Rho as (numerator, denominator)."""
        value = exact_share(self.rho, "rho")
        if value.denominator > _FINEST:
            value = Fraction(int(value * _FINEST), _FINEST)
        return value.numerator, value.denominator

    def check(
        self, data: Any, original: Baskets | None = None, *, random: Randomness | None = None
    ) -> BasketVerdict:
        """Recompute the confidences in baskets, or in a release given the original that adversaries know.

        Without `original`, the baskets themselves are used. `random` draws the adversaries if they are sampled.
        """
        released, known = released_and_original(data, original)
        alive = kept_mask(released, known)
        asking = asking_of(known, "rho-uncertainty")
        if not len(known.codes):
            said = Sentence("baskets.rho_uncertainty.no_items")
            return BasketVerdict(
                "RhoUncertainty", True, None, _NOBODY, said, risk=("largest_confidence", 0.0)
            )
        if self.eps is not None and self.delta is not None:
            return self._sampled(known, alive, asking, self.eps, self.delta, random or Randomness())
        width = None if self.m is None else self.m + 1
        subsets = subsets_of(known, width, asking, "rho-uncertainty")
        return self._every(known, alive, asking, subsets)

    def _every(
        self, known: Baskets, alive: npt.NDArray[np.bool_], asking: Any, subsets: Subsets
    ) -> BasketVerdict:
        over, under = self.ratio
        support = np.empty(len(subsets.sizes), dtype=np.int64)
        count_supports(subsets, alive, support)
        exposed = np.zeros(len(known), dtype=np.bool_)
        listed = np.empty((LISTED, 2), dtype=np.int64)
        count: int = review_inferences(subsets, support, over, under, asking, listed, exposed)
        worst = tuple(
            self._adversary(known, subsets, support, asking, *one) for one in listed.tolist() if one[0] >= 0
        )
        users = np.flatnonzero(exposed).astype(np.int64)
        reached = worst[0].confidence if worst else 0.0
        if not worst:
            said = Sentence("baskets.rho_uncertainty.nothing")
        elif not count:
            said = Sentence(
                "baskets.rho_uncertainty.holds",
                inferences=counted("inferences", len(subsets.extensions)),
                rho=self.rho,
                reached=reached,
            )
        else:
            said = Sentence(
                "baskets.rho_uncertainty.fails",
                adversary=worst[0].sentence,
                rho=self.rho,
                exposed=len(users),
                users=len(known),
                inferences=counted("inferences", count),
            )
        risk = ("largest_confidence", reached)
        return BasketVerdict("RhoUncertainty", count == 0, reached, users, said, worst, risk=risk)

    @staticmethod
    def _adversary(
        known: Baskets, subsets: Subsets, support: npt.NDArray[np.int64], asking: Any, number: int, place: int
    ) -> Adversary:
        extended = int(subsets.extensions[place])
        code = int(subsets.items[extended, subsets.added[place]])
        rows = subsets.postings[subsets.posting_starts[number] : subsets.posting_starts[number + 1]]
        items = tuple(known.items[each] for each in subsets.items[number, : subsets.sizes[number]])
        user = int(first_asking(rows, code, asking))
        return Adversary(user, items, known.items[code], int(support[number]), int(support[extended]))

    def _sampled(
        self,
        known: Baskets,
        alive: npt.NDArray[np.bool_],
        asking: Any,
        eps: float,
        delta: float,
        random: Randomness,
    ) -> BasketVerdict:
        over, under = self.ratio
        size = checked_size(eps, delta)
        places = item_places(known)
        bounds, failures = [], 0
        listed: list[Adversary] = []
        exposed: list[npt.NDArray[np.int64]] = [_NOBODY]
        for length in range(1, (self.m or 1) + 1):
            drawn = draw(known, length, size, random)
            if drawn is None:
                break
            found = np.empty((size, 3), dtype=np.int64)
            worst_of_samples(places, alive, asking, drawn.users, drawn.known, found)
            unsafe = found[:, 1] * under > found[:, 2] * over
            failures += int(unsafe.sum())
            bounds.append(risk_bound(int(unsafe.sum()), size, delta))
            exposed.append(np.unique(drawn.users[unsafe]))
            for place in _largest(found[:, 1] / np.maximum(found[:, 2], 1), found[:, 2]):
                if found[place, 0] >= 0:
                    items = tuple(known.items[each] for each in drawn.known[place])
                    inferred = known.items[int(found[place, 0])]
                    listed.append(
                        Adversary(
                            int(drawn.users[place]),
                            items,
                            inferred,
                            int(found[place, 2]),
                            int(found[place, 1]),
                        )
                    )
        reached = max(bounds, default=0.0)
        holds = reached < eps
        listed = sorted(dict.fromkeys(listed), key=lambda one: (-one.confidence, -one.support))[:LISTED]
        said = Sentence(
            "baskets.rho_uncertainty.sampled",
            size=size,
            lengths=len(bounds),
            failures=failures,
            confidence=1 - delta,
            reached=reached,
            eps=eps,
        )
        users = np.unique(np.concatenate(exposed))
        risk = ("dangerous_share", reached)
        return BasketVerdict("RhoUncertainty", holds, reached, users, said, tuple(listed), size, risk)


_NOBODY: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)


def _largest(confidence: npt.NDArray[np.float64], base: npt.NDArray[np.int64]) -> list[int]:
    """Positions of the most certain inferences; among equals, those that concern the most baskets come first."""
    few = min(LISTED, len(confidence))
    if not few:
        return []
    least = np.partition(confidence, len(confidence) - few)[len(confidence) - few]
    able = np.flatnonzero((confidence >= least) & (confidence > 0))
    order = np.lexsort((able, -base[able], -confidence[able]))
    return [int(place) for place in able[order[:few]]]
