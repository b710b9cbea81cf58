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


def looks_like_baskets(path: str) -> bool:
    """Whether a file is a list of sets: JSON, or a text whose lines have different numbers of items.

    A table has the same number of fields in every line. A file that cannot be opened is not a basket file: reading it
    says why.
    """
    if not is_path(path) or not is_file(path):
        return False
    ending = Path(path).suffix.lower()
    if ending in JSON:
        return True
    if ending not in _OPEN_ENDINGS:
        return False
    try:
        with Path(path).open("rb") as file:
            lines = [line for _, line in zip(range(_LINES), file, strict=False) if line.strip()]
    except OSError:
        return False
    return len({len(_FIELDS.findall(line)) for line in lines}) > 1
