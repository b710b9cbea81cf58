"""What a column's name says about it, in English and Japanese.

English names are split into words (snake_case, kebab-case, camelCase, spaces) and matched as whole words, so
that `stage` is not an `age`; Japanese names have no word boundaries and are searched for the longest known term.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from sudare.describe.guess.topics import TOPICS, Topic


def topic_of(name: str) -> Topic | None:
    """The topic that a name indicates most clearly: the longest term found; weak terms only if there are no others.

    >>> [topic_of(name).key for name in ("dateOfBirth", "disease_name", "患者ID", "native-country")]
    ['birth', 'health', 'key', 'nationality']
    >>> topic_of("stage") is None
    True
    """
    found = [*_english_matches(words(name)), *_japanese_matches(_japanese_part(name))]
    return max(found, key=lambda match: (not match[1].weak, match[0]))[1] if found else None


def words(name: str) -> list[str]:
    """The Latin words and numbers of a name, in lower case.

    >>> words("PatientID"), words("date-of_birth"), words("ＺＩＰ code 2"), words("患者ID")
    (['patient', 'id'], ['date', 'of', 'birth'], ['zip', 'code', '2'], ['id'])
    """
    return [word.lower() for word in _LATIN.findall(unicodedata.normalize("NFKC", name))]


def is_key(name: str) -> bool:
    """Whether a name ends like the name of a key: `…_id`, `…No`, `…番号`."""
    found = words(name)
    japanese = _japanese_part(name)
    return (bool(found) and found[-1] in _KEY_WORDS) or (
        japanese.endswith("番号") and not japanese.endswith("郵便番号")
    )


def is_about_person(name: str) -> bool:
    """Whether a name mentions the kind of person a record is about, such as patient or 患者."""
    japanese = _japanese_part(name)
    return not _PERSON_WORDS.isdisjoint(words(name)) or any(term in japanese for term in _PERSON_TERMS)


def _english_matches(found: list[str]) -> list[tuple[int, Topic]]:
    terms = _english_terms()
    matches = []
    for start in range(len(found)):
        for end in range(start + 1, min(start + _LONGEST_TERM, len(found)) + 1):
            joined = "".join(found[start:end])
            topic = terms.get(joined) or terms.get(joined.removesuffix("s"))
            if topic is not None:
                matches.append((len(joined), topic))
    return matches


def _japanese_matches(text: str) -> list[tuple[int, Topic]]:
    # A Japanese character conveys about as much as two letters; mixed names are rare enough for a rule of thumb.
    return [(2 * len(term), topic) for term, topic in _japanese_terms() if term in text]


def _japanese_part(name: str) -> str:
    return "".join(_JAPANESE.findall(unicodedata.normalize("NFKC", name)))


@cache
def _english_terms() -> dict[str, Topic]:
    # Terms are compared without spaces, so that `zipcode`, `zip_code` and `ZipCode` are the same.
    return {term.replace(" ", "").strip(): topic for topic in TOPICS for term in topic.english.split(",")}


@cache
def _japanese_terms() -> list[tuple[str, Topic]]:
    return [(term, topic) for topic in TOPICS for term in topic.japanese.split()]


_PERSON_WORDS = frozenset(
    [
        "patient",
        "person",
        "user",
        "customer",
        "client",
        "member",
        "student",
        "employee",
        "staff",
        "subject",
        "participant",
        "respondent",
        "citizen",
        "individual",
        "resident",
        "applicant",
        "donor",
        "worker",
        "people",
    ]
)
_PERSON_TERMS = (
    "患者",
    "個人",
    "会員",
    "顧客",
    "社員",
    "職員",
    "学生",
    "生徒",
    "本人",
    "利用者",
    "受診者",
    "被験者",
    "住民",
)
_KEY_WORDS = frozenset({"id", "ids", "uuid", "guid", "key", "no", "nr", "nbr", "number", "num", "serial"})
_LONGEST_TERM = 5
_LATIN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_JAPANESE = re.compile(r"[\u3005-\u3007\u3012\u3040-\u30ff\u3400-\u9fff]+")
