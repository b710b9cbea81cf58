"""In which language a command speaks when something goes wrong, before its options are parsed and after.

This module must stay light: it is also needed while the libraries are still loading.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.words.sentence import Language

SPOKEN: ContextVar[Language] = ContextVar("spoken", default="en")
"""The language of the errors of the command under way."""


def asked_language(arguments: Sequence[str]) -> Language:
    """The language that arguments ask for, wherever `--lang` is among them; English where it is none we have.

    >>> asked_language(["patients.csv", "--lang", "ja"]), asked_language(["--lang=ja"]), asked_language(["--lang"])
    ('ja', 'ja', 'en')
    """
    asked = "en"
    for place, argument in enumerate(arguments):
        if argument == "--lang" and place + 1 < len(arguments):
            asked = arguments[place + 1]
        elif argument.startswith("--lang="):
            asked = argument.removeprefix("--lang=")
    return "ja" if asked == "ja" else "en"
