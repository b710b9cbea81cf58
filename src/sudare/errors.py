"""Errors: each says the value that was given, the rule it broke, and what to do next, in one sentence."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


_LONGEST = 200
"""Characters of a value that a sentence quotes."""
_LONGEST_SENTENCE = 2000
_LONGEST_NAME = 60
"""Characters of each of the names there are to choose from."""


_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Signs that end a line or command a terminal, and halves of signs, which cannot be written."""


class SudareError(Exception):
    """Base of everything Sudare raises on purpose; `str(error)` is a sentence for the user.

    The sentence may show values of the data. `summary` never does: it is what the ledger keeps.
    """

    summary = "an error"

    def __init__(self, *sentence: object) -> None:
        # A name or value that the sentence quotes may hold line ends, or signs that command a terminal.
        super().__init__(*(_cut(one_line(str(part))) for part in sentence))


class InputError(SudareError):
    """A file, database or frame cannot be read as asked."""

    summary = "the source could not be read as asked"


class DescriptionError(SudareError):
    """Roles, kinds or hierarchies do not fit the table."""

    summary = "the description does not fit the table"


class ParameterError(SudareError):
    """A parameter of a method, requirement, measure or recipe is not allowed."""

    summary = "a parameter is not allowed"


class InfeasibleError(SudareError):
    """No release of this table can satisfy the requirement (within the limits that were set)."""

    summary = "no release can satisfy the requirements"


class GuaranteeError(SudareError):
    """The verification of a release failed; nothing was released."""

    summary = "the guarantee did not hold"


class OutputError(SudareError):
    """A release, report or ledger cannot be written."""

    summary = "the release could not be written"


class CancelledError(SudareError):
    """The user cancelled; nothing was written."""

    summary = "canceled by the user"


def _cut(sentence: str) -> str:
    """A sentence that quotes names of thousands of characters, without its middle."""
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[:1000]} … {sentence[-300:]}"


def one_line(text: str) -> str:
    r"""A text that quotes others, on one line, and with nothing in it that commands a terminal.

    >>> one_line("a\nb")
    'a\\nb'
    """
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def shown(value: object) -> str:
    """A value as a sentence quotes it: whole if it is short, else its beginning.

    >>> shown([1, "a"]), len(shown("a" * 10_000))
    ("[1, 'a']", 201)
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # whole numbers of thousands of digits, lists in lists without end
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def did_you_mean(given: str, allowed: Iterable[str]) -> str:
    """Close the sentence of an unknown name: a guess when one is near, else the list of what exists.

    >>> did_you_mean("mondrain", ["mondrian", "sample"])
    "did you mean 'mondrian'?"
    >>> did_you_mean("zzz", ["mondrian", "sample"])
    "choose one of 'mondrian', 'sample'."
    """
    names = [str(name) for name in allowed]
    near = difflib.get_close_matches(given, names, n=1)
    if near:
        return f"did you mean '{near[0][:_LONGEST_NAME]}'?"
    listed = ", ".join(f"'{name[:_LONGEST_NAME]}'" for name in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"choose one of {listed}{more}." if names else "there is nothing to choose from."
