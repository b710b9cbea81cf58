"""Baskets in text files: one basket per line, or lists in JSON."""

from __future__ import annotations

import csv
import itertools
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.errors import ErrorSentence, InputError, shown
from sudare.read.baskets.codes import BasketCodes, code_cells, code_lists

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DELIMITERS = ("\t", ";", "|", ",")
_SPELLED = {"tab": "\t", "\\t": "\t", "space": " ", "blank": " "}
_SAMPLE_LINES = 1000


def read_lines(text: str, delimiter: str) -> BasketCodes:
    r"""Baskets from a text with one basket per line; an empty line is an empty basket.

    Spaces around an item are not part of it, unless it is in double quotes (a double quote inside is doubled).

    >>> read_lines('milk,beer\n\n"a, b",milk\n', ",").items
    ('a, b', 'beer', 'milk')
    """
    if '"' in text:
        return code_lists(_cut_quoted(text, delimiter))
    return _cut_plain(cut_lines(text), delimiter)


def read_cells(cells: Sequence[str], delimiter: str) -> BasketCodes:
    """Baskets from cells, one per cell, written as in a line file."""
    if any('"' in cell for cell in cells):
        return code_lists(itertools.chain.from_iterable(_cut_quoted(cell, delimiter)) for cell in cells)
    return _cut_plain(cells, delimiter)


def sniff_delimiter(lines: Sequence[str]) -> str:
    """The delimiter of a line file.

    Among tab, semicolon, bar and comma, it is the one found in the most lines; a space if it is found in more than
    twice as many lines (item names often contain spaces, but lists separated by spaces seldom contain commas).

    >>> sniff_delimiter(["whole milk,beer", "whole milk", "beer,tea"]), sniff_delimiter(["17 4 9", "", "8 1"])
    (',', ' ')
    """
    sample = [line.strip() for line in lines[:_SAMPLE_LINES]]
    having = {delimiter: sum(delimiter in line for line in sample) for delimiter in (*_DELIMITERS, " ")}
    best = max(_DELIMITERS, key=lambda delimiter: having[delimiter])
    return best if having[best] and having[" "] <= 2 * having[best] else " "


def cut_cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The cells of the first lines, to judge what they are: a delimiter in quotes is part of a cell."""
    sample = lines[:_SAMPLE_LINES]
    if len(delimiter) > 1:
        return [line.split(delimiter) for line in sample]
    try:
        return list(csv.reader(sample, delimiter=delimiter))
    except csv.Error:
        return []


def plain_delimiter(delimiter: str) -> str:
    """A user-supplied delimiter: any text that can separate items in a line; 'tab' and 'space' may be spelled out."""
    plain = _SPELLED.get(delimiter, delimiter)
    if not plain or any(sign in plain for sign in '"\r\n'):
        raise InputError("read.baskets.delimiter", delimiter=delimiter)
    return plain


def read_json(
    text: str, name: str, id_name: str, items_name: str, *, by_line: bool = False
) -> tuple[BasketCodes, list[Any] | None]:
    """Baskets from an array of arrays, or one array per line; objects with an id and items give ids too."""
    entries = list(_json_lines(text, name)) if by_line else _json_entries(text, name)
    if entries and all(isinstance(entry, dict) for entry in entries):
        lacking = next((entry for entry in entries if items_name not in entry), None)
        if lacking == {}:
            raise InputError("read.baskets.no_fields", source=name, items=items_name)
        if lacking is not None:
            fields = ", ".join(map(repr, lacking))
            raise InputError("read.baskets.no_items_field", source=name, items=items_name, fields=fields)
        ids = [entry.get(id_name) for entry in entries] if id_name in entries[0] else None
        return code_lists(_listed(entry[items_name]) for entry in entries), ids
    wrong = next((entry for entry in entries if entry is not None and not isinstance(entry, list)), None)
    if wrong is not None:
        raise InputError("read.baskets.not_a_list", source=name, entry=shown(wrong))
    return code_lists(map(_listed, entries)), None


def _listed(entry: Any) -> Any:
    return () if entry is None else entry


def _json_entries(text: str, name: str) -> list[Any]:
    try:
        content = _json(text)
    except json.JSONDecodeError as whole:
        return list(_json_lines(text, name, whole))
    # One document is a single basket or the array of all baskets: the latter if it contains arrays or objects, or is
    # empty.
    if isinstance(content, list) and (
        not content or any(isinstance(each, list | dict | None) for each in content)
    ):
        return content
    return [content]


def _json_lines(text: str, name: str, whole: json.JSONDecodeError | None = None) -> Iterator[Any]:
    # Not str.splitlines: it also splits at characters such as U+2028, which JSON allows in texts.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield _json(line)
            except json.JSONDecodeError as error:
                # If the first line is not a document by itself, the whole file was meant as one document.
                wrong, place = (whole, whole.lineno) if whole and number == 1 else (error, number)
                raise InputError("read.baskets.not_json", source=name, line=place, why=wrong.msg) from None


def _json(text: str) -> Any:
    """One document; what Python refuses for reasons of its own is reported like any other error in the text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        problem = ErrorSentence("read.baskets.too_deep" if deep else "read.baskets.long_number")
        raise json.JSONDecodeError(problem, text, 0) from None


def cut_lines(text: str) -> list[str]:
    """Lines ended by LF, CRLF or CR only; the last line end may be missing."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _cut_plain(lines: Sequence[str], delimiter: str) -> BasketCodes:
    cells = pl.Series("lines", lines, dtype=pl.String).str.split(delimiter)
    lengths = cells.list.len().to_numpy().astype(np.int64)
    return code_cells(lengths, cells.explode().str.strip_chars())


def _cut_quoted(text: str, delimiter: str) -> Iterator[list[str]]:
    """Baskets of a text whose items may be quoted, and so may contain delimiters, quotes and line breaks."""
    mark = re.escape(delimiter)
    token = re.compile(
        rf'[ \t]*"(?P<quoted>(?:[^"]|"")*)"[ \t]*(?P<end>{mark}|\r\n|\r|\n|\Z)'
        rf"|(?P<plain>.*?)(?P<stop>{mark}|\r\n|\r|\n|\Z)",
        re.DOTALL,
    )
    basket: list[str] = []
    place = 0
    while place < len(text):
        found = token.match(text, place)
        if found is None:  # the second alternative matches everywhere
            break
        quoted = found["quoted"]
        basket.append(found["plain"].strip() if quoted is None else quoted.replace('""', '"'))
        place = found.end()
        if (found["stop"] if quoted is None else found["end"]) != delimiter:
            yield basket
            basket = []
    if basket:
        yield basket
