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
