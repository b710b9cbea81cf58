"""Words for readers in their own language: YAML files, one for each area and language.

A text has a dotted key; the figures of a sentence are named in braces, with their format: `{rows:,} rows`. An area of many
rooms is a folder, whose files are the first part of its keys: `errors/read.yaml` has the keys `read.…`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Language = Literal["en", "ja"]


class Texts:
    """The words of one language: `texts("risk.title")`, with the figures of a sentence as keywords."""

    def __init__(self, language: Language, words: Mapping[str, str]) -> None:
        self.language = language
        self.words = words

    def __call__(self, key: str, /, **values: Any) -> str:
        """The text of a key; unknown keys are errors."""
        text = self.words[key]
        return text.format(**values) if values else text

    def or_else(self, key: str, other: str) -> str:
        """The text of a key where there is one: for what may be added to Sudare before it has words here."""
        return self(key) if key in self.words else other


@cache
def loaded(area: str, language: Language) -> dict[str, str]:
    """The texts of one area in a language, by dotted key."""
    place = files("sudare.words").joinpath(language, area)
    if not place.is_dir():
        return dict(_flat(_parsed(files("sudare.words").joinpath(language, f"{area}.yaml")), ""))
    rooms = sorted(place.iterdir(), key=lambda file: file.name)
    return {
        key: text
        for room in rooms
        for key, text in _flat(_parsed(room), f"{room.name.removesuffix('.yaml')}.")
    }


def _parsed(file: Any) -> dict[str, Any]:
    import yaml

    # Written in C where it was built so: ten times as fast. Both are safe loaders.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), loader)  # noqa: S506
    return found


def _flat(tree: dict[str, Any], prefix: str) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for key, value in tree.items():
        flat += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return flat
