"""Queries and views of SQLite files, which may come from others: they can read that file and nothing else, and they end.

A view is a program of whoever wrote the file. It can recurse without end, ask for a text of a gigabyte, or name another
file (`ATTACH` creates it). What it gives is therefore first copied into a database of our own, by a connection that allows
reading only, stops after some time and writes no more than some gigabytes. The driver then reads the copy.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERY_SECONDS = 300
"""The time that a query to a database may take."""
_MOST_BYTES = 4 << 30
"""The size that the result of a query may have on disk."""
_LONGEST_CELL = 256 << 20
_STEPS = 50_000
"""Instructions of SQLite between two looks at the clock: some milliseconds."""
_COPY = "sudare_copy"
_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_COPYING = frozenset({sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE})
_FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
_HIDDEN_OR_COMPUTED = 6
"""The place, in what SQLite tells about a column, of whether its values are computed."""


def sqlite_address(path: Path, mode: str = "ro") -> str:
    """The address with which a file is opened, read-only unless told otherwise."""
    quoted = str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode={mode}"


def is_plain_table(path: Path, name: str) -> bool:
    """Whether a name is that of a table whose values are all stored: neither a view nor computed."""
    try:
        with closing(sqlite3.connect(sqlite_address(path), uri=True)) as connection:
            connection.text_factory = bytes
            found = connection.execute(
                "SELECT type, sql FROM sqlite_master WHERE name = ?", [name]
            ).fetchall()
            [(kind, statement)] = found
            columns = connection.execute("SELECT * FROM pragma_table_xinfo(?)", [name]).fetchall()
    except (
        sqlite3.Error,
        ValueError,
    ):  # damaged, or several objects of that name: nothing is taken for granted
        return False
    virtual = re.match(rb"\s*CREATE\s+VIRTUAL", statement or b"", re.IGNORECASE)
    return kind == b"table" and not virtual and not any(column[_HIDDEN_OR_COMPUTED] for column in columns)


@contextmanager
def limited_copy(path: Path, query: str) -> Iterator[tuple[Path, str]]:
    """A database with what a query gives, and the query that reads it there; it is removed at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="sudare-") as folder:
        copy = Path(folder, "copy.sqlite")
        names = _copy(path, query, copy)
        columns = ", ".join(f"c{place} AS {_quoted(name)}" for place, name in enumerate(names))
        yield copy, f"SELECT {columns} FROM result"  # noqa: S608  # quoted identifiers


def _copy(path: Path, query: str, copy: Path) -> list[str]:
    """Fill the copy; the names of its columns, which SQLite would change where two are equal."""
    deadline = time.monotonic() + QUERY_SECONDS
    overdue = False
    canceled = False

    def stop() -> bool:
        nonlocal overdue, canceled
        try:
            overdue = time.monotonic() > deadline
        except KeyboardInterrupt:  # raised wherever Python code runs, and SQLite would swallow it here
            canceled = True
        return overdue or canceled

    try:
        with closing(sqlite3.connect(sqlite_address(path), uri=True, isolation_level=None)) as connection:
            _attach(connection, copy)
            connection.set_authorizer(_reads)
            connection.set_progress_handler(stop, _STEPS)
            with closing(connection.execute(query)) as cursor:
                names = [str(about[0]) for about in cursor.description or ()]
            if not names:
                raise InputError("read.database.no_result", source=path.name)
            connection.set_authorizer(_reads_and_copies)
            columns = ", ".join(f"c{place}" for place in range(len(names)))
            connection.execute(f"CREATE TABLE {_COPY}.result ({columns})")
            connection.execute(f"INSERT INTO {_COPY}.result\n{query}")  # as above, it can only read
            return names
    except UnicodeDecodeError:
        raise InputError("read.database.column_name", source=path.name) from None
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        if canceled:
            raise KeyboardInterrupt from None
        if overdue:
            raise InputError("read.database.endless", source=path.name, seconds=QUERY_SECONDS) from None
        raise _told(path.name, error) from None


def _attach(connection: sqlite3.Connection, copy: Path) -> None:
    """Attach the copy, and limit what SQLite may need."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute(f"ATTACH ? AS {_COPY}", [sqlite_address(copy, "rwc")])
    connection.execute(f"PRAGMA {_COPY}.journal_mode = OFF")
    connection.execute(f"PRAGMA {_COPY}.synchronous = OFF")
    [size] = connection.execute(f"PRAGMA {_COPY}.page_size").fetchone()
    connection.execute(f"PRAGMA {_COPY}.max_page_count = {_MOST_BYTES // size}")


def _reads(action: int, _first: Any, function: str | None, _database: Any, _within: Any) -> int:
    """Whether SQLite may do something: only what reads."""
    harmful = action == sqlite3.SQLITE_FUNCTION and (function or "").lower() in _FORBIDDEN_FUNCTIONS
    return sqlite3.SQLITE_OK if action in _READING and not harmful else sqlite3.SQLITE_DENY


def _reads_and_copies(action: int, first: Any, function: str | None, database: Any, within: Any) -> int:
    """The same, and what writes into the copy."""
    if action in _COPYING and database == _COPY:
        return sqlite3.SQLITE_OK
    return _reads(action, first, function, database, within)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _told(source: str, error: Exception) -> InputError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_AUTH:
        return InputError("read.database.not_allowed", source=source)
    if code == sqlite3.SQLITE_FULL:
        return InputError("read.database.too_large", source=source, gigabytes=_MOST_BYTES >> 30)
    reason = " ".join(str(error).split())[:200]
    return InputError("read.database.query", source=source, why=reason)
