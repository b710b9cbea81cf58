"""The result of computing a bound."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from sudare.errors import language_of
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    from sudare.words.sentence import Language


@dataclass(frozen=True)
class Bound:
    """A lower bound on the loss of any compliant release."""

    value: float
    """Mean over rows and quasi-identifiers, in [0, 1]: on the scale of the measures dis, loss and gcp."""
    exact: bool
    """False if the budget ended the search: the value is valid, but the full search would give a higher one."""
    explanation: str
    """One or two sentences."""

    def __float__(self) -> float:
        return self.value

    def in_language(self, language: Language) -> Self:
        """The same bound, explained in English ('en') or Japanese ('ja')."""
        return replace(self, explanation=in_language(self.explanation, language_of(language)))

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return asdict(self)
