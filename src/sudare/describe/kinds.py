"""The words that describe a column: what it means for privacy, and what its values are like.

They are separate from `Table` so that guessing, hierarchies and recipes can use them without importing it.
"""

from __future__ import annotations

from typing import Literal

Role = Literal["identifier", "quasi", "sensitive", "insensitive", "weight", "drop"]
"""What a column means for privacy.

`identifier` identifies a person by itself and is removed or replaced; `quasi` may be known to an outsider and
identifies a person in combination with others; `sensitive` must not be learned about a person; `insensitive`
is released as it is; `weight` is the number of people that a record represents; `drop` is left out of the release,
whatever it is: nobody needs it there.
"""

Spelling = Literal["alike", "exact"]
"""Whether values that differ only in how they are written are one value."""

_MEANT: dict[str, Role] = {
    "id": "identifier", "key": "identifier", "direct": "identifier", "direct-identifier": "identifier",
    "識別子": "identifier", "直接識別子": "identifier", "個人識別子": "identifier",
    "qi": "quasi", "qid": "quasi", "quasi-identifier": "quasi", "quasi-identifying": "quasi", "準識別子": "quasi",
    "間接識別子": "quasi", "secret": "sensitive", "confidential": "sensitive", "機微": "sensitive", "機微な列": "sensitive",
    "機微情報": "sensitive", "機微属性": "sensitive", "要配慮": "sensitive", "要配慮個人情報": "sensitive", "センシティブ": "sensitive",
    "non-sensitive": "insensitive", "other": "insensitive", "keep": "insensitive", "public": "insensitive",
    "非機微": "insensitive", "機微でない": "insensitive", "その他": "insensitive", "そのまま": "insensitive", "公開": "insensitive",
    "weights": "weight", "重み": "weight", "ウェイト": "weight", "乗率": "weight",
    "remove": "drop", "delete": "drop", "exclude": "drop", "suppress": "drop", "除外": "drop", "除く": "drop", "削除": "drop",
    "破棄": "drop", "非公開": "drop",
}  # fmt: skip
"""Other words for roles, in the languages of our users: a recipe knows one word for each, and errors name it."""


def role_meant(given: str) -> Role | None:
    """The role that another word for it means.

    >>> role_meant("準識別子"), role_meant("Quasi identifier"), role_meant("zzz")
    ('quasi', 'quasi', None)
    """
    return _MEANT.get(given.strip().casefold().replace(" ", "-").replace("_", "-"))


UNRELEASED_ROLES: tuple[Role, Role] = ("identifier", "drop")
"""Roles of columns that a release does not contain."""

COUNTED_ROLES: tuple[Role, Role] = ("quasi", "sensitive")
"""Roles covered by Pk-anonymity: it promises nothing about other columns, so they use none of the budget."""

Kind = Literal["numeric", "ordinal", "nominal", "string", "date", "set"]
"""What the values of a column are like, which determines the distances and hierarchies that make sense."""

MEASURED_KINDS: frozenset[Kind] = frozenset(("numeric", "date"))
"""Kinds whose values lie on an axis, and have differences."""
ORDERED_KINDS: frozenset[Kind] = MEASURED_KINDS | {"ordinal"}
"""Kinds whose values have an order, and ranges."""

MissingPolicy = Literal["own", "reject", "drop"]
"""What a missing value means.

`own`: a value of its own, equal only to missing (the default); `reject`: the table is refused;
`drop`: records with missing values are left out.
"""
