"""The role that a column seems to have, with its evidence.

The order of evidence: values that name a person by their form (e-mail addresses), then the column's name,
then other forms of values, then uniqueness and cardinality. Where evidence is weak the role is the more
protective one, because a wrong `quasi` costs some detail and a wrong `insensitive` may cost a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudare.describe.guess.names import is_about_person, is_key

if TYPE_CHECKING:
    from sudare.describe.guess.topics import Topic
    from sudare.describe.guess.values import Values
    from sudare.describe.kinds import Role

_KEY_SHARE = 0.95
_FEWEST_ROWS_FOR_KEY = 20
_ROWS_PER_SHARED_VALUE = 20
_CATEGORIES = 50
_AGES_AND_YEARS = ((0, 120), (1880, 2100))
_ALWAYS_IDENTIFYING = frozenset({"person name", "official number"})

_IDENTIFYING_FORMS: dict[str, tuple[str, str]] = {
    "email": ("e-mail addresses", "メールアドレス"),
    "web address": ("web addresses", "URL"),
    "uuid": ("unique ids (UUID)", "一意の識別子(UUID)"),
    "ip address": ("IP addresses", "IPアドレス"),
    "social security number": ("social security numbers", "社会保障番号"),
    "card number": ("card numbers", "カード番号"),
    "phone number": ("phone numbers", "電話番号"),
}


@dataclass(frozen=True)
class Judgment:
    """A role with its evidence."""

    role: Role
    confidence: float
    reason: str
    reason_ja: str


def judge(name: str, values: Values, topic: Topic | None, *, measures_bodies: bool) -> Judgment:
    """The role of a column by the first evidence there is; `measures_bodies`: other columns do."""
    return (
        _by_identifying_form(values)
        or _by_key_name(name, values)
        or _by_topic(name, values, topic, measures_bodies=measures_bodies)
        or _by_other_form(values)
        or _by_count(values)
    )


def _by_identifying_form(values: Values) -> Judgment | None:
    if values.form not in _IDENTIFYING_FORMS:
        return None
    what, what_ja = _IDENTIFYING_FORMS[values.form]
    return Judgment("identifier", 0.95, f"The values look like {what}.", f"値が{what_ja}の形をしています。")


def _by_key_name(name: str, values: Values) -> Judgment | None:
    """A name such as `test_result_id` is about the key, not about the result, where every value differs."""
    if not is_key(name) or not values.present:
        return None
    is_fraction = values.series.dtype.is_numeric() and not values.is_whole
    is_different = values.share >= _KEY_SHARE and not is_fraction
    postal = values.form == "postal code" and not is_about_person(name)
    if is_about_person(name) or (is_different and not postal):
        return Judgment(
            "identifier",
            0.95 if is_different else 0.85,
            "The name is that of a key, which points to one person in other records.",
            "列名は識別番号を表し、他の記録の同じ人に結び付きます。",
        )
    return None


def _by_topic(name: str, values: Values, topic: Topic | None, *, measures_bodies: bool) -> Judgment | None:
    if topic is None:
        return None
    if topic.role == "weight":
        return _weight(name, values, topic, measures_bodies=measures_bodies)
    if topic.role == "identifier":
        return _named_identifier(values, topic)
    if values.kind() == "date" and topic.key != "birth":
        return _dated()
    if topic.role == "sensitive":
        return Judgment(
            "sensitive",
            0.9,
            f"The name speaks of {topic.about}, which must not be learned about a person.",
            f"列名は{topic.about_ja}を表し、本人について知られてはならない値です。",
        )
    return Judgment(
        "quasi",
        0.7 if topic.weak else 0.9,
        f"The name speaks of {topic.about}, which an outsider could know.",
        f"列名は{topic.about_ja}を表し、外部の人が知りうる値です。",
    )


def _named_identifier(values: Values, topic: Topic) -> Judgment | None:
    if topic.key not in _ALWAYS_IDENTIFYING and values.form != "person name" and _is_shared(values):
        return Judgment(
            "quasi",
            0.5,
            f"The name speaks of {topic.about}, but many records share each value, so it groups people.",
            f"列名は{topic.about_ja}を表しますが、同じ値の記録が多く、人をグループに分ける列です。",
        )
    if topic.key == "key":
        return None
    return Judgment(
        "identifier",
        0.75 if topic.weak else 0.9,
        "The name speaks of free text, which may name people."
        if topic.key == "free text"
        else f"The name speaks of {topic.about}, which points to one person.",
        "列名は自由記述を表し、人の名前を含むおそれがあります。"
        if topic.key == "free text"
        else f"列名は{topic.about_ja}を表し、一人の人を指し示します。",
    )


def _is_shared(values: Values) -> bool:
    """Whether the values are few and each belongs to many records, as those of a group do."""
    distinct = len(values.distinct)
    return distinct <= _CATEGORIES and distinct * _ROWS_PER_SHARED_VALUE <= values.present


def _weight(name: str, values: Values, topic: Topic, *, measures_bodies: bool) -> Judgment | None:
    if not values.numbers.len() or float(values.numbers[0]) <= 0:
        return None
    if measures_bodies and name.strip().lower() in {"weight", "wt"}:
        return Judgment(
            "quasi",
            0.6,
            "The table also measures bodies, so this is probably body weight, which an outsider could know.",
            "身体の測定値が他にもあるため体重と思われ、外部の人が知りうる値です。",
        )
    return Judgment(
        "weight",
        0.6 if name.strip().lower() in {"weight", "wt"} else 0.9,
        f"The name speaks of {topic.about}: how many people it stands for.",
        f"列名は{topic.about_ja}(その記録が代表する人数)を表します。",
    )


def _by_other_form(values: Values) -> Judgment | None:
    if values.kind() == "date" or values.form == "date":
        return _dated()
    is_key = values.present >= _FEWEST_ROWS_FOR_KEY and values.share >= _KEY_SHARE
    if values.form == "postal code" and not is_key:
        return Judgment(
            "quasi",
            0.7,
            "The values look like postal codes, which an outsider could know.",
            "値が郵便番号の形をしており、外部の人が知りうる値です。",
        )
    if values.form == "person name" and values.share > 0.5:
        return Judgment(
            "identifier", 0.8, "The values look like names of people.", "値が人の名前の形をしています。"
        )
    if values.is_long_text and values.share > 0.5:
        return Judgment(
            "identifier",
            0.7,
            "The values are free text, which may name people.",
            "値が自由記述であり、人の名前を含むおそれがあります。",
        )
    return None


def _by_count(values: Values) -> Judgment:
    distinct = len(values.distinct)
    if not values.present:
        return Judgment("insensitive", 0.6, "There is no value in it.", "値が一つもありません。")
    if distinct == 1 and values.present == len(values.series) > 1:
        return Judgment(
            "insensitive",
            0.7,
            "Every record has the same value, so it tells nobody apart.",
            "全ての記録が同じ値なので、人を区別できません。",
        )
    if _is_key(values):
        return Judgment(
            "identifier",
            0.8,
            f"Nearly every record has a value of its own ({distinct} values in {values.present} records).",
            f"ほぼ全ての記録が異なる値を持ちます(記録{values.present}件に値{distinct}種類)。",
        )
    if values.kind() == "set":
        return Judgment(
            "sensitive",
            0.4,
            "A set of items may tell much about a person and nothing says it is harmless, to be cautious.",
            "アイテムの集合は本人について多くを語りうるため、無害と分かるまで慎重に扱います。",
        )
    if distinct > _CATEGORIES and _may_be_age(values):
        return Judgment(
            "quasi",
            0.4,
            f"The numbers could be ages or years ({distinct} values), which an outsider could know, to be cautious.",
            f"年齢や年とも読める数値({distinct}種類)で、外部の人が知りうるため、慎重に準識別子とします。",
        )
    if values.kind() == "numeric" and distinct > _CATEGORIES:
        return Judgment(
            "sensitive",
            0.3,
            f"An outsider hardly knows a measurement so exact ({distinct} values), but it may tell something "
            "about a person and nothing says it is harmless, to be cautious.",
            f"これほど細かい測定値({distinct}種類)を外部の人が知ることは少ないものの、無害と分かるまで"
            "慎重に扱います。",
        )
    return Judgment(
        "quasi",
        0.4,
        f"An outsider might know it ({distinct} values) and nothing says otherwise, to be cautious.",
        f"外部の人が知りうるか不明なため、慎重に準識別子とします(値{distinct}種類)。",
    )


def _may_be_age(values: Values) -> bool:
    """Whether all numbers are whole and lie where ages of people, or years of their lives, do."""
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
    return Judgment(
        "quasi",
        0.8,
        "The values are dates, and an outsider could know when something happened.",
        "値が日付であり、いつの出来事かは外部の人が知りうる値です。",
    )
