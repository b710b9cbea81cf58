"""Read a table or query from SQLite or PostgreSQL, through ADBC and Arrow.

Nothing is written here (a release is: `sudare.formats.database`): SQLite files are opened read-only (see `sudare.read.sqlite`), and PostgreSQL transactions are
declared read-only. A query that does not end is stopped. Table
names are looked up in the database's own catalog and quoted, so they cannot smuggle in SQL. Neither facts nor
errors contain a password: driver messages are quoted only after the connection has been established.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import uuid
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import InputError, did_you_mean, redact
from sudare.read.sqlite import QUERY_SECONDS, is_plain_table, limited_copy, sqlite_address
from sudare.read.text import column_names, mark_missing, narrow_column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_CONNECT_SECONDS = 15
_TIMEOUT = "due to statement timeout"
_ALL_ROWS = str(1 << 40)
_SQLITE_TABLES = (
    "SELECT 'main', name, 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
    "ESCAPE '\\' ORDER BY name"
)
_POSTGRESQL_TABLES = (
    "SELECT n.nspname::text, c.relname::text, pg_catalog.pg_table_is_visible(c.oid)::int "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' "
    "AND n.nspname !~ '^pg_' ORDER BY 1, 2"
)
_REFUSALS = (
    ("password authentication failed", "password"),
    ("no password supplied", "no_password"),
    ('role "', "user"),
    ('database "', "database"),
    ("could not translate host name", "host"),
    ("Connection refused", "port"),
    ("No such file or directory", "socket"),
    ("timeout expired", "timeout"),
)
"""Texts with which a server refuses a connection, and the key of our sentence for each."""


def read_sqlite(
    path: Path, *, table: str | None, query: str | None, missing: Sequence[str]
) -> tuple[pl.DataFrame, str]:
    """The frame, and the file name with the table name."""
    import adbc_driver_sqlite.dbapi as driver

    with contextlib.ExitStack() as undo:
        connection = undo.enter_context(contextlib.closing(driver.connect(sqlite_address(path))))
        if query is None:
            schema, name = _find_table(_execute(connection, _SQLITE_TABLES, path.name), path.name, table)
            label, wanted = name, f"SELECT * FROM {quoted(schema)}.{quoted(name)}"  # noqa: S608  # quoted identifiers
        else:
            label, wanted = "query", query
        if query is not None or not is_plain_table(path, label):
            # The driver can neither be stopped nor told what a query may do.
            copied, wanted = undo.enter_context(limited_copy(path, wanted))
            connection = undo.enter_context(contextlib.closing(driver.connect(sqlite_address(copied))))
        return _frame_of(_execute(connection, wanted, path.name), path.name, missing), f"{path.name}#{label}"


def read_postgresql(
    address: str, *, table: str | None, query: str | None, missing: Sequence[str]
) -> tuple[pl.DataFrame, str]:
    """The frame, and the address without its password, with the table name."""
    shown = redact(address)
    with contextlib.closing(connected(address)) as connection:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(f"SET LOCAL statement_timeout = '{QUERY_SECONDS}s'")
        return _read(connection, shown, _POSTGRESQL_TABLES, table, query, missing)


def connected(address: str) -> Any:
    """A connection to a PostgreSQL server, in which nothing is committed by itself."""
    import adbc_driver_postgresql.dbapi as driver

    shown = redact(address)
    if "connect_timeout=" not in address:
        address += f"{'&' if '?' in address else '?'}connect_timeout={_CONNECT_SECONDS}"
    try:
        return driver.connect(address)
    except Exception as error:  # noqa: BLE001  # the driver's message may hold the password: it ends here
        reasons = (why for sign, why in _REFUSALS if sign in str(error))
        raise InputError(f"read.database.refused.{next(reasons, 'address')}", server=shown) from None


def sqlite_tables(connection: Any) -> list[tuple[str, str, bool, str]]:
    """Schema, name, whether the name alone finds it, and kind (table or view) of what an SQLite file contains."""
    return _listed(
        connection, "SELECT 'main', name, 1, type FROM sqlite_master WHERE type IN ('table', 'view')"
    )


def postgresql_tables(connection: Any) -> list[tuple[str, str, bool, str]]:
    """The same of a PostgreSQL database; partitioned tables and those of other servers count as views."""
    return _listed(
        connection,
        "SELECT n.nspname::text, c.relname::text, pg_catalog.pg_table_is_visible(c.oid)::int, "
        "CASE c.relkind WHEN 'r' THEN 'table' ELSE 'view' END "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'i', 'c')",
    )


def _listed(connection: Any, query: str) -> list[tuple[str, str, bool, str]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        rows = cursor.fetch_arrow_table().to_pylist()
    return [
        (str(schema), str(name), bool(visible), str(kind))
        for schema, name, visible, kind in (row.values() for row in rows)
    ]


def digest(frame: pl.DataFrame) -> str:
    """SHA-256 of a frame as an Arrow IPC stream."""
    return hashlib.sha256(frame.write_ipc_stream(None).getbuffer()).hexdigest()


def _read(
    connection: Any,
    shown: str,
    catalog: str,
    table: str | None,
    query: str | None,
    missing: Sequence[str],
) -> tuple[pl.DataFrame, str]:
    if query is None:
        schema, name = _find_table(_execute(connection, catalog, shown), shown, table)
        query = f"SELECT * FROM {quoted(schema)}.{quoted(name)}"  # noqa: S608  # quoted identifiers
        label = f"{shown}#{name if schema in {'main', 'public'} else f'{schema}.{name}'}"
    else:
        label = f"{shown}#query"
    return _frame_of(_execute(connection, query, shown), shown, missing), label


def _frame_of(result: Any, shown: str, missing: Sequence[str]) -> pl.DataFrame:
    """The result of a query as a frame; what cannot be read faithfully is refused."""
    if not len(result.schema):
        raise InputError("read.database.no_result", source=shown)
    names = column_names(_names_of(result.schema, shown), shown)
    _check_texts(result, names, shown)
    frame = pl.DataFrame(
        [
            _as_series(name, result.column(index), result.schema.field(index))
            for index, name in enumerate(names)
        ]
    )
    return mark_missing(frame, [text for text in missing if text])


def _names_of(schema: Any, shown: str) -> list[str]:
    """The column names, checked: SQLite stores whatever bytes it was given."""
    try:
        return list(schema.names)
    except UnicodeDecodeError:
        raise InputError("read.database.column_name", source=shown) from None


def _check_texts(result: Any, names: Sequence[str], shown: str) -> None:
    """Refuse texts that are not UTF-8, such as those of programs that write Shift JIS: polars would trust them and panic."""
    for index, name in enumerate(names):
        column = result.column(index)
        if not _holds_texts(column.type):
            continue
        try:
            column.validate(full=True)
        except ValueError:
            raise InputError("read.database.texts", column=name, source=shown) from None


def _holds_texts(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _holds_texts(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _find_table(catalog: Any, shown: str, table: str | None) -> tuple[str, str]:
    """Schema and name of a table as the catalog spells them, given its name or `schema.name`."""
    try:
        rows = [tuple(row.values()) for row in catalog.to_pylist()]
    except UnicodeDecodeError:
        raise InputError("read.database.table_name", source=shown) from None
    if table is None:
        if not rows:
            raise InputError("read.database.no_tables", source=shown)
        if len(rows) > 1:
            hint = did_you_mean("", [name for _, name, _ in rows])
            raise InputError("read.database.which_table", source=shown, tables=len(rows), hint=hint)
        return rows[0][0], rows[0][1]
    by_name = [(schema, name) for schema, name, visible in rows if visible and name == table]
    by_schema = [(schema, name) for schema, name, _ in rows if f"{schema}.{name}" == table]
    if not by_name + by_schema:
        known = [name if visible else f"{schema}.{name}" for schema, name, visible in rows]
        hint = did_you_mean(table, known)
        raise InputError("read.database.no_table", source=shown, table=table, hint=hint)
    return (by_name + by_schema)[0]


def quoted(identifier: str) -> str:
    """An identifier that cannot be anything else."""
    return '"' + identifier.replace('"', '""') + '"'


def _execute(connection: Any, query: str, shown: str) -> Any:
    """The result of a query as an Arrow table."""
    try:
        with connection.cursor() as cursor:
            with contextlib.suppress(Exception):  # SQLite infers types from the first batch: read all rows
                cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": _ALL_ROWS})
            cursor.execute(query)
            return cursor.fetch_arrow_table()
    except Exception as error:  # noqa: BLE001  # both drivers raise OSError, their own and Arrow's errors
        if _TIMEOUT in str(error):
            raise InputError("read.database.endless", source=shown, seconds=QUERY_SECONDS) from None
        raise InputError("read.database.query", source=shown, why=reason(error)) from None


def reason(error: Exception) -> str:
    """The database's own message on one line, without the query and the codes around it."""
    text = re.split(r"\nLINE |\n\nQuery was|\nquery: |\. SQLSTATE", str(error))[0]
    text = text.rpartition("ERROR:")[2].rpartition("query: ")[2].strip()
    return " ".join(text.split()).rstrip(".")


def _as_series(name: str, column: Any, field: Any) -> pl.Series:
    """One Arrow column as a polars column; types that polars cannot represent faithfully are refused."""
    import pyarrow as pa

    kind = field.type
    database_type = (field.metadata or {}).get(b"POSTGRESQL:type", str(kind).encode()).decode()
    extension = getattr(kind, "extension_name", None)
    if extension is not None:
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], type=kind.storage_type)
        kind = kind.storage_type
    if extension == "arrow.uuid":
        texts = [None if value is None else str(uuid.UUID(bytes=value)) for value in column.to_pylist()]
        return pl.Series(name, texts, dtype=pl.String)
    # money arrives in cents and intervals as three numbers: both could be read, but the values would be wrong.
    if database_type == "money" or pa.types.is_interval(kind) or _is_binary(kind):
        raise InputError("read.database.type", column=name, type=database_type, quoted=quoted(name))
    series = pl.Series(name, pl.from_arrow(column))
    return narrow_column(series) if database_type == "numeric" else series


def _is_binary(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    )
