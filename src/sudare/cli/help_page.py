"""The page that `sudare COMMAND --help` shows: typer's, with the words of `help.yaml`."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import typer
from rich.measure import Measurement
from rich.text import Text
from typer import rich_utils

from sudare.display import folded, width_of
from sudare.words.sentence import Texts, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, ConsoleOptions

    from sudare.words.sentence import Language

_HEADINGS = {
    "ARGUMENTS_PANEL_TITLE": "arguments",
    "OPTIONS_PANEL_TITLE": "options",
    "DEFAULT_STRING": "default",
    "REQUIRED_LONG_STRING": "required",
}
"""What typer calls its own words on the page."""


@contextmanager
def help_in(language: Language, command: Any, name: str) -> Iterator[None]:
    """Within, typer shows the help of a command in a language."""
    words = texts(language, "help")
    _fill(command, name, words)
    changed: dict[str, Any] = {heading: words(f"headings.{key}") for heading, key in _HEADINGS.items()}
    if language == "ja":
        changed["_make_rich_text"] = _Folded
    before = {part: getattr(rich_utils, part) for part in changed}
    vars(rich_utils).update(changed)
    try:
        yield
    finally:
        vars(rich_utils).update(before)


def _fill(command: Any, name: str, words: Texts) -> None:
    command.help = words(f"{name}.text")
    command.options_metavar = words("headings.any_options")
    usage = command.get_usage
    command.get_usage = lambda context: usage(context).replace("Usage: ", words("headings.usage"))
    for parameter in (*command.params, command.get_help_option(typer.Context(command))):
        parameter.help = words(key_of(name, parameter.name, words))
        parameter.display_type_rich = partial(_type_for_people, parameter.display_type_rich)


def _type_for_people(shown: Callable[..., str | None], **context: Any) -> str | None:
    """The type of one value: a list is an option that may be repeated, and a switch has no value."""
    named = shown(**context)
    if named is None or named.strip("<>") == "bool":
        return None
    return re.sub(r"list\[(.*?)\]", r"\1", named).lower()


def key_of(command: str, option: str, words: Texts) -> str:
    """The key of what an option does: the command's own words, or those for all commands."""
    own = f"{command}.options.{option}"
    return own if own in words.words else f"options.{option}"


class _Folded:
    """Japanese in the lines of a page: rich breaks only between words, and cuts off what has no blanks."""

    def __init__(self, *, text: str, style: str = "", markup_mode: str) -> None:  # noqa: ARG002  # as typer calls it
        self._lines, self._style = text.split("\n"), style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for line in self._lines:
            kept = line if line.startswith(" ") else folded(line, options.max_width)
            yield rich_utils.highlighter(Text(kept, style=self._style))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, max(map(width_of, self._lines))).with_maximum(options.max_width)
