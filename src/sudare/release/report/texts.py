"""Every word a reader of the report sees, in the reader's language."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml

Language = Literal["en", "ja"]
About = Literal["table", "baskets"]
"""What a report is about: baskets have words of their own, and some that replace those of tables."""


class Texts:
    """The words of one language: `texts("risk.title")`, with the figures of a sentence as keywords."""

    def __init__(self, language: Language, about: About = "table") -> None:
        self.language = language
        self.about = about

    def __call__(self, key: str, **values: Any) -> str:
        """The text of a key; unknown keys are errors."""
        text = words(self.language, self.about)[key]
        return text.format(**values) if values else text

    def or_else(self, key: str, other: str) -> str:
        """The text of a key where there is one: for what may be added to Sudare before it has words here."""
        return self(key) if key in words(self.language, self.about) else other


@cache
def words(language: Language, about: About = "table") -> dict[str, str]:
    """Texts by dotted key."""
    found = loaded(f"texts_{language}.yaml")
    return found if about == "table" else {**found, **loaded(f"basket_texts_{language}.yaml")}


@cache
def loaded(name: str) -> dict[str, str]:
    """The texts of one file."""
    source = files("sudare.release.report").joinpath(name)
    return dict(_flat(yaml.safe_load(source.read_text(encoding="utf-8")), ""))


def _flat(tree: dict[str, Any], prefix: str) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for key, value in tree.items():
        flat += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return flat
