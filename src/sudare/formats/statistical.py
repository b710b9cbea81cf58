"""The data of a release as a file of SPSS or Stata, from which every value can be read back, with labels.

Texts that the source stored as codes with labels are codes with labels again: a value that the source knows keeps its code, and
the labels of values that are not released are not written. Whole numbers, decimals and dates have their own types; all else is
text. Both programs know no missing text, so a missing one is an empty text, and empty texts are refused.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from sudare.describe.text import as_text
from sudare.errors import OutputError
from sudare.formats.excel import as_written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.read.source import Labels

Statistical = Literal["spss", "stata"]
_ENDINGS: dict[Statistical, str] = {"spss": ".sav", "stata": ".dta"}
_LARGEST_EXACT = 2**53
_LARGEST = 8.9e307
"""Stata takes larger numbers for missing ones."""
_LONGEST_LABEL, _LONGEST_TEXT = 120, 32_767
"""Bytes of a label and of a text in SPSS, which Stata holds as well."""
_LONGEST_NAME: dict[Statistical, int] = {"spss": 64, "stata": 32}
"""Bytes of a name in SPSS; characters in Stata, of which fewer bytes are certain to fit."""
_RESERVED = frozenset(
    [
        "all",
        "and",
        "by",
        "eq",
        "ge",
        "gt",
        "le",
        "lt",
        "ne",
        "not",
        "or",
        "to",
        "with",
        "byte",
        "int",
        "long",
        "float",
        "double",
        "if",
        "in",
        "using",
        "strl",
        "_all",
        "_b",
        "_coef",
        "_cons",
        "_n",
        "_pi",
        "_pred",
        "_rc",
        "_skip",
    ]
)
_NOT_IN_NAMES = re.compile(r"[^\w]")


def variable_names(names: Sequence[str], format: Statistical) -> dict[str, str]:  # noqa: A002  # the word of the recipe
    """The name of each column in the file: itself, unless the program does not allow it or takes it for another one."""
    most = _LONGEST_NAME[format]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = _NOT_IN_NAMES.sub("_", name)
        if not plain[:1].isalpha():
            plain = f"v_{plain.lstrip('_')}"
        if plain.lower() in _RESERVED or re.fullmatch(r"str[0-9]+", plain.lower()):
            plain += "_"
        plain = tried = _cut(plain, most)
        number = 1
        while tried.lower() in taken:
            number += 1
            tried = f"{_cut(plain, most - len(str(number)) - 1)}_{number}"
        taken.add(tried.lower())
        found[name] = tried
    return found


def _cut(text: str, most: int) -> str:
    """As many characters of a text as fit into some bytes."""
    return text.encode()[:most].decode("utf-8", "ignore")


def statistical_bytes(frame: pl.DataFrame, format: Statistical, labels: Labels | None = None) -> bytes:  # noqa: A002
    """The file with a frame; `labels` are those of the source, of which released values keep theirs."""
    import pyreadstat

    names = variable_names(frame.columns, format)
    columns, values = [], {}
    for column in frame:
        written, named = _column(column.alias("cells"), column.name, _codes(column, labels))
        columns.append(written.alias(names[column.name]))
        if named:
            values[names[column.name]] = named
    told = {} if labels is None else labels.variables
    variables = {
        names[name]: told.get(name) or (name if names[name] != name else None) for name in frame.columns
    }
    writer = {"spss": pyreadstat.write_sav, "stata": pyreadstat.write_dta}[format]
    with tempfile.TemporaryDirectory(prefix="sudare-") as folder:
        place = Path(folder, f"data{_ENDINGS[format]}")
        writer(
            pl.DataFrame(columns), str(place), column_labels=variables, variable_value_labels=values or None
        )
        return place.read_bytes()


def _codes(column: pl.Series, labels: Labels | None) -> Mapping[float, str]:
    return {} if labels is None else labels.values.get(column.name, {})


def _column(column: pl.Series, name: str, codes: Mapping[float, str]) -> tuple[pl.Series, dict[float, str]]:
    """The column as the program stores it, and the labels of its values."""
    kind = column.dtype
    if kind == pl.String:
        coded = _coded(column, codes)
        return coded if coded is not None else (_text(column, name), {})
    if kind == pl.Date:
        return column, {}
    numbers = _number(column)
    if numbers is None:
        return _text(as_text(column) if kind.is_temporal() else as_written(column), name), {}
    present = set(numbers.drop_nulls().unique().to_list())
    named = {code: text for code, text in codes.items() if code in present}
    # Were all values labeled, readers would show the labels in place of the numbers.
    return numbers, named if len(named) < len(present) else {}


def _number(column: pl.Series) -> pl.Series | None:
    """The column as decimals of double precision, if each of its numbers is one."""
    kind = column.dtype
    if not kind.is_numeric():
        return None
    numbers = column.cast(pl.Float64)
    present = numbers.drop_nulls()
    exact = bool((present.is_finite() & (present.abs() <= _LARGEST)).all())
    if kind.is_integer():
        exact &= bool((present.abs() <= _LARGEST_EXACT).all())
    elif kind.is_decimal():
        exact &= bool((numbers.cast(kind) == column).all())
    return numbers if exact else None


def _coded(column: pl.Series, codes: Mapping[float, str]) -> tuple[pl.Series, dict[float, str]] | None:
    """Codes for texts of which the source had codes, and their labels; None where they are plain texts.

    Texts that came about in the release, such as groups of values, get codes of more digits, so that no code of the source
    changes its meaning.
    """
    present = column.drop_nulls().unique().sort().to_list()
    known = {text: code for code, text in codes.items()}
    kept = {text: float(known[text]) for text in present if text in known}
    whole = all(code.is_integer() and 0 <= code < _LARGEST_EXACT // 1000 for code in kept.values())
    if not kept or not whole or any(not text or len(text.encode()) > _LONGEST_LABEL for text in present):
        return None
    begin = 10 ** (len(str(int(max(kept.values())))) + 1)
    made = [text for text in present if text not in kept]
    given = {**kept, **{text: float(begin + place) for place, text in enumerate(made, start=1)}}
    written = column.replace_strict(list(given), list(given.values()), return_dtype=pl.Float64)
    return written, {code: text for text, code in sorted(given.items(), key=lambda one: one[1])}


def _text(column: pl.Series, name: str) -> pl.Series:
    """Texts that can be read back: neither empty nor with blanks at their ends, which the programs drop."""
    if column.str.len_bytes().max() is not None:
        if bool((column == "").any()):
            raise OutputError("formats.statistical.empty", column=name)
        if bool((column.str.strip_chars_end(" \0") != column).any()):
            raise OutputError("formats.statistical.blank", column=name)
        longest: Any = column.str.len_bytes().max()
        if longest > _LONGEST_TEXT:
            raise OutputError("formats.statistical.text", column=name, length=longest, most=_LONGEST_TEXT)
    return column


def read_statistical(path: Path, format: Statistical, names: Mapping[str, str]) -> pl.DataFrame:  # noqa: A002
    """The frame of a file of a release; `names` has the columns whose name in the file is another one."""
    from sudare.read.files import read_file

    frame, _ = read_file(path, format, missing=("",))
    return frame.rename({name: names.get(name, name) for name in frame.columns}).with_columns(
        pl.col(pl.String).replace("", None)
    )
