"""What a release warns the custodian of, beside what its methods do: words in `words/en/release.yaml` and its Japanese twin."""

from __future__ import annotations

from sudare.words.sentence import Sentence


class ReleaseNote(Sentence):
    """A sentence about how a release came about."""

    __slots__ = ()

    area = "release"


class ReleaseWarning(Sentence):
    """A sentence about a release that the custodian should look at before handing it over."""

    __slots__ = ()

    area = "release"
