"""Ledger: the append-only record of what was run and what was released, in one SQLite file.

Every entry carries a chain value, SHA-256 over the chain value of the entry before it and its own content,
so that a change anywhere breaks the chain from there on. Triggers refuse UPDATE, DELETE and an INSERT out
of turn. Who can write the file can still drop the triggers and compute a whole new chain, or drop the last
entries and set the counter back: that is only seen by comparing with a head kept elsewhere (`Ledger.missing`). Every
release has the head of its run in its manifests and reports.

Each operation opens its own connection, so one `Ledger` may be used from threads and forked processes.
An entry whose `append` has returned is on the disk (write-ahead log, synchronous=FULL).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import UUID

from sudare.errors import (
    CancelledError,
    ErrorSentence,
    InputError,
    OutputError,
    ParameterError,
    SudareError,
    did_you_mean,
    redact,
    shown,
)
from sudare.release.ledger.chain import FIRST_CHAIN, broken_chain, canonical, chain_of, is_proper
from sudare.release.ledger.file import (
    COLUMNS,
    EVENTS,
    NEXT_NUMBER,
    Event,
    broken_file,
    broken_triggers,
    connection_to,
    make_private,
    own_key,
    prepare,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SECRET_NAMES = frozenset({"key", "secret", "seed", "password"})


@dataclass(frozen=True)
class Entry:
    """One line of the ledger."""

    number: int
    """1, 2, 3 … without a gap."""
    time: str
    """When it was appended: UTC, ISO 8601."""
    event: Event
    """What happened to the run."""
    run: str
    """The UUID of the run; its `started` and its end share it."""
    details: dict[str, Any]
    """What the caller recorded, as JSON gives it back."""
    chain: str
    """SHA-256 (hexadecimal) over the chain value before it and this entry."""


class Head(NamedTuple):
    """The end of a ledger at some moment: kept elsewhere, it proves that nothing before it was changed or dropped."""

    number: int
    """Of the last entry."""
    chain: str
    """Its chain value."""

    def __str__(self) -> str:
        return f"{self.number}:{self.chain}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """A head from `NUMBER:CHAIN`, as it is shown and as manifests have it."""
        found = re.fullmatch(r"\s*([0-9]{1,18}):([0-9a-fA-F]{64})\s*", text, re.ASCII)
        if found is None:
            raise ParameterError("release.ledger.not_a_head", given=shown(text))
        return cls(int(found[1]), found[2].lower())


class Ledger:
    """The ledger at `path`, created when absent.

    Args:
        path: the file; None takes the environment's SUDARE_LEDGER, else `ledger.sqlite` in the user's
            data folder.

    Raises:
        InputError: the file is not a ledger, is damaged, or was written by a newer version.
        OutputError: the file cannot be created or written there.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = _default_path() if path is None else Path(path).expanduser()
        if "\0" in str(self.path):  # SQLite would silently take the part before it
            raise OutputError("release.ledger.nul", path=repr(str(self.path)))
        try:
            # For its owner alone: the folder if it is made here (another may be shared), the file in any case.
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError("release.ledger.no_folder", path=self.path, why=error.strerror) from error
        make_private(self.path)
        prepare(self.path)

    @contextmanager
    def failures(self, run: str) -> Iterator[None]:
        """Enter how a run ended if it did not succeed: canceled, or failed and why; the error goes on."""
        try:
            yield
        except (KeyboardInterrupt, CancelledError):
            self.append("cancelled", run, {})
            raise
        except SudareError as error:
            self.append("failed", run, {"reason": error.summary})
            raise
        except BaseException as error:
            self.append("failed", run, {"reason": type(error).__name__})
            raise

    def append(self, event: Event, run: str, details: dict[str, Any]) -> Entry:
        """Add an entry; when this returns, it survives a kill and a power cut.

        Args:
            event: what happened to the run.
            run: the run's UUID.
            details: anything JSON can hold; never a secret, and no item named like one.

        Raises:
            ParameterError: an unknown event, a run that is no UUID, or details that cannot be recorded.
        """
        if event not in EVENTS:
            raise ParameterError("release.ledger.event", event=event, hint=did_you_mean(event, EVENTS))
        run = _uuid(run)
        text = _details_text(details)
        with connection_to(self.path) as connection:
            connection.execute("BEGIN IMMEDIATE")  # the next number and the chain's end are ours until COMMIT
            [number] = connection.execute(f"SELECT {NEXT_NUMBER}").fetchone()
            if not isinstance(number, int):
                raise InputError("release.ledger.counter", path=self.path)
            last = connection.execute("SELECT chain FROM entry ORDER BY number DESC LIMIT 1").fetchone()
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            chain = chain_of(str(last[0]) if last else FIRST_CHAIN, number, now, event, run, text)
            row = (number, now, event, run, text, chain)
            connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", row)
            connection.execute("COMMIT")
        return Entry(number, now, event, run, json.loads(text), chain)

    def entries(self, *, run: str | None = None, last: int | None = None) -> list[Entry]:
        """The entries in their order: all, those of one run, or the last so many of these."""
        if last is not None and last < 0:
            raise ParameterError("release.ledger.last", last=last)
        query = f"SELECT {COLUMNS} FROM entry WHERE run = coalesce(?, run) ORDER BY number DESC LIMIT ?"  # noqa: S608  # our own names
        asked = (None if run is None else _uuid(run), -1 if last is None else last)  # -1: no limit
        with connection_to(self.path) as connection:
            rows = connection.execute(query, asked).fetchall()
        return [self._entry(row) for row in reversed(rows)]

    def unfinished(self) -> list[Entry]:
        """The `started` entries of runs without an end: killed, or still running now."""
        query = f"""
            SELECT {COLUMNS} FROM entry WHERE event = 'started'
            AND run NOT IN (SELECT run FROM entry WHERE event <> 'started') ORDER BY number"""  # noqa: S608  # our own names
        with connection_to(self.path) as connection:
            rows = connection.execute(query).fetchall()
        return [self._entry(row) for row in rows]

    def verify(self) -> list[str]:
        """What is broken, a sentence each; empty when the ledger is intact.

        Recomputes the chain, looks for gaps in the numbers and entries cut off the end, and checks that
        the triggers are still those of an append-only ledger and the file is sound.
        """
        try:
            with connection_to(self.path) as connection:
                connection.execute("BEGIN")  # one moment for all the questions, whoever appends meanwhile
                return [
                    *broken_file(connection),
                    *broken_triggers(connection),
                    *broken_chain(connection),
                ]
        except InputError as error:
            return [error.sentence]

    def head(self) -> Head | None:
        """The end of the ledger; None while it is empty."""
        entries = self.entries(last=1)
        return Head(entries[0].number, entries[0].chain) if entries else None

    def missing(self, head: Head) -> ErrorSentence | None:
        """What is wrong if the ledger does not contain a head that was kept elsewhere; None if it does.

        Together with `verify`, this finds entries that were dropped from the end with the counter set back, a chain that
        was computed anew, and an older copy of the file.
        """
        query = "SELECT chain FROM entry WHERE number = ?"
        with connection_to(self.path) as connection:
            found = connection.execute(query, [head.number]).fetchone()
        if found is None:
            return ErrorSentence("release.ledger.no_such_entry", number=head.number)
        if found[0] != head.chain:
            return ErrorSentence("release.ledger.another_chain", number=head.number)
        return None

    def enter_release(
        self, run: str, manifest: Mapping[str, Any], folder: Path, verdicts: Iterable[str], **more: Any
    ) -> Entry:
        """Add that a release was written: where, of how many rows, from what, and what the verifier said."""
        data, made_from = manifest["data"], manifest.get("input", {}).get("sha256")
        details = {
            **more,
            "folder": str(folder),
            "rows": data["rows"] if "rows" in data else data["baskets"],
            **({} if made_from is None else {"input_hmac": self.keyed(made_from)}),
            "data_sha256": data["sha256"],
            "verdicts": list(verdicts),
        }
        return self.append("released", run, details)

    def keyed(self, digest: str) -> str:
        """A digest as the ledger records it: its HMAC-SHA-256 with a key that is beside the ledger, for its owner alone.

        Who can read only the ledger cannot confirm a guess of what was digested; the owner can, by computing it again.
        """
        return hmac.new(own_key(self.path), digest.encode(), hashlib.sha256).hexdigest()

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        number, moment, event, run, details, chain = row
        content = _content(details)
        if content is None or not is_proper(row):
            raise InputError("release.ledger.entry", number=shown(number), path=self.path)
        return Entry(number, moment, event, run, content, chain)


def _content(details: Any) -> dict[str, Any] | None:
    """The details of an entry; None if they are not those that were written."""
    try:
        content = json.loads(details)
    except (TypeError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _default_path() -> Path:
    chosen = os.environ.get("SUDARE_LEDGER")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    folder = platformdirs.user_data_path("sudare")
    with suppress(OSError):  # made by an earlier version, or not there yet
        folder.chmod(0o700)
    return folder / "ledger.sqlite"


def _uuid(run: str) -> str:
    try:
        return str(UUID(run))
    except (ValueError, AttributeError, TypeError):
        raise ParameterError("release.ledger.run", run=run) from None


def _details_text(details: dict[str, Any]) -> str:
    """The details as canonical JSON: keys sorted, no spaces, ASCII, numbers finite."""
    try:
        text = canonical(_redacted(details))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError("release.ledger.not_json", why=str(error)) from error
    if not isinstance(details, dict):
        raise ParameterError("release.ledger.not_a_mapping", details=text[:50])
    _refuse_secrets(json.loads(text))
    return text


def _redacted(value: Any) -> Any:
    """The details without the passwords of addresses."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _redacted(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(item) for item in value]
    return value


def _refuse_secrets(value: Any) -> None:
    if isinstance(value, dict):
        for name in value:
            if name.strip().lower() in _SECRET_NAMES:
                raise ParameterError("release.ledger.secret", name=name)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _refuse_secrets(item)
