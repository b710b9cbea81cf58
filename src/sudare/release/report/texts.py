"""Every word a reader of the report sees, in the reader's language."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from sudare.words import texts

if TYPE_CHECKING:
    from sudare.words.texts import Language

About = Literal["table", "baskets"]
"""What a report is about: baskets have words of their own, and some that replace those of tables."""


class Texts(texts.Texts):
    """The words of a report in one language."""

    def __init__(self, language: Language, about: About = "table") -> None:
        super().__init__(language, words(language, about))


@cache
def words(language: Language, about: About = "table") -> dict[str, str]:
    """Texts by dotted key."""
    found = texts.loaded("report", language)
    return found if about == "table" else {**found, **texts.loaded("report_baskets", language)}
