"""Compromise: a requirement to consider instead, with its cost and the risk that remains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from sudare.assess.catalogue import REQUIREMENTS
from sudare.errors import language_of
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from sudare.assess.bounds import Bound
    from sudare.assess.requirement import Requirement
    from sudare.assess.risk import Risk
    from sudare.words.sentence import Language

CompromiseKind = Literal["as asked", "k-anonymity", "lower level", "exempt", "coarsen", "drop", "suppress"]


@dataclass(frozen=True)
class Compromise:
    """One way out for a custodian: not necessarily the best, but a release that was actually made and measured."""

    kind: CompromiseKind
    """What is given up: nothing (as asked), diversity, its level, some values, detail in a column, a column, rows."""
    sentence: str
    """A description for people."""
    what: str
    """The same description without its figures."""
    requirements: tuple[Requirement, ...]
    """The requirements that the release was made to meet."""
    parameters: dict[str, Any]
    """The choices made: values, column, level, rows."""
    bound: Bound
    """A lower bound on the loss of any release under this compromise, relative to the original table."""
    distortion: float
    """The loss that a quick run reached, relative to the original table: rows and columns left out count 1."""
    risk: Risk
    """Risk figures of that release; under `exempt`, of the rows that are still protected."""

    def in_language(self, language: Language) -> Self:
        """The same compromise in English ('en') or Japanese ('ja')."""
        return replace(
            self,
            sentence=in_language(self.sentence, language_of(language)),
            what=in_language(self.what, language),
            bound=self.bound.in_language(language),
        )

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "requirements": [_dumped(requirement) for requirement in self.requirements],
            "parameters": self.parameters,
            "bound": self.bound.to_dict(),
            "distortion": self.distortion,
            "risk": self.risk.to_dict(),
        }


def _dumped(requirement: Requirement) -> Any:
    known = REQUIREMENTS.knows(requirement)
    return REQUIREMENTS.dump(requirement, full=False) if known else str(requirement)
