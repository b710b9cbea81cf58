"""A sentence for people that knows its key and its figures, so that it can be said in any language.

The words are in `en/<area>.yaml` and `ja/<area>.yaml`. A sentence is a text like any other, in English unless said otherwise;
`into` says it anew. Parts of a sentence are sentences, and follow it into the other language. What others say is a kind of
sentence with words of its own: a subclass that names its area.

>>> rows = counted("rows", 1)
>>> rows, rows.into("ja")
('1 row', '1 行')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from sudare.words.texts import Texts, loaded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudare.words.texts import Language


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


def texts(language: Language, area: str = Sentence.area) -> Texts:
    """The words of a study in a language, or those of another area."""
    return Texts(language, loaded(area, language))


def _restored(kind: type[Sentence], said: str, key: str, values: dict[str, Any]) -> Sentence:
    """A sentence that was pickled or copied, as it was said."""
    made = str.__new__(kind, said)
    made.key, made.values = key, values
    return made
