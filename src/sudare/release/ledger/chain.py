"""The chain of a ledger: how its values are computed, and what no longer fits."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sudare.errors import ErrorSentence, shown
from sudare.release.ledger.file import COLUMNS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

FIRST_CHAIN = "0" * 64
"""Before the first entry."""


def is_proper(row: tuple[Any, ...]) -> bool:
    """Whether an entry has a number and texts: SQLite keeps anything anywhere, once its schema was damaged."""
    return isinstance(row[0], int) and all(isinstance(item, str) for item in row[1:])


def canonical(value: Any) -> str:
    """Canonical JSON: keys sorted, no spaces, ASCII, numbers finite."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def chain_of(previous: str, number: int, moment: str, event: str, run: str, details: str) -> str:
    """SHA-256 over the chain value before and the canonical JSON of the entry.

    The details enter as the text that is stored, so that not a byte of it can change.
    """
    entry = {"number": number, "time": moment, "event": event, "run": run, "details": details}
    return hashlib.sha256((previous + canonical(entry)).encode()).hexdigest()


def broken_chain(connection: sqlite3.Connection) -> Iterator[ErrorSentence]:
    """What does not fit the chain, and numbers that are missing; nothing about the types of an entry is trusted."""
    before, previous = 0, FIRST_CHAIN
    for row in connection.execute(f"SELECT {COLUMNS} FROM entry ORDER BY number"):  # noqa: S608  # our own names
        number, *content, chain = row
        if not isinstance(number, int) or number <= before:
            yield ErrorSentence("release.ledger.number", number=shown(number), before=before)
            continue
        if number != before + 1:
            yield _missing(before + 1, number - 1)
        elif not is_proper(row) or chain != chain_of(previous, number, *content):
            yield ErrorSentence("release.ledger.chain", number=number)
        before, previous = number, str(chain)
    given = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entry'").fetchone()
    last = given[0] if given else 0
    if not isinstance(last, int) or last < before:
        yield ErrorSentence("release.ledger.set_back")
    elif last > before:
        yield _missing(before + 1, last)


def _missing(first: int, last: int) -> ErrorSentence:
    if first == last:
        return ErrorSentence("release.ledger.missing.one", first=first)
    return ErrorSentence("release.ledger.missing.many", first=first, last=last)
