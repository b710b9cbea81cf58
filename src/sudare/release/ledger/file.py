"""The SQLite file of a ledger: its table, the triggers that refuse changes, connections, and their errors as sentences."""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from sudare.errors import ErrorSentence, InputError, OutputError, SudareError

if TYPE_CHECKING:
    from collections.abc import Iterator

Event = Literal["started", "released", "failed", "cancelled"]
EVENTS = get_args(Event)
_VERSION = 1
_APPLICATION = 0x53554441  # "SUDA" in the file's header: ours, not another program's database
_PATIENCE_SECONDS = 30.0
_KEY_BYTES = 32

COLUMNS = "number, time, event, run, details, chain"

# AUTOINCREMENT remembers the highest number ever given, so entries cut off the end are missed too.
NEXT_NUMBER = """
    1 + max(coalesce((SELECT max(number) FROM entry), 0),
            coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entry'), 0))"""
_TABLE = f"""
    CREATE TABLE entry (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        time TEXT NOT NULL,
        event TEXT NOT NULL CHECK (event IN {EVENTS}),
        run TEXT NOT NULL,
        details TEXT NOT NULL,
        chain TEXT NOT NULL)"""
_TRIGGERS = {
    "entry_update": """
        CREATE TRIGGER entry_update BEFORE UPDATE ON entry
        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: an entry is never changed'); END""",
    "entry_delete": """
        CREATE TRIGGER entry_delete BEFORE DELETE ON entry
        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: an entry is never deleted'); END""",
    # INSERT OR REPLACE deletes without asking the trigger above.
    "entry_insert": f"""
        CREATE TRIGGER entry_insert BEFORE INSERT ON entry WHEN NEW.number <> {NEXT_NUMBER}
        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: an entry goes to the end'); END""",
}


@contextmanager
def connection_to(path: Path, mode: Literal["rw", "rwc"] = "rw") -> Iterator[sqlite3.Connection]:
    """A connection for one operation; closing it undoes a transaction that was not committed."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        with closing(
            sqlite3.connect(address, uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None)
        ) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the second: SQLite's words about a damaged file
        raise _told(path, error) from error


def make_private(path: Path) -> None:
    """Let only its owner read and write the file, whatever the umask; make it where it is not there.

    SQLite gives its write-ahead log the permissions of the file.
    """
    for place in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        flags = os.O_RDONLY | os.O_NONBLOCK | (os.O_CREAT if place == path else 0)
        # Whether SQLite can do without what is refused here, it says itself.
        with suppress(OSError):
            descriptor = os.open(place, flags, 0o600)
            try:
                about = os.fstat(descriptor)
                if stat.S_ISREG(about.st_mode) and stat.S_IMODE(about.st_mode) & 0o077:
                    os.fchmod(descriptor, 0o600)
            finally:
                os.close(descriptor)


def own_key(path: Path) -> bytes:
    """The key of a ledger, in a file beside it that only its owner can read; made at random where there is none."""
    place = path.with_name(f"{path.name}.key")
    try:
        if not place.exists():
            _make_key(place)
        make_private(place)
        key = place.read_bytes()
    except OSError as error:
        raise OutputError("release.ledger.no_key", path=place, why=error.strerror or str(error)) from error
    if len(key) != _KEY_BYTES:
        raise InputError("release.ledger.bad_key", path=place, length=len(key), needed=_KEY_BYTES)
    return key


def _make_key(place: Path) -> None:
    """Write a new key, whole or not at all; if another process is quicker, its key stays."""
    descriptor, made = tempfile.mkstemp(
        prefix=f".{place.name}-", dir=place.parent
    )  # 0600, whatever the umask
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            place.hardlink_to(made)
    finally:
        Path(made).unlink()


def prepare(path: Path) -> None:
    """Make an empty file a ledger; refuse what is not one of a version we know."""
    with connection_to(path, "rwc") as connection:
        # Objects first: another process may make the ledger between two reads, and what is read later is newer.
        [objects] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        [application] = connection.execute("PRAGMA application_id").fetchone()
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if application != _APPLICATION and objects:
            raise InputError("release.ledger.other_program", path=path)
        if version > _VERSION:
            raise InputError("release.ledger.newer", path=path, version=version, newest=_VERSION)
        if objects:
            return
        _write_ahead(connection)
        connection.execute("BEGIN IMMEDIATE")
        [objects] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not objects:  # else another process was quicker
            for statement in (_TABLE, *_TRIGGERS.values()):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")


def broken_file(connection: sqlite3.Connection) -> Iterator[ErrorSentence]:
    """What SQLite finds wrong with the file."""
    for [finding] in connection.execute("PRAGMA quick_check(5)"):
        if finding != "ok":
            yield ErrorSentence("release.ledger.file", finding=finding)


def broken_triggers(connection: sqlite3.Connection) -> Iterator[ErrorSentence]:
    """Triggers that are no longer those of an append-only ledger."""
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall())
    for name, statement in _TRIGGERS.items():
        if str(found.get(name)).split() != statement.split():
            yield ErrorSentence("release.ledger.trigger", name=name)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the new file to the write-ahead log; SQLite does not wait for other openers here, so we do."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _told(path: Path, error: Exception) -> SudareError:
    """The sentence for what SQLite refused; the low byte is the kind, the rest its extension."""
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if kind == sqlite3.SQLITE_FULL:
        return OutputError("release.ledger.disk_full", path=path)
    if kind in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return OutputError("release.ledger.locked", path=path, seconds=_PATIENCE_SECONDS)
    if kind in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR}:
        return OutputError("release.ledger.not_writable", path=path, why=str(error))
    if kind == sqlite3.SQLITE_NOTADB:
        return InputError("release.ledger.not_sqlite", path=path)
    reason = " ".join(str(error).split())[:200]  # SQLite quotes whole statements
    return InputError("release.ledger.damaged", path=path, why=reason)
