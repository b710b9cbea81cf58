"""Open workbooks with fastexcel, after a look at what would bring the process down.

calamine, which fastexcel reads with, reserves memory for as many texts and styles as a file claims to have, and for every cell
between the first and the last of a sheet: a false claim, or one forgotten cell in the far corner, ends the process without a
word. Both are found in the XML beforehand.
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
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 1 << 14
"""Of any sheet."""
_MOST_RATIO = 1100
"""Deflate makes nothing more than this much smaller."""
_CHUNK = 1 << 24
_COUNT = re.compile(rb"ount\s*=\s*[\"']\s*([0-9]+)")
_CELL = re.compile(rb"<(?:\w+:)?(?:c|row)\s[^>]*?\br\s*=\s*[\"']\s*([A-Za-z]*)([0-9]*)")
"""The place of a cell, or of a row, whose cells may have none."""
_LONGEST = 12
"""Digits or letters of a place that are read: more are far beyond every sheet too."""
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, LookupError, StopIteration, ET.ParseError
)  # fmt: skip
"""What is wrong with an archive is for fastexcel to say."""


def open_workbook(path: Path) -> Any:
    """The reader of a workbook, fastexcel's; ValueError for one that claims to have more parts than bytes."""
    import fastexcel

    for name in ("fastexcel", "calamine"):  # what they log would be printed if nobody handled it
        log = logging.getLogger(name)
        if not log.handlers:
            log.addHandler(logging.NullHandler())
    _check_directory(path)
    with suppress(*_UNREADABLE), zipfile.ZipFile(path) as archive:
        # A text is counted as often as cells refer to it: with the whole book, not with the list of texts.
        most = sum(min(info.file_size, _MOST_RATIO * (info.compress_size + 1)) for info in archive.infolist())
        for info in archive.infolist():
            if info.filename.lower().endswith(("sharedstrings.xml", "styles.xml")):
                _check_counts(archive, info, most)
    return fastexcel.read_excel(path)


def check_extent(path: Path, sheet: str) -> None:
    """Refuse a sheet whose cells lie so far apart that those between them would fill the memory."""
    letters: set[bytes] = set()
    last = 0
    with (
        suppress(*_UNREADABLE),
        zipfile.ZipFile(path) as archive,
        archive.open(_file_of(archive, sheet)) as member,
    ):
        rest = b""
        while chunk := member.read(_CHUNK):
            cells = _CELL.findall(rest + chunk)
            letters |= {column[:_LONGEST].upper() for column, _ in cells}
            last = max([last, *(int(row[:_LONGEST]) for _, row in cells if row)])
            rest = chunk[-200:]
    width = max([1, *map(_number, letters)])
    if last > _MOST_ROWS or width > _MOST_COLUMNS or last * width > _MOST_CELLS:
        column = max(letters, key=_number).decode() or "A"
        raise InputError(
            "read.workbook.extent",
            sheet=sheet,
            source=path.name,
            row=last,
            column=column,
            cells=last * width,
        )


def _check_directory(path: Path) -> None:
    """Refuse an archive in which calamine would find parts that Python does not: what cannot be looked at beforehand is not opened."""
    try:
        with path.open("rb") as file:
            is_archive = file.read(2) == b"PK"
        if is_archive:
            zipfile.ZipFile(path).close()
    except zipfile.BadZipFile as error:
        raise ValueError(ErrorSentence("read.workbook.directory", why=str(error))) from None
    except OSError:
        return  # for the reader to say


def _check_counts(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> None:
    with archive.open(info) as member:
        head = member.read(_CHUNK)
    for count in _COUNT.findall(head):
        if len(count) > 18 or int(count) > most:
            raise ValueError(
                ErrorSentence("read.workbook.parts", part=info.filename, count=count[:20].decode())
            )


def _file_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """The member that holds a sheet."""
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
