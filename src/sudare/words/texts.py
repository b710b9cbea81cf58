"""Words for readers in their own language: YAML files, one for each area and language.

A text has a dotted key; the figures of a sentence are named in braces, with their format: `{rows:,} rows`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import yaml

from sudare.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

Language = Literal["en", "ja"]
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # C where it was built: ten times as fast


class Texts:
    """The words of one language: `texts("risk.title")`, with the figures of a sentence as keywords."""

    def __init__(self, language: Language, words: Mapping[str, str]) -> None:
        self.language = language
        self.words = words

    def __call__(self, key: str, **values: Any) -> str:
        """The text of a key; unknown keys are errors."""
        text = self.words[key]
        return text.format(**values) if values else text

    def or_else(self, key: str, other: str) -> str:
        """The text of a key where there is one: for what may be added to Sudare before it has words here."""
        return self(key) if key in self.words else other


@cache
def loaded(area: str, language: Language) -> dict[str, str]:
    """The texts of one area in a language, by dotted key."""
    source = files("sudare.words").joinpath(language, f"{area}.yaml").read_text(encoding="utf-8")
    return dict(_flat(yaml.load(source, LOADER), ""))  # noqa: S506  # the safe loader, in C


def language_of(given: object) -> Language:
    """A language there is."""
    if given not in get_args(Language):
        raise ParameterError(
            f"The language is {given!r}, but there are English and Japanese; give 'en' or 'ja'."
        )
    return cast("Language", given)


def _flat(tree: dict[str, Any], prefix: str) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for key, value in tree.items():
        flat += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return flat
