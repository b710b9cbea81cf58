"""One way in for every source: a path, `-` for standard input, or the address of a database.

Whether a path from a file or the command line exists, whatever that path is.

pathlib raises an error if a name is longer than the system allows (Python 3.11); `os.path` reports that nothing is
there.

Guards around third-party readers, so that their crashes become ordinary errors.

A Rust library that meets a case its author thought impossible panics: it writes to standard error, past Python, and
raises an error that is not an `Exception`. For us it is a file that cannot be read, and we say so in one sentence.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from sudare.errors import InputError, did_you_mean, shown
from sudare.read.text import read_text, refuse_baskets, refuse_record_as_names
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl


def is_file(path: str | Path) -> bool:
    """Whether the path is a file.

    >>> is_file("x" * 5000)
    False
    """
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Whether the path is a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_path(source: str) -> bool:
    """Whether a source is a path, rather than standard input (`-`) or a database address."""
    return source != "-" and "://" not in source


def exists(path: str | Path) -> bool:
    """Whether the path exists."""
    return os.path.exists(path)  # noqa: PTH110


FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sav": "spss",
    ".zsav": "spss",
    ".dta": "stata",
    ".sas7bdat": "sas",
    ".xpt": "sas",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".arff": "arff",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}
"""The table format for each file extension."""
TEXTS = frozenset(ending for ending, kind in FORMATS.items() if kind == "csv")
"""Delimited text, and lines of items."""
TABBED = frozenset({".tsv", ".tab"})
"""Tab-delimited text."""
JSON_LINES = frozenset({".jsonl", ".ndjson"})
"""One JSON value per line."""
JSON = JSON_LINES | {".json"}
"""JSON of either kind."""
RECIPES = frozenset({".yaml", ".yml"})
"""Recipes, which are never data."""
TABLES = frozenset(FORMATS) - TEXTS - JSON
"""Tables and nothing else: a text or JSON may also contain baskets."""


_STANDARD_ERROR = 2


@contextmanager
def no_panic() -> Iterator[None]:
    """Turn a panic in the block into a ValueError and drop its output; all other output is passed on afterwards."""
    panicked = False
    with ExitStack() as undo:
        # If standard error is closed or cannot be redirected, the panic message is shown: harmless noise.
        with suppress(OSError):
            aside = undo.enter_context(tempfile.TemporaryFile())
            kept = os.dup(_STANDARD_ERROR)
            undo.callback(lambda: _give_back(kept, b"" if panicked else _words(aside)))
            os.dup2(aside.fileno(), _STANDARD_ERROR)
        try:
            yield
        except BaseException as error:
            panicked = type(error).__name__ == "PanicException"  # each library has its own class of this name
            if panicked:
                raise ValueError(str(error)) from None
            raise


def read_parquet(path: Path) -> pl.DataFrame:
    """The frame of a Parquet file, which pyarrow checks first.

    If a damaged page claims to contain more than fits in memory, pyarrow raises an error, but polars crashes the
    process.
    """
    import polars as pl
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for _ in file.iter_batches():
            pass
    return pl.read_parquet(path, glob=False)


def _words(aside: IO[bytes]) -> bytes:
    aside.seek(0)
    return aside.read()


def _give_back(kept: int, words: bytes) -> None:
    os.dup2(kept, _STANDARD_ERROR)
    os.close(kept)
    if words:
        os.write(_STANDARD_ERROR, words)


_SQLITE_MARK = b"SQLite format 3\0"
_FORMATS_BY_BEGINNING = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (_SQLITE_MARK, "sqlite"),
    (b"PK\x03\x04", "excel"),
    (b"\xd0\xcf\x11\xe0", "excel"),
    (b"$FL2", "spss"),
    (b"$FL3", "spss"),
)
_FORMATS = (
    "csv",
    "tsv",
    "parquet",
    "arrow",
    "excel",
    "spss",
    "stata",
    "sas",
    "arff",
    "jsonl",
    "sqlite",
    "postgresql",
)
POSTGRESQL = ("postgresql://", "postgres://")
SQLITE = "sqlite:///"
"""How addresses of databases begin."""


class Labels(NamedTuple):
    """What an SPSS, Stata or SAS file says of its columns and values; kept to write them again, never in a manifest."""

    variables: Mapping[str, str]
    """The label of a column."""
    values: Mapping[str, Mapping[Any, str]]
    """The label of each value of a column."""


@dataclass(frozen=True)
class SourceFacts:
    """What was detected about a source, as recorded in a manifest; never includes a password or folder."""

    name: str
    """File name, `stdin`, or a database address without its password."""
    format: str
    """csv, parquet, arrow, excel, spss, stata, sas, arff, jsonl, sqlite, postgresql or frame."""
    encoding: str | None = None
    """Codec of a text file."""
    delimiter: str | None = None
    """Delimiter of a text file."""
    quote: str | None = None
    """Quote character of a text file; None if it has none."""
    sha256: str | None = None
    """SHA-256 of the bytes of a file or standard input; for a database, of the result as an Arrow IPC stream."""
    sheet: str | None = None
    """The sheet of a workbook that was read."""
    labels: Labels | None = field(default=None, repr=False, compare=False)
    """Labels of an SPSS, Stata or SAS file."""

    def told(self) -> dict[str, Any]:
        """What a manifest says of the source."""
        return {name: value for name, value in self.__dict__.items() if name != "labels"}


def load(
    source: str | Path,
    *,
    format: str | None = None,  # noqa: A002  # the word of the field
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
    table: str | None = None,
    query: str | None = None,
    sheet: str | None = None,
    header: bool | None = None,
) -> tuple[pl.DataFrame, SourceFacts]:
    """A frame and what was detected about its source.

    Args:
        source: A path, `-` for a CSV on standard input, `postgresql://…`, `sqlite:///path`.
        format: One of the formats, if the file's extension (or first bytes) does not determine it.
        delimiter: Overrides the detected delimiter of a text file; `tab` may be spelled out.
        encoding: Overrides the detected encoding of a text file, or of an ARFF, JSON, SPSS, Stata or SAS file.
        missing: Texts that mean a missing value. In sources with missing values of their own
            (all but text and Excel), the empty text is kept as it is.
        table: Database table (`table` or `schema.table`); may be omitted if there is only one.
        query: Database query, instead of a table.
        sheet: Sheet of an Excel file; may be omitted if only one is not empty.
        header: Whether the first record of a text file or sheet contains the column names. If omitted, it does, but is
            refused if it looks like another record.
    """
    address = str(source)
    if format is not None and format not in _FORMATS:
        raise InputError("read.source.unknown_format", format=format, hint=did_you_mean(format, _FORMATS))
    given = {
        "delimiter": delimiter,
        "encoding": encoding,
        "table": table,
        "query": query,
        "sheet": sheet,
        "header": header,
    }
    if address.startswith(POSTGRESQL):
        _refuse_options(given, "postgresql")
        return _load_database("postgresql", address, table, query, missing)
    if address.startswith(SQLITE):
        _refuse_options(given, "sqlite")
        return _load_database("sqlite", address.removeprefix(SQLITE), table, query, missing)
    if "://" in address and not exists(address):
        raise InputError("read.source.scheme", scheme=address.partition("://")[0])
    is_stdin = address == "-"
    if format is None and Path(address).suffix.lower() in RECIPES:
        raise InputError("read.source.recipe", path=address)
    found = _format_of(Path(address), format, is_stdin=is_stdin)
    _refuse_options(given, "csv" if found == "tsv" else found)
    if found == "sqlite":
        return _load_database("sqlite", address, table, query, missing)
    if found in {"csv", "tsv"}:
        data, name = bytes_of(address)
        if found == "tsv" or Path(address).suffix.lower() in TABBED:
            delimiter = delimiter or "\t"
        frame, encoding, dialect = read_text(
            data,
            name,
            delimiter=delimiter,
            encoding=encoding,
            missing=missing,
            header=header is not False,
        )
        if header is None:
            if delimiter is None:
                refuse_baskets(frame, name)
            refuse_record_as_names(frame, name)
        digest = hashlib.sha256(data).hexdigest()
        return frame, SourceFacts(name, "csv", encoding, dialect.delimiter, dialect.quote, digest)
    if found in _READ_AS_TEXT:
        return _load_text(address, found, encoding, missing)
    from sudare.read import files

    if found == "excel":
        sheet = files.sheet_of(Path(address), sheet)
    frame, labels = files.read_file(
        Path(address), found, missing=missing, encoding=encoding, sheet=sheet, header=header is not False
    )
    if found == "excel" and header is None:
        refuse_record_as_names(frame, Path(address).name)
    return frame, SourceFacts(
        Path(address).name, found, encoding, sha256=_digest_of(Path(address)), sheet=sheet, labels=labels
    )


def _load_text(
    address: str, found: str, forced: str | None, missing: Sequence[str]
) -> tuple[pl.DataFrame, SourceFacts]:
    """A frame from a text that describes its own columns: ARFF or JSON."""
    from sudare.read.arff import read_arff
    from sudare.read.records import read_records
    from sudare.read.text import decode_text, mark_missing

    data, name = bytes_of(address)
    text, _, encoding = decode_text(data, name, forced)
    frame = read_arff(text, name) if found == "arff" else read_records(text, name)
    frame = mark_missing(frame, [one for one in missing if one])
    return frame, SourceFacts(name, found, encoding, sha256=hashlib.sha256(data).hexdigest())


def bytes_of(address: str) -> tuple[bytes, str]:
    """The bytes of a file, or of standard input (`-`), and the name used for it."""
    if address == "-":
        return sys.stdin.buffer.read(), "stdin"
    path = Path(address)
    with _reading(path):
        return path.read_bytes(), path.name


_READ_AS_TEXT = ("arff", "jsonl")
_OPTIONS = {
    "delimiter": {"csv"},
    "encoding": {"csv", "spss", "stata", "sas", "arff", "jsonl"},
    "table": {"sqlite", "postgresql"},
    "query": {"sqlite", "postgresql"},
    "sheet": {"excel"},
    "header": {"csv", "excel"},
}


def _refuse_options(given: Mapping[str, object], found: str) -> None:
    """Refuse options that the format does not have: they are a misunderstanding, which should not be ignored."""
    for option, value in given.items():
        if value is not None and found not in _OPTIONS[option]:
            formats = enumerated(sorted(_OPTIONS[option]))
            raise InputError("read.source.option", option=option, value=value, format=found, formats=formats)
    if given["table"] is not None and given["query"] is not None:
        raise InputError("read.source.table_and_query", table=given["table"])


def _format_of(path: Path, forced: str | None, *, is_stdin: bool) -> str:
    """The format as given, by the extension, or by the first bytes; text if none of them determines it."""
    if is_stdin:
        if forced not in {None, "csv", "tsv"}:
            raise InputError("read.source.stdin", format=forced)
        return forced or "csv"
    beginning = _beginning_of(path)
    if forced is not None:
        if forced == "postgresql":
            raise InputError("read.source.not_postgresql", path=path)
        return forced
    if path.suffix.lower() in FORMATS:
        return FORMATS[path.suffix.lower()]
    return next((name for mark, name in _FORMATS_BY_BEGINNING if beginning.startswith(mark)), "csv")


def _beginning_of(path: Path) -> bytes:
    """The first bytes of a file; this also checks, once for every format, whether the file can be read at all."""
    with _reading(path):
        if path.exists() and not path.is_file():
            return b""  # a pipe can be read only once
        with path.open("rb") as file:
            return file.read(16)


def _digest_of(path: Path) -> str:
    with _reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise a one-sentence error if a file cannot be read."""
    try:
        if path.is_dir():
            raise InputError("read.source.folder", path=path)
        yield
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError:  # a NUL or a lone surrogate
        raise InputError("read.source.no_name", path=shown(str(path))) from None


def _unreadable(path: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("read.source.no_file", path=path)
    if isinstance(error, PermissionError):
        return InputError("read.source.not_permitted", path=path)
    return InputError("read.source.unreadable", path=path, why=error.strerror)


def _load_database(
    kind: str, address: str, table: str | None, query: str | None, missing: Sequence[str]
) -> tuple[pl.DataFrame, SourceFacts]:
    from sudare.read import database

    if kind == "sqlite":
        if _beginning_of(Path(address)) not in {b"", _SQLITE_MARK}:  # a database without tables may be empty
            raise InputError("read.source.not_sqlite", source=Path(address).name)
        frame, name = database.read_sqlite(Path(address), table=table, query=query, missing=missing)
    else:
        frame, name = database.read_postgresql(address, table=table, query=query, missing=missing)
    return frame, SourceFacts(name, kind, sha256=database.digest(frame))
