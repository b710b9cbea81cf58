"""Verdict: whether a requirement is met, the level reached, which rows violate it, and a sentence that says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from sudare.display import html_block, paragraph
from sudare.errors import language_of
from sudare.words.sentence import in_language

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.words.texts import Language


@dataclass(frozen=True, eq=False)
class Verdict:
    """The result of checking one requirement."""

    requirement: str
    holds: bool
    reached: float | None
    """Smallest k or l, or largest t, over all blocks; None if there are no rows."""
    violating_rows: npt.NDArray[np.int64]
    """Row numbers (from 0) of the rows in blocks that do not comply."""
    explanation: str
    """One sentence for people."""

    def in_language(self, language: Language) -> Self:
        """The same verdict, explained in English ('en') or Japanese ('ja')."""
        return replace(self, explanation=in_language(self.explanation, language_of(language)))

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        reached = "nothing" if self.reached is None else f"{self.reached:g}"
        return f"Verdict({self.requirement} {'holds' if self.holds else 'DOES NOT HOLD'}, reached {reached})"

    @property
    def marked(self) -> str:
        """The explanation, preceded by a sign that shows whether the requirement is met."""
        return f"{'✓' if self.holds else '✗'} {self.explanation}"

    def _repr_html_(self) -> str:
        return html_block(paragraph(repr(self), bold=True), paragraph(self.marked))

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON; row numbers are counted, not listed."""
        return {
            "requirement": self.requirement,
            "holds": self.holds,
            "reached": self.reached,
            "violating_rows": len(self.violating_rows),
            "explanation": self.explanation,
        }
