"""A first, cautious guess of what each column is, with the reason, for the data custodian to correct.

The role comes from `judgment`, the kind from the values, and a quasi-identifier gets a hierarchy that suits both.

>>> import polars as pl
>>> frame = pl.DataFrame({"患者ID": ["P001", "P002"], "age": [34, 71], "病名": ["flu", "gout"]})
>>> for guess in guess_roles(frame):
...     print(guess.column, guess.role, guess.kind, guess.hierarchy)
患者ID identifier string None
age quasi numeric {'type': 'intervals', 'width': 5}
病名 sensitive nominal None
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import polars as pl

from sudare.describe.conversion import (
    DIGITS,
    are_dates,
    are_written_numbers,
    formats_of,
    found_dates,
    read_numbers,
    unit_of,
)
from sudare.describe.guess.hierarchies import suggested_hierarchy
from sudare.describe.guess.judgment import Judgment, judge
from sudare.describe.guess.reason import Reason
from sudare.describe.guess.topics import is_code, topic_of
from sudare.describe.guess.values import Values, guess_kind
from sudare.describe.kinds import COUNTED_ROLES, Role
from sudare.describe.table import Table, from_native, roles_by_name
from sudare.describe.text import as_text
from sudare.errors import DescriptionError, did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sudare.describe.conversion import Formats
    from sudare.describe.guess.topics import Topic
    from sudare.describe.kinds import Kind


_DATED = frozenset({"birth", "date", "event"})
_CODED = frozenset({"postal code", "official number", "key", "contact"})
"""Topics of columns whose digits are codes, whatever they look like."""
_TRIED = 20


@dataclass(frozen=True)
class Guess:
    """What a column seems to be, and why."""

    column: str
    """Name of the column."""
    role: Role
    """The role it should have."""
    kind: Kind
    """The kind of its values."""
    hierarchy: dict[str, object] | None
    """Hierarchy for generalizing it, as in a recipe; None leaves the ranges to the method."""
    reason: Reason
    """The reason, in one English sentence; `reason.into("ja")` is the same in Japanese."""
    confidence: float
    """From 0 (no evidence) to 1 (certain)."""
    format: Formats | None = None
    """How the dates of a column of texts are written, several formats where not all have the same; None where they are not texts, or no dates."""


class Guesses(list[Guess]):
    """The guesses of all columns, in their order; a list that can be applied to its table."""

    def __init__(self, table: Table, guesses: Iterable[Guess]) -> None:
        super().__init__(guesses)
        self.table = table

    def apply(self) -> Table:
        """The table described as guessed: roles, kinds and hierarchies. Look at the guesses before you trust them."""
        roles: dict[str, list[str]] = {}
        for guess in self:
            roles.setdefault(guess.role, []).append(guess.column)
        given: dict[str, Any] = {
            **roles,
            "kinds": {guess.column: guess.kind for guess in self},
            "hierarchies": {guess.column: guess.hierarchy for guess in self if guess.hierarchy is not None},
            "formats": {guess.column: guess.format for guess in self if guess.format is not None},
        }
        return self.table.describe(**given)


def guess_roles(
    data: Any, roles: Mapping[str, Iterable[str]] | None = None, rest: Role | None = None
) -> Guesses:
    """Guess the role, kind and hierarchy of every column of a table or any dataframe, in column order.

    Args:
        data: The table.
        roles: Roles that are known, each with names or patterns of columns (`{"quasi": ["age", "zip*"]}`): of these columns
            only the kind and the hierarchy are guessed.
        rest: The role of all other columns; guessed when left out.
    """
    frame, _ = from_native(getattr(data, "frame", data))
    told = {name: Judgment(role, 1.0, Reason("told")) for name, role in _known(roles, frame).items()}
    if rest is not None:
        others = Judgment(rest, 1.0, Reason("rest"))
        told = {name: told.get(name, others) for name in frame.columns}
    topics = [topic_of(name) for name in frame.columns]
    measures_bodies = any(topic is not None and topic.key == "body" for topic in topics)
    guesses = [
        _guess(series, topic, told.get(series.name), measures_bodies=measures_bodies)
        for series, topic in zip(frame.get_columns(), topics, strict=True)
    ]
    weights = [guess for guess in guesses if guess.role == "weight"]
    weight = next((guess for guess in weights if guess.column in told), weights[0] if weights else None)
    table = data if isinstance(data, Table) else Table.from_frame(data)
    return Guesses(
        table,
        [
            _no_weight(guess, frame[guess.column])
            if guess.role == "weight" and guess is not weight and guess.column not in told
            else guess
            for guess in guesses
        ],
    )


def _known(roles: Mapping[str, Iterable[str]] | None, frame: pl.DataFrame) -> dict[str, Role]:
    """The roles that are told, by column."""
    given = roles or {}
    wrong = next((role for role in given if role not in get_args(Role)), None)
    if wrong is not None:
        raise DescriptionError(
            "describe.table.not_a_role", given=shown(wrong), hint=did_you_mean(str(wrong), get_args(Role))
        )
    return roles_by_name(given, frame.columns)


def _guess(series: pl.Series, topic: Topic | None, told: Judgment | None, *, measures_bodies: bool) -> Guess:
    name = series.name
    reading = _read(series, topic)
    values = Values(series if reading is None else reading[0])
    judgment = told or judge(name, values, topic, measures_bodies=measures_bodies)
    kind = values.kind()
    is_postal = judgment.role == "quasi" and topic is not None and topic.key == "postal code"
    if judgment.role == "identifier" or is_postal:
        kind = "string"
    elif kind == "numeric" and judgment.role in COUNTED_ROLES and values.is_whole and is_code(name):
        kind = "nominal"  # an interval of codes means nothing
    written = reading[1] if reading is not None and judgment.role in COUNTED_ROLES else None
    if reading is not None and judgment.role not in COUNTED_ROLES:
        kind = "string" if judgment.role == "identifier" else guess_kind(series)
    unit = None if written is None else unit_of(formats_of(written)[0])
    hierarchy = suggested_hierarchy(values, kind, topic, unit) if judgment.role == "quasi" else None
    return Guess(name, judgment.role, kind, hierarchy, judgment.reason, judgment.confidence, written)


def _read(series: pl.Series, topic: Topic | None) -> tuple[pl.Series, Formats | None] | None:
    """A column of texts as the dates (with their format) or the numbers that they are, however they are written."""
    key = "" if topic is None else topic.key
    is_text = series.dtype == pl.String
    if not is_text and not (series.dtype.is_integer() and key in _DATED):
        return None
    values = Values(series)
    if not values.present or values.is_iso_text or key in _CODED:
        return None
    if is_text and are_written_numbers(values.texts):
        return read_numbers(series), None
    few = series.drop_nulls().head(_TRIED)
    if not are_dates(as_text(few)):
        return None
    # Two ways to read a date are for people to choose from, and eight digits are one only where the name says so.
    found = found_dates(series)
    if found is None or (DIGITS in formats_of(found.format) and key not in _DATED):
        return None
    return found.series, found.format


def _no_weight(guess: Guess, series: pl.Series) -> Guess:
    """The guess for a second weight, made a quasi-identifier: a record can have only one weight, and exact ones point to rows."""
    return replace(
        guess,
        role="quasi",
        hierarchy=suggested_hierarchy(Values(series), guess.kind, None),
        confidence=0.4,
        reason=Reason("named.second_weight"),
    )
