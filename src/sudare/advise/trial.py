"""A quick release made to be measured, not published: the source of the advisor's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudare.advise.bounds import quick_bound
from sudare.anonymize.generalize import Generalize
from sudare.anonymize.mondrian import Mondrian
from sudare.anonymize.pipeline import apply_all
from sudare.anonymize.protocol import Context
from sudare.assess.compromise import Changes, Compromise
from sudare.assess.suitability import limits
from sudare.display import rounded_down
from sudare.measure.catalogue import MEASURE_OF_OBJECTIVE
from sudare.measure.pair import Pair
from sudare.progress import SILENT
from sudare.randomness import Randomness
from sudare.words.sentence import Sentence, joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.anonymize.protocol import Anonymizer, Outcome
    from sudare.assess.bounds import Bound
    from sudare.assess.compromise import CompromiseKind
    from sudare.assess.requirement import Requirement
    from sudare.assess.risk import Risk
    from sudare.describe.hierarchy.tree import Objective
    from sudare.describe.table import Table
    from sudare.progress import Progress

_LARGEST_CUT = 500_000
"""Maximum of rows times rows of the largest block for which groups are cut by dynamic programming."""
SEED = 0
"""Seed for a study's samples: none of them is published, and the study is repeatable."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A table small enough to experiment on, and how results are measured."""

    table: Table
    objective: Objective
    budget: int
    """Comparisons for each bound."""
    progress: Progress = SILENT
    whole: Table | None = None
    """The table that this one is a sample of."""
    by_mondrian: bool = False
    """Whether every release is one of Mondrian, which loses more, but whose kernels a run has loaded already."""

    def released(
        self, requirements: Sequence[Requirement], *, table: Table | None = None, suppression: float = 0.0
    ) -> Outcome:
        """A quick release; if blocks must be large, cutting them well takes too long, and Mondrian is used."""
        given = self.table if table is None else table
        least = limits(given, requirements).min_largest_block or 1
        method: Anonymizer = Generalize(objective=self.objective, effort="fast", suppression=suppression)
        if self.by_mondrian or least * given.rows > _LARGEST_CUT:
            method = Mondrian()
        return apply_all([method], given, Context(tuple(requirements), Randomness(SEED), self.progress))

    def loss(self, outcome: Outcome, original: Table | None = None) -> float:
        """The loss of a release relative to the original; rows that are left out count 1."""
        before = self.table if original is None else original
        return MEASURE_OF_OBJECTIVE[self.objective].compute(before, Pair(before, outcome.table, outcome.rows))

    def bound(
        self,
        requirements: Sequence[Requirement],
        *,
        table: Table | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> Bound:
        """A lower bound on the loss of any release with these requirements."""
        return quick_bound(
            self.table if table is None else table,
            requirements,
            objective=self.objective,
            weights=weights,
            budget=self.budget,
            progress=self.progress,
        )


def sampled(table: Table, rows: int) -> Table:
    """The table, or a random sample of this many of its rows, in order."""
    if table.rows <= rows:
        return table
    chosen = Randomness(SEED).permutation(table.rows)[:rows]
    chosen.sort()
    return table.take(chosen)


def compromise(
    kind: CompromiseKind,
    asked: Sequence[Requirement],
    what: Sentence,
    bound: Bound,
    distortion: float,
    remaining: Risk,
    parameters: dict[str, Any] | None = None,
    changes: Changes | None = None,
) -> Compromise:
    """A compromise with a sentence that includes its figures."""
    figures = [Sentence("compromise.figures", bound=rounded_down(bound.value, 4), distortion=distortion)]
    figures += [
        Sentence(
            "compromise.guess",
            share=guess.homogeneous_share,
            column=guess.column,
            right=guess.guess_mean,
        )
        for guess in remaining.guesses
    ]
    said = Sentence("compromise.told", what=what, figures=joined("between.clauses", figures))
    return Compromise(
        kind, said, what, tuple(asked), parameters or {}, bound, distortion, remaining, changes or Changes()
    )
