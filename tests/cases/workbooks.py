"""Small workbooks made by hand, in the formats that no library here writes: OpenDocument and the binary one of Excel."""

from __future__ import annotations

import struct
import zipfile
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_KIND = "application/vnd.oasis.opendocument.spreadsheet"
_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)
_LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORKSHEET = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"


def ods_cell(text: str, repeated: int = 1) -> str:
    """A cell of OpenDocument; an empty text is an empty cell."""
    times = f' table:number-columns-repeated="{repeated}"' if repeated > 1 else ""
    if not text:
        return f"<table:table-cell{times}/>"
    return f'<table:table-cell{times} office:value-type="string"><text:p>{escape(text)}</text:p></table:table-cell>'


def ods_row(cells: Iterable[str], repeated: int = 1) -> str:
    """A row of cells."""
    times = f' table:number-rows-repeated="{repeated}"' if repeated > 1 else ""
    return f"<table:table-row{times}>{''.join(cells)}</table:table-row>"


def write_ods(
    path: Path,
    rows: Iterable[str],
    *,
    end: str = "</table:table></office:spreadsheet></office:body></office:document-content>",
) -> Path:
    """A workbook of one sheet, `data`."""
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_NAMES} office:version="1.2">'
        f'<office:body><office:spreadsheet><table:table table:name="data">{"".join(rows)}{end}'
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_KIND}"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", _KIND, zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


def write_xlsb(path: Path, cells: Sequence[tuple[int, int, str]]) -> Path:
    """A binary workbook of one sheet, `data`, with texts at rows and columns from 0, in the order of the rows."""
    last = (max(row for row, _, _ in cells), max(column for _, column, _ in cells))
    sheet = [_record(129), _record(148, struct.pack("<4I", 0, last[0], 0, last[1])), _record(145)]
    current = -1
    for row, column, text in cells:
        if row != current:
            sheet.append(_record(0, struct.pack("<IIHBBBI", row, 0, 300, 0, 0, 0, 0)))
            current = row
        sheet.append(_record(6, struct.pack("<II", column, 0) + _wide(text)))
    sheet += [_record(146), _record(130)]
    book = [_record(131), _record(143), _record(156, struct.pack("<II", 0, 1) + _wide("rId1") + _wide("data")), _record(144), _record(132)]  # fmt: skip
    links = (
        f'<?xml version="1.0"?><Relationships xmlns="{_LINKS}">'
        f'<Relationship Id="rId1" Type="{_WORKSHEET}" Target="worksheets/sheet1.bin"/></Relationships>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.bin", b"".join(book))
        archive.writestr("xl/_rels/workbook.bin.rels", links)
        archive.writestr("xl/worksheets/sheet1.bin", b"".join(sheet))
    return path


def _record(kind: int, data: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size, length = b"", len(data)
    while True:
        size += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
        length >>= 7
        if not length:
            return head + size + data


def _wide(text: str) -> bytes:
    data = text.encode("utf-16-le")
    return struct.pack("<I", len(data) // 2) + data
