"""The words a column is described with: what it means for privacy, and what its values are like.

They live apart from `Table` so that guessing, hierarchies and recipes can name them without importing it.
"""

from __future__ import annotations

from typing import Literal

Role = Literal["identifier", "quasi", "sensitive", "insensitive", "weight"]
"""What a column means for privacy.

`identifier` names a person by itself and is removed or replaced; `quasi` may be known to an outsider and
names a person together with others; `sensitive` is what must not be learned about a person; `insensitive`
is released as it is; `weight` is the number of people a record stands for.
"""

COUNTED_ROLES: tuple[Role, Role] = ("quasi", "sensitive")
"""Roles that Pk-anonymity speaks of: it promises nothing about other columns, so they take nothing of the budget."""

Kind = Literal["numeric", "ordinal", "nominal", "string", "date", "set"]
"""What the values of a column are like, which decides the distances and hierarchies that make sense."""

MEASURED_KINDS: frozenset[Kind] = frozenset(("numeric", "date"))
"""Values lie on an axis, and have differences."""
ORDERED_KINDS: frozenset[Kind] = MEASURED_KINDS | {"ordinal"}
"""Values have an order, and ranges."""

MissingPolicy = Literal["own", "reject", "drop"]
"""What a missing value means.

`own`: a value of its own, equal only to missing (the default); `reject`: the table is refused;
`drop`: records with one are left out.
"""
