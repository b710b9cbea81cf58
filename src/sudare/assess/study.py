"""The study of a table before anything is changed: are the requirements possible, and how far off is the table?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from sudare.assess.noise import NoiseStudy, noise_study, obstacle
from sudare.assess.people import people_warnings, quasi_warnings
from sudare.assess.requirement import whole_table_obstacles
from sudare.assess.risk import Risk, risk
from sudare.deprecated import moved_names
from sudare.describe.guess.oddities import many_quasi
from sudare.display import (
    at_least,
    html_block,
    html_list,
    html_table,
    paragraph,
    said,
    shown_words,
)
from sudare.errors import language_of
from sudare.words.sentence import Sentence, as_shown, in_language, shown_language, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.assess.bounds import Bound
    from sudare.assess.compromise import Compromise
    from sudare.assess.requirement import Requirement, Verdict
    from sudare.describe.table import Table
    from sudare.display import Block
    from sudare.words.sentence import Language


@dataclass(frozen=True, repr=False)
class Study:
    """What is possible with a table."""

    feasible: bool
    """Whether any release without suppressed rows can satisfy all requirements."""
    verdicts: tuple[Verdict, ...]
    """Verdicts of the requirements on the table as it is."""
    risk: Risk
    advice: tuple[str, ...]
    """Sentences that say why it is infeasible or poorly suited, and what would help."""
    objective: str = "dis"
    """The loss that the bounds and compromises refer to: dis, loss or ncp (as in the measure gcp)."""
    lower_bound: Bound | None = None
    """A lower bound on the loss of any release that meets these requirements."""
    max_blocks: int | None = None
    """A release can have at most this many blocks (MaxNB)."""
    min_largest_block: int | None = None
    """The largest block of any release has at least this many rows (alpha)."""
    fair_k: int | None = None
    """The k for a fair comparison with k-anonymity: blocks must grow to that size anyway."""
    upper_bound: float | None = None
    """The loss that k-anonymity alone reaches with the fair k."""
    ratio: float | None = None
    """Lower bound with diversity / upper bound without it: diversity makes the task at least this much harder."""
    reached: float | None = None
    """The loss that a quick run with the requirements reached, on the same rows as `upper_bound`; only where the bound does
    not show that the table is poorly suited."""
    threshold: float = 2.0
    """A table with a ratio above this is called poorly suited."""
    suited: bool | None = None
    """Whether the bound allows a loss comparable to that of k-anonymity; None if not examined."""
    reasons: tuple[str, ...] = ()
    """Which values are too frequent, and by how much."""
    compromises: tuple[Compromise, ...] = ()
    """Computed alternatives to the requirements; only for a table that is poorly suited or infeasible."""
    notes: tuple[str, ...] = ()
    """What the figures are based on: a sample, a budget."""
    warnings: tuple[str, ...] = ()
    """What no requirement protects: people with several rows."""
    noise: NoiseStudy | None = None
    """The noise that Pk-anonymity needs, if it is required."""
    language: Language = "en"
    """Language of the sentences."""

    @property
    def costly(self) -> bool:
        """Whether a quick run lost more than the threshold allows, though the bound allows less: nobody knows which is near."""
        if self.reached is None or self.upper_bound is None:
            return False
        return self.reached > self.threshold * self.upper_bound

    @property
    def protects_nothing(self) -> bool:
        """Whether no column is a quasi-identifier, so that every requirement holds and a release is refused."""
        return any(isinstance(one, Sentence) and one.key == "no_quasi" for one in self.warnings)

    def in_language(self, language: Language) -> Self:
        """The same study with all its sentences in English ('en') or Japanese ('ja')."""

        def said(sentences: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(in_language(sentence, language) for sentence in sentences)

        return replace(
            self,
            language=language_of(language),
            verdicts=tuple(verdict.in_language(language) for verdict in self.verdicts),
            advice=said(self.advice),
            reasons=said(self.reasons),
            notes=said(self.notes),
            warnings=said(self.warnings),
            lower_bound=None if self.lower_bound is None else self.lower_bound.in_language(language),
            compromises=tuple(one.in_language(language) for one in self.compromises),
            noise=None if self.noise is None else self.noise.in_language(language),
        )

    def blocks(self, language: Language) -> Iterator[Block]:
        """The study for readers, part by part."""
        from sudare.assess.page import study_blocks

        return study_blocks(self, language)

    def __repr__(self) -> str:
        words, known = shown_words(), self._facts(shown_language())
        facts = [words("fact", name=name, value=value) for name, value in known]
        return said("Study", [*facts, *(repr(verdict) for verdict in self.verdicts)])

    def _repr_html_(self) -> str:
        language = shown_language() if self.language == "en" else self.language
        words = texts(language)
        return html_block(
            paragraph(words("facts.study"), bold=True),
            html_table([words("page.figure"), words("page.value")], self._facts(language)),
            html_list(map(as_shown, self.warnings)),
            html_list(verdict.marked for verdict in self.verdicts),
            html_list(map(as_shown, self.reasons)),
            html_list(map(as_shown, self.advice)),
        )

    def _facts(self, language: Language) -> list[tuple[str, str]]:
        """The known facts, in figures."""
        words = texts(language)
        verdict = "unknown" if self.costly else "yes" if self.suited else "no"
        suited = None if self.suited is None else words(f"facts.suited_{verdict}")
        bound = None if self.lower_bound is None else at_least(self.lower_bound.value)
        known = {
            words("facts.feasible"): words(f"facts.feasible_{'yes' if self.feasible else 'no'}"),
            words("facts.suited"): suited,
            words("facts.bound", objective=self.objective): bound,
            words("facts.upper", objective=self.objective): None
            if self.upper_bound is None
            else f"{self.upper_bound:.4g}",
            words("facts.ratio"): None if self.ratio is None else f"{self.ratio:.3g}",
            words("facts.max_blocks"): None if self.max_blocks is None else f"{self.max_blocks:,}",
            words("facts.fair_k"): None if self.fair_k is None else f"{self.fair_k:,}",
            words("facts.compromises"): f"{len(self.compromises)}" if self.compromises else None,
            words("facts.advice"): words("facts.sentences", count=len(self.advice)) if self.advice else None,
        }
        return [(name, value) for name, value in known.items() if value is not None]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return {
            "feasible": self.feasible,
            "suited": self.suited,
            "objective": self.objective,
            "lower_bound": None if self.lower_bound is None else self.lower_bound.to_dict(),
            "max_blocks": self.max_blocks,
            "min_largest_block": self.min_largest_block,
            "fair_k": self.fair_k,
            "upper_bound": self.upper_bound,
            "reached": self.reached,
            "ratio": self.ratio if self.ratio is None or math.isfinite(self.ratio) else None,
            "threshold": self.threshold,
            "warnings": list(self.warnings),
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "risk": self.risk.to_dict(),
            "reasons": list(self.reasons),
            "compromises": [compromise.to_dict() for compromise in self.compromises],
            "advice": list(self.advice),
            "notes": list(self.notes),
            "noise": None if self.noise is None else self.noise.to_dict(),
        }


def study(
    table: Table,
    requirements: Sequence[Requirement],
    *,
    exact: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    unranged: Sequence[str] = (),
    unlisted: Sequence[str] = (),
    gaps: Sequence[str] = (),
) -> Study:
    """Check the requirements on the table as it is, and on the table as one block.

    k-anonymity, the three l-diversities and t-closeness are monotone: if two blocks comply, so does their union.
    So a compliant release without suppression exists if and only if the whole table as one block complies (for
    entropy: H(sensitive) >= log l). Pk-anonymity needs k records that agree on the columns `exact`; `noise` contains
    the noise that the others then need (`weights` as in Randomize).
    """
    obstacles = whole_table_obstacles(table, requirements)
    noise = noise_study(
        table, requirements, exact=exact, weights=weights, unranged=unranged, unlisted=unlisted, gaps=gaps
    )
    advice = [Sentence("ended", what=sentence) for sentence in obstacles]
    if noise is not None:
        advice += noise.sentences()
        obstacles += [] if noise.asked.feasible else [obstacle(noise.k, noise.asked)]
    return Study(
        feasible=not obstacles,
        verdicts=tuple(requirement.check(table) for requirement in requirements),
        risk=risk(table),
        advice=tuple(advice),
        warnings=(
            *quasi_warnings(table, requirements),
            *many_quasi(len(table.names("quasi"))),
            *people_warnings(table, requirements),
            *([] if noise is None else noise.warnings()),
        ),
        noise=noise,
    )


__getattr__ = moved_names("sudare.assess.study", {"require_feasible": "sudare.assess.requirement"})
