"""How well a rebuilt table explains the release, in words, in either language."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from sudare.measure.crosstab.trust import Trust
from sudare.words.sentence import Sentence, enumerated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.measure.crosstab.input.attribute import Attribute
    from sudare.measure.crosstab.result import Fit

_NEARLY_EXACT = 100.0
"""Times the total variation of the released counts: a larger figure only means that theirs is close to zero."""


class CrosstabSentence(Sentence):
    """A sentence about a cross tabulation; the words are in `words/en/crosstab.yaml` and its Japanese twin."""

    __slots__ = ()

    area = "crosstab"


def sentences_of(fit: Fit) -> list[CrosstabSentence]:
    """The figures of a fit in words."""
    if not fit.randomized:
        return [*warnings_of(fit), CrosstabSentence("exact", records=fit.records, cells=fit.cells)]
    found = [
        CrosstabSentence(
            "found",
            records=fit.records,
            cells=fit.cells,
            misfit=fit.misfit,
            degrees=fit.degrees,
            iterations=fit.iterations,
            start=fit.start,
            rule=fit.rule,
        )
    ]
    if not fit.met and not fit.contradicts:
        found.append(CrosstabSentence("not_met"))
    if fit.kept is not None:
        found.append(_choice(fit, fit.kept))
    if fit.total_variation is not None and fit.total_variation_released is not None:
        found.append(
            CrosstabSentence("limit", estimate=fit.total_variation, released=fit.total_variation_released)
        )
    if fit.independent and not fit.unknown:
        found.append(CrosstabSentence("independent.shown"))
    found.append(
        CrosstabSentence("no_cell")
        if fit.half_width is None
        else CrosstabSentence("cell", half_width=fit.half_width)
    )
    if fit.usable is not None and fit.rough is not None:
        rest = fit.cells - fit.usable - fit.rough
        found.append(
            CrosstabSentence("trust", cells=fit.cells, usable=fit.usable, rough=fit.rough, rest=rest)
        )
    if fit.draws == 0:
        found.append(CrosstabSentence("no_errors"))
    # The warning comes first: the rest is valid only for a release that matches its description.
    return [*warnings_of(fit), *found]


def verdict_words() -> dict[str, CrosstabSentence]:
    """The verdicts on cells in words."""
    return {code: CrosstabSentence(f"verdict.{code}") for code in get_args(Trust)}


def warnings_of(fit: Fit) -> list[CrosstabSentence]:
    """What advises against using the table, or a part of it."""
    if not fit.rebuilt:
        return [CrosstabSentence(f"not_rebuilt.{fit.origin}")]
    return [*_contradiction(fit), *_not_told(fit)]


def _contradiction(fit: Fit) -> list[CrosstabSentence]:
    """Warns that the release contradicts the table; bins of numbers come first: they are not the release's fault."""
    if not fit.contradicts:
        return []
    figures = {"misfit": fit.misfit, "degrees": fit.degrees}
    if not fit.wide:
        return [CrosstabSentence("contradicts.values", **figures)]
    return [CrosstabSentence("contradicts.bins", **figures, columns=enumerated(fit.wide))]


def _not_told(fit: Fit) -> list[CrosstabSentence]:
    """Warns that the release does not tell the table, or some of its cells."""
    if fit.unknown and fit.unknown == fit.cells:
        return [CrosstabSentence("independent.unknown" if fit.independent else "unknown.all")]
    if fit.tells_no_cell:
        return [CrosstabSentence("unknown.useless")]
    if not fit.unknown:
        return []
    return [CrosstabSentence("unknown.some", unknown=fit.unknown, cells=fit.cells)]


def not_counted(cells: int, empty: int, exact: Sequence[str]) -> CrosstabSentence:
    """What the fit leaves out: cells of combinations of exact columns that do not occur."""
    return CrosstabSentence(
        f"not_counted.{'one' if empty == 1 else 'many'}", cells=cells, empty=empty, columns=enumerated(exact)
    )


def notes_on_bins(attributes: Sequence[Attribute]) -> list[CrosstabSentence]:
    """How bins differ from the edges that were asked for."""
    found = []
    for attribute in attributes:
        bins = attribute.bins
        if bins is None:
            continue
        if bins.added:
            added = enumerated(bins.added)
            found.append(CrosstabSentence("bins.added", column=attribute.name, bins=added))
        if bins.beyond is not None:
            low, high = bins.beyond
            found.append(CrosstabSentence("bins.beyond", column=attribute.name, low=low, high=high))
    return found


def _choice(fit: Fit, kept: int) -> CrosstabSentence:
    """Why something other than the estimate from margins and EM was used."""
    taken = "counts" if kept == 0 else "steps"
    nearly_exact = fit.worst is None or fit.worst > _NEARLY_EXACT
    why = (
        CrosstabSentence("why.nearly_exact")
        if nearly_exact
        else CrosstabSentence(f"why.{taken}", worst=fit.worst)
    )
    return CrosstabSentence(f"kept.{taken}{'_many' if fit.randomized > 1 else ''}", kept=kept, why=why)
