"""What a release warns the custodian of, beside what its methods do: words in `texts_en.yaml` and `texts_ja.yaml`."""

from __future__ import annotations

from sudare.assess.sentence import Sentence


class Caution(Sentence):
    """A sentence about a release that the custodian should look at before handing it over."""

    __slots__ = ()

    package = "sudare.release"
