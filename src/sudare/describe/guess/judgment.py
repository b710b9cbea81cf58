"""The role that a column seems to have, with its evidence.

The order of evidence: values whose form identifies a person (e-mail addresses), then the column's name,
then other forms of values, then uniqueness and cardinality. If the evidence is weak, the more protective
role is chosen, because a wrong `quasi` costs some detail and a wrong `insensitive` may harm a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sudare.describe.guess.reason import Reason
from sudare.describe.guess.topics import is_about_person, is_key, names_a_person, topic_of
from sudare.describe.guess.values import Values
from sudare.describe.text import has_no_text

if TYPE_CHECKING:
    from sudare.describe.guess.topics import Topic
    from sudare.describe.kinds import Role
    from sudare.describe.table import Table

_KEY_SHARE = 0.95
_FEWEST_ROWS_FOR_KEY = 20
_ROWS_PER_SHARED_VALUE = 20
_CATEGORIES = 50
_MOSTLY_DIFFERENT = 0.5
_AGES_AND_YEARS = ((0, 120), (1880, 2100))
_RECORDS_PER_KEY = 10
_GROUPS_BY_NUMBER = frozenset(
    {
        "place",
        "postal code",
        "occupation",
        "education",
        "health",
        "birth",
        "age",
        "sex",
        "nationality",
        "date",
        "body",
    }
)
"""Topics whose numbers are codes of groups: a hospital, an industry, a disease."""
_MAY_ALL_DIFFER = frozenset({"birth", "age", "date", "event", "postal code", "place"})
"""Topics of which a small table may have a value of its own in every record: days, places."""
_ALWAYS_IDENTIFYING = frozenset({"person name", "official number"})

_IDENTIFYING_FORMS = frozenset(
    {
        "email",
        "web address",
        "uuid",
        "ip address",
        "mac address",
        "address",
        "social security number",
        "card number",
        "phone number",
    }
)

_NAMED_AFTER_PEOPLE = frozenset({"place", "occupation", "education", "nationality", "belief", "health"})
"""Topics whose values may look like names of people: Washington, Baker, King's College, Saint Mary, Alzheimer."""

_SHARED_BY_PEOPLE = frozenset({"person name", "name", "address", "free text"})
"""Topics of identifiers that different people may share: two equal names are not one person."""


_MAY_SAY_WHOSE = frozenset({"identifier", "insensitive", "drop"})
"""Roles of columns that may say whose row it is; the other roles are judged by the requirements."""


@dataclass(frozen=True)
class Judgment:
    """A role with its evidence."""

    role: Role
    confidence: float
    reason: Reason


def judge(name: str, values: Values, topic: Topic | None, *, measures_bodies: bool) -> Judgment:
    """The role of a column by the first evidence found; `measures_bodies`: other columns are body measurements."""
    return (
        _by_identifying_form(values)
        or _by_names_of_people(values, topic)
        or _by_key_name(name, values, topic)
        or _by_part_of_person(name, values)
        or _by_different_codes(values, topic)
        or _by_diseases(values, topic)
        or _by_topic(name, values, topic, measures_bodies=measures_bodies)
        or _by_other_form(values)
        or _by_count(values)
    )


def columns_of_people(table: Table) -> list[str]:
    """Columns that say whose row it is: identifiers that people do not share, and columns that look like one."""
    found = []
    for column in table.columns:
        series = table.frame[column.name]
        if has_no_text(series.dtype) or column.role not in _MAY_SAY_WHOSE or not len(series):
            continue
        values, topic = Values(series), topic_of(column.name)
        shared = topic is not None and topic.key in _SHARED_BY_PEOPLE
        if shared or values.form == "person name" or values.is_long_text or not values.present:
            continue
        judged = judge(column.name, values, topic, measures_bodies=False).role
        if column.role == "identifier" or judged == "identifier":
            found.append(column.name)
    return found


def _by_identifying_form(values: Values) -> Judgment | None:
    if values.form in _IDENTIFYING_FORMS:
        return Judgment("identifier", 0.95, Reason("form", what=Reason(f"forms.{values.form}")))
    return Judgment("identifier", 0.9, Reason("contacts")) if values.mention_contacts else None


def _by_names_of_people(values: Values, topic: Topic | None) -> Judgment | None:
    """Names of people, whatever the column is called, unless it says that they are names of places or the like."""
    if not values.are_names_of_people or (topic is not None and topic.key in _NAMED_AFTER_PEOPLE):
        return None
    named = _named_identifier(values, topic) if topic is not None and topic.role == "identifier" else None
    if named is not None and named.role == "identifier":
        return named
    return Judgment("identifier", 0.8, Reason("person_names"))


def _by_key_name(name: str, values: Values, topic: Topic | None) -> Judgment | None:
    """The role of a column named like a key: `test_result_id` is a key, not a result, if all values differ.

    A key of which every person, visit or claim has a few records identifies as well, so it need not be different everywhere;
    the number of a hospital or of a disease may be, because it groups people.
    """
    if not is_key(name) or not values.present:
        return None
    is_fraction = values.series.dtype.is_numeric() and not values.is_whole
    is_different = values.share >= _KEY_SHARE and not is_fraction
    postal = values.form == "postal code" and not is_about_person(name)
    if is_about_person(name) or (is_different and not postal):
        return Judgment("identifier", 0.95 if is_different else 0.85, Reason("key"))
    if topic is None or topic.key in _GROUPS_BY_NUMBER or is_fraction:
        return None
    if topic.role in {"sensitive", "quasi"} and len(values.distinct) <= _CATEGORIES:
        return Judgment("quasi", 0.5, Reason("named.shared", about=Reason("about.key")))
    few = len(values.distinct) * _RECORDS_PER_KEY >= values.present
    return Judgment("identifier", 0.6, Reason("key")) if few and len(values.distinct) > _CATEGORIES else None


def _by_part_of_person(name: str, values: Values) -> Judgment | None:
    """Names in a column called after somebody's part, such as `line_manager` or 受取人, however often they repeat."""
    if values.form != "person name" or not names_a_person(name):
        return None
    return Judgment("identifier", 0.85, Reason("named.identifier", about=Reason("about.person name")))


def _by_different_codes(values: Values, topic: Topic | None) -> Judgment | None:
    """Codes that differ from record to record identify, whatever the name says: the plates of `vehicle`, the numbers of `loan`."""
    if topic is None or topic.role in {"identifier", "weight"} or topic.key in _MAY_ALL_DIFFER:
        return None
    is_code = values.form == "record code" or (topic.role == "quasi" and values.have_digits)
    if values.series.dtype != pl.String or values.is_long_text or not is_code or not _is_key(values):
        return None
    return Judgment(
        "identifier", 0.7, Reason("unique", distinct=len(values.distinct), records=values.present)
    )


def _by_diseases(values: Values, topic: Topic | None) -> Judgment | None:
    """Diseases in a column whose name says nothing."""
    if (topic is None or topic.weak) and values.are_diseases:
        return Judgment("sensitive", 0.8, Reason("diseases"))
    return None


def _by_topic(name: str, values: Values, topic: Topic | None, *, measures_bodies: bool) -> Judgment | None:
    if topic is None:
        return None
    if topic.role == "weight":
        return _weight(name, values, topic, measures_bodies=measures_bodies)
    if (
        topic.key == "free text"
        and _is_shared(values)
        and (subject := topic_of(name, texts=False)) is not None
    ):
        topic = subject  # a list of descriptions is about what is described
    if topic.role == "identifier":
        return _named_identifier(values, topic)
    if (values.kind() == "date" or values.form == "date") and topic.key != "birth":
        return _dated()
    if values.is_long_text and values.share > _MOSTLY_DIFFERENT:
        return None  # sentences, whatever they are about
    if topic.key in {"birth", "date"} and values.are_words:
        return None  # yes or no: `moved_last_year` is not a date
    if topic.role == "sensitive" and values.are_all_none:
        return None  # a drug that nobody takes says nothing about anybody
    if topic.role == "sensitive":
        return Judgment("sensitive", 0.9, Reason("named.sensitive", about=topic.about))
    return Judgment("quasi", 0.7 if topic.weak else 0.9, Reason("named.quasi", about=topic.about))


def _named_identifier(values: Values, topic: Topic) -> Judgment | None:
    if topic.key not in _ALWAYS_IDENTIFYING and values.form != "person name" and _is_shared(values):
        return Judgment("quasi", 0.5, Reason("named.shared", about=topic.about))
    if topic.key == "key":
        return None
    return Judgment(
        "identifier",
        0.75 if topic.weak else 0.9,
        Reason("named.free_text")
        if topic.key == "free text"
        else Reason("named.identifier", about=topic.about),
    )


def _is_shared(values: Values) -> bool:
    """Whether there are few values and each belongs to many records, as when it identifies a group."""
    distinct = len(values.distinct)
    return distinct <= _CATEGORIES and distinct * _ROWS_PER_SHARED_VALUE <= values.present


def _weight(name: str, values: Values, topic: Topic, *, measures_bodies: bool) -> Judgment | None:
    if not values.numbers.len() or float(values.numbers[0]) <= 0:
        return None
    if measures_bodies and name.strip().lower() in {"weight", "wt"}:
        return Judgment("quasi", 0.6, Reason("body_weight"))
    return Judgment(
        "weight",
        0.6 if name.strip().lower() in {"weight", "wt"} else 0.9,
        Reason("named.weight", about=topic.about),
    )


def _by_other_form(values: Values) -> Judgment | None:
    if values.kind() == "date" or values.form == "date":
        return _dated()
    is_key = values.present >= _FEWEST_ROWS_FOR_KEY and values.share >= _KEY_SHARE
    if values.form == "postal code" and not is_key:
        return Judgment("quasi", 0.7, Reason("postal_codes"))
    if values.form == "person name" and values.share > 0.5:
        return Judgment("identifier", 0.8, Reason("person_names"))
    if values.is_long_text and values.share > _MOSTLY_DIFFERENT:
        return Judgment("identifier", 0.7, Reason("free_text"))
    return None


def _by_count(values: Values) -> Judgment:
    distinct = len(values.distinct)
    if not values.present:
        return Judgment("insensitive", 0.6, Reason("empty"))
    if distinct == 1 and values.present == len(values.series) > 1:
        return Judgment("insensitive", 0.7, Reason("constant"))
    if _is_key(values):
        return Judgment("identifier", 0.8, Reason("unique", distinct=distinct, records=values.present))
    if values.kind() == "set":
        return Judgment("sensitive", 0.4, Reason("items"))
    if distinct > _CATEGORIES and _may_be_age(values):
        return Judgment("quasi", 0.4, Reason("ages", distinct=distinct))
    if values.kind() == "numeric" and distinct > _CATEGORIES:
        return Judgment("sensitive", 0.3, Reason("measurement", distinct=distinct))
    return Judgment("quasi", 0.4, Reason("unknown", distinct=distinct))


def _may_be_age(values: Values) -> bool:
    """Whether all numbers are integers in the range of people's ages, or of the years of their lives."""
    if values.kind() != "numeric" or not values.is_whole or not values.numbers.len():
        return False
    low, high = float(values.numbers[0]), float(values.numbers[-1])
    return any(least <= low and high <= most for least, most in _AGES_AND_YEARS)


def _is_key(values: Values) -> bool:
    if values.present < _FEWEST_ROWS_FOR_KEY or values.kind() == "set":
        return False
    if values.series.dtype.is_numeric():
        return values.are_key_numbers
    return values.share >= _KEY_SHARE


def _dated() -> Judgment:
    return Judgment("quasi", 0.8, Reason("dates"))
