"""Read delimited text: decode it, check its structure, and split it into columns.

Two parsers share the work. polars splits texts whose structure a vectorized scan proves to be regular: every
record as wide as the first, quotes only around whole cells, lines ended by LF or CRLF. Python's `csv` module
(RFC 4180, strict) reads everything else, and names the line of any error.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.errors import InputError
from sudare.read.lossless import mark_missing, narrow
from sudare.read.sniff import Dialect, decode, detect_encoding, sniff_dialect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\f\r\x1b") + b"\x7f"
_SAMPLE_BYTES = 65_536
_SPELLED_DELIMITERS = {"\\t": "\t", "tab": "\t"}


def read_text(
    data: bytes,
    name: str,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
    header: bool = True,
) -> tuple[pl.DataFrame, str, Dialect]:
    """A frame from the bytes of a delimited text, with its encoding, delimiter and quotes.

    Cells that exactly equal one of `missing` become null, quoted or not; the others are text unless the whole
    column can be narrowed without loss (`sudare.read.lossless`). If every delimiter in the records is
    followed by a space, as in the files of the UCI repository, the space is not part of the cells. Blank
    lines are skipped, except in a table of one column, where they are missing cells. A column whose header
    cell is empty is named after its position, `column_3`.
    """
    delimiter = _checked_delimiter(delimiter)
    text, utf8, encoding = decode_text(data, name, encoding)
    if not text.strip():
        raise InputError("read.text.empty", source=name)
    dialect = sniff_dialect(text, delimiter)
    cells = _cut_regular(utf8, dialect, header=header)
    if cells is None:
        cells = _cut_irregular(text, dialect, name, header=header)
    if header:
        names = ["" if cell is None else str(cell) for cell in cells.row(0)]
        cells = cells.slice(1)
    else:
        names = [""] * cells.width
    cells.columns = column_names(names, name)
    frame = mark_missing(cells.fill_null(""), list(missing))
    return narrow(frame), encoding, dialect


def column_names(names: Sequence[str], source: str) -> list[str]:
    """The names with empty ones replaced by `column_1`, …; duplicate names are an error."""
    filled = [name or f"column_{position}" for position, name in enumerate(names, 1)]
    first: dict[str, int] = {}
    for position, name in enumerate(filled, 1):
        if name in first:
            raise InputError(
                "read.text.same_name", source=source, name=name, first=first[name], second=position
            )
        first[name] = position
    return filled


def decode_text(
    data: bytes, name: str, forced: str | None, *, surely: bool = False
) -> tuple[str, bytes, str]:
    """The text, its UTF-8 bytes without a byte order mark, and the encoding; `surely`: it is known to be text."""
    encoding = forced or detect_encoding(data)
    surely |= forced is not None or encoding in {"utf-16", "utf-32"}
    if not surely and _is_garbage(data):
        raise InputError("read.text.not_text", source=name)
    try:
        text = decode(data, encoding).removeprefix("\ufeff")
        utf8 = text.encode()
    except LookupError:
        raise InputError("read.text.unknown_encoding", encoding=encoding) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "read.text.undecodable", source=name, encoding=encoding, line=line, byte=error.start + 1
        ) from None
    except UnicodeEncodeError:
        raise InputError("read.text.impossible", source=name, encoding=encoding) from None
    position = utf8.find(b"\0")
    if position >= 0:
        line = utf8.count(b"\n", 0, position) + 1
        raise InputError("read.text.nul", source=name, line=line, encoding=encoding)
    return text, utf8, encoding


def _checked_delimiter(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    delimiter = _SPELLED_DELIMITERS.get(delimiter, delimiter)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in "\"'\r\n\0":
        raise InputError("read.text.delimiter", delimiter=delimiter)
    return delimiter


def _is_garbage(data: bytes) -> bool:
    """Whether more than two in a hundred bytes are control characters, and more than a stray one or two in all."""
    sample = data[:_SAMPLE_BYTES]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls > max(2.0, 0.02 * len(sample))


def _cut_regular(utf8: bytes, dialect: Dialect, *, header: bool) -> pl.DataFrame | None:
    """All cells as text, including the header, or None if the structure is not clearly regular."""
    if not utf8.endswith(b"\n"):
        utf8 += b"\n"
    utf8 = _without_blanks(utf8, dialect, header=header)
    array = np.frombuffer(utf8, np.uint8)
    outside = _outside_quotes(array, dialect.quote)
    if dialect.quote is not None and not _quotes_enclose_cells(array, dialect):
        return None
    if b"\r" in utf8:
        returns = np.flatnonzero((array == 13) & outside)
        if not (array[returns + 1] == 10).all():  # the last byte is a line feed, so there is a next byte
            return None
    ends = np.flatnonzero((array == 10) & outside)
    if ends.size == 0 or ends[-1] != array.size - 1:
        return None
    starts = np.concatenate(([0], ends[:-1] + 1))
    blank = (ends == starts) | ((ends == starts + 1) & (array[starts] == 13))
    delimiters = np.flatnonzero((array == ord(dialect.delimiter)) & outside)
    widths = np.diff(np.searchsorted(delimiters, ends), prepend=0) + 1
    if blank[0]:
        return None
    width = int(widths[0])
    if width > 1 and blank.any():
        keep = np.repeat(~blank, ends - starts + 1)
        utf8, widths = array[keep].tobytes(), widths[~blank]
    if not (widths == width).all():
        return None
    frame = pl.read_csv(
        utf8,
        has_header=False,
        separator=dialect.delimiter,
        quote_char=dialect.quote,
        schema={f"column_{position}": pl.String for position in range(1, width + 1)},
    )
    return frame if frame.height == widths.size else None


def _without_blanks(utf8: bytes, dialect: Dialect, *, header: bool) -> bytes:
    """The text without the space after each delimiter, if every delimiter in the records has one."""
    if f"{dialect.delimiter} ".encode() not in utf8:
        return utf8
    array = np.frombuffer(utf8, np.uint8)
    outside = _outside_quotes(array, dialect.quote)
    after = np.flatnonzero((array == ord(dialect.delimiter)) & outside) + 1
    blanks = array[after] == 32  # the last byte is a line feed, so there is a byte after each delimiter
    records = after
    if header:
        ends = np.flatnonzero((array == 10) & outside)
        beyond = after > (ends[0] if ends.size else array.size)
        records = after[beyond] if beyond.any() else after
    if records.size == 0 or not (array[records] == 32).all():
        return utf8
    keep = np.ones(array.size, np.bool_)
    keep[after[blanks]] = False
    return array[keep].tobytes()


def _outside_quotes(array: NDArray[np.uint8], quote: str | None) -> NDArray[np.bool_]:
    """True for bytes outside quotes, by the parity of the preceding quotes; a doubled quote flips it twice."""
    if quote is None:
        return np.ones(1, np.bool_)
    quotes: NDArray[np.uint8] = np.cumsum(array == ord(quote), dtype=np.uint8)
    return np.asarray(quotes % np.uint8(2) == 0, np.bool_)


def _quotes_enclose_cells(array: NDArray[np.uint8], dialect: Dialect) -> bool:
    """Whether each quote opens a cell, closes a cell, or is doubled inside one."""
    assert dialect.quote is not None  # noqa: S101  # for the type checker: the caller has looked
    quotes = np.flatnonzero(array == ord(dialect.quote))
    if quotes.size % 2:
        return False
    opens, closes = quotes[0::2], quotes[1::2]
    doubled = opens[1:] == closes[:-1] + 1
    before = array[np.maximum(opens - 1, 0)]
    opened = (opens == 0) | (before == ord(dialect.delimiter)) | (before == 10)
    opened[1:] |= doubled
    after = array[np.minimum(closes + 1, array.size - 1)]
    closed = (after == ord(dialect.delimiter)) | (after == 10) | (after == 13)
    closed[:-1] |= doubled
    return bool(opened.all() and closed.all())


def _cut_irregular(text: str, dialect: Dialect, name: str, *, header: bool) -> pl.DataFrame:
    """All cells as text, by the `csv` module; raises an error that names the line if one is malformed."""
    stripped = _without_blanks(f"{text}\n".encode(), dialect, header=header).decode().removesuffix("\n")
    records = list(_records(stripped, dialect, name))
    width = len(records[0])
    columns = {f"column_{index + 1}": [record[index] for record in records] for index in range(width)}
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _records(text: str, dialect: Dialect, name: str) -> Iterator[list[str]]:
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote,
        quoting=csv.QUOTE_NONE if dialect.quote is None else csv.QUOTE_MINIMAL,
        strict=True,
    )
    width = 0
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError("read.text.quotes", source=name, line=line, why=str(error)) from None
        if not record and width != 1:
            continue
        record = record or [""]
        width = width or len(record)
        if len(record) != width:
            raise InputError(
                f"read.text.width.{'one' if len(record) == 1 else 'many'}",
                line=line,
                source=name,
                cells=len(record),
                width=width,
                delimiter=dialect.delimiter,
            )
        yield record
