"""The advisor: is diversity possible, at what cost compared with k-anonymity, and what could be required instead?

Suitability (Muramoto, Kamidoi, Wakabayashi 2011, section 5) is a ratio: a lower bound on the loss of any release that
meets the requirements, over the loss that k-anonymity alone reaches with the k that blocks must grow to anyway. If it
is above a threshold of 2, much of the loss is the price of diversity, and the custodian should find out why.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from sudare.advise.bounds import quick_bound
from sudare.advise.compromises import compromises_for
from sudare.advise.trial import Trial, sampled
from sudare.anonymize.pipeline import without_missing
from sudare.assess.block_requirements import KAnonymity, LDiversity
from sudare.assess.pk_anonymity import PkAnonymity
from sudare.assess.requirement import BlockRequirement
from sudare.assess.study import Study, study
from sudare.assess.suitability import Limits, limits, reasons
from sudare.describe.text import refuse_blurred
from sudare.errors import InfeasibleError, ParameterError
from sudare.progress import SILENT
from sudare.words.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.anonymize.protocol import Outcome
    from sudare.assess.compromise import Compromise
    from sudare.assess.requirement import Requirement
    from sudare.describe.hierarchy.tree import Objective
    from sudare.describe.table import Table
    from sudare.progress import Progress

BUDGET = 200_000_000
"""Comparisons for the lower bound: seconds on a table with few columns."""
LARGEST_ROWS = 20_000
"""Tables with more rows are tried on a random sample."""
FEW_ROWS = 5_000
"""Rows on which a release judges how suited its table was: a second or so."""
LARGEST_CELLS = 250_000
"""Maximum number of quasi-identifier cells on which compromises are tried: each takes a few seconds."""


def advise(
    table: Table,
    requirements: Sequence[Requirement],
    *,
    objective: Objective = "dis",
    threshold: float = 2.0,
    compromises: bool = True,
    exact: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    unranged: Sequence[str] = (),
    unlisted: Sequence[str] = (),
    gaps: Sequence[str] = (),
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> Study:
    """The full study of a table. Compromises are computed if it is, or may be, poorly suited or nothing can comply.

    `exact` and `weights` are as in Randomize, for Pk-anonymity; `unranged` and `gaps` name columns that it would refuse,
    `unlisted` those whose values it would read off the data.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold < math.inf:
        raise ParameterError("advise.threshold", threshold=threshold)
    refuse_blurred(table)
    shown = progress or SILENT
    shown.start("assess", 1)
    shown.update(0)
    # As in every release, rows with values that must not be missing are left out before anything else.
    table, _, dropped = without_missing(table)
    looked = study(
        table, requirements, exact=exact, weights=weights, unranged=unranged, unlisted=unlisted, gaps=gaps
    )
    first = replace(looked, objective=objective, threshold=float(threshold), notes=(*looked.notes, *dropped))
    if requirements and all(isinstance(one, PkAnonymity) for one in requirements):
        return replace(first, suited=first.feasible)  # noise is not generalization: nothing else to bound
    bound = quick_bound(table, requirements, objective=objective, budget=budget, progress=shown)
    if not table.rows:
        return replace(first, lower_bound=bound, suited=False)
    found = limits(table, requirements)
    result = replace(
        first,
        lower_bound=bound,
        max_blocks=found.max_blocks,
        min_largest_block=found.min_largest_block,
        fair_k=found.fair_k,
        suited=first.feasible,
        reasons=tuple(reasons(table, requirements)),
        notes=first.notes if bound.exact else (*first.notes, bound.explanation),
    )
    outcome = None
    trial = Trial(sampled(table, LARGEST_ROWS), objective, budget, shown, table)
    if first.feasible and any(isinstance(one, LDiversity) for one in requirements):
        result, outcome = _compared(result, trial, requirements, found)
    suited = result.suited and not result.costly
    if suited or not any(isinstance(one, BlockRequirement) for one in requirements):
        return result
    result = replace(result, reasons=result.reasons or tuple(_alike(result)))
    offered: tuple[Compromise, ...] = ()
    if compromises:
        small = replace(
            trial, table=sampled(trial.table, max(LARGEST_CELLS // max(len(table.names("quasi")), 1), 1))
        )
        offered = tuple(
            compromises_for(small, requirements, result, outcome if small.table is trial.table else None)
        )
        if small.table.rows < table.rows:
            result = replace(result, notes=(*result.notes, _note("compromises", small.table, table.rows)))
    spoken = [*first.advice, *_unsuited(result), *result.reasons, *(one.sentence for one in offered)]
    return replace(result, compromises=offered, advice=tuple(spoken))


@dataclass(frozen=True)
class Suitability:
    """How much of the loss is the price of diversity."""

    ratio: float
    """Lower bound with diversity / loss that k-anonymity alone reaches; infinite if that loses nothing."""
    fair_k: int
    """The k of that k-anonymity: blocks must grow to this size anyway."""
    lower_bound: float
    upper_bound: float
    rows: int
    """Rows of the random sample that was examined, or of the table."""
    threshold: float = 2.0

    @property
    def suited(self) -> bool:
        """Whether the ratio is within the threshold."""
        return self.ratio <= self.threshold

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON, which has no infinity."""
        return {
            **asdict(self),
            "ratio": self.ratio if math.isfinite(self.ratio) else None,
            "suited": self.suited,
        }


def suitability(
    table: Table,
    requirements: Sequence[Requirement],
    progress: Progress | None = None,
    *,
    by_mondrian: bool = False,
) -> Suitability | None:
    """Suitability of a table to diversity, on at most 5,000 of its rows; None if diversity is not asked or not possible.

    `by_mondrian` compares with k-anonymity by Mondrian, which loses more than `generalization`: the ratio is lower.
    """
    if not any(isinstance(one, LDiversity) for one in requirements):
        return None
    small = sampled(without_missing(table)[0], FEW_ROWS)
    found = limits(small, requirements)
    if found.fair_k is None:
        return None
    trial = Trial(small, "dis", BUDGET // 10, progress or SILENT, by_mondrian=by_mondrian)
    try:
        upper = trial.loss(trial.released([KAnonymity(min(found.fair_k, small.rows))]))
    except InfeasibleError:
        return None
    lower = trial.bound(requirements).value
    return Suitability(ratio_of(lower, upper), found.fair_k, lower, upper, small.rows)


def _compared(
    result: Study, trial: Trial, requirements: Sequence[Requirement], found: Limits
) -> tuple[Study, Outcome | None]:
    """The study with its ratio, and the k-anonymous release it is based on."""
    if found.fair_k is None or result.lower_bound is None:
        return result, None
    whole = trial.table.rows == result.risk.rows
    alone = trial.released([KAnonymity(min(found.fair_k, trial.table.rows))])
    upper = trial.loss(alone)
    # In a sample, rows are farther apart in both figures, so the bound of the whole table would not match.
    lower = result.lower_bound if whole else trial.bound(requirements)
    ratio = ratio_of(lower.value, upper)
    notes = result.notes
    if not whole:
        notes = (*notes, _note("ratio", trial.table, result.risk.rows))
    suited = ratio <= result.threshold
    # A bound that is low proves nothing: what a run loses is beside it.
    reached = _reached(trial, requirements) if suited else None
    compared = replace(result, upper_bound=upper, ratio=ratio, suited=suited, reached=reached, notes=notes)
    return compared, alone


def _reached(trial: Trial, requirements: Sequence[Requirement]) -> float | None:
    """What a quick run loses; None if the sample allows no release, though the table does."""
    try:
        return trial.loss(trial.released(requirements))
    except InfeasibleError:
        return None


def ratio_of(lower: float, upper: float) -> float:
    """Lower / upper; if k-anonymity costs nothing, 1 if diversity may cost nothing either, infinite if it must cost."""
    if upper > 0:
        return lower / upper
    return math.inf if lower > 0 else 1.0


def _alike(result: Study) -> Iterator[Sentence]:
    if result.feasible:
        yield Sentence("reason.alike")


def _unsuited(result: Study) -> Iterator[Sentence]:
    if result.ratio is None or result.lower_bound is None:
        return
    figures = {
        "k": result.fair_k,
        "upper": result.upper_bound,
        "objective": result.objective,
        "threshold": result.threshold,
    }
    if result.costly:
        yield Sentence("unsuited.unknown", lower=result.lower_bound.value, reached=result.reached, **figures)
    elif math.isfinite(result.ratio):
        yield Sentence("unsuited.times", ratio=result.ratio, **figures)
    else:
        yield Sentence("unsuited.unlimited", **figures)


def _note(what: str, sample: Table, rows: int) -> Sentence:
    return Sentence(f"note.{what}", sample=sample.rows, rows=rows)
