"""Why a column was given its role; the texts are in `words/en/guess.yaml` and its Japanese counterpart.

>>> reason = Reason("form", what=Reason("forms.email"))
>>> reason, reason.into("ja")
('The values look like e-mail addresses.', '値がメールアドレスの形をしています。')
"""

from __future__ import annotations

from sudare.words.sentence import Sentence


class Reason(Sentence):
    """The reason for a guess, or a part of it."""

    __slots__ = ()

    area = "guess"
