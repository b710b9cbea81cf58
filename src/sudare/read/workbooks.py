"""Open workbooks with fastexcel, after checking for contents that would crash the process.

calamine, which fastexcel uses, allocates memory for as many texts and styles as a file claims to have, and for every
cell between the first and the last of a sheet: a false claim, or one forgotten cell in the far corner, kills the
process without a message. Both are detected in the file beforehand, in the way of its format: XML of Excel (.xlsx), binary
records of Excel (.xlsb), or OpenDocument (.ods), where a few bytes say that a cell repeats a million times.
"""

from __future__ import annotations

import logging
import re
import struct
import zipfile
import zlib
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

from sudare.errors import ErrorSentence, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_CELLS = 200_000_000
_MOST_CELLS_OF_SMALL, _MOST_CELLS_OF_A_BYTE = 10_000_000, 8
"""Cells of a small workbook, and for each byte of a large one: a cell of a real table takes a byte or more."""
_MOST_OF_SMALL, _MOST_SHRUNK = 200 << 20, 60
"""Bytes of a part that is shrunk by any factor, and the factor of larger ones: real workbooks shrink to a tenth or so."""
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 1 << 14
"""The limits of any sheet."""
_MOST_RATIO = 1100
"""Deflate shrinks nothing by more than this factor."""
_CHUNK = 1 << 24
_COUNT = re.compile(rb"ount\s*=\s*[\"']\s*([0-9]+)")
_CELL = re.compile(rb"<(?:\w+:)?(?:c|row)\s[^>]*?\br\s*=\s*[\"']\s*([A-Za-z]*)([0-9]*)")
"""The position of a cell, or of a row whose cells may have no position."""
_ROW, _ROW_END = re.compile(rb"<(?:\w+:)?row[\s/>]"), re.compile(rb"</(?:\w+:)?row")
_TAG = re.compile(rb"<(?:\w+:)?c[\s/>]")
_LONGEST = 12
"""Digits or letters of a position that are read: a longer one is far outside any sheet anyway."""
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, LookupError, StopIteration, ET.ParseError, expat.ExpatError,
    struct.error, UnicodeError,
)  # fmt: skip
"""Problems with an archive are left for fastexcel to report."""


def open_workbook(path: Path) -> Any:
    """The fastexcel reader of a workbook; ValueError if the workbook claims to have more parts than bytes."""
    import fastexcel

    for name in ("fastexcel", "calamine"):  # what they log would be printed if there were no handler
        log = logging.getLogger(name)
        if not log.handlers:
            log.addHandler(logging.NullHandler())
    _check_directory(path)
    with suppress(*_UNREADABLE), zipfile.ZipFile(path) as archive:
        # A text counts once for each cell that refers to it, so the limit is the size of the whole workbook, not of
        # the texts.
        most = sum(min(info.file_size, _MOST_RATIO * (info.compress_size + 1)) for info in archive.infolist())
        for info in archive.infolist():
            if info.filename.lower().endswith(("sharedstrings.xml", "styles.xml")):
                _check_counts(archive, info, most)
    _check_sizes(path)
    with suppress(*_UNREADABLE), zipfile.ZipFile(path) as archive, archive.open("content.xml") as member:
        for sheet, row, width in _open_document(member):  # every sheet is read when the workbook is opened
            _check_cells(path, sheet, row, width)
    return fastexcel.read_excel(path)


def check_extent(path: Path, sheet: str) -> None:
    """Refuse a sheet whose cells are so far apart that the cells between them would fill the memory."""
    row, width = 0, 1
    with suppress(*_UNREADABLE), zipfile.ZipFile(path) as archive:
        if "xl/workbook.bin" in archive.namelist():
            row, width = _binary_extent(archive.read(_binary_file_of(archive, sheet)))
        else:
            with archive.open(_file_of(archive, sheet)) as member:
                row, width = _xml_extent(member)
    _check_cells(path, sheet, row, width)


def _check_cells(path: Path, sheet: str, row: int, width: int) -> None:
    most = min(_MOST_CELLS, max(_MOST_CELLS_OF_SMALL, _MOST_CELLS_OF_A_BYTE * path.stat().st_size))
    if row > _MOST_ROWS or width > _MOST_COLUMNS or row * width > most:
        column = _letters(min(width, 26**_LONGEST))
        raise InputError(
            "read.workbook.extent", sheet=sheet, source=path.name, row=row, column=column, cells=row * width
        )


def _xml_extent(member: IO[bytes]) -> tuple[int, int]:
    """The last row and column of a sheet of Excel."""
    found = _Extent()
    rest = b""
    while chunk := member.read(_CHUNK):
        data = rest + chunk
        cut = data.rfind(b">") + 1 or len(data)
        found.add(data[:cut])
        rest = data[cut:]
    row, width = found.last, max([1, *map(_number, found.letters)])
    if found.without_place:  # they follow the cell and the row before them
        row, width = row + found.rows, width + found.most_in_a_row
    return row, width


class _Extent:
    """Where the cells of a sheet are, as far as its XML was read."""

    def __init__(self) -> None:
        self.letters: set[bytes] = set()
        self.last = 0
        self.rows = 0
        self.most_in_a_row = 0
        self.without_place = False
        self._begun = 0

    def add(self, data: bytes) -> None:
        """Take in some more of the XML, whole tags."""
        places = _CELL.findall(data)
        self.letters |= {column[:_LONGEST].upper() for column, _ in places}
        self.last = max([self.last, *(int(row[:_LONGEST]) for _, row in places if row)])
        rows = _ROW_END.split(data)
        counts = [len(_TAG.findall(row)) for row in rows]
        counts[0] += self._begun
        self._begun = counts[-1]
        self.rows += len(_ROW.findall(data))
        self.most_in_a_row = max(self.most_in_a_row, *counts)
        tags = sum(counts) - (counts[0] - len(_TAG.findall(rows[0])))
        self.without_place |= sum(1 for column, _ in places if column) < tags


_UNSIGNED = struct.Struct("<I")
_ROW_RECORD, _CELL_RECORDS, _SHEET_RECORD = 0, range(1, 12), 156
"""Types of the records of a binary sheet (MS-XLSB 2.3.2): a row, a cell of any kind, the name of a sheet."""


def _records(data: bytes) -> Iterator[tuple[int, int]]:
    """The type of each record of a binary part, and where its contents begin; type and size are numbers of 7 bits a byte."""
    place, length = 0, len(data)
    while place < length:
        kind = data[place]
        place += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (data[place] & 0x7F) << 7
            place += 1
        size = data[place]
        place += 1
        if size & 0x80:
            size &= 0x7F
            for shift in (7, 14, 21):
                byte = data[place]
                place += 1
                size |= (byte & 0x7F) << shift
                if not byte & 0x80:
                    break
        yield kind, place
        place += size


def _binary_extent(data: bytes) -> tuple[int, int]:
    """The last row and column of a sheet in binary records; of what is there, if it is cut off."""
    row, width = 0, 1
    with suppress(LookupError, struct.error):
        for kind, place in _records(data):
            if kind == _ROW_RECORD:
                row = max(row, _UNSIGNED.unpack_from(data, place)[0] + 1)
            elif kind in _CELL_RECORDS:
                width = max(width, _UNSIGNED.unpack_from(data, place)[0] + 1)
    return row, width


def _binary_file_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """The archive member that contains a sheet in binary records."""
    data = archive.read("xl/workbook.bin")
    for kind, place in _records(data):
        if kind == _SHEET_RECORD:
            link, end = _wide_text(data, place + 8)
            if _wide_text(data, end)[0] == sheet:
                return _linked(archive, "xl/_rels/workbook.bin.rels", link)
    raise KeyError(sheet)


def _wide_text(data: bytes, start: int) -> tuple[str, int]:
    """A text with its length before it, and where it ends."""
    (length,) = _UNSIGNED.unpack_from(data, start)
    end = start + 4 + 2 * length
    return data[start + 4 : end].decode("utf-16-le"), end


_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0 "
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0 "


class _OpenDocument:
    """The last row and column of each sheet of OpenDocument, where rows and cells say how often they repeat."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, int, int]] = []
        self._row = self._last = self._place = self._times = 0
        self._in_cell = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """A sheet, a row or a cell begins."""
        if name == f"{_TABLE}table":
            self.sheets.append((attributes.get(f"{_TABLE}name", ""), 0, 1))
            self._row = 0
        elif name == f"{_TABLE}table-row":
            self._times = _repeats(attributes, "rows")
            self._place = self._last = 0
        elif name in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            self._place += _repeats(attributes, "columns")
            if any(key.startswith(_OFFICE) or key == f"{_TABLE}formula" for key in attributes):
                self._last = self._place
            self._in_cell = True

    def text(self, data: str) -> None:
        """A cell with a text is not empty."""
        if self._in_cell and data:
            self._last = self._place

    def end(self, name: str) -> None:
        """A row or a cell ends; a row without contents counts only if another one follows."""
        if name in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            self._in_cell = False
        elif name == f"{_TABLE}table-row":
            self._row += self._times
            if self._last and self.sheets:
                sheet, _, width = self.sheets[-1]
                self.sheets[-1] = (sheet, self._row, max(width, self._last))
            self._times = self._last = 0


def _repeats(attributes: dict[str, str], what: str) -> int:
    text = attributes.get(f"{_TABLE}number-{what}-repeated", "1").strip()
    return int(text[:_LONGEST]) if text.isdecimal() else 1


def _open_document(member: IO[bytes]) -> list[tuple[str, int, int]]:
    """The sheets of OpenDocument: name, last row, last column; as far as it is XML."""
    found = _OpenDocument()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = found.begin
    parser.EndElementHandler = found.end
    parser.CharacterDataHandler = found.text
    with suppress(expat.ExpatError):
        while chunk := member.read(_CHUNK):
            parser.Parse(chunk)
    found.end(f"{_TABLE}table-row")  # one that was cut off
    return found.sheets


def _letters(number: int) -> str:
    """The letters of a column: 1 is A, 27 is AA."""
    text = ""
    while number:
        number, place = divmod(number - 1, 26)
        text = chr(65 + place) + text
    return text


def _check_sizes(path: Path) -> None:
    """Refuse parts that are shrunk as no real workbook is; how large they are is seen by reading them, not by what they claim."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            most = max(_MOST_OF_SMALL, _MOST_SHRUNK * info.compress_size)
            if _MOST_RATIO * info.compress_size <= most:
                continue
            size = 0
            try:
                with archive.open(info) as member:
                    while size <= most and (chunk := member.read(_CHUNK)):
                        size += len(chunk)
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
                raise ValueError(ErrorSentence("read.workbook.directory", why=str(error))) from None
            if size > most:
                raise InputError(
                    "read.workbook.size",
                    part=info.filename,
                    source=path.name,
                    packed=info.compress_size,
                    most=most >> 20,
                )


def _check_directory(path: Path) -> None:
    """Refuse an archive in which calamine would find parts that Python does not: only what can be checked is opened."""
    try:
        with path.open("rb") as file:
            is_archive = file.read(2) == b"PK"
        if is_archive:
            zipfile.ZipFile(path).close()
    except zipfile.BadZipFile as error:
        raise ValueError(ErrorSentence("read.workbook.directory", why=str(error))) from None
    except OSError:
        return  # left for the reader to report


def _check_counts(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> None:
    with archive.open(info) as member:
        head = member.read(_CHUNK)
    for count in _COUNT.findall(head):
        if len(count) > 18 or int(count) > most:
            raise ValueError(
                ErrorSentence("read.workbook.parts", part=info.filename, count=count[:20].decode())
            )


def _file_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """The archive member that contains a sheet."""
    book = ET.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314  # expat limits entities itself
    one = next(node for node in book.iter() if node.tag.endswith("}sheet") and node.get("name") == sheet)
    link = next(value for key, value in one.attrib.items() if key.endswith("}id"))
    return _linked(archive, "xl/_rels/workbook.xml.rels", link)


def _linked(archive: zipfile.ZipFile, links: str, link: str) -> str:
    """The archive member that a workbook refers to."""
    nodes = ET.fromstring(archive.read(links))  # noqa: S314  # expat limits entities itself
    target = next(node.get("Target", "") for node in nodes if node.get("Id") == link)
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
