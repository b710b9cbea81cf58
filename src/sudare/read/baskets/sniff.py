"""Whether a file contains baskets or a table, judged by its extension or, if that is ambiguous, by its first lines."""

from __future__ import annotations

import re
from pathlib import Path

from sudare.read.source import JSON, is_file, is_path

_LINES = 200
"""The number of lines examined."""
_OPEN_ENDINGS = {"", ".txt", ".dat", ".basket", ".baskets", ".text"}
"""Extensions under which line files are published; all other extensions are unambiguous."""
_FIELDS = re.compile(rb"[^\s,;|]+")
_HEAD = 1 << 16
_OBJECT, _ITEMS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{"), re.compile(rb'"items"\s*:\s*\[')
"""How JSON of objects begins, and the field that makes baskets of them."""


def looks_like_baskets(path: str) -> bool:
    """Whether a file is a list of sets: JSON, or a text whose lines have different numbers of items.

    A table has the same number of fields in every line, and in JSON it has objects without `items`. A file that cannot be opened is not a basket file: reading it
    says why.
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
    return len({len(_FIELDS.findall(line)) for line in lines}) > 1
