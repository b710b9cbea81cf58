"""Read delimited text: decode it, check its structure, and split it into columns.

Two parsers share the work. polars splits texts whose structure a vectorized scan proves to be regular: every
record as wide as the first, quotes only around whole cells, lines ended by LF or CRLF. Python's `csv` module
(RFC 4180, strict) reads everything else, and names the line of any error.

Guess how a text file is written: its encoding, its delimiter and its quote character.

The caller can override every guess. Encodings are tried from the strictest to the laxest: byte order
marks, UTF-8, the two Japanese multi-byte encodings (distinguished by how ordinary the decoded text would be),
Western European, then `charset-normalizer`, and Latin-1, which decodes anything.

Give text columns a narrower type if nothing is lost by it.

A column becomes Int64, Float64 or Date only if every cell can be restored from its value exactly as
it was read. Leading zeros, plus signs, exponents, thousands separators and numbers longer than 18 digits keep
a column text, because such columns are codes (ZIP, accounts) as often as quantities. `true`/`false` stay text.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.errors import ErrorSentence, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\f\r\x1b") + b"\x7f"
_SAMPLE_BYTES = 65_536
_PIECE = 2**22
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
    column can be narrowed without loss (`sudare.read.text`). If every delimiter in the records is
    followed by a space, as in the files of the UCI repository, the space is not part of the cells. Blank
    lines are skipped, except in a table of one column, where they are missing cells. A column whose header
    cell is empty is named after its position, `column_3`.
    """
    delimiter = _checked_delimiter(delimiter)
    utf8, encoding = utf8_of(data, name, encoding)
    if not utf8[:_SAMPLE_BYTES].decode(errors="ignore").strip() and not utf8.decode().strip():
        raise InputError("read.text.empty", source=name)
    dialect = sniff_dialect(utf8, delimiter)
    cells = _cut_regular(utf8, dialect, header=header)
    if cells is None:
        cells = _cut_irregular(utf8.decode(), dialect, name, header=header)
    if header:
        names = ["" if cell is None else str(cell) for cell in cells.row(0)]
        cells = cells.slice(1)
    else:
        names = [""] * cells.width
    cells.columns = column_names(names, name)
    # One column after the other, so that all cells as texts and all as values are never in memory together.
    texts = cells.get_columns()[::-1]
    del cells
    columns = []
    while texts:
        column = texts.pop()
        # polars treats a series name such as '^a$' as a pattern, so the cells get a plain name.
        marked = _without_missing(column.alias("cells").fill_null(""), missing)
        columns.append(_narrowed(marked).alias(column.name))
    return pl.DataFrame(columns), encoding, dialect


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


_DOCUMENTS = (
    (b"%PDF-", "pdf"),
    (b"\x89PNG\r\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office"),
    (b"{\\rtf", "office"),
    (b"\x1f\x8b\x08", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!", "archive"),
    (b"PK\x03\x04", "archive"),
)
"""First bytes of files that people take for tables, and what they are."""
_NAMES_OF_ENCODINGS = {"cp932": "Shift_JIS", "euc_jp": "EUC-JP", "cp1252": "Windows-1252"}


def document_kind(data: bytes) -> str | None:
    """What a file is that is no text: pdf, image, office, archive or page (HTML); None if its first bytes do not say."""
    kind = next((kind for first, kind in _DOCUMENTS if data.startswith(first)), None)
    if kind == "archive" and any(part in data[:4096] for part in (b"word/", b"ppt/")):
        return "office"
    beginning = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return "page" if kind is None and beginning.startswith((b"<!doctype html", b"<html")) else kind


def decode_text(
    data: bytes, name: str, forced: str | None, *, surely: bool = False
) -> tuple[str, bytes, str]:
    """The text, its UTF-8 bytes without a byte order mark, and the encoding; `surely`: it is known to be text."""
    utf8, encoding = utf8_of(data, name, forced, surely=surely)
    return utf8.decode(), utf8, encoding


def utf8_of(data: bytes, name: str, forced: str | None, *, surely: bool = False) -> tuple[bytes, str]:
    """The UTF-8 bytes of a text without a byte order mark, and the encoding; `surely`: it is known to be text."""
    kind = document_kind(data)
    if kind is not None:
        raise InputError("read.text.document", source=name, kind=ErrorSentence(f"read.text.kinds.{kind}"))
    encoding = forced or detect_encoding(data)
    surely |= forced is not None or encoding in {"utf-16", "utf-32"}
    if not surely and _is_garbage(data):
        raise InputError("read.text.not_text", source=name)
    try:
        # UTF-8 is not decoded as a whole: as a text, it takes up to four times the memory.
        plain = encoding in {"utf-8", "utf-8-sig"} and _decodes(data, encoding)
        utf8 = data.removeprefix(codecs.BOM_UTF8) if plain else decode(data, encoding).encode()
    except LookupError:
        raise InputError("read.text.unknown_encoding", encoding=encoding) from None
    except UnicodeDecodeError as error:
        figures = {
            "source": name,
            "encoding": encoding,
            "line": data.count(b"\n", 0, error.start) + 1,
            "byte": error.start + 1,
        }
        seems = detect_encoding(data)
        if _decodes(data, seems) and seems != encoding:
            raise InputError(
                "read.text.undecodable_seems",
                **figures,
                seems=_NAMES_OF_ENCODINGS.get(seems, seems),
                give=seems,
            ) from None
        raise InputError("read.text.undecodable", **figures) from None
    except UnicodeEncodeError:
        raise InputError("read.text.impossible", source=name, encoding=encoding) from None
    utf8 = utf8.removeprefix(codecs.BOM_UTF8)
    position = utf8.find(b"\0")
    if position >= 0:
        line = utf8.count(b"\n", 0, position) + 1
        raise InputError("read.text.nul", source=name, line=line, encoding=encoding)
    return utf8, encoding


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
    if (plain := _cut_plain(utf8, dialect)) is not None:
        return plain
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
    frame = _cells(utf8, dialect, width)
    return frame if frame.height == widths.size else None


def _cut_plain(utf8: bytes, dialect: Dialect) -> pl.DataFrame | None:
    """All cells of a text without quotes, carriage returns and blank lines; None if it has them or lines differ."""
    marks = (b"\r", b"\n\n") if dialect.quote is None else (b"\r", b"\n\n", dialect.quote.encode())
    if utf8.startswith(b"\n") or any(mark in utf8 for mark in marks):
        return None
    delimiter, lines = dialect.delimiter.encode(), utf8.count(b"\n")
    width = utf8.count(delimiter, 0, utf8.find(b"\n")) + 1
    # Where no line has more cells than the first, which polars would refuse, and all have as many together, none has fewer.
    if utf8.count(delimiter) != lines * (width - 1):
        return None
    try:
        frame = _cells(utf8, dialect, width)
    except pl.exceptions.ComputeError:
        return None
    return frame if frame.height == lines else None


def _cells(utf8: bytes, dialect: Dialect, width: int) -> pl.DataFrame:
    return pl.read_csv(
        utf8,
        has_header=False,
        separator=dialect.delimiter,
        quote_char=dialect.quote,
        schema={f"column_{position}": pl.String for position in range(1, width + 1)},
    )


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


DELIMITERS = (",", "\t", ";", "|")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_RECORDS = 100
_JAPANESE_ENOUGH = 0.6
_NOT_OF_FILES = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""Codecs that Python provides for purposes other than files."""
_WESTERN = re.compile(r"[\x00-\x7fÀ-ÿŒœŠšŽžŸ€£§©®°ª²³µ·º«»¿¡‘’“”–—…\xa0]*")


@dataclass(frozen=True)
class Dialect:
    """How the records of a text are written."""

    delimiter: str
    quote: str | None


def detect_encoding(data: bytes) -> str:
    """The name of a codec; decoding the same bytes with it fails only for nearly valid UTF-8."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    if _decodes(data, "utf-8"):
        return "utf-8"
    sample = _lines_beyond_ascii(data)
    if _is_nearly_utf8(sample):
        return "utf-8"
    japanese = [name for name in ("cp932", "euc_jp") if _decodes(data, name)]
    likeness = {name: _japanese_likeness(sample.decode(name)) for name in japanese}
    if likeness and max(likeness.values()) >= _JAPANESE_ENOUGH:
        return max(likeness, key=lambda name: likeness[name])
    western = "cp1252" if re.search(rb"[\x80-\x9f]", data) else "latin-1"
    if _decodes(data, western) and _is_western(sample.decode(western, "replace")):
        return western
    return _normalizer_guess(data, sample) or "latin-1"


def decode(data: bytes, encoding: str) -> str:
    """The decoded text; LookupError if no files use this encoding, UnicodeDecodeError if the bytes do not fit it."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):  # a name may contain characters that no codec name has
        raise LookupError(encoding) from None
    if name in _NOT_OF_FILES:
        raise LookupError(encoding)
    return data.decode(encoding)


def sniff_dialect(utf8: bytes, delimiter: str | None = None) -> Dialect:
    """Delimiter (unless given) and quote character of a text, from its first records.

    The delimiter is the candidate for which the most records are as wide as the first; on a tie, the one
    that gives the most cells. A text that no candidate splits is a table with one column.
    """
    sample, complete = _beginning(utf8)
    if delimiter is None:
        scores = {candidate: _agreement(sample, complete, candidate) for candidate in DELIMITERS}
        best = max(DELIMITERS, key=lambda candidate: scores[candidate])  # the first on a tie
        delimiter = best if scores[best] > (0.0, 0) else ","
    if _is_quoted_by_apostrophe(sample, delimiter):
        return Dialect(delimiter, "'")
    return Dialect(delimiter, '"' if b'"' in utf8 else None)


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether the bytes fit an encoding; in pieces, because the text may take more memory than its bytes."""
    decoder = codecs.getincrementaldecoder(encoding)()
    view = memoryview(data)
    try:
        for start in range(0, len(view), _PIECE):
            decoder.decode(view[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _lines_beyond_ascii(data: bytes) -> bytes:
    """The first lines that contain a byte above 0x7F: only they distinguish encodings."""
    lines: list[bytes] = []
    size = 0
    for match in re.finditer(rb"[^\r\n]*[\x80-\xff][^\r\n]*", data):
        lines.append(match.group())
        size += len(lines[-1])
        if size > _SAMPLE_BYTES:
            break
    return b"\n".join(lines)


def _is_nearly_utf8(sample: bytes) -> bool:
    """Whether nine tenths of the bytes above 0x7F belong to valid UTF-8: then the file is damaged UTF-8."""
    high = sum(byte > 0x7F for byte in sample)
    valid = sum(byte > 0x7F for byte in sample.decode("utf-8", "ignore").encode())
    return valid >= 0.9 * high


def _japanese_likeness(text: str) -> float:
    """Mean ordinariness, from 0 to 1, of the characters beyond ASCII, read as Japanese.

    Kana, Japanese punctuation, full-width forms and kanji of JIS level 1 count 1, kanji of level 2 count 0.2.
    Half-width katakana count 0.8, but only in runs of their own: alone or next to a Latin letter they are
    the accented letters of a European text, which CP932 decodes without complaint.
    """
    beyond = len(re.findall(r"[^\x00-\x7f]", text))
    score = float(len(re.findall(r"[\u3000-\u30ff\uff01-\uff5e]", text)))
    for kanji in re.findall(r"[\u4e00-\u9fff]", text):
        score += 1.0 if b"\xb0" <= kanji.encode("euc_jp", "replace")[:1] <= b"\xcf" else 0.2
    for run in re.findall(r"(?<![A-Za-z\uff61-\uff9f])[\uff61-\uff9f]{2,}(?![A-Za-z\uff61-\uff9f])", text):
        score += 0.8 * len(re.findall(r"[\uff66-\uff9f]", run))
    return score / beyond if beyond else 0.0


def _is_western(text: str) -> bool:
    """Whether all characters are Western European, without three non-ASCII letters in a row unless all are equal."""
    return _WESTERN.fullmatch(text) is not None and re.search(r"([À-ÿ])(?!\1\1)[À-ÿ]{2}", text) is None


def _normalizer_guess(data: bytes, sample: bytes) -> str | None:
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample).best()
    return best.encoding if best is not None and _decodes(data, best.encoding) else None


def _beginning(utf8: bytes) -> tuple[list[str], bool]:
    """The first lines of a text, and whether they are the whole text."""
    size = 16 * _SAMPLE_BYTES
    # A character that was cut in two is in the last line, which goes.
    lines = utf8[:size].decode(errors="ignore").splitlines(keepends=True)
    if len(utf8) > size and len(lines) > 1:
        lines.pop()
    return lines, len(utf8) <= size


def _agreement(lines: list[str], complete: bool, delimiter: str) -> tuple[float, int]:
    """Share of the records that are as wide as the first, and that width; zeros if the width is one."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        widths = [len(record) for record in itertools.islice(reader, _SAMPLE_RECORDS) if record]
    except csv.Error:
        return 0.0, 0
    if not complete and len(widths) > 2:
        widths.pop()
    if not widths or widths[0] == 1:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def _is_quoted_by_apostrophe(lines: list[str], delimiter: str) -> bool:
    """Whether every line has a cell in apostrophes and none has a cell that begins with a double quote.

    Every line must qualify because an apostrophe is also an ordinary character in names.
    """
    boundary = rf"(?:^|{re.escape(delimiter)}) ?"
    opened = re.compile(boundary + "'")
    enclosed = re.compile(boundary + rf"'(?:[^']|'')*'(?=$|{re.escape(delimiter)})")
    double = re.compile(boundary + '"')
    seen = False
    for line in lines[:_SAMPLE_RECORDS]:
        content = line.rstrip("\r\n")
        if not content:
            continue
        quoted = len(enclosed.findall(content))
        if quoted == 0 or quoted != len(opened.findall(content)) or double.search(content):
            return False
        seen = True
    return seen


_FEWEST, _SHARE = 2, 4
"""At least two columns, and one in four, must be named like one of their values: names seldom are, records often."""
_LONGEST = 40
"""The number of characters of a name that are shown."""


def refuse_record_as_names(frame: pl.DataFrame, name: str) -> None:
    """Refuse a table whose column names look like another record."""
    alike = [column for column in frame.columns if _is_own_value(frame[column])]
    if len(alike) >= _FEWEST and _SHARE * len(alike) >= frame.width:
        # Two names are enough to show the problem; more would reveal what may be a person's data.
        raise InputError(
            "read.first_line", source=name, first=alike[0][:_LONGEST], second=alike[1][:_LONGEST]
        )


def refuse_baskets(frame: pl.DataFrame, name: str) -> None:
    """Refuse lines of numbers between blanks, the first line included: sets of items, of which a table has one column."""
    if frame.width != 1 or frame.dtypes[0] != pl.String:
        return
    lines = pl.concat([pl.Series(frame.columns, dtype=pl.String), frame.to_series().drop_nulls().rename("")])
    if bool(lines.str.contains(_NUMBERS).all()) and bool(lines.str.contains(" ", literal=True).any()):
        raise InputError("read.source.baskets", source=name)


def _is_own_value(column: pl.Series) -> bool:
    """Whether the name of a column occurs among its values."""
    name = column.name.strip()
    if column.dtype == pl.String:
        return bool((column == name).any())
    if column.dtype.is_numeric():
        try:
            number = float(name)
        except ValueError:
            return False
        return bool((column == number).any())
    return bool((column.cast(pl.String) == name).any()) if column.dtype.is_temporal() else False


_NUMBERS = r"^[0-9]+( +[0-9]+)* *$"
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_DECIMAL = r"^-?(0|[1-9][0-9]*|(0|[1-9][0-9]*)?\.[0-9]+)$"
_ISO_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_HEAD = 64
_SAFE_LENGTH = 15
"""Decimals of at most this many characters have at most 15 significant digits, which a float64 represents exactly."""


def narrow(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with every text column in the narrowest type that loses nothing."""
    columns = [narrow_column(column) if column.dtype == pl.String else column for column in frame]
    return pl.DataFrame(columns) if columns else frame


def narrow_column(column: pl.Series) -> pl.Series:
    """One text column as Int64, Float64 or Date if lossless, else unchanged.

    >>> narrow_column(pl.Series(["7", "-12", None])).dtype
    Int64
    >>> narrow_column(pl.Series(["007", "12"])).dtype
    String
    >>> narrow_column(pl.Series(["1", "2.50"])).to_list()
    [1.0, 2.5]
    """
    # polars treats a series name such as '^a$' as a pattern, so the cells get a plain name.
    return _narrowed(column.alias("cells")).alias(column.name)


def pattern_among(names: Iterable[str]) -> str | None:
    """The first name that polars would treat as a pattern, and so match other columns; None if there is none.

    >>> pattern_among(["a", "^b$"])
    '^b$'
    """
    return next((name for name in names if name[:1] == "^" and name[-1:] == "$"), None)


def days_if_midnight(column: pl.Series) -> pl.Series:
    """A column of timestamps as dates if all are midnight: neither Excel nor pandas has dates without a time."""
    if not isinstance(column.dtype, pl.Datetime) or column.dtype.time_zone is not None:
        return column
    days = column.cast(pl.Date)
    return days if bool((days.cast(column.dtype) == column).all()) else column


def mark_missing(frame: pl.DataFrame, missing: Sequence[str]) -> pl.DataFrame:
    """The frame with null in place of every text cell that exactly equals one of `missing`."""
    marked = [_without_missing(each, missing) if each.dtype == pl.String else each for each in frame]
    return pl.DataFrame(marked) if marked else frame


def _without_missing(column: pl.Series, missing: Sequence[str]) -> pl.Series:
    """A column of texts with null in place of those that equal one of `missing`."""
    cells = column.alias("cells")
    hidden = cells.is_in(list(missing))
    if not hidden.any():
        return column
    return cells.zip_with(~hidden, pl.Series([None], dtype=pl.String)).alias(column.name)


def _narrowed(cells: pl.Series) -> pl.Series:
    if cells.null_count() == len(cells):
        return cells
    if _all_match(cells, _INTEGER):
        return cells.cast(pl.Int64)
    if _all_match(cells, _ISO_DATE):
        return _as_dates(cells)
    if _all_match(cells, _DECIMAL) and cells.str.contains(".", literal=True).any():
        return _as_floats(cells)
    return cells


def _all_match(column: pl.Series, pattern: str) -> bool:
    """Whether every non-missing cell matches; the first cells are tried first, to reject text columns quickly."""
    return bool(column.head(_HEAD).str.contains(pattern).all() and column.str.contains(pattern).all())


def _as_dates(column: pl.Series) -> pl.Series:
    """Dates, if all exist in a calendar that begins with year 1, as Python's does."""
    dates = column.str.to_date("%Y-%m-%d", strict=False)
    exist = dates.null_count() == column.null_count() and bool((dates.dt.year() >= 1).all())
    return dates if exist else column


def _as_floats(column: pl.Series) -> pl.Series:
    """Floats, if printing each with as many decimals as its text had gives the text back."""
    long = column.filter(column.str.len_bytes() > _SAFE_LENGTH).unique()
    for text in long:
        decimals = len(text.partition(".")[2])
        whole = (
            text.replace("-.", "-0.")
            if text.startswith("-")
            else f"0{text}"
            if text.startswith(".")
            else text
        )
        if f"{float(text):.{decimals}f}" != whole:
            return column
    return column.cast(pl.Float64)
