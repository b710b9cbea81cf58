"""What measures mean, in words of either language."""

from __future__ import annotations

from sudare.words.sentence import Sentence
from sudare.words.texts import loaded


class Meaning(Sentence):
    """What is said of a measure, in `words/en/measures.yaml` and its Japanese twin: `Meaning("meaning.loss")`."""

    __slots__ = ()

    area = "measures"


def meaning_of(key: str, other: str) -> Meaning:
    """What is said of a measure; `other`, where it is somebody else's and has no words here."""
    return Meaning(key) if key in loaded(Meaning.area, "en") else Meaning("own", said=other)
