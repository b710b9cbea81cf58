"""Read JSON as a table: lines with an object each (JSON lines), or an array of objects.

A field becomes a column: whole numbers, decimals, truth values, texts, or lists of texts or of whole numbers, which are sets.
A field that a record lacks, or that is null, is missing there. A field of several types becomes text; objects within objects
are refused, because nobody can say which columns they should become.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.errors import ErrorSentence, InputError, shown
from sudare.read.text import column_names, narrow_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_INT64 = range(-(2**63), 2**63)
_LARGEST_EXACT = 2**53
"""Up to this value, a float64 represents every integer exactly."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character, or the halves of one."""


class _RepeatedError(ValueError):
    """A field occurs twice in an object, of which readers take one or the other."""


def read_records(text: str, name: str) -> pl.DataFrame:
    """The frame of a JSON text; `name` is that of its source, for errors."""
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, record in _objects(text, name):
        if not isinstance(record, dict):
            raise InputError(
                "read.json.not_an_object",
                source=name,
                line=number,
                found=shown(json.dumps(record, ensure_ascii=False)),
            )
        records.append(record)
        lines.append(number)
    names = list(dict.fromkeys(field for record in records for field in record))
    if not names:
        raise InputError("read.json.empty", source=name)
    columns = [_column([record.get(field) for record in records], field, lines, name) for field in names]
    called = column_names(names, name)
    return pl.DataFrame([column.alias(field) for column, field in zip(columns, called, strict=True)])


def _objects(text: str, name: str) -> Iterator[tuple[int, Any]]:
    """The records, each with the number of its line, or of its place in an array."""
    stripped = text.lstrip()
    if stripped.startswith("["):
        yield from enumerate(_parsed(stripped, name, 1), start=1)
        return
    # Other signs than these end lines within texts as well.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            yield number, _parsed(line, name, number)


def _parsed(text: str, name: str, line: int) -> Any:
    try:
        found = json.loads(text, object_pairs_hook=_without_repetition, parse_constant=float)
        if _HALF.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except _RepeatedError as error:
        raise InputError("read.json.repeated", source=name, line=line, field=shown(error.args[0])) from None
    except (ValueError, RecursionError) as error:
        at = line + error.lineno - 1 if isinstance(error, json.JSONDecodeError) else line
        why = error.msg if isinstance(error, json.JSONDecodeError) else _why(error)
        raise InputError("read.json.not_json", source=name, line=at, why=why) from None
    return found


def _why(error: Exception) -> ErrorSentence:
    """What json reports without words of its own: half a character, numbers and nesting beyond its limits."""
    if isinstance(error, UnicodeEncodeError):
        return ErrorSentence("read.json.half")
    return ErrorSentence(
        "read.baskets.too_deep" if isinstance(error, RecursionError) else "read.baskets.long_number"
    )


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedError(next(name for name in names if names.count(name) > 1))
    return found


def _column(values: Sequence[Any], field: str, lines: Sequence[int], source: str) -> pl.Series:
    """One field of all records, in the narrowest type that holds all of its values."""
    kinds = {type(value) for value in values if value is not None}
    inner = {type(item) for value in values if isinstance(value, list) for item in value}
    if kinds & {dict, list} and (kinds != {list} or inner not in ({str}, {int}, set())):
        line = next(line for line, value in zip(lines, values, strict=True) if isinstance(value, dict | list))
        raise InputError("read.json.nested", source=source, line=line, field=shown(field))
    numbers = [value for value in values if type(value) is int]
    if kinds == {list}:
        return pl.Series("cells", values, dtype=pl.List(pl.Int64 if inner == {int} else pl.String))
    if kinds == {bool}:
        return pl.Series("cells", values, dtype=pl.Boolean)
    if kinds == {int} and all(number in _INT64 for number in numbers):
        return pl.Series("cells", values, dtype=pl.Int64)
    if kinds and kinds <= {int, float} and all(abs(number) <= _LARGEST_EXACT for number in numbers):
        decimals = [None if value is None else float(value) for value in values]
        return pl.Series("cells", decimals, dtype=pl.Float64).fill_nan(None)
    texts = pl.Series("cells", [_text(value) for value in values], dtype=pl.String)
    days = narrow_column(texts)
    return days if days.dtype == pl.Date else texts


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)
