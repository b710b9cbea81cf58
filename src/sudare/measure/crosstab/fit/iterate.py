"""Iterative Bayes (EM) on a table, accelerated, and stopped before it fits the noise.

    x_j <- x_j * sum_i A[i, j] y_i / u_i,     u = A x

y are the released counts, x the estimate of the original ones, A the transition. Every step raises the likelihood
sum_i y_i log u_i and keeps the total, and also the total of every cell of attributes that were not randomized.
A full run to convergence overfits: on a table of many cells it is worse than the released counts themselves. Rules:

    fit      until G^2 = 2 sum_i y_i log(y_i / u_i) has its expected size for the true table (see `misfit`: cells - 1
             if counts are large), within some standard deviations. For few records two deviations are allowed:
             without them every second true table would count as a misfit, and EM would continue into the noise. For
             many records per cell, fewer are allowed, even negative ones: the best table then fits better than the
             true one (see `allowed_deviations`, and `rehearse`, which finds how much better). Whether it can fit
             that well is unknown, so once the release is explained to within two deviations, a step that moves less
             than 0.1 / sqrt(n) of the n records is the last one. Before that it is not: if noise is strong, EM is
             slow, and a small step does not show how far it has to go.
    change   until a step moves less than 1e-3 of the records.
    none     until a step moves less than 1e-9 of the records: the maximum of the likelihood.

Acceleration is SQUAREM (Varadhan and Roland 2008, scheme S3): two steps give a direction and a curvature. A long
step along them is followed by an ordinary one, and is replaced by the ordinary one if the likelihood falls.
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
"""In units of 1 / sqrt(n): a step this small moves less than the uncertainty of the counts."""
EXPLAINED = 2.0
"""Standard deviations of G^2 above its expected size up to which a table may be the original."""
_MOST_DEVIATIONS = 2.0
_LEAST_DEVIATIONS = -3.0
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Iterated:
    """The state in which EM stopped."""

    estimate: Floats
    """Original cells, in the layout of original cells."""
    misfit: float
    """G^2 of the released counts."""
    expected: float
    """The size of G^2 by chance alone."""
    steps: int
    """Number of EM steps, including those before and after an extrapolation."""
    met: bool
    """Whether the rule was met before the limit of steps."""
    deviations: float = 0.0
    """Standard deviations of G^2 above its expected size that the rule allowed."""
    kept: int | None = None
    """Number of EM steps from the released counts used as the estimate, 0 for none; None for the estimate itself."""
    worst: float | None = None
    """Largest total variation of the estimate over that of the released counts in the rehearsals; None without any."""
    independent: bool = False
    """Whether the product of the margins explained the release, so that nothing was learned about dependence."""


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
    """Iterate from `start` until the rule is met; the rule `fit` allows `deviations` of G^2.

    `settle` is the number of deviations up to which a small step ends the run: two if left out.
    `before` is the result of a run to be continued, and `visit` is called with every estimate on the way.
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
    """Standard deviations by which G^2 of released counts is above its expected size."""
    present = released > 0
    usual = expected_misfit(expected)
    return (misfit(released[present], expected[present]) - usual) / math.sqrt(2.0 * max(usual, 1.0))


def allowed_deviations(transition: Transition, records: float) -> float:
    """Standard deviations of G^2 above its expected size at which the rule `fit` stops; chosen by measurement.

    2 for up to 1,000 records or one per cell, one less for each tenfold of records per cell. A single attribute has
    few cells, cannot hide much noise, and gets at most 0.
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
    """The end of a long step, or of two ordinary ones if it would lead down or beyond the stopping point.

    Also returns how long the next step may be, and whether this is the stopping point.
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
    # A cell that would turn negative keeps a part of its last value, because EM cannot leave zero.
    far = np.where(far > 0, far, 0.1 * second.x)
    far *= run.total / max(float(far.sum()), _TINY)
    end = run.place(run.step(run.place(far)))
    if end.likelihood >= second.likelihood and not (stop == "fit" and run.fits(end)):
        return end, max(length, 1.0), False
    return second, max(length / 4.0, 1.0), False


@dataclass(frozen=True, eq=False)
class Place:
    """An estimate on the way and the figures that follow from it."""

    x: Floats
    u: Floats
    """A x, the expected released counts."""
    likelihood: float
    """Sum of y log u."""


class _Run:
    """The counts of one run and the figures that are computed from them repeatedly."""

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
        # No cell is expected to add more to G^2, so a large G^2 needs no closer look.
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
        """Whether G^2 is at most its expected size, plus the deviations allowed."""
        found = self.misfit(at)
        return found <= self.most and found <= self.allowed(at, self.deviations)

    def allowed(self, at: Place, deviations: float) -> float:
        """The expected size of G^2, plus this many standard deviations."""
        usual = expected_misfit(at.u)
        return float(usual + deviations * (2.0 * max(usual, 1.0)) ** 0.5)
