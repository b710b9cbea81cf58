"""Identifiers: removed, or replaced with keyed pseudonyms."""

from __future__ import annotations

import hashlib
import hmac
import math
import os
import secrets
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import polars as pl

from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, present_columns, same_rows
from sudare.describe.kinds import UNRELEASED_ROLES
from sudare.describe.text import as_text
from sudare.errors import ErrorSentence, InputError, ParameterError
from sudare.parameters import Annotated, Field, Names, model_validator, parameters
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from sudare.describe.table import Table

_SHORTEST_KEY = 16
_FEWEST_BYTES = 7
_REPEATED = 4
"""Bytes at the end of a key that are also its beginning; fewer are chance."""
_CHANCE = 2.0**-20
"""The largest chance, about one in a million, that two values of a column get the same pseudonym."""


@parameters
class RemoveIdentifiers:
    """Drop the columns that identify a person directly. Every run ends with this step for any that are left.

    Columns with the role drop go with them.
    """

    columns: Names | None = None
    """Columns to drop; all columns with the role identifier or drop if left out."""

    replaces: ClassVar[tuple[str, ...]] = ()
    keeps_rows: ClassVar[bool] = True

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the same on every run
        """Drop the columns."""
        names = present_columns(
            table, table.names(*UNRELEASED_ROLES) if self.columns is None else self.columns
        )
        kept = [column for column in table.columns if column.name not in names]
        removed = table.changed(table.frame.drop(pl.selectors.by_name(names)), kept)  # "*" is a name here
        identifiers = [name for name in names if table.column(name).role == "identifier"]
        others = [name for name in names if name not in identifiers]
        groups = {"identifiers": identifiers, "columns": others}
        return same_rows(
            removed,
            *(
                Note(f"{group}.{'many' if len(found) > 1 else 'one'}", columns=enumerated(found))
                for group, found in groups.items()
                if found
            ),
        )


@parameters
class Pseudonymize:
    """Replace identifiers with a shortened HMAC-SHA-256(key, value): equal values get equal pseudonyms.

    Without the key, nobody can compute or reverse a pseudonym. The key is read from a file or an environment variable
    and is never written into a release. If neither is given, a fresh random key is used and forgotten, so pseudonyms
    link records only within one release. Missing stays missing. A pseudonym still singles out a record: it hides
    names, but does not protect against an attacker who knows the other columns.
    """

    columns: Names
    """Columns to replace."""
    key_file: Path | None = None
    """File that contains the key (at least 16 random bytes; surrounding white space is ignored)."""
    key_variable: str | None = None
    """Environment variable that contains the key."""
    length: Annotated[int, Field(ge=8, le=64)] = 32
    """Number of hexadecimal digits to keep, 4 bits each. 32 makes collisions negligible for any table."""

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        if self.key_file is not None and self.key_variable is not None:
            raise ValueError(ErrorSentence("anonymize.simple.two_keys"))
        return self

    replaces: ClassVar[tuple[str, ...]] = ()
    keeps_rows: ClassVar[bool] = True
    private_fields: ClassVar[tuple[str, ...]] = ("key_file", "key_variable")

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the key is of the operating system or given
        """Replace the columns; afterwards they count as described and insensitive."""
        key = self._key()
        names = present_columns(table, self.columns)
        for name in names:
            if table.column(name).role in {"quasi", "sensitive", "weight", "drop"}:
                raise ParameterError(
                    "anonymize.simple.not_an_identifier", column=name, role=table.column(name).role
                )
        for name in names:
            self._refuse_short(table.frame[name])
        frame = table.frame.with_columns([self._pseudonyms(table.frame[name], key) for name in names])
        columns = [
            replace(column, role="insensitive", kind="string", described=True, hierarchy=None)
            if column.name in names
            else column
            for column in table.columns
        ]
        return same_rows(table.changed(frame, columns), Note("pseudonyms", columns=enumerated(names)))

    def _refuse_short(self, series: pl.Series) -> None:
        """Two values with one pseudonym would be one person to every reader: the chance of that must be negligible."""
        values = as_text(series).drop_nulls().n_unique()
        needed = math.ceil((2 * math.log2(max(values, 1)) - 1 - math.log2(_CHANCE)) / 4)
        if self.length < needed:
            raise ParameterError(
                "anonymize.simple.short_pseudonym",
                length=self.length,
                column=series.name,
                values=values,
                chance=-math.expm1(-(values**2) / 2.0 ** (4 * self.length + 1)),
                needed=needed,
            )

    def _pseudonyms(self, series: pl.Series, key: bytes) -> pl.Series:
        texts = as_text(series)
        distinct = texts.drop_nulls().unique()
        digests = [_digest(key, text)[: self.length] for text in distinct.to_list()]
        if len(set(digests)) < len(digests):
            raise ParameterError("anonymize.simple.collision", column=series.name, length=self.length)
        return texts.replace_strict(distinct, pl.Series(digests, dtype=pl.String), default=None).rename(
            series.name
        )

    def _key(self) -> bytes:
        if self.key_variable is not None:
            given = os.environ.get(self.key_variable)
            if given is None:
                raise InputError("anonymize.simple.no_key_variable", variable=self.key_variable)
            key = given.encode().strip()
            place = ErrorSentence("anonymize.simple.variable", variable=self.key_variable)
        elif self.key_file is not None:
            try:
                key = self.key_file.read_bytes().strip()
            except OSError as error:
                raise InputError(
                    "anonymize.simple.no_key_file", path=self.key_file, reason=error.strerror
                ) from None
            place = ErrorSentence("anonymize.simple.file", path=self.key_file)
        else:
            return secrets.token_bytes(32)
        if len(key) < _SHORTEST_KEY:
            raise ParameterError(
                "anonymize.simple.short_key", place=place, length=len(key), least=_SHORTEST_KEY
            )
        _refuse_guessable(key, place)
        return key


def _digest(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _refuse_guessable(key: bytes, place: ErrorSentence) -> None:
    """Refuse keys that somebody typed instead of drew: whoever guesses the key computes the pseudonym of every name.

    Nothing can prove a key random. A random one of 16 hexadecimal digits is refused once in about 1,400 times, and one of 32
    practically never.
    """
    period = next(size for size in range(1, len(key) + 1) if key[size:] == key[:-size])
    if period < _SHORTEST_KEY and len(key) - period >= _REPEATED:
        raise ParameterError("anonymize.simple.repeating_key", place=place, period=period)
    if len(set(key)) < _FEWEST_BYTES:
        raise ParameterError(
            "anonymize.simple.plain_key", place=place, count=len(set(key)), least=_FEWEST_BYTES
        )
    steps = [(after - before) % 256 for before, after in pairwise(key)]
    if max(steps.count(1), steps.count(255)) > len(steps) // 2:
        raise ParameterError("anonymize.simple.counting_key", place=place)
