"""Notes and warnings that a method shows to people; the words are in `words/en/anonymize.yaml` and its Japanese twin.

>>> note = Note("shuffled")
>>> note, note.into("ja")
('Put the rows into random order.', '行を無作為な順序に並べ替えました。')
"""

from __future__ import annotations

from sudare.words.sentence import Sentence


class Note(Sentence):
    """A sentence from a method: what it did, in figures, or what to look at before handing over."""

    __slots__ = ()

    area = "anonymize"
