"""Iterative Bayes (EM) on a table, accelerated, and stopped before it fits the noise.

    x_j <- x_j * sum_i A[i, j] y_i / u_i,     u = A x

y are the released counts, x the estimate of the original ones, A the transition. Every step raises the likelihood
sum_i y_i log u_i and keeps the total, and with it the total of every cell of attributes that were not randomized.
A full run to convergence overfits: on a table of many cells it is worse than the released counts themselves. Rules:

    fit      until G^2 = 2 sum_i y_i log(y_i / u_i) is what chance makes it for the true table (see `misfit`: cells - 1
             where counts are large), within some standard deviations. For few records two deviations are allowed:
             without them every second true table would count as a misfit, and EM would go on into the noise. For many
             records a cell, fewer and less than none: the best table then fits better than the true one (see
             `allowed_deviations`, and `rehearse`, which finds how much better). Whether it can fit that well is not
             known, so once the release is explained to within two deviations, a step that moves less than
             0.1 / sqrt(n) of the n records is the last one. Before that it is not: where noise is strong EM is slow,
             and a small step says nothing of how far it has to go.
    change   until a step moves less than 1e-3 of the records.
    none     until a step moves less than 1e-9 of the records: the maximum of the likelihood.

Acceleration is SQUAREM (Varadhan and Roland 2008, scheme S3): two steps give a direction and a curvature, a long
step along them is followed by an ordinary one, and is given up for the ordinary one when the likelihood falls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sudare.measure.crosstab.fit.misfit import LARGEST_PART, expected_misfit, misfit
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from sudare.measure.crosstab.fit.contract import Transition

    Floats = npt.NDArray[np.float64]

StopRule = Literal["fit", "change", "none"]

_SMALL_CHANGE = 1e-3
_NO_CHANGE = 1e-9
_NOISE = 0.1
"""In units of 1 / sqrt(n): a step this small moves less than the counts are known to."""
EXPLAINED = 2.0
"""Standard deviations of G^2 above chance up to which a table may be the original."""
_MOST_DEVIATIONS = 2.0
_LEAST_DEVIATIONS = -3.0
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Iterated:
    """Where EM stopped."""

    estimate: Floats
    """Original cells, in their layout."""
    misfit: float
    """G^2 of the released counts."""
    expected: float
    """What chance alone makes of G^2."""
    steps: int
    """Steps of EM, those before and after an extrapolation included."""
    met: bool
    """Whether the rule was met before the limit of steps."""
    deviations: float = 0.0
    """Standard deviations of G^2 above what chance makes it that the rule allowed."""
    kept: int | None = None
    """Steps of EM from the released counts that were taken for the estimate, 0 for none; None for the estimate."""
    worst: float | None = None
    """Largest total variation of the estimate over that of the released counts in the rehearsals; None without."""


def iterate(
    transition: Transition,
    released: Floats,
    start: Floats,
    *,
    stop: StopRule = "fit",
    deviations: float | None = None,
    limit: int = 2_000,
    settle: float | None = None,
    accelerate: bool = True,
    before: Iterated | None = None,
    visit: Callable[[Place], None] | None = None,
    progress: Progress = SILENT,
) -> Iterated:
    """Iterate from `start` until the rule is met; `deviations` of G^2 are allowed by the rule `fit`.

    `settle` are the deviations up to which a small step ends it: two when left out.
    `before` is what a run that is continued did, and `visit` is shown every estimate on the way.
    """
    if deviations is None:
        deviations = allowed_deviations(transition, float(released.sum()))
    settle = max(deviations, EXPLAINED) if settle is None else settle
    run = _Run(transition, released, deviations)
    small = {"fit": _NOISE / max(run.total, 1.0) ** 0.5, "change": _SMALL_CHANGE, "none": _NO_CHANGE}[stop]
    x = start * (run.total / max(float(start.sum()), _TINY))
    at = run.place(x)
    run.steps = before.steps if before else 0
    met, reach = stop == "fit" and run.fits(at), 1.0
    if visit is not None:
        visit(at)
    progress.start("reconstruct", limit)
    while not met and run.steps < limit:
        progress.update(run.steps)
        first = run.place(run.step(at))
        moved = float(np.abs(first.x - at.x).sum()) / max(run.total, 1.0)
        settled = stop != "fit" or run.misfit(first) <= run.allowed(first, settle)
        met = moved < (small if settled else _NO_CHANGE) or (stop == "fit" and run.fits(first))
        if met or not accelerate:
            at = first
        else:
            at, reach, met = _extrapolated(run, at, first, stop, reach)
        if visit is not None:
            visit(at)
    return Iterated(at.x, run.misfit(at), expected_misfit(at.u), run.steps, met, deviations)


def deviations_of(released: Floats, expected: Floats) -> float:
    """Standard deviations by which G^2 of released counts is above what chance makes it."""
    present = released > 0
    usual = expected_misfit(expected)
    return (misfit(released[present], expected[present]) - usual) / math.sqrt(2.0 * max(usual, 1.0))


def allowed_deviations(transition: Transition, records: float) -> float:
    """Standard deviations of G^2 above what chance makes it at which the rule `fit` stops; chosen by measurement.

    2 for up to 1,000 records or one a cell, one less for each tenfold of records a cell. A single attribute has few
    cells, cannot hide much noise, and gets none at most.
    """
    if records <= 0:
        return 0.0
    dense = max(math.log10(records / transition.cells), 0.0)
    sure = min(max(math.log10(records) - 3.0, 0.0), 1.0)
    found = max(_MOST_DEVIATIONS - sure * dense, _LEAST_DEVIATIONS)
    return min(found, 0.0) if len(transition.matrices) == 1 and transition.exact == 1 else found


def _extrapolated(
    run: _Run, at: Place, first: Place, stop: StopRule, reach: float
) -> tuple[Place, float, bool]:
    """The end of a long step, or of two ordinary ones where it would lead down or beyond the place to stop.

    With it how long the next may be, and whether it is the place to stop.
    """
    second = run.place(run.step(first))
    if stop == "fit" and run.fits(second):
        return second, reach, True
    direction = first.x - at.x
    curvature = second.x - first.x - direction
    bend = float(np.linalg.norm(curvature))
    length = min(float(np.linalg.norm(direction)) / bend, 4.0 * reach) if bend > 0 else 1.0
    if length <= 1.0:
        return second, reach, False
    far = at.x + 2.0 * length * direction + length * length * curvature
    # A cell that would turn negative keeps a part of its last value: zero would never come back.
    far = np.where(far > 0, far, 0.1 * second.x)
    far *= run.total / max(float(far.sum()), _TINY)
    end = run.place(run.step(run.place(far)))
    if end.likelihood >= second.likelihood and not (stop == "fit" and run.fits(end)):
        return end, max(length, 1.0), False
    return second, max(length / 4.0, 1.0), False


@dataclass(frozen=True, eq=False)
class Place:
    """An estimate on the way with what follows from it."""

    x: Floats
    u: Floats
    """A x, the expected released counts."""
    likelihood: float
    """Sum of y log u."""


class _Run:
    """The counts of one run with what is computed from them again and again."""

    def __init__(self, transition: Transition, released: Floats, deviations: float = 0.0) -> None:
        self.deviations = deviations
        self.transition = transition
        self.released = released
        self.total = float(released.sum())
        self.present = released > 0
        self.full = bool(self.present.all())
        self.counts = released.ravel() if self.full else released[self.present]
        self.highest = float(self.counts @ np.log(self.counts))
        self.sparse = self.counts.size < released.size / 2
        self.steps = 0
        # No cell is expected to add more to G^2, so that a large one needs no closer look.
        usual = LARGEST_PART * released.size
        self.most = usual + max(deviations, 0.0) * (2.0 * usual) ** 0.5 + 2.0 * max(deviations, 0.0)

    def place(self, x: Floats) -> Place:
        """An estimate with its expected counts and their likelihood."""
        u = self.transition.forward(x)
        present = u.ravel() if self.full else u[self.present]
        return Place(x, u, float(self.counts @ np.log(np.maximum(present, _TINY))))

    def step(self, at: Place) -> Floats:
        """One step of EM."""
        self.steps += 1
        if self.sparse:
            ratio = np.zeros_like(self.released)
            ratio[self.present] = self.counts / np.maximum(at.u[self.present], _TINY)
        else:
            ratio = self.released / np.maximum(at.u, _TINY)
        moved: Floats = at.x * self.transition.backward(ratio)
        return moved

    def misfit(self, at: Place) -> float:
        """G^2."""
        return max(2.0 * (self.highest - at.likelihood), 0.0)

    def fits(self, at: Place) -> bool:
        """Whether G^2 is no more than chance makes it, within the deviations allowed."""
        found = self.misfit(at)
        return found <= self.most and found <= self.allowed(at, self.deviations)

    def allowed(self, at: Place, deviations: float) -> float:
        """G^2 that chance makes, and so many standard deviations more."""
        usual = expected_misfit(at.u)
        return float(usual + deviations * (2.0 * max(usual, 1.0)) ** 0.5)
