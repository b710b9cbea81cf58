"""Search the bytes of a written file for values that the release was to leave behind.

A reader sees the values of a file; its bytes may hold more: texts that rows left out referred to, categories that no
row has, entries of a dictionary, statistics of a page. The search compares the file with a twin that is written from the
values alone. Where both are the same, there is nothing else in the file; where they differ, every removed value is looked
for in the bytes that the twin does not explain: in the file as it is, in the pages of Parquet after decompression, and in
the parts of a workbook. Files of SPSS and Stata also have labels, which are searched on their own. Formats of text hold cells and nothing else, so there the cells are what is searched.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sys
import tempfile
import zipfile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.formats.data import text_categories
from sudare.formats.excel import excel_bytes
from sudare.verify.finding import Finding, FindingSentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudare.words.sentence import Sentence

_SHORTEST = 4
"""Bytes of a value below which finding it says nothing: shorter ones occur by chance."""
_CODECS = {"LZ4": "lz4_raw"}
"""Compressions that Arrow names otherwise than Parquet."""
_NO_LABELS: Mapping[str, Sequence[Any]] = MappingProxyType({})
_STATISTICAL = {".sav", ".dta"}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def check_leftovers(
    path: Path,
    released: pl.DataFrame,
    original: pl.DataFrame,
    labels: Mapping[str, Sequence[Any]] = _NO_LABELS,
    *,
    encoding: str = "utf-8",
) -> Finding:
    """Check that a file holds no value of the original that the release does not contain.

    Args:
        path: The written file.
        released: What was read from it.
        original: The table that the release was made from, identifiers and rows left out included.
        labels: Texts that are published beside the data for a column: those of its hierarchy.
        encoding: Of a file of text.
    """
    cells = _cells(path, released, encoding)
    found: list[str] = []
    labeled: set[str] = set()
    removed: dict[str, pl.Series] = {}
    for name, values in _removed(original, released):
        if cells is None:
            removed[name] = values
        elif _texts(values).is_in(cells).any():
            found.append(name)
        # Groups have empty labels, and a missing value none: neither is a value of the original.
        published = {str(label) for label in labels.get(name, ()) if label not in (None, "")}
        if published and published & set(map(str, values)):
            labeled.add(name)
    if cells is None:
        found = _in_file(path, released, removed)
    found += [name for name in labels if name in labeled and name not in found]
    requirement = {"type": "nothing-left-over"}
    if not found:
        return Finding(
            requirement, True, None, FindingSentence("leftovers.none", file=path.name), violating_rows=0
        )
    return Finding(requirement, False, None, _sentence(path, found), violating_rows=0)


def _sentence(path: Path, columns: Sequence[str]) -> Sentence:
    number = "one" if len(columns) == 1 else "many"
    return FindingSentence(f"leftovers.found.{number}", file=path.name, columns=", ".join(columns))


def _removed(original: pl.DataFrame, released: pl.DataFrame) -> Iterator[tuple[str, pl.Series]]:
    """Values of each original column that are in no released cell; a cell counts as the text it shows.

    One column after the other: those of an identifier are as many as there are rows.
    """
    cells = [pl.Series(released.columns, dtype=pl.String)]
    for column in released:
        single = column.explode() if isinstance(column.dtype, pl.List) else column
        cells.append(_meant(_texts(single.alias("cells").unique())))
    shown = pl.concat([each.alias("cells") for each in cells]).unique()
    for column in original:
        if column.dtype.is_nested() or column.dtype == pl.Object:
            continue
        values = column.alias("cells").drop_nulls().unique()
        yield column.name, values.filter(~_meant(_texts(values)).is_in(shown.implode()))


_PERHAPS_NUMBER = (
    r"(?i)^[\s\x1c-\x1f]*[+-]?(?:[\d_]*\.?[\d_]*(?:e[+-]?[\d_]+)?|inf(?:inity)?|nan)[\s\x1c-\x1f]*$"
)
"""Every text that Python reads as a number, and few others."""


def _meant(texts: pl.Series) -> pl.Series:
    """Numbers as they are, however they are written: files of text and workbooks write 10.0 as 10."""
    written = texts.filter(texts.str.contains(_PERHAPS_NUMBER)).unique()
    return texts.replace(written, [_as_number(text) for text in written]) if len(written) else texts


def _as_number(text: str) -> str:
    try:
        return repr(float(text))
    except ValueError:
        return text


def _texts(column: pl.Series) -> pl.Series:
    """Cells as texts; a missing one is the text `None`."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Duration):
        return pl.Series(column.name, [str(value) for value in column.to_list()], dtype=pl.String)
    return column.cast(pl.String).fill_null("None")


def _cells(path: Path, released: pl.DataFrame, encoding: str) -> pl.Series | None:
    """The texts in a file of text or a workbook, long enough to tell something; None for formats searched byte by byte."""
    ending = path.suffix.lower()
    if ending == ".xlsx":
        empty = excel_bytes(released.clear(), path)
        texts = _workbook_texts(path.read_bytes()) - _workbook_texts(empty)
        cells = pl.Series("cells", sorted(texts), dtype=pl.String)
    elif ending in _DELIMITERS:
        cells = _delimited_texts(path, _DELIMITERS[ending], encoding)
    elif ending == ".jsonl":
        lines = path.read_text(encoding="utf-8").split("\n")
        texts = {text for line in lines if line for text in _json_texts(json.loads(line))}
        cells = pl.Series("cells", sorted(texts), dtype=pl.String)
    else:
        return None
    return cells.filter(cells.str.len_chars() >= _SHORTEST).implode()


def _in_file(path: Path, released: pl.DataFrame, removed: Mapping[str, pl.Series]) -> list[str]:
    """Columns of which a removed value is in the bytes of the file."""
    ending = path.suffix.lower()
    if ending in _STATISTICAL:
        return _in_statistical(path, ending, removed)
    if ending in {".parquet", ".arrow"}:
        return _in_bytes(path.read_bytes(), _twin(released, ending), ending, removed)
    return []


def _delimited_texts(path: Path, delimiter: str, encoding: str) -> pl.Series:
    """Every cell of a text file, its head included; the reader of Python takes files whose lines differ in length."""
    try:
        cells = text_categories(path, delimiter, encoding)
        texts = [column.alias("cells").unique().cast(pl.String) for column in cells]
    except pl.exceptions.PolarsError:
        csv.field_size_limit(sys.maxsize // 2)
        with path.open(encoding=encoding, newline="") as lines:
            once = {cell for row in csv.reader(lines, delimiter=delimiter) for cell in row}
        texts = [pl.Series("cells", sorted(once), dtype=pl.String)]
    return pl.concat(texts).drop_nulls().unique()


def _in_statistical(path: Path, ending: str, removed: Mapping[str, pl.Series]) -> list[str]:
    """Columns of which a removed value is in a file of SPSS or Stata, or that have labels of values nobody has.

    The twin has the codes and labels that the file shows. Labels are texts of their own, so they are searched as well.
    """
    import pyreadstat

    read, write = {
        ".sav": (pyreadstat.read_sav, pyreadstat.write_sav),
        ".dta": (pyreadstat.read_dta, pyreadstat.write_dta),
    }[ending]
    frame, about = read(str(path), output_format="polars")
    variables, values = about.column_names_to_labels, about.variable_value_labels
    with tempfile.TemporaryDirectory(prefix="sudare-") as folder:
        place = Path(folder, f"twin{ending}")
        write(frame, str(place), column_labels=variables, variable_value_labels=values or None)
        twin = place.read_bytes()
    of_values = {text for labels in values.values() for text in labels.values()}
    of_columns = [text for text in variables.values() if text]
    hidden = [name for name, gone in removed.items() if _labeled(gone, of_values, of_columns)]
    unused = [name for name, labels in values.items() if labels.keys() - set(frame[name].unique().to_list())]
    return list(dict.fromkeys([*hidden, *unused, *_in_bytes(path.read_bytes(), twin, ending, removed)]))


def _labeled(gone: pl.Series, of_values: set[str], of_columns: Sequence[str]) -> bool:
    """Whether a removed text is the label of a value, or within that of a column."""
    if gone.dtype.is_numeric():
        return False
    texts = [text for text in _texts(gone) if len(text) > 1]
    return any(text in of_values or any(text in label for label in of_columns) for text in texts)


def _json_texts(value: Any) -> Iterator[str]:
    """Every name and value of a JSON value, as text."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _json_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _json_texts(inner)
    else:
        yield str(value)


def _workbook_texts(content: bytes) -> set[str]:
    """Every text between tags in any part of a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    return {html.unescape(text) for part in parts for text in re.findall(r">([^<]+)<", part)}


def _twin(released: pl.DataFrame, ending: str) -> bytes:
    """The same values written anew, from Python's values and types without categories."""
    # polars treats a series name such as '^a$' as a pattern
    frame = pl.DataFrame([_anew(column.alias("cells")).alias(column.name) for column in released])
    buffer = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(buffer)
    else:
        frame.write_ipc(buffer)
    return buffer.getvalue()


def _anew(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.Enum):
        texts = column.cast(pl.String).to_list()
        kept = [category for category in column.dtype.categories.to_list() if category in set(texts)]
        return pl.Series(column.name, texts, dtype=pl.Enum(kept))
    if isinstance(column.dtype, pl.Categorical):
        return pl.Series(column.name, column.cast(pl.String).to_list()).cast(pl.Categorical)
    physical = column if "Decimal" in str(column.dtype) else column.to_physical()
    return pl.Series(column.name, physical.to_list(), dtype=physical.dtype).cast(column.dtype)


def _in_bytes(written: bytes, twin: bytes, ending: str, removed: Mapping[str, pl.Series]) -> list[str]:
    if written == twin:
        return []
    within = _unpacked(written, ending)
    explained = _unpacked(twin, ending)
    return [
        name
        for name, values in removed.items()
        if _occurring(_occurring(list(_patterns(values)), within), explained, absent=True)
    ]


def _patterns(values: pl.Series) -> Iterator[bytes]:
    """How values may stand in a file: as text, and numbers as they stand in memory."""
    for text in _texts(values):
        if len(text.encode()) >= _SHORTEST:
            yield text.encode()
    if values.dtype.is_temporal() or (values.dtype.is_numeric() and not values.dtype.is_decimal()):
        numbers = values.to_physical().to_numpy()
        if numbers.dtype.itemsize in {4, 8}:
            yield from (number.tobytes() for number in numbers)
        if numbers.dtype.kind in "iu":  # SPSS and Stata store whole numbers as decimals
            yield from (number.tobytes() for number in numbers.astype(np.float64))


def _occurring(patterns: Sequence[bytes], within: bytes, *, absent: bool = False) -> list[bytes]:
    """The patterns that occur in some bytes, or that are absent from them.

    The first bytes of all patterns are looked up together, at every place, so that many of them cost little more than one.
    """
    padded = within + bytes(16)
    found: set[bytes] = set()
    for width in range(_SHORTEST, 9):
        alike = [pattern for pattern in patterns if min(len(pattern), 8) == width]
        if not alike:
            continue
        beginnings: dict[int, list[bytes]] = {}
        for pattern in alike:
            beginnings.setdefault(int.from_bytes(pattern[:width], "little"), []).append(pattern)
        keys = np.array(sorted(beginnings), dtype=np.uint64)
        mask = np.uint64((1 << (8 * width)) - 1)
        for shift in range(8):
            words = np.frombuffer(padded, dtype="<u8", count=(len(padded) - shift) // 8, offset=shift) & mask
            for place in np.flatnonzero(np.isin(words, keys)).tolist():
                start = 8 * place + shift
                found.update(
                    pattern
                    for pattern in beginnings[int(words[place])]
                    if start + len(pattern) <= len(within) and padded.startswith(pattern, start)
                )
    return [pattern for pattern in patterns if (pattern in found) != absent]


def _unpacked(content: bytes, ending: str) -> bytes:
    """A file as it is, and what its compressed parts hold."""
    if ending != ".parquet":
        return content
    return b"\n".join([content, *parquet_pages(content)])


def parquet_pages(content: bytes) -> Iterator[bytes]:
    """Every page of a Parquet file, decompressed: dictionaries and data."""
    import pyarrow.parquet as pq

    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(place)
            offsets = [chunk.data_page_offset, chunk.dictionary_page_offset]
            start = min(offset for offset in offsets if offset)
            yield from _chunk_pages(content[start : start + chunk.total_compressed_size], chunk.compression)


def _chunk_pages(chunk: bytes, compression: str) -> Iterator[bytes]:
    import pyarrow as pa

    codec = None if compression == "UNCOMPRESSED" else pa.Codec(_CODECS.get(compression, compression.lower()))
    start = 0
    while start < len(chunk):
        header, start = _thrift_struct(chunk, start)
        full, packed = int(header[2]), int(header[3])
        page = chunk[start : start + packed]
        start += packed
        # The second version of data pages has its levels, uncompressed, before the values.
        second = header.get(8)
        levels = 0 if second is None else int(second[5]) + int(second[6])
        plain = codec is None or (second is not None and second.get(7) is False) or full == levels
        body = page[levels:]
        yield page[:levels] + (
            body if plain or codec is None else codec.decompress(body, full - levels, asbytes=True)
        )


_THRIFT_NUMBERS = (4, 5, 6)


def _thrift_struct(data: bytes, start: int) -> tuple[dict[int, Any], int]:
    """A struct of Thrift's compact protocol: values by the number of the field, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head = data[start]
        start += 1
        if head == 0:
            return fields, start
        delta, kind = head >> 4, head & 15
        if delta:
            number += delta
        else:
            raw, start = _varint(data, start)
            number = (raw >> 1) ^ -(raw & 1)
        fields[number], start = _thrift_value(data, start, kind)


def _thrift_value(data: bytes, start: int, kind: int) -> tuple[Any, int]:
    if kind in {1, 2}:
        return kind == 1, start
    if kind == 3:  # kinds have numbers in the protocol
        return data[start], start + 1
    if kind in _THRIFT_NUMBERS:
        raw, start = _varint(data, start)
        return (raw >> 1) ^ -(raw & 1), start
    if kind == 7:
        return None, start + 8
    if kind == 8:
        length, start = _varint(data, start)
        return data[start : start + length], start + length
    if kind in {9, 10}:
        size, inner = data[start] >> 4, data[start] & 15
        start += 1
        if size == 15:
            size, start = _varint(data, start)
        values = []
        for _ in range(size):
            # Booleans within a list take a byte of their own.
            value, start = (data[start], start + 1) if inner in {1, 2} else _thrift_value(data, start, inner)
            values.append(value)
        return values, start
    return _thrift_struct(data, start)


def _varint(data: bytes, start: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[start]
        start += 1
        value |= (byte & 127) << shift
        if byte < 128:  # the highest bit says that more follow
            return value, start
        shift += 7
