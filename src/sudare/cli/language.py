"""In which language a command speaks when something goes wrong, before its options are parsed and after.

This module must stay light: it is also needed while the libraries are still loading.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING

from sudare.words.sentence import shown_language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sudare.words.sentence import Language

SPOKEN: ContextVar[Language] = ContextVar("spoken", default="en")
"""The language of the errors of the command under way."""
_LANGUAGES: dict[str, Language] = {"en": "en", "ja": "ja"}


_OF_RECIPE = re.compile(r"""(?:^|[{,])[ \t]*["']?language["']?[ \t]*:[ \t]*["']?(en|ja)\b""", re.MULTILINE)
_MOST_READ = 1_000_000


def recipe_language(path: Path) -> Language:
    """The language that a recipe's output names, else that of the environment; also of a recipe that is at fault.

    What is wrong with a recipe is said in its language, so the text is looked at before it is understood.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            found = _OF_RECIPE.findall(file.read(_MOST_READ))
    except (OSError, ValueError):
        found = []
    # Output comes last; a column may have the name too.
    return _LANGUAGES[found[-1]] if found else shown_language()


def asked_language(arguments: Sequence[str]) -> Language:
    """The language that arguments ask for, wherever `--lang` is among them; where it is none we have, that of the environment.

    >>> asked_language(["patients.csv", "--lang", "ja"]), asked_language(["--lang=ja"]), asked_language(["--lang"])
    ('ja', 'ja', 'en')
    """
    asked = ""
    for place, argument in enumerate(arguments):
        if argument == "--lang" and place + 1 < len(arguments):
            asked = arguments[place + 1]
        elif argument.startswith("--lang="):
            asked = argument.removeprefix("--lang=")
    return _LANGUAGES.get(asked) or shown_language()
