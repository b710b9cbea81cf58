"""Open workbooks with fastexcel, after checking for contents that would crash the process.

calamine, which fastexcel uses, allocates memory for as many texts and styles as a file claims to have, and for every
cell between the first and the last of a sheet: a false claim, or one forgotten cell in the far corner, kills the
process without a message. Both are detected in the XML beforehand.
"""

from __future__ import annotations

import logging
import re
import zipfile
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from sudare.errors import ErrorSentence, InputError

if TYPE_CHECKING:
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
    zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, LookupError, StopIteration, ET.ParseError
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
    return fastexcel.read_excel(path)


def check_extent(path: Path, sheet: str) -> None:
    """Refuse a sheet whose cells are so far apart that the cells between them would fill the memory."""
    found = _Extent()
    with (
        suppress(*_UNREADABLE),
        zipfile.ZipFile(path) as archive,
        archive.open(_file_of(archive, sheet)) as member,
    ):
        rest = b""
        while chunk := member.read(_CHUNK):
            data = rest + chunk
            cut = data.rfind(b">") + 1 or len(data)
            found.add(data[:cut])
            rest = data[cut:]
    row, width = found.last, max([1, *map(_number, found.letters)])
    if found.without_place:  # they follow the cell and the row before them
        row, width = row + found.rows, width + found.most_in_a_row
    most = min(_MOST_CELLS, max(_MOST_CELLS_OF_SMALL, _MOST_CELLS_OF_A_BYTE * path.stat().st_size))
    if row > _MOST_ROWS or width > _MOST_COLUMNS or row * width > most:
        letters = max(found.letters, key=_number, default=b"").decode()
        column = letters if letters and not found.without_place else _letters(width)
        raise InputError(
            "read.workbook.extent", sheet=sheet, source=path.name, row=row, column=column, cells=row * width
        )


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
    links = ET.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314  # likewise
    one = next(node for node in book.iter() if node.tag.endswith("}sheet") and node.get("name") == sheet)
    link = next(value for key, value in one.attrib.items() if key.endswith("}id"))
    target = next(node.get("Target", "") for node in links if node.get("Id") == link)
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
