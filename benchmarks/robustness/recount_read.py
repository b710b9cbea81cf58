"""Read the data file of a release with the standard library alone: what somebody without Sudare finds in it.

Every cell is the text that is written in the file, or None where nothing is. Parquet and Arrow have no texts for numbers and
dates, so pyarrow reads them: numbers become their digits, dates and times the number that is stored.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Cell = str | None
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_APOSTROPHE = re.compile(r"(\A|(?<=[;,\t\r\n]))'")
"""What is written before a sign that a spreadsheet takes for a formula, as docs/release.md says."""


class Data(NamedTuple):
    """The columns of a file by name, and how many rows they have."""

    columns: dict[str, list[Cell]]
    rows: int


def read_data(path: Path, *, escaped: bool) -> Data:
    """The table in a file; `escaped`: whether apostrophes were written before formulas."""
    if path.suffix in {".parquet", ".arrow"}:
        return _arrow(path)
    if path.suffix == ".jsonl":
        return _json_lines(path)
    if path.suffix == ".xlsx":
        names, *rows = _workbook(path)
    else:
        names, *rows = cells_of(path.read_bytes().decode(), "\t" if path.suffix == ".tsv" else ",")
    if escaped:
        names, *rows = ([_plain(cell) for cell in row] for row in (names, *rows))
    columns = {str(name or ""): [row[place] for row in rows] for place, name in enumerate(names)}
    return Data(columns, len(rows))


def read_baskets(path: Path, layout: str, delimiter: str | None, *, escaped: bool) -> list[frozenset[str]]:
    """The baskets in a file of one of the five layouts."""
    lines: Sequence[Sequence[Cell]]
    if layout == "json":
        lines = json.loads(path.read_bytes())
    elif layout == "lists":
        import pyarrow.parquet as pq

        lines = pq.read_table(path).column(0).to_pylist()
    elif layout == "lines":
        text = path.read_bytes().decode()
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or " "))
    elif layout == "sets":
        cells = cells_of(path.read_bytes().decode(), ",")[1:]
        lines = [next(csv.reader([str(cell or "")], delimiter=delimiter or " "), []) for [cell] in cells]
    else:
        entries = cells_of(path.read_bytes().decode(), ",")[1:]
        gathered: dict[Cell, list[Cell]] = {}
        for number, item in entries:
            gathered.setdefault(number, []).append(item)
        lines = list(gathered.values())
    # An empty basket of a long table is a row without an item.
    return [
        frozenset(str(_plain(str(item)) if escaped else item) for item in line if item is not None)
        for line in lines
    ]


def cells_of(text: str, delimiter: str) -> list[list[Cell]]:
    """The cells of a text file by RFC 4180; a cell without quotes that is empty is None.

    The csv module does not tell an empty text in quotes from nothing, so both read the file and must agree otherwise.
    """
    cell = re.compile(rf'(?:"((?:[^"]|"")*)"|([^{delimiter}\n"]*))({delimiter}|\n|\Z)')
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    place = 0
    while place < len(text):
        found = cell.match(text, place)
        if found is None:
            raise ValueError(f"not a cell: {text[place : place + 40]!r}")
        quoted, bare, end = found.groups()
        row.append(quoted.replace('""', '"') if quoted is not None else bare or None)
        place = found.end()
        if end != delimiter:
            rows.append(row)
            row = []
    again = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    # To the csv module a line without anything has no cells.
    if [[cell or "" for cell in row] for row in rows] != [row or [""] for row in again]:
        raise ValueError("the csv module reads other cells")
    return rows


def _json_lines(path: Path) -> Data:
    """One object a line; numbers as the digits that are written, so that none is rounded."""
    lines = path.read_bytes().decode().split("\n")
    records = [json.loads(line, parse_int=str, parse_float=str, parse_constant=str) for line in lines if line]
    names = dict.fromkeys(name for record in records for name in record)
    return Data({name: [_text(record[name]) for record in records] for name in names}, len(records))


def _plain(cell: Cell) -> Cell:
    return None if cell is None else _APOSTROPHE.sub("", cell)


def _arrow(path: Path) -> Data:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()
    except pa.ArrowNotImplementedError:  # integers of 128 bits are polars' own
        import polars as pl

        frame = pl.read_ipc(path.read_bytes())
        digits = {
            column.name: [
                _text(value) for value in (column.to_physical() if column.dtype.is_temporal() else column)
            ]
            for column in frame
        }
        return Data(digits, frame.height)
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_temporal(column.type):
            stored = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
        else:
            stored = column
        columns[name] = [_text(value) for value in stored.to_pylist()]
    return Data(columns, table.num_rows)


def _text(value: Any) -> Cell:
    """A missing value is None, whichever kind of missing it is."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value if isinstance(value, str) else str(value)


def _workbook(path: Path) -> list[list[Cell]]:
    with zipfile.ZipFile(path) as archive:
        sheet = ET.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        book = ET.fromstring(archive.read("xl/workbook.xml"))
        shared = []
        if "xl/sharedStrings.xml" in archive.namelist():
            texts = ET.fromstring(archive.read("xl/sharedStrings.xml"))
            shared = ["".join(one.itertext()) for one in texts]
    # The last rows may have no cells; the name `records` says where the table ends.
    [name] = book.iter(f"{_SHEET}definedName")
    places: dict[tuple[int, int], str] = {}
    for cell in sheet.iter(f"{_SHEET}c"):
        letters, digits = re.fullmatch(r"([A-Z]+)([0-9]+)", cell.attrib["r"]).groups()  # type: ignore[union-attr]
        column = 0
        for letter in letters:
            column = 26 * column + ord(letter) - 64
        text = "".join(cell.itertext())
        if cell.get("t") == "s":
            text = shared[int(text)]
        if cell.get("t") in {"s", "inlineStr"}:
            text = re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)
        places[int(digits) - 1, column - 1] = text
    height = int(str(name.text).rpartition("$")[2])
    width = 1 + max(column for _, column in places)
    return [[places.get((row, column)) for column in range(width)] for row in range(height)]


def found_in(folder: Path, tokens: set[str]) -> set[str]:
    """The tokens that occur in the bytes of any file below a folder, also within what is compressed there."""
    texts = [text for path in folder.rglob("*") if path.is_file() for text in _unpacked(path)]
    return {token for token in tokens if any(token.encode() in text for text in texts)}


def _unpacked(path: Path) -> Iterator[bytes]:
    content = path.read_bytes()
    yield content
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
    if path.suffix == ".parquet":
        import pyarrow as pa

        # A page may hold more than the values that a reader is shown, so every compressed piece is opened.
        place = content.find(_ZSTANDARD)
        while place >= 0:
            piece = pa.input_stream(pa.BufferReader(content[place:]), compression="zstd")
            read = []
            try:
                while byte := piece.read(1 << 16):
                    read.append(byte)
            except OSError:  # another piece, or none, follows the first
                pass
            yield b"".join(read)
            place = content.find(_ZSTANDARD, place + 1)
