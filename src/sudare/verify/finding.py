"""Finding: what the verifier found about one requirement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sudare.words.sentence import Joined, Sentence


class FindingSentence(Sentence):
    """A sentence of the verifier, or a part of one, with its words in `words/en/verify.yaml` and its Japanese twin."""

    __slots__ = ()

    area = "verify"


class JoinedFindings(Joined):
    """Parts of a sentence of the verifier with what stands between them."""

    __slots__ = ()

    area = "verify"


class CannotCheckError(Exception):
    """Why a requirement cannot be checked: `why` is the end of a sentence; what cannot be checked does not hold."""

    def __init__(self, key: str, /, **values: Any) -> None:
        self.why = FindingSentence(f"cannot.{key}", **values)
        super().__init__(str(self.why))


@dataclass(frozen=True)
class Finding:
    """What the verifier found about one requirement."""

    requirement: dict[str, Any]
    """The requirement as in the manifest, for instance `{"type": "k-anonymity", "k": 5}`."""
    holds: bool
    reached: float | None
    """Smallest block, smallest l or largest distance; None where there was nothing to compute."""
    sentence: str
    """One sentence with the figures: in English, and it knows how to say itself in Japanese."""
    violating_rows: int
    """Rows in the blocks that break the requirement."""
