"""A sentence for people that knows its key and its figures, so that it can be said in any language.

The words are in `en/<area>.yaml` and `ja/<area>.yaml`. A sentence is a text like any other, in English unless said otherwise;
`into` says it anew. Parts of a sentence are sentences, and follow it into the other language. What others say is a kind of
sentence with words of its own: a subclass that names its area.

>>> rows = counted("rows", 1)
>>> rows, rows.into("ja")
('1 row', '1 行')

Words for readers in their own language: YAML files, one for each area and language.

A text has a dotted key; the figures of a sentence are named in braces, with their format: `{rows:,} rows`. An area of many
rooms is a folder, whose files are the first part of its keys: `errors/read.yaml` has the keys `read.…`.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    place = Path(__file__).parent / language / area
    if not place.is_dir():
        return dict(_flat(_parsed(place.with_suffix(".yaml")), ""))
    return {
        key: text for room in sorted(place.iterdir()) for key, text in _flat(_parsed(room), f"{room.stem}.")
    }


def _parsed(file: Path) -> dict[str, Any]:
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


class Sentence(str):
    """A text of `assess.yaml` with its figures: `Sentence("count.rows.many", count=3)`."""

    __slots__ = ("key", "values")

    area: ClassVar[str] = "assess"
    """The file its words are in."""
    key: str
    """Of its text."""
    values: dict[str, Any]
    """Its figures, names and parts."""

    def __new__(cls, key: str, /, **values: Any) -> Self:
        """The sentence in English."""
        return cls._said("en", key, values)

    def into(self, language: Language) -> Self:
        """The same sentence in a language."""
        return self._said(language, self.key, self.values)

    @classmethod
    def _said(cls, language: Language, key: str, values: dict[str, Any]) -> Self:
        made = str.__new__(cls, cls._rendered(texts(language, cls.area), key, values))
        made.key, made.values = key, values
        return made

    @classmethod
    def _rendered(cls, words: Texts, key: str, values: dict[str, Any]) -> str:
        return words(key, **{name: in_language(value, words.language) for name, value in values.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), str(self), self.key, self.values)


class Joined(Sentence):
    """Parts with what stands between them: `joined("between.names", ["age", "sex"])`."""

    __slots__ = ()

    @classmethod
    def _rendered(cls, words: Texts, key: str, values: dict[str, Any]) -> str:
        return words(key).join(in_language(part, words.language) for part in values["parts"])


def joined(key: str, parts: Iterable[str]) -> Joined:
    """Parts with the text of a key between them."""
    return Joined(key, parts=tuple(parts))


def enumerated(given: Iterable[str]) -> Joined:
    """Names, one after the other."""
    return joined("between.names", given)


def counted(what: str, count: float) -> Sentence:
    """A number of rows, records or blocks."""
    return Sentence(f"count.{what}.{'one' if count == 1 else 'many'}", count=count)


def in_language(value: Any, language: Language) -> Any:
    """A sentence in a language; anything else (a name, a figure, the words of a requirement of the caller's) as it is."""
    return value.into(language) if isinstance(value, Sentence) else value


def shown_language() -> Language:
    """The language in which values show themselves, and commands speak unless asked otherwise: `SUDARE_LANG`."""
    return "ja" if os.environ.get("SUDARE_LANG") == "ja" else "en"


def as_shown(sentence: Any) -> Any:
    """A sentence in the language in which values show themselves; one that was put into Japanese stays so."""
    return in_language(sentence, "ja") if shown_language() == "ja" else sentence


def texts(language: Language, area: str = Sentence.area) -> Texts:
    """The words of a study in a language, or those of another area."""
    return Texts(language, loaded(area, language))


def _restored(kind: type[Sentence], said: str, key: str, values: dict[str, Any]) -> Sentence:
    """A sentence that was pickled or copied, as it was said."""
    made = str.__new__(kind, said)
    made.key, made.values = key, values
    return made


class Meaning(Sentence):
    """The description of a measure from `words/en/measures.yaml` and its Japanese twin: `Meaning("meaning.loss")`."""

    __slots__ = ()

    area = "measures"


def meaning_of(key: str, other: str) -> Meaning:
    """The description of a measure; `other` for a third-party measure, which has no words here."""
    return Meaning(key) if key in loaded(Meaning.area, "en") else Meaning("own", said=other)
