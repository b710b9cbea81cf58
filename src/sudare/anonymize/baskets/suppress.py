"""Suppression of single items in single baskets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sudare.anonymize.baskets.every_adversary import Frequent, Uncertain
from sudare.anonymize.baskets.protocol import BasketOutcome
from sudare.anonymize.baskets.sampled_adversaries import Sampled
from sudare.anonymize.baskets.working import EVENNESS, Working
from sudare.anonymize.note import Note
from sudare.assess.baskets.km_anonymity import KmAnonymity
from sudare.assess.baskets.rho_uncertainty import RhoUncertainty
from sudare.errors import ParameterError
from sudare.parameters import parameters

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.anonymize.protocol import Context
    from sudare.describe.baskets.baskets import Baskets

_NEAR = 0.8
"""Entries are given back up to this share of the divergence of the paper's rule: the rest is the gain in util2."""


@parameters
class SuppressItems:
    """Suppress items, each in as few baskets as possible, until rho-uncertainty or k^m-anonymity is met.

    While some conf(Q -> e) that must not exceed rho does, one item d of Q + e is suppressed in Ns baskets, chosen at
    random among those that have Q + e:

        Ns = ceil(supp(Q + e) - rho supp(Q))                if d = e,
        Ns = ceil((supp(Q + e) - rho supp(Q)) / (1 - rho))  if d is in Q;

    short Q first, repeated until nothing is unsafe (algorithm 1; with eps and delta, only for drawn adversaries:
    algorithm 2). How d is chosen:

    - paper: the (d, e) with the largest F = D(d) log(D(d) / D0(d)) / Ns, where D and D0 are the items' shares of all
      entries now and before. Adversaries with the same Q are handled together, in the order of their sets instead of
      their users.
    - literal: the same F, and the loops of algorithm 1 as published: for each length of Q, for each user u, while an unsafe
      (u, Q) exists, only inferences of what is sensitive for u compete. It differs from paper only in the order.
    - default: the least Ns (D0(d) / D'(d))^4: entries lost, weighted by how much of the item will be gone (D' is its
      share afterwards; F prefers a *larger* Ns once an item has lost more than others, and ignores that one of three
      is more than one of a hundred). Afterwards, suppressed entries are given back if nothing becomes unsafe, those of
      the items that lost most first, and only as many as leave util2 well below that of the paper's rule, which is run
      as well. The same is tried with the exponent 64, and with the paper's choice, and the best of the three is used.
      So with the same seed the default never loses more than the paper's rule, by either util1 or util2.

    For k^m-anonymity, a set that occurs fewer than k times is broken up in each of its baskets by suppressing the
    item that breaks up the most such sets there; both strategies do the same, but only the default gives back. With
    several requirements, or drawn adversaries, nothing is given back and the paper's rule is not tried as well.

    It terminates: suppression is not monotone (supp(Q) may fall below what supp(Q + e) allows), but Ns >= 1 wherever a
    confidence is above rho, so every step removes an entry, and there are finitely many; with no entry left, nothing
    can be inferred. Giving back follows all steps of a requirement that is the only one, and adds an entry each time,
    so it ends as well. rho = 1 suppresses nothing; rho = 0 leaves no sensitive item together with any other.
    """

    strategy: Literal["default", "paper", "literal"] = "default"
    """default; paper: items are chosen as published, set by set, and nothing is given back; literal: as published, user by
    user."""

    def apply(self, baskets: Baskets, context: Context) -> BasketOutcome:
        """Suppress until all requirements are met together."""
        working = Working(baskets, context, paper=self.strategy != "default")
        if not len(baskets.codes):
            return BasketOutcome(baskets, (Note("items.none"),))
        suppressors = [
            _suppressor(working, requirement, by_user=self.strategy == "literal")
            for requirement in context.requirements
        ]
        given = 0
        if self.strategy == "default" and len(suppressors) == 1 and not isinstance(suppressors[0], Sampled):
            given = _reach_with_less(working, suppressors[0])
        else:
            # Each one only removes entries, so taking turns ends; with a single one, the first turn is enough.
            while sum(suppressor.reach() for suppressor in suppressors) and len(suppressors) > 1:
                pass
        gone, entries = working.removed, len(baskets.codes)
        figures = {"gone": gone, "entries": entries, "share": gone / entries}
        notes = [
            Note("items.given_back", **figures, given=given) if given else Note("items.suppressed", **figures)
        ]
        notes += [
            Note("items.rounds", rounds=suppressor.rounds)
            for suppressor in suppressors
            if isinstance(suppressor, Sampled)
        ]
        return BasketOutcome(working.result(), tuple(notes))


def _suppressor(working: Working, requirement: Any, *, by_user: bool) -> Uncertain | Frequent | Sampled:
    if isinstance(requirement, KmAnonymity):
        return Frequent(working, requirement)
    if not isinstance(requirement, RhoUncertainty):
        raise ParameterError("anonymize.baskets.not_by_suppression", requirement=type(requirement).__name__)
    if requirement.eps is None:
        return Uncertain(working, requirement, by_user=by_user)
    return Sampled(working, requirement)


class _Result(NamedTuple):
    removed: int
    divergence: float
    given: int
    alive: npt.NDArray[np.bool_]


def _reach_with_less(working: Working, suppressor: Uncertain | Frequent) -> int:
    """Suppress with several rules, give entries back, and keep the best result: never worse than the paper's rule.

    The result is left in `working`; the return value is the number of entries given back in it.

    The paper's rule comes first, with the same random words it would have alone: P is its result. Every rule then
    gives entries back. Starting from P, this lowers util1 with every entry and never raises util2 above P's, so that
    result is at least as good as P in both. The result of an even rule is used if it is too, and if the sum of both
    losses, each as a share of P's, is lower.
    """
    working.restart(None)
    suppressor.reach()
    reference, divergence = working.removed, working.divergence
    most = _NEAR * divergence
    best = _given_back(working, suppressor, most)
    if not best.removed or not suppressor.chooses:
        return best.given

    def weight(one: _Result) -> float:
        return one.removed / reference + (one.divergence / divergence if divergence else 0.0)

    for evenness in EVENNESS:
        working.restart(evenness)
        suppressor.reach()
        other = _given_back(working, suppressor, most)
        dominates = other.removed <= reference and other.divergence <= divergence
        if dominates and weight(other) < weight(best):
            best = other
    working.take(best.alive)
    return best.given


def _given_back(working: Working, suppressor: Uncertain | Frequent, most: float) -> _Result:
    given = suppressor.give_back(most)
    return _Result(working.removed, working.divergence, given, working.alive.copy())
