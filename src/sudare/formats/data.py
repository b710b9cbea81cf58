"""Write the data of a release, and read it back exactly as it was written.

**Formulas.** In CSV, TSV and Excel, texts and column names that a spreadsheet would run get an apostrophe (below), which is undone
unambiguously. CSV and TSV are UTF-8 unless another encoding is asked for. **Missing.** In CSV and TSV a missing value is an empty cell and an empty text is `""`; in Excel the cell is
absent, or contains an empty text. **Numbers** are written in plain decimal notation, never with an exponent. **Sets**
(list columns) have their items joined by `|` in CSV, TSV, Excel, SPSS and Stata, and are arrays in JSON lines.

Formulas: cells that a spreadsheet would run are written so that it does not, and are read back exactly.

A spreadsheet runs a cell that begins with `=`, `+`, `-`, `@` or one of their full-width forms; some skip a tab or a line end
before it. A cell is also cut where its reader expects another delimiter: in countries with a decimal comma, `a;=1+1` in a
file with commas becomes two cells, of which the second is a formula.

An apostrophe is therefore written before such a sign at the beginning of a cell, unless the cell is a plain number, and
before such a sign behind `;`, `,`, a tab or a line end. An apostrophe in these places gets another one, so that taking one
away there gives the cell back, whatever it was.
"""

from __future__ import annotations

import errno
import json
import os
import re
from contextlib import contextmanager
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import polars as pl

from sudare.describe.text import as_text
from sudare.errors import ErrorSentence, InputError, OutputError, did_you_mean
from sudare.formats.excel import excel_bytes, excel_cells
from sudare.formats.statistical import read_statistical, statistical_bytes
from sudare.read.records import read_records
from sudare.read.source import no_panic, read_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sudare.read.source import Labels


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn disk errors in the block into one sentence about `path` that says what to do next."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise OutputError(_sentence(path, error)) from None


def _sentence(path: Path, error: Exception) -> ErrorSentence:
    """What went wrong on the disk; polars gives the error number only inside its message."""
    in_message = re.search(r"os error ([0-9]+)", str(error))
    number = int(in_message[1]) if in_message else getattr(error, "errno", None)
    if number in {errno.ENOSPC, errno.EDQUOT}:
        return ErrorSentence("formats.disk.no_space", path=path)
    if number in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return ErrorSentence("formats.disk.not_permitted", path=path)
    if number == errno.ENOENT:
        return ErrorSentence("formats.disk.no_folder", path=path)
    reason = os.strerror(number) if number else " ".join(str(error).split())
    return ErrorSentence("formats.disk.other", path=path, why=reason)


Format = Literal["csv", "tsv", "parquet", "arrow", "excel", "spss", "stata", "jsonl"]
TextEncoding = Literal["utf-8", "utf-8-sig", "cp932"]
ENCODING_NAMES: Mapping[str, TextEncoding] = MappingProxyType(
    {
        **dict.fromkeys(("utf_8", "utf8"), "utf-8"),
        **dict.fromkeys(("utf_8_sig", "utf8_sig", "utf_8_bom", "utf8_bom"), "utf-8-sig"),
        **dict.fromkeys(("cp932", "shift_jis", "sjis", "windows_31j", "ms932", "ms_kanji"), "cp932"),
    }
)
"""Names that people have for these encodings, in small letters with underscores."""
"""How CSV and TSV are encoded: Japanese Excel opens the last two by itself."""

EXTENSIONS: dict[Format, str] = {
    "csv": ".csv",
    "tsv": ".tsv",
    "parquet": ".parquet",
    "arrow": ".arrow",
    "excel": ".xlsx",
    "spss": ".sav",
    "stata": ".dta",
    "jsonl": ".jsonl",
}
"""File extension of each format."""

_SEPARATORS = {"csv": ",", "tsv": "\t"}
TEXT_FORMATS = frozenset(_SEPARATORS)
"""Formats that have an encoding."""
_JOINT = "|"
_NO_NAMES: Mapping[str, str] = MappingProxyType({})


def write_data(
    frame: pl.DataFrame,
    path: Path,
    *,
    format: Format,  # noqa: A002  # the word of the field
    escape_formulas: bool = True,
    encoding: TextEncoding = "utf-8",
    labels: Labels | None = None,
) -> None:
    """Write a frame to a file and flush it to disk; on failure, any existing file is left unchanged.

    `encoding` is that of CSV and TSV; `labels` are those of the source, for SPSS and Stata.
    """
    _check_format(format)
    _refuse_lossy(frame, format)
    # A pipe or a device is not on a disk, and has no folder for a temporary file.
    on_disk = path.is_file() or not path.exists()
    aside = path.with_name(f".{path.name}.part") if on_disk else path
    with writing(path):
        file = aside.open("wb")
    try:
        with writing(path), file:
            if format == "parquet":
                afresh(frame).write_parquet(file)
            elif format == "arrow":
                afresh(frame).write_ipc(file)
            elif format == "excel":
                file.write(excel_bytes(flat(frame, escape_formulas=escape_formulas), path))
            elif format == "spss" or format == "stata":  # noqa: PLR1714  # mypy narrows comparisons one by one
                file.write(statistical_bytes(flat(frame, escape_formulas=False), format, labels))
            elif format == "jsonl":
                file.write(json_lines(frame).encode())
            else:
                separator = _SEPARATORS[format]
                if encoding == "utf-8":
                    cells = flat(frame, escape_formulas=escape_formulas)
                    cells.write_csv(file, separator=separator, float_scientific=False)
                else:
                    text = csv_text(frame, separator=separator, escape_formulas=escape_formulas)
                    file.write(_encoded(text, frame, encoding))
            file.flush()
            if on_disk:
                os.fsync(file.fileno())
        if on_disk:
            with writing(path):
                aside.replace(path)
    except BaseException:
        if on_disk:
            aside.unlink(missing_ok=True)
        raise


def _encoded(text: str, frame: pl.DataFrame, encoding: TextEncoding) -> bytes:
    """The bytes of a text; a character that the encoding lacks is named with its column and row."""
    try:
        content = text.encode(encoding)
    except UnicodeEncodeError as error:
        sign = text[error.start]
        told = {"sign": sign, "code": f"U+{ord(sign):04X}", "encoding": encoding}
        for column in frame:
            if sign in column.name:
                raise OutputError("formats.encoding.name", column=column.name, **told) from None
            cells = as_text(_flat_column(column.alias("cells")))
            rows = cells.str.contains(sign, literal=True).arg_true()
            if len(rows):
                raise OutputError(
                    "formats.encoding.cell", column=column.name, row=int(rows[0]) + 1, **told
                ) from None
        raise
    return content


def json_lines(frame: pl.DataFrame) -> str:
    """The frame as JSON lines: an object with every column in each; dates in ISO form, sets as arrays."""
    if not frame.width:
        raise OutputError("formats.data.no_columns")
    columns = [_json_column(column.alias("cells"), column.name) for column in frame]
    return "".join(
        json.dumps(dict(zip(frame.columns, cells, strict=True)), ensure_ascii=False, allow_nan=False) + "\n"
        for cells in zip(*columns, strict=True)
    )


def _json_column(column: pl.Series, name: str) -> list[Any]:
    """The values of a column as JSON has them, which has neither infinity nor NaN."""
    kind = column.dtype
    if isinstance(kind, pl.List | pl.Array):
        _flat_column(column.alias(name))  # refuses sets that could not be read back
        return column.cast(pl.List(pl.String)).to_list()
    if kind.is_float():
        if not bool(column.drop_nulls().is_finite().all()):
            raise OutputError("formats.data.infinite", column=name)
        return column.to_list()
    if kind == pl.Boolean or kind.is_integer():
        return column.to_list()
    return as_text(_flat_column(column.alias(name))).to_list()


def afresh(frame: pl.DataFrame) -> pl.DataFrame:
    """The same values in columns that are built from them alone.

    A column in memory may hold more than its values: texts that rows left out referred to, numbers under a missing value,
    categories that no row has any more. Parquet and Arrow would write them too; formats of text write values alone.
    """
    # polars treats a series name such as '^a$' as a pattern
    return pl.DataFrame(
        [_column_afresh(column.alias("cells"), column.name).alias(column.name) for column in frame]
    )


def _column_afresh(column: pl.Series, name: str) -> pl.Series:
    dtype = column.dtype
    if isinstance(dtype, pl.Enum):
        texts = column.cast(pl.String)
        occurring = set(texts.unique().to_list())
        kept = pl.Enum([category for category in dtype.categories if category in occurring])
        return pl.Series(column.name, texts.to_list(), dtype=kept)
    if isinstance(dtype, pl.Categorical):
        # Categories of one name share all values this process has seen.
        return pl.Series(column.name, column.cast(pl.String).to_list(), dtype=pl.String).cast(pl.Categorical)
    plain = column.cast(_without_categories(dtype))
    # Python's times have no nanoseconds, so times are copied as numbers; decimals are not numbers of their own.
    numbers = plain if "Decimal" in str(dtype) else plain.to_physical()
    built = pl.Series(column.name, numbers.to_list(), dtype=numbers.dtype).cast(plain.dtype)
    if not built.equals(plain, null_equal=True):
        raise OutputError("formats.data.type", column=name, type=str(dtype))
    return built


def _without_categories(dtype: pl.DataType) -> pl.DataType:
    """The type with texts for categories within lists and records."""
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_without_categories(_known(dtype.inner)))
    if isinstance(dtype, pl.Array):
        return pl.Array(_without_categories(_known(dtype.inner)), dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct(
            [pl.Field(field.name, _without_categories(_known(field.dtype))) for field in dtype.fields]
        )
    return dtype


def _known(dtype: object) -> pl.DataType:
    """An inner type, as an instance."""
    return dtype if isinstance(dtype, pl.DataType) else dtype()  # type: ignore[operator]


def csv_text(frame: pl.DataFrame, *, separator: str = ",", escape_formulas: bool = True) -> str:
    """The frame as RFC 4180 text with line feeds."""
    return flat(frame, escape_formulas=escape_formulas).write_csv(separator=separator, float_scientific=False)


def read_data(
    path: Path,
    format: str,  # noqa: A002  # the word of the field
    *,
    escape_formulas: bool,
    escaped_inside: bool = True,
    encoding: str = "utf-8",
    names: Mapping[str, str] = _NO_NAMES,
    categories: bool = False,
) -> pl.DataFrame:
    """The frame that `write_data` wrote, with the escaping undone.

    Earlier versions escaped formulas at the beginning of cells only: not `escaped_inside`.

    `encoding` is that of CSV and TSV; `names` has the columns whose name in a file of SPSS or Stata is another one.

    Parquet and Arrow return the frame itself, SPSS, Stata and JSON lines numbers, dates and texts. CSV, TSV and Excel return every column as text (numbers in plain
    decimal notation, dates in ISO form, sets joined), and distinguish missing values from empty texts. With `categories`,
    texts of CSV and TSV are categories, which mostly take a quarter of the memory.
    """
    _check_format(format)
    try:
        with no_panic():
            if format == "parquet":
                return read_parquet(path)
            if format == "arrow":
                return pl.read_ipc(path.read_bytes())
            if format in {"spss", "stata"}:
                return read_statistical(path, "spss" if format == "spss" else "stata", names)
            if format == "jsonl":
                return read_records(path.read_text(encoding="utf-8"), path.name)
            is_excel = format == "excel"
            if is_excel:
                cells = excel_cells(path)
            else:
                cells = (text_categories if categories else _text_cells)(path, _SEPARATORS[format], encoding)
        if escape_formulas:
            cells = pl.DataFrame([_unescaped_cells(column, inside=escaped_inside) for column in cells])
        body = cells.slice(1)
        body.columns = ["" if name is None else str(name) for name in cells.row(0)]
    except InputError:
        raise
    except Exception:  # noqa: BLE001  # whatever the library says: the file is not what was written
        raise InputError("formats.data.unreadable", path=path, format=format) from None
    return body


def _check_format(format: str) -> None:  # noqa: A002  # the word of the recipe
    if format not in EXTENSIONS:
        hint = did_you_mean(format, EXTENSIONS)
        raise OutputError("formats.data.unknown_format", format=format, hint=hint)


def _refuse_lossy(frame: pl.DataFrame, format: Format) -> None:  # noqa: A002  # the word of the recipe
    """Refuse values that could not be read back from a file of this format."""
    for column in frame:
        if format == "parquet" and column.dtype in (pl.Int128, pl.UInt128):
            raise OutputError("formats.data.wide_integers", column=column.name, type=str(column.dtype))


def flat(frame: pl.DataFrame, *, escape_formulas: bool = False) -> pl.DataFrame:
    """Text columns escaped, sets joined, categories as text; numbers and dates unchanged."""
    if not frame.width:
        raise OutputError("formats.data.no_columns")
    flat = pl.DataFrame([_flat_column(column) for column in frame])
    if not escape_formulas:
        return flat
    flat = pl.DataFrame([escaped(column) if column.dtype == pl.String else column for column in flat])
    flat.columns = escaped(pl.Series(flat.columns)).to_list()
    return flat


def _flat_column(column: pl.Series) -> pl.Series:
    kind = column.dtype
    if isinstance(kind, pl.Categorical | pl.Enum | pl.Null):
        return column.cast(pl.String)
    if isinstance(kind, pl.Time):
        return as_text(column)  # without nine zeros for the nanoseconds
    if isinstance(kind, pl.Array):
        column, kind = column.arr.to_list(), pl.List(kind.inner)
    if isinstance(kind, pl.List):
        return _joined(column, kind)
    if isinstance(kind, pl.Binary | pl.Duration | pl.Struct | pl.Object):
        raise OutputError("formats.data.type", column=column.name, type=str(kind))
    return column


def _joined(column: pl.Series, kind: pl.List) -> pl.Series:
    """Items joined by `|`; refused if the items could not be separated again."""
    inner = kind.inner
    if isinstance(inner, pl.DataType) and inner.is_nested():
        raise OutputError("formats.data.nested_sets", column=column.name)
    texts = column.alias("cells").cast(pl.List(pl.String))
    flat = texts.drop_nulls()
    items = flat.filter(flat.list.len() > 0).explode()
    wrong = items.is_null() | (items == "") | items.str.contains(_JOINT, literal=True)
    if wrong.any():
        item = items.filter(wrong.fill_null(value=True))[0]
        raise OutputError("formats.data.item", column=column.name, item=item, joint=_JOINT)
    return texts.list.join(_JOINT).alias(column.name)


def _text_cells(path: Path, separator: str, encoding: str) -> pl.DataFrame:
    """Every cell as text, with the names as the first row; an unquoted empty cell is null."""
    source = path if encoding == "utf-8" else path.read_bytes().decode(encoding).encode()
    return _cells(source, separator)


def _cells(source: Path | bytes, separator: str) -> pl.DataFrame:
    return pl.read_csv(source, has_header=False, separator=separator, infer_schema=False, glob=False)


_PIECE = 2**22


def text_categories(path: Path, separator: str, encoding: str = "utf-8") -> pl.DataFrame:
    """The cells of a file of text, names first, as categories: its texts are never in memory as a whole.

    Read piece by piece, each behind the first record, as if the file had no other records: so every piece is read as the
    whole would be. A file that cannot be cut so is read at once, which says what is wrong with it.
    """
    try:
        with (
            path.open("rb")
            if encoding == "utf-8"
            else BytesIO(path.read_bytes().decode(encoding).encode()) as stream
        ):
            head, *parts = (
                _cells(piece, separator).select(pl.all().cast(pl.Categorical)) for piece in _pieces(stream)
            )
        return pl.concat([head, *(part.slice(1) for part in parts)])
    except pl.exceptions.PolarsError:
        return _text_cells(path, separator, encoding).select(pl.all().cast(pl.Categorical))


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    """A text in pieces that end where a record does, by the number of quotes before it; the first record begins each.

    Where quotes do not enclose cells, a piece may end within one. Its last cell is then not closed, which is an error.
    """
    rest, head, is_cut = b"", b"", False
    while block := stream.read(_PIECE):
        rest += block
        if not head:
            first = rest[: _first_end(rest)]
            if not first.strip():
                break  # no record says how many cells there are
            head, rest = first, rest[len(first) :]
        end = _last_end(rest)
        if end:
            yield head + rest[:end]
            rest, is_cut = rest[end:], True
    rest += stream.read()
    if rest or not is_cut:
        yield head + rest


def _first_end(text: bytes) -> int:
    """Behind the first line end outside of quotes; 0 where there is none."""
    quotes, start = 0, 0
    while place := text.find(b"\n", start) + 1:
        quotes += text.count(b'"', start, place)
        if quotes % 2 == 0:
            return place
        start = place
    return 0


def _last_end(text: bytes) -> int:
    """Behind the last line end outside of quotes; 0 where there is none."""
    quotes, end = text.count(b'"'), len(text)
    while (place := text.rfind(b"\n", 0, end)) >= 0:
        quotes -= text.count(b'"', place, end)
        if quotes % 2 == 0:
            return place + 1
        end = place
    return 0


_SIGNS = r"=+\-@＝＋－＠'"
_BETWEEN = r";,\t\r\n"
_AT_BEGIN = rf"^[{_SIGNS}\t\r\n]"
_INSIDE = rf"([{_BETWEEN}])([{_SIGNS}])"
_PLAIN_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$"
_ESCAPE = "'"


def escaped(texts: pl.Series) -> pl.Series:
    """The texts with an apostrophe wherever a formula could begin."""
    cells = texts.alias("cells")  # polars treats a series name such as '^a$' as a pattern
    if not cells.str.contains(rf"{_AT_BEGIN}|{_INSIDE}").any():
        return texts
    guarded = cells.str.contains(_AT_BEGIN) & ~cells.str.contains(_PLAIN_NUMBER)
    inside = cells.str.replace_all(_INSIDE, f"${{1}}{_ESCAPE}${{2}}")
    return inside.zip_with(~guarded, _ESCAPE + inside).alias(texts.name)


def unescaped(texts: pl.Series, *, inside: bool = True) -> pl.Series:
    """The texts that `escaped` was given; not `inside` for files of versions that wrote apostrophes at the beginning only."""
    cells = texts.alias("cells")
    if not cells.str.contains(_ESCAPE, literal=True).any():
        return texts
    cells = cells.str.strip_prefix(_ESCAPE)
    if inside:
        cells = cells.str.replace_all(rf"([{_BETWEEN}]){_ESCAPE}", "${1}")
    return cells.alias(texts.name)


def _unescaped_cells(column: pl.Series, *, inside: bool) -> pl.Series:
    """The same of texts or categories; those without an apostrophe stay as they are."""
    if column.dtype == pl.String:
        return unescaped(column, inside=inside)
    texts = column.alias("cells").unique().cast(pl.String)
    if not texts.str.contains(_ESCAPE, literal=True).any():
        return column
    return unescaped(column.cast(pl.String), inside=inside).cast(column.dtype)
