"""Compromise: a requirement to consider instead, with its cost and the risk that remains."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from sudare.assess.catalogue import REQUIREMENTS
from sudare.errors import language_of
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudare.assess.bounds import Bound
    from sudare.assess.requirement import Requirement
    from sudare.assess.risk import Risk
    from sudare.words.sentence import Language

CompromiseKind = Literal["as asked", "k-anonymity", "lower level", "exempt", "coarsen", "drop", "suppress"]


@dataclass(frozen=True)
class Changes:
    """What a recipe must say otherwise."""

    requirements: tuple[Requirement, ...] | None = None
    """Other requirements."""
    first: tuple[Mapping[str, Any], ...] = ()
    """Methods, as in a recipe, that come before the others."""
    suppression: float | None = None
    """How many rows generalization may leave out: a share below 1, or a number of rows."""
    drop: str | None = None
    """A column that is left out."""

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON, with what changes."""
        asked = None if self.requirements is None else [_dumped(one) for one in self.requirements]
        given = {
            "requirements": asked,
            "first": [dict(one) for one in self.first],
            "suppression": self.suppression,
            "drop": self.drop,
        }
        return {name: value for name, value in given.items() if value not in (None, [])}


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
    changes: Changes = field(default_factory=Changes)
    """What a recipe must say otherwise, so that a run takes this compromise."""

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
            "changes": self.changes.to_dict(),
            "bound": self.bound.to_dict(),
            "distortion": self.distortion,
            "risk": self.risk.to_dict(),
        }


def _dumped(requirement: Requirement) -> Any:
    known = REQUIREMENTS.knows(requirement)
    return REQUIREMENTS.dump(requirement, full=False) if known else str(requirement)
