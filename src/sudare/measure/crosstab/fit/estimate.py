"""The estimate of a table: the product of its reconstructed margins, then EM until the release is explained.

Few records support no more than a table of independent attributes. EM departs from it only as far as the released
counts contradict it, so for few records or mild dependence the result stays near it (Ikarashi et al., after 2011: it
then beats EM from the released counts), and for many records the start does not matter. At the end the table is raked
(iterative proportional fitting) to the reconstructed margins: an attribute has the same margin in every table that
contains it. The margin of a column of wide bins is reconstructed on finer pieces (see `pieces`), from counts that are as
fine: the counts of the bins would have lost most of what the release says. A rehearsal checks whether the result is
nearer to the original than the released counts (see `guard`). If it is not, a few steps of EM from the released counts
are used, or the released counts themselves.

If the product of the margins already explains the release, the release says nothing about dependence. One step is made
all the same, and the result is marked as `independent`: whether such a table may be shown depends on how far it can be
from the original (see `accuracy`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from sudare.measure.crosstab.fit.contract import Transition, to_original
from sudare.measure.crosstab.fit.guard import choose, early_steps
from sudare.measure.crosstab.fit.iterate import Iterated, StopRule, iterate
from sudare.measure.crosstab.fit.misfit import expected_misfit, misfit
from sudare.measure.crosstab.fit.rehearse import rehearsed
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from sudare.measure.crosstab.fit.pieces import Pieces

    Floats = npt.NDArray[np.float64]

Start = Literal["margins", "released"]

_SWEEPS = 50
_RAKED = 1e-9
_NOTHING = 1e-200
"""Records that EM leaves in a cell that it empties; no factor can restore them."""


@dataclass(frozen=True)
class Options:
    """How a table is estimated."""

    stop: StopRule = "fit"
    start: Start = "margins"
    consistent: bool = True
    """Whether to rake to the reconstructed margins."""
    limit: int = 2_000
    """Maximum number of EM steps."""
    deviations: float | None = None
    """What the rule `fit` allows, in standard deviations of G^2; found by rehearsal if left out."""
    guard: bool = True
    """With the rule `fit`: rehearse whether the estimate is nearer to the original than the released counts."""
    kept: int | None = None
    """Without the guard: number of EM steps from the released counts that are used as the estimate."""


DEFAULT = Options()
NO_PIECES: Mapping[int, Pieces] = MappingProxyType({})


def estimate(
    transition: Transition,
    released: Floats,
    options: Options = DEFAULT,
    progress: Progress = SILENT,
    pieces: Mapping[int, Pieces] = NO_PIECES,
) -> Iterated:
    """The original cells, with G^2 of the table returned.

    `pieces` has the columns of wide bins, by their place among the matrices of `transition`.
    """
    if not transition.matrices:
        exact = to_original(released)
        return Iterated(exact, 0.0, 0.0, 0, met=True)
    if not options.guard and options.kept is not None:
        return _early(transition, released, options.kept, options.deviations)
    found = _reconstructed(transition, released, options, progress, pieces)
    if not options.guard or options.stop != "fit":
        return found
    fixed = replace(options, deviations=found.deviations, guard=False)
    weights = {place: column.weights for place, column in pieces.items()}

    def again(counts: Floats, random: np.random.Generator) -> Floats:
        return estimate_again(transition, counts, fixed, pieces, weights, random)

    chosen = choose(transition, released, found, again, known=not pieces)
    if chosen.kept is not None:
        found = _early(transition, released, chosen.kept, found.deviations)
    return replace(found, kept=chosen.kept, worst=chosen.worst)


def estimate_again(
    transition: Transition,
    released: Floats,
    options: Options,
    pieces: Mapping[int, Pieces],
    weights: Mapping[int, Floats],
    random: np.random.Generator,
) -> Floats:
    """The estimate from a release that was drawn, with nothing known that an analyst would not know.

    `weights` are the originals, on pieces, that the release was drawn from: they give its fine counts, from which
    margins and matrices of wide bins are then reconstructed anew.
    """
    if not pieces:
        return estimate(transition, released, options).estimate
    anew = {
        place: column.drawn(margin_of(released, place), weights[place], random)
        for place, column in pieces.items()
    }
    matrices = list(transition.matrices)
    for place, column in anew.items():
        matrices[place] = column.binned(column.weights)
    own = Transition(tuple(matrices), transition.exact)
    return estimate(own, released, options, pieces=anew).estimate


def _early(transition: Transition, released: Floats, steps: int, deviations: float | None) -> Iterated:
    """The released counts, or a few steps of EM from them."""
    table = early_steps(transition, released, steps)[steps]
    return _judged(
        released,
        transition.forward(table),
        Iterated(table, 0.0, 0.0, steps, met=True, deviations=deviations or 0.0),
    )


def _reconstructed(
    transition: Transition,
    released: Floats,
    options: Options,
    progress: Progress = SILENT,
    pieces: Mapping[int, Pieces] = NO_PIECES,
) -> Iterated:
    """Margins, EM from their product, and raking to the margins."""
    single = len(transition.matrices) == 1 and transition.exact == 1
    if options.stop != "fit":
        pieces = NO_PIECES
    if single and pieces:
        alone = pieces[0].found
        table = pieces[0].margin[:, None]
        return _judged(released, transition.forward(table), replace(alone, estimate=table))
    margins = _margins(transition, released, options, pieces)
    begin = _product(margins) if options.start == "margins" else to_original(released)
    found = iterate(
        transition,
        released,
        begin,
        stop=options.stop,
        deviations=options.deviations,
        limit=options.limit,
        progress=progress,
    )
    if options.stop == "fit" and options.deviations is None and not single:
        found = rehearsed(
            transition, released, found, lambda counts: _begin(transition, counts, options), options.limit
        )
    if found.steps == 0 and options.start == "margins" and not single and options.limit > 0:
        one = iterate(transition, released, begin, stop="none", limit=1, accelerate=False)
        found = replace(one, met=True, deviations=found.deviations, independent=True)
    if not options.consistent or single:
        return found
    raked = rake(found.estimate, margins)
    return _judged(released, transition.forward(raked), replace(found, estimate=raked))


def _judged(released: Floats, expected: Floats, found: Iterated) -> Iterated:
    """The same, with G^2 of the table that is returned, and its size by chance."""
    present = released > 0
    return replace(
        found,
        misfit=misfit(released[present], expected[present]),
        expected=expected_misfit(expected),
    )


def _begin(transition: Transition, released: Floats, options: Options) -> Floats:
    """The start of EM."""
    if options.start == "released":
        return to_original(released)
    return _product(_margins(transition, released, options))


def _margins(
    transition: Transition, released: Floats, options: Options, pieces: Mapping[int, Pieces] = NO_PIECES
) -> list[Floats]:
    """Each attribute separately, and the cells of the exact ones."""
    found = [
        pieces[place].margin if place in pieces else _margin(transition, released, place, options)
        for place in range(len(transition.matrices))
    ]
    return [*found, released.sum(axis=tuple(range(1, released.ndim)))]


def margin_of(released: Floats, place: int) -> Floats:
    """Released counts of one randomized attribute."""
    counts: Floats = released.sum(axis=tuple(axis for axis in range(released.ndim) if axis != place + 1))
    return counts


def _margin(transition: Transition, released: Floats, place: int, options: Options) -> Floats:
    """One attribute reconstructed separately, from its released counts."""
    counts = margin_of(released, place)[None, :]
    alone = Transition((transition.matrices[place],))
    found = iterate(alone, counts, to_original(counts), stop=options.stop, limit=options.limit)
    return found.estimate.ravel()


def _product(margins: list[Floats]) -> Floats:
    """The table of independent attributes with these margins."""
    table = np.ones(())
    total = max(float(margins[-1].sum()), 1.0)
    for margin in margins:
        table = np.multiply.outer(table, margin / total)
    return table * total


def rake(table: Floats, margins: list[Floats]) -> Floats:
    """Scale the table along each axis in turn until every margin is as given (iterative proportional fitting)."""
    total = max(float(table.sum()), 1.0)
    for _ in range(_SWEEPS):
        off = 0.0
        for axis, margin in enumerate(margins):
            own = table.sum(axis=tuple(other for other in range(table.ndim) if other != axis))
            off = max(off, float(np.abs(own - margin).sum()) / total)
            factor = np.divide(margin, own, out=np.zeros_like(own), where=own > _NOTHING)
            shape = [1] * table.ndim
            shape[axis] = -1
            table = table * factor.reshape(shape)  # never in place: the caller's array
        if off < _RAKED:
            break
    return table
