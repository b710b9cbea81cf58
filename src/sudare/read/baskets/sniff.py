"""Whether a file contains baskets or a table, judged by its extension or, if that is ambiguous, by its first lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sudare.read.source import JSON, is_file, is_path

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = 200
"""The number of lines examined."""
_OPEN_ENDINGS = {"", ".txt", ".dat", ".basket", ".baskets", ".text"}
"""Extensions under which line files are published; all other extensions are unambiguous."""
_FIELDS = re.compile(rb"[^\s,;|]+")
_DELIMITERS = (b",", b";", b"\t", b"|")
_HEAD = 1 << 16
_OBJECT, _ITEMS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{"), re.compile(rb'"items"\s*:\s*\[')
"""How JSON of objects begins, and the field that makes baskets of them."""


def looks_like_baskets(path: str, named: Sequence[str] = ()) -> bool:
    """Whether a file is a list of sets: JSON, or a text whose lines have different numbers of items.

    A table has the same number of fields in every line, and in JSON it has objects without `items`. A file that
    cannot be opened is not a basket file: reading it says why. Neither is one with as many
    cells in each line whose first line has all of the `named` texts, each several joined by commas: they are its columns.
    """
    if not is_path(path) or not is_file(path):
        return False
    ending = Path(path).suffix.lower()
    if ending not in JSON | _OPEN_ENDINGS:
        return False
    try:
        with Path(path).open("rb") as file:
            if ending in JSON:
                head = file.read(_HEAD)
                return _OBJECT.match(head) is None or _ITEMS.search(head) is not None
            lines = [line for _, line in zip(range(_LINES), file, strict=False) if line.strip()]
    except OSError:
        return False
    if len({len(_FIELDS.findall(line)) for line in lines}) == 1:
        return False
    return not (named and any(_is_table_of(lines, delimiter, named) for delimiter in _DELIMITERS))


def _is_table_of(lines: Sequence[bytes], delimiter: bytes, named: Sequence[str]) -> bool:
    """Whether the lines have as many cells as the first, whose cells have all these names among them."""
    cells = [line.strip(b"\r\n").split(delimiter) for line in lines]
    wanted = {part.strip().encode() for text in named for part in text.split(",")}
    return len(set(map(len, cells))) == 1 and wanted <= {cell.strip(b' "') for cell in cells[0]}
