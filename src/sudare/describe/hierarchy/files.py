"""Read and write hierarchy files: the arrays as JSON, the levels as CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from sudare.errors import InputError, OutputError
from sudare.parameters import said_by
from sudare.read.text import decode_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DELIMITERS = ";,\t|"


def write_json(path: Path, stored: dict[str, Any]) -> None:
    """Write the arrays of a hierarchy."""
    _write(path, json.dumps(stored, ensure_ascii=False, allow_nan=False))


def write_levels(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """Write a table of levels, separated by ';'."""
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows(rows)
    _write(path, text.getvalue())


def read_json(path: Path) -> dict[str, Any]:
    """The arrays that `write_json` wrote."""
    try:
        stored = json.loads(_bytes(path))
    except (ValueError, RecursionError):
        stored = None
    if not isinstance(stored, dict):
        raise InputError("describe.file.not_json", path=path)
    return stored


def read_levels(path: Path, delimiter: str | None, encoding: str | None) -> list[list[str]]:
    """The rows of a table of levels, without blank lines; delimiter and encoding are detected if not given."""
    text = decode_text(_bytes(path), path.name, encoding)[0]
    try:
        return _rows(text, delimiter or _delimiter(text))
    except csv.Error as error:
        raise InputError("describe.file.not_levels", path=path, why=said_by(error)) from None


def _rows(text: str, delimiter: str) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]


def _delimiter(text: str) -> str:
    """The character that splits the first lines into equally many levels, and into the most.

    If no character splits every line, the one that splits most of them is still the delimiter: the other lines are too
    short.
    """
    sample = "".join(text.splitlines(keepends=True)[:50])
    widths = {sign: [len(row) for row in _rows(sample, sign)] or [1] for sign in _DELIMITERS}

    def fitness(sign: str) -> tuple[bool, bool, bool, int]:
        found = widths[sign]
        cut = sum(width > 1 for width in found)
        return cut == len(found), 2 * cut >= len(found), len(set(found)) == 1, sum(found)

    return max(_DELIMITERS, key=fitness)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("describe.file.not_read", path=path, why=error.strerror) from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise OutputError("describe.file.not_written", path=path, why=error.strerror) from None
