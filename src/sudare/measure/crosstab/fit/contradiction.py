"""Whether a release contradicts every table, and so is not what its description says.

An honest release is explained by its original, and even better by the table of highest likelihood. So if not even that
table explains it, the mechanism is another one, the data were changed, or the noise depends on the data. A release is
explained if chance could produce it: G^2 of d degrees exceeds

    d + 2 sqrt(d x) + 2 x

with a probability of at most exp(-x) (Laurent and Massart 2000, Lemma 1, for a chi-squared variable); x is set to one
release in a million. A bin of several numbers adds one more cause: the distribution within it is reconstructed once,
and assumed to be the same for every value of other attributes. If it is not, an honest release of many records
contradicts wide bins but not narrow ones, and the sentence says to try these first.

A mechanism that was stronger than described leaves no such trace: its release looks like one of a smoother original.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.iterate import iterate

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.measure.crosstab.fit.contract import Transition
    from sudare.measure.crosstab.fit.iterate import Iterated

    Floats = npt.NDArray[np.float64]

_SURE = math.log(1e6)
_EVEN = 0.01
"""Share of an even table mixed in before the search continues: EM never refills an empty cell."""
_LEAST_STEPS, _MOST_STEPS, _WORK = 2_000, 20_000, 2e8
"""Steps of the search, as many as this many multiplications allow: if noise is strong, EM is slow."""


def largest_by_chance(degrees: float) -> float:
    """The G^2 that chance alone exceeds once in a million, if its mean is `degrees`.

    >>> round(largest_by_chance(7)), round(largest_by_chance(1_000))
    (54, 1263)
    """
    degrees = max(degrees, 1.0)
    return degrees + 2.0 * math.sqrt(degrees * _SURE) + 2.0 * _SURE


def contradicts(transition: Transition, released: Floats, found: Iterated) -> bool:
    """Whether the release contradicts the table that was found, and provably every other one.

    A table that was raked, or that a rule or a limit ended early, may itself be far from the release, which alone is
    not the release's fault. Neither is slow EM; if the search ends before the proof, the answer is False.
    """
    most = largest_by_chance(found.expected)
    if not transition.matrices or found.misfit <= most:
        return False
    degrees = max(found.expected, 1.0)
    beyond = (most - degrees) / math.sqrt(2.0 * degrees)
    begin = (1.0 - _EVEN) * found.estimate + _EVEN * found.estimate.mean()
    limit = int(min(max(_WORK / transition.work, _LEAST_STEPS), _MOST_STEPS))
    best = iterate(transition, released, begin, deviations=beyond, limit=limit)
    return least_misfit(transition, released, best) > largest_by_chance(best.expected)


def least_misfit(transition: Transition, released: Floats, found: Iterated) -> float:
    """A lower bound on G^2 over all tables; the better `found` is, the closer the bound is to its G^2.

    The likelihood is concave, so no table x' has more than L(x) + sum_j g_j (x'_j - x_j), where g = A^T (y / u) is its
    slope. A table has as many records in every exact cell as were released there, so the sum is largest if all of them
    are where the slope is largest.
    """
    expected = transition.forward(found.estimate)
    ratio = np.divide(released, expected, out=np.zeros_like(released), where=expected > 0)
    steepest = transition.backward(ratio).reshape(-1, transition.exact).max(axis=0)
    records = released.reshape(transition.exact, -1).sum(axis=1)
    return found.misfit - 2.0 * float(records @ steepest - released.sum())
