"""Read ARFF, the text format of Weka: attributes with types of their own, then records, each on a line.

scipy reads neither texts nor sparse records, and liac-arff no dates, so the format is read here. Nominal attributes become
texts, numeric ones numbers, dates with a format of Java dates or moments. `?` is missing. A sparse record, `{2 5, 4 yes}`,
leaves out zeros, and first values of nominal attributes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import polars as pl

from sudare.errors import InputError, shown
from sudare.read.text import column_names, days_if_midnight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NUMERIC = frozenset({"numeric", "real", "integer"})
_DEFAULT_DATES = "yyyy-MM-dd'T'HH:mm:ss"
_TOKEN = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,{}'"]+|(?=,|$)))\s*""")
"""A value in quotes of either kind, or without; blanks around it are not part of it."""
_NAME = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s'"{]+))\s*(.*)""", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\(.)")
_MEANINGS = {"n": "\n", "r": "\r", "t": "\t"}
_LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "MMM": "%b",
    "Z": "%z",
}
"""Letters of Java's patterns of dates, and what Python calls the same."""
_PARTS = re.compile(r"'([^']*)'|([A-Za-z])\2*|.")


@dataclass(frozen=True)
class _Attribute:
    """What the head says of a column."""

    name: str
    kind: str
    """numeric, nominal, string or date."""
    values: tuple[str, ...] = ()
    """Of a nominal attribute."""
    dates: str = ""
    """How dates are written, as Python has it."""

    @property
    def left_out(self) -> str | None:
        """What a sparse record means that does not name the attribute; None where Weka's answer is an accident."""
        if self.kind == "numeric":
            return "0"
        return self.values[0] if self.values else None


def read_arff(text: str, name: str) -> pl.DataFrame:
    """The frame of a text in the format ARFF; `name` is that of its source, for errors."""
    lines = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)
    attributes = _head(lines, name)
    cells = [list(record) for record in _records(lines, attributes, name)]
    columns = zip(*cells, strict=True) if cells else [()] * len(attributes)
    series = [
        _column(attribute, [value for _, value in column], [line for line, _ in column], name)
        for attribute, column in zip(attributes, columns, strict=True)
    ]
    named = column_names([attribute.name for attribute in attributes], name)
    return pl.DataFrame([column.alias(called) for column, called in zip(series, named, strict=True)])


def _head(lines: Iterator[tuple[int, str]], name: str) -> list[_Attribute]:
    """The attributes, up to the line `@data`."""
    attributes: list[_Attribute] = []
    for number, line in lines:
        words = line.split(maxsplit=1)
        if not words or words[0].startswith("%"):
            continue
        keyword = words[0].lower()
        if keyword == "@data" and attributes:
            return attributes
        if keyword == "@attribute":
            attributes.append(_attribute(line.strip(), number, name))
        elif keyword != "@relation":
            raise InputError("read.arff.head", source=name, line=number, found=line.strip())
    raise InputError("read.arff.no_data", source=name)


def _attribute(line: str, number: int, source: str) -> _Attribute:
    found = _NAME.fullmatch(line)
    if found is None:
        raise InputError("read.arff.attribute", source=source, line=number, found=line)
    name = _plain(found)
    told = found[4].split("%")[0].strip() if "{" not in found[4] else found[4].strip()
    kind = told.lower()
    if kind in _NUMERIC:
        return _Attribute(name, "numeric")
    if kind == "string":
        return _Attribute(name, "string")
    if told.startswith("{") and (end := told.rfind("}")) > 0:
        values = _tokens(told[1:end], number, source)
        return _Attribute(name, "nominal", tuple(value for value in values if value is not None))
    if kind.split(maxsplit=1)[:1] == ["date"]:
        pattern = told[4:].strip().strip("\"'") or _DEFAULT_DATES
        return _Attribute(name, "date", dates=_python_pattern(pattern, name, source))
    raise InputError("read.arff.type", source=source, line=number, name=name, type=told)


def _python_pattern(pattern: str, name: str, source: str) -> str:
    """How Python writes one of Java's patterns of dates."""
    written = ""
    for part in _PARTS.finditer(pattern):
        letters = part[0]
        if part[2] is None:
            written += (part[1] or letters).replace("%", "%%") if part[1] != "" else "'"
        elif letters in _LETTERS:
            written += _LETTERS[letters]
        else:
            raise InputError("read.arff.dates", source=source, name=name, format=pattern, part=letters)
    return written


def _records(
    lines: Iterator[tuple[int, str]], attributes: Sequence[_Attribute], source: str
) -> Iterator[list[tuple[int, str | None]]]:
    """The cells of each record, with the line they are in."""
    for number, line in lines:
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if text.startswith("{"):
            values = _sparse(text, attributes, number, source)
        else:
            values = _tokens(text, number, source)
        if len(values) != len(attributes):
            raise InputError(
                "read.arff.width", source=source, line=number, values=len(values), width=len(attributes)
            )
        yield [(number, value) for value in values]


def _sparse(text: str, attributes: Sequence[_Attribute], number: int, source: str) -> list[str | None]:
    """All cells of a record that names those that are not zero, by the number of the attribute."""
    if not text.endswith("}"):
        raise InputError("read.arff.sparse", source=source, line=number)
    given: dict[int, str | None] = {}
    rest = text[1:-1].strip()
    place = 0
    while place < len(rest):
        index = re.compile(r"\s*([0-9]{1,9})\s+").match(rest, place)
        value = None if index is None else _TOKEN.match(rest, index.end())
        if index is None or value is None or int(index[1]) >= len(attributes) or int(index[1]) in given:
            raise InputError("read.arff.sparse", source=source, line=number)
        given[int(index[1])] = _value(value)
        place = value.end()
        if place < len(rest):
            if rest[place] != ",":
                raise InputError("read.arff.sparse", source=source, line=number)
            place += 1
    cells: list[str | None] = []
    for index_of, attribute in enumerate(attributes):
        if index_of not in given and attribute.left_out is None:
            raise InputError("read.arff.left_out", source=source, line=number, name=attribute.name)
        cells.append(given.get(index_of, attribute.left_out))
    return cells


def _tokens(text: str, number: int, source: str) -> list[str | None]:
    """The values of a line, separated by commas; a value that is missing is None."""
    values: list[str | None] = []
    place = 0
    while True:
        found = _TOKEN.match(text, place)
        if found is None:
            raise InputError("read.arff.quotes", source=source, line=number)
        values.append(_value(found))
        place = found.end()
        if place >= len(text) or text[place] == "%":
            return values
        # Weka also separates values by blanks and tabs.
        place += text[place] == ","


def _value(found: re.Match[str]) -> str | None:
    return None if found[3] in {"?", ""} else _plain(found)


def _plain(found: re.Match[str]) -> str:
    """A quoted text without its escapes, or a text as it is."""
    if found[3] is not None:
        return found[3]
    quoted = found[1] if found[1] is not None else found[2]
    return _ESCAPED.sub(lambda sign: _MEANINGS.get(sign[1], sign[1]), quoted)


def _column(
    attribute: _Attribute, values: Sequence[str | None], lines: Sequence[int], source: str
) -> pl.Series:
    """The values in the type of their attribute; one that does not fit is named with its line."""
    told = {"source": source, "name": attribute.name}
    if attribute.kind == "numeric":
        return _numbers(values, lines, told)
    if attribute.kind == "date":
        moments = []
        for value, line in zip(values, lines, strict=True):
            try:
                moments.append(None if value is None else datetime.strptime(value, attribute.dates))  # noqa: DTZ007  # a table has no zone
            except ValueError:
                raise InputError("read.arff.not_a_date", **told, line=line, value=shown(value)) from None
        plain = [None if moment is None else moment.replace(tzinfo=None) for moment in moments]
        return days_if_midnight(pl.Series("cells", plain, dtype=pl.Datetime("us")))
    if attribute.kind == "nominal":
        known = set(attribute.values)
        for value, line in zip(values, lines, strict=True):
            if value is not None and value not in known:
                raise InputError("read.arff.not_a_value", **told, line=line, value=shown(value))
    return pl.Series("cells", values, dtype=pl.String)


def _numbers(values: Sequence[str | None], lines: Sequence[int], told: dict[str, str]) -> pl.Series:
    """Whole numbers where all are whole and can be held exactly, else decimals."""
    numbers = []
    for value, line in zip(values, lines, strict=True):
        try:
            numbers.append(None if value is None else float(value))
        except ValueError:
            raise InputError("read.arff.not_a_number", **told, line=line, value=shown(value)) from None
    from sudare.read.files import whole_numbers

    return whole_numbers(pl.Series("cells", numbers, dtype=pl.Float64))
