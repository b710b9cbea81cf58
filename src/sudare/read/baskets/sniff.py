"""Whether a file holds baskets or a table, by its ending and, where that leaves it open, by its first lines."""

from __future__ import annotations

import re
from pathlib import Path

from sudare.read.endings import JSON
from sudare.read.places import is_file, is_path

_LINES = 200
"""Lines that are looked at."""
_OPEN_ENDINGS = {"", ".txt", ".dat", ".basket", ".baskets", ".text"}
"""Endings under which files of lines are published; others say themselves what they are."""
_FIELDS = re.compile(rb"[^\s,;|]+")


def looks_like_baskets(path: str) -> bool:
    """Whether a file is a list of sets: JSON, or a text whose lines have different numbers of items.

    A table has as many fields in every line. What cannot be opened is no basket file: reading it says why.
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
