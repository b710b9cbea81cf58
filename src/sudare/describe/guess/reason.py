"""Why a column is taken for what it seems to be, with the words in `words/en/guess.yaml` and its Japanese twin.

>>> reason = Reason("form", what=Reason("forms.email"))
>>> reason, reason.into("ja")
('The values look like e-mail addresses.', '値がメールアドレスの形をしています。')
"""

from __future__ import annotations

from sudare.words.sentence import Sentence


class Reason(Sentence):
    """The reason of a guess, or a part of it."""

    __slots__ = ()

    area = "guess"
