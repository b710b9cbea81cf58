"""Identifiers: removed, or replaced with keyed pseudonyms."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import polars as pl
from polars.selectors import by_name

from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, present_columns, same_rows
from sudare.describe.text import as_text
from sudare.errors import ErrorSentence, InputError, ParameterError
from sudare.parameters import Annotated, Field, Names, model_validator, parameters
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from sudare.describe.table import Table

_SHORTEST_KEY = 16


@parameters
class RemoveIdentifiers:
    """Drop the columns that identify a person directly. Every run ends with this step for any that are left."""

    columns: Names | None = None
    """Columns to drop; all columns with the role identifier if left out."""

    replaces: ClassVar[tuple[str, ...]] = ()
    keeps_rows: ClassVar[bool] = True

    def apply(self, table: Table, context: Context) -> Outcome:  # noqa: ARG002  # the same on every run
        """Drop the columns."""
        names = present_columns(table, table.names("identifier") if self.columns is None else self.columns)
        kept = [column for column in table.columns if column.name not in names]
        removed = table.changed(table.frame.drop(by_name(names)), kept)  # "*" is a name here
        if not names:
            return same_rows(removed)
        group = "identifiers" if all(table.column(name).role == "identifier" for name in names) else "columns"
        key = f"{group}.{'many' if len(names) > 1 else 'one'}"
        return same_rows(removed, Note(key, columns=enumerated(names)))


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
    """File that contains the key (at least 16 bytes; surrounding white space is ignored)."""
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
            if table.column(name).role in {"quasi", "sensitive", "weight"}:
                raise ParameterError(
                    "anonymize.simple.not_an_identifier", column=name, role=table.column(name).role
                )
        frame = table.frame.with_columns([self._pseudonyms(table.frame[name], key) for name in names])
        columns = [
            replace(column, role="insensitive", kind="string", described=True, hierarchy=None)
            if column.name in names
            else column
            for column in table.columns
        ]
        return same_rows(table.changed(frame, columns), Note("pseudonyms", columns=enumerated(names)))

    def _pseudonyms(self, series: pl.Series, key: bytes) -> pl.Series:
        texts = as_text(series)
        distinct = texts.drop_nulls().unique()
        digests = [
            hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[: self.length]
            for text in distinct.to_list()
        ]
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
        return key
