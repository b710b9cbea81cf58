"""Write the data of a release into a table of a database, in one transaction.

The table is created and filled, read back and compared before anything is committed; whatever fails, the database is as it was.
Values have the types integer, double precision and text, in PostgreSQL also date and boolean; all else is text, as in CSV.
"""

from __future__ import annotations

import contextlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.describe.text import as_text
from sudare.errors import InputError, OutputError, redact
from sudare.read.database import connected, postgresql_tables, quoted, reason, sqlite_tables
from sudare.read.source import POSTGRESQL, SQLITE
from sudare.read.sqlite import sqlite_address

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_database(address: str) -> bool:
    """Whether a text is the address of a database that can be written."""
    return address.startswith((*POSTGRESQL, SQLITE))


def check_table(address: str, table: str, *, overwrite: bool) -> None:
    """Refuse a table that exists, or a database that cannot be reached, before any expensive work is done for it."""
    if is_sqlite(address) and not sqlite_path(address).exists():
        return
    with _connection(address) as connection:
        _existing(connection, address, table, overwrite=overwrite)


def is_sqlite(address: str) -> bool:
    """Whether the address is that of an SQLite file."""
    return address.startswith(SQLITE)


def sqlite_path(address: str) -> Path:
    """The SQLite file of an address."""
    return Path(address.removeprefix(SQLITE))


def source_name(address: str, table: str) -> str:
    """What the facts of a source call this table."""
    if is_sqlite(address):
        return f"{sqlite_path(address).name}#{table}"
    return f"{redact(address)}#{table.removeprefix('public.')}"


@contextmanager
def table_written(frame: pl.DataFrame, address: str, table: str, *, overwrite: bool) -> Iterator[None]:
    """The frame is in the table, as read back from there, but only committed when the block ends normally."""
    path = sqlite_path(address) if is_sqlite(address) else None
    is_new = path is not None and not path.exists()
    try:
        with _connection(address) as connection:
            plain = (pl.Int64, pl.Float64, pl.String)
            stored = _storable(frame, plain if path is not None else (*plain, pl.Date, pl.Boolean))
            try:
                _fill(connection, address, table, stored, overwrite=overwrite)
                yield
                with _failing(address, table):
                    connection.commit()
            except BaseException:
                with suppress(Exception):  # a connection that is lost has rolled back already
                    connection.rollback()
                raise
    except BaseException:
        if is_new and path is not None:
            path.unlink(missing_ok=True)
        raise


@contextmanager
def _connection(address: str) -> Iterator[Any]:
    """A connection in which nothing is committed by itself."""
    if not is_sqlite(address):
        with contextlib.closing(connected(address)) as connection:
            yield connection
        return
    import adbc_driver_sqlite.dbapi as driver

    path = sqlite_path(address)
    with _failing(address, ""):
        opened = driver.connect(sqlite_address(path, "rwc"))
    with contextlib.closing(opened) as connection:
        yield connection


def _fill(connection: Any, address: str, table: str, frame: pl.DataFrame, *, overwrite: bool) -> None:
    schema, name = _existing(connection, address, table, overwrite=overwrite)
    with _failing(address, table), connection.cursor() as cursor:
        full = f"{quoted(schema)}.{quoted(name)}" if schema else quoted(name)
        cursor.execute(f"DROP TABLE IF EXISTS {full}")
        options = {"db_schema_name": schema} if schema and not is_sqlite(address) else {}
        cursor.adbc_ingest(name, frame.to_arrow(), mode="create", **options)
        cursor.execute(f"SELECT * FROM {full}")  # noqa: S608  # quoted identifiers
        found = pl.DataFrame(cursor.fetch_arrow_table())
    if not _same(found, frame):
        raise OutputError("formats.database.differs", table=table, server=redact(address))


def _existing(connection: Any, address: str, table: str, *, overwrite: bool) -> tuple[str, str]:
    """Schema, if one is named, and name of the table; OutputError where it is taken."""
    is_file = is_sqlite(address)
    with _failing(address, table):
        tables = (sqlite_tables if is_file else postgresql_tables)(connection)
    schema, dot, name = ("", "", table) if is_file else table.rpartition(".")
    schema = schema if dot else ""
    alike = [
        (kind, other)
        for place, other, visible, kind in tables
        if (other.lower() == name.lower() if is_file else other == name)
        and (place == schema if schema else visible)
    ]
    for kind, other in alike:
        if kind != "table":
            raise OutputError("formats.database.view", table=other, server=redact(address))
        if not overwrite:
            raise OutputError("formats.database.exists", table=other, server=redact(address))
    return schema, name


def _storable(frame: pl.DataFrame, types: tuple[Any, ...]) -> pl.DataFrame:
    """The frame in types that the database keeps exactly; all else as the text that a CSV file would have."""
    from sudare.formats.data import flat

    columns = []
    for column in flat(frame):
        if column.dtype.is_integer() and column.dtype not in {pl.UInt64, pl.Int128, pl.UInt128}:
            column = column.cast(pl.Int64)  # noqa: PLW2901
        elif column.dtype == pl.Float32:
            column = column.cast(pl.Float64)  # noqa: PLW2901
        columns.append(column if column.dtype in types else as_text(column).alias(column.name))
    return pl.DataFrame(columns)


def _same(found: pl.DataFrame, frame: pl.DataFrame) -> bool:
    """Whether the same rows came back, in any order."""
    if found.columns != frame.columns or found.height != frame.height:
        return False
    plain = [f"c{place}" for place in range(frame.width)]
    try:
        cast = pl.DataFrame([column.cast(frame[column.name].dtype) for column in found])
    except pl.exceptions.PolarsError:
        return False
    cast.columns, other = plain, frame.clone()
    other.columns = plain
    return cast.sort(plain).equals(other.sort(plain))


@contextmanager
def _failing(address: str, table: str) -> Iterator[None]:
    """Tell what a database refuses in one sentence, without its password."""
    try:
        yield
    except (InputError, OutputError):
        raise
    except Exception as error:  # noqa: BLE001  # both drivers raise OSError, their own and Arrow's errors
        raise OutputError(
            "formats.database.failed", table=table, server=redact(address), why=redact(reason(error))
        ) from None
