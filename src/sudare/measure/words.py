"""What measures mean, in words, in either language."""

from __future__ import annotations

from sudare.words.sentence import Sentence, loaded


class Meaning(Sentence):
    """The description of a measure from `words/en/measures.yaml` and its Japanese twin: `Meaning("meaning.loss")`."""

    __slots__ = ()

    area = "measures"


def meaning_of(key: str, other: str) -> Meaning:
    """The description of a measure; `other` for a third-party measure, which has no words here."""
    return Meaning(key) if key in loaded(Meaning.area, "en") else Meaning("own", said=other)
