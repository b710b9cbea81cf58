"""Whether a release contradicts every table: then it is not what its description says.

An honest release is explained by its original, and the table of highest likelihood explains it better still. So where not
even that table does, the mechanism is another one, the data were changed, or the noise depends on the data. Explained is what
chance may do: G^2 of d degrees exceeds

    d + 2 sqrt(d x) + 2 x

with a probability of at most exp(-x) (Laurent and Massart 2000, Lemma 1, for a chi-squared variable); x is set to one
release in a million. A bin of several numbers adds one more cause: how these lie inside of it is reconstructed once, and taken
to be the same beside every value of other attributes. Where that is not so, an honest release of many records contradicts wide
bins and not narrow ones, and the sentence says to try these first.

A mechanism said to be weaker than it was leaves no such trace: its release looks like one of a smoother original.
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
"""Share of an even table that is mixed in before the search goes on: EM never brings back a cell that is empty."""
_LEAST_STEPS, _MOST_STEPS, _WORK = 2_000, 20_000, 2e8
"""Steps of the search, as many as so many multiplications allow: where noise is strong EM is slow."""


def largest_by_chance(degrees: float) -> float:
    """G^2 that chance alone exceeds once in a million, where it makes `degrees` on average.

    >>> round(largest_by_chance(7)), round(largest_by_chance(1_000))
    (54, 1263)
    """
    degrees = max(degrees, 1.0)
    return degrees + 2.0 * math.sqrt(degrees * _SURE) + 2.0 * _SURE


def contradicts(transition: Transition, released: Floats, found: Iterated) -> bool:
    """Whether the release contradicts the table that was found, and provably every other one.

    A table that was raked, or that a rule or a limit ended early, may itself be far from the release: that alone is not
    the release's fault. Nor is EM that is slow; where the search ends before the proof, nothing is said.
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
    """A lower bound of G^2 over all tables, the nearer to that of `found` the better that is.

    The likelihood is concave, so no table x' has more than L(x) + sum_j g_j (x'_j - x_j), g = A^T (y / u) its slope. A
    table has as many records in every exact cell as were released there, so the sum is largest with all of them where the slope is.
    """
    expected = transition.forward(found.estimate)
    ratio = np.divide(released, expected, out=np.zeros_like(released), where=expected > 0)
    steepest = transition.backward(ratio).reshape(-1, transition.exact).max(axis=0)
    records = released.reshape(transition.exact, -1).sum(axis=1)
    return found.misfit - 2.0 * float(records @ steepest - released.sum())
