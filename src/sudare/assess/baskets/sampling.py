"""Sampled adversaries: how many to draw, how to draw them, and what their failures prove."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.arrays import read_only, starts_of
from sudare.errors import ParameterError
from sudare.kernels.baskets.sample import Places, draw_sets, mark_baskets

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.describe.baskets.baskets import Baskets
    from sudare.randomness import Randomness

_FEWEST_CHECKED = 2_000
_MOST_ITEMS = 200_000_000
MOST_DRAWN = 10_000_000
"""Maximum number of adversaries of one length drawn at once; they take several hundred megabytes."""


def sample_size(eps: float, delta: float, rule: str = "exact", attempt: int | None = None) -> int:
    """Number of adversaries to draw so that finding none in danger proves a risk below eps with confidence 1 - delta.

    paper: ceil(log(1/delta) / (2 eps^2)), by Hoeffding's inequality, in every round.
    exact: the least n with (1 - eps)^n <= delta; in round r (`attempt`), delta / (r (r + 1)) replaces delta. These sum
    to delta, so the confidence is 1 - delta whichever round passes. The published rule samples with the same delta
    until a round passes, so a lucky pass counts as proof.

    >>> [sample_size(x, x, "paper") for x in (0.1, 0.05, 0.01)], [sample_size(x, x) for x in (0.1, 0.05, 0.01)]
    ([116, 600, 23026], [22, 59, 459])
    """
    if rule == "paper":
        return math.ceil(-math.log(delta) / (2 * eps**2))
    spread = delta if attempt is None else delta / (attempt * (attempt + 1))
    return math.ceil(math.log(spread) / math.log1p(-eps))


def is_endless(eps: float, delta: float) -> bool:
    """Whether a check, or the first round of either rule, would have to draw more adversaries than is possible.

    >>> is_endless(0.0005, 0.01), is_endless(1e-9, 0.01), is_endless(1e-9, 0.9999999999999999), is_endless(0.1, 1e-300)
    (False, True, True, False)
    """
    return -math.log(delta) > 2 * eps * eps * MOST_DRAWN or math.log(2) - math.log(delta) > eps * MOST_DRAWN


def checked_size(eps: float, delta: float) -> int:
    """Number of adversaries a check draws: enough for a release with half the allowed risk to pass nearly always."""
    return max(_FEWEST_CHECKED, sample_size(eps, delta, "paper"))


def risk_bound(failures: int, drawn: int, delta: float) -> float:
    """Upper end of the exact (Clopper-Pearson) interval for the share of dangerous adversaries, confidence 1 - delta.

    Without failures this is 1 - delta^(1/n), the rule `exact` above.
    """
    from scipy.special import betainccinv

    # Computed from the complement: for a small delta, 1 - delta is 1 in floating point.
    return 1.0 if failures >= drawn else float(betainccinv(failures + 1, drawn - failures, delta))


class Drawn(NamedTuple):
    """Adversaries of one length."""

    users: npt.NDArray[np.int64]
    known: npt.NDArray[np.int32]


def draw(baskets: Baskets, size: int, count: int, random: Randomness) -> Drawn | None:
    """Draw a user with at least `size` items, then `size` of their items, uniformly; None if nobody has that many."""
    eligible = np.flatnonzero(baskets.lengths >= size)
    if not len(eligible):
        return None
    if count * size > _MOST_ITEMS:
        raise ParameterError("assess.baskets.too_many_drawn", count=count, items=size)
    users = eligible[random.integers(len(eligible), count)]
    known = np.zeros((count, size), dtype=np.int32)
    scratch = np.zeros(int(baskets.lengths.max()), dtype=np.int64)
    words = random.bits(count * size).copy()
    draw_sets(read_only(baskets.starts), read_only(baskets.codes), users, size, words, scratch, known)
    return Drawn(users, known)


def item_places(baskets: Baskets) -> Places:
    """The positions of every item in ascending order."""
    items = len(baskets.items)
    marks = np.zeros(len(baskets), dtype=np.uint64)
    starts, codes = read_only(baskets.starts), read_only(baskets.codes)
    mark_baskets(starts, codes, marks)
    return Places(
        starts,
        codes,
        baskets.owners.astype(np.int32),
        starts_of(baskets.supports()),
        np.argsort(baskets.codes, kind="stable").astype(np.int32),
        marks,
        np.empty(len(baskets) + 1, dtype=np.int32),
        np.zeros(items + 1, dtype=np.int64),
        np.empty(items + 1, dtype=np.int32),
    )
