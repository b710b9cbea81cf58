"""Blocks and counts of a release, recomputed by the verifier from the released cells alone.

A block is a set of rows that are equal, as text, on every quasi-identifier; a missing cell is a value of
its own, equal only to a missing cell. Where no column is a quasi-identifier the whole table is one block.
Part of the independent verifier: nothing here is shared with the anonymizer or with `sudare.assess`.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from unicodedata import category, normalize

import numpy as np
import polars as pl

from sudare.verify.finding import FindingSentence
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from sudare.words.sentence import Sentence

_SHOWN_COLUMNS = 6
_SHOWN_CHARACTERS = 40
_FINER = re.compile(r"[.,]\d{6}(\d+)")


@dataclass(frozen=True)
class Evidence:
    """A released table cut into its blocks, with all that the manifest says about its columns."""

    frame: pl.DataFrame
    columns: Mapping[str, Mapping[str, Any]]
    hierarchies: Mapping[str, Mapping[str, Any]]
    quasi: list[str]
    """The quasi-identifiers, in the order of the table."""
    block: NDArray[np.int64]
    """The block of each row."""
    first_row: NDArray[np.int64]
    """One row of each block, to show it to people."""
    sizes: NDArray[np.int64]
    """The number of rows of each block."""
    _values: dict[tuple[str, bool], Values] = field(default_factory=dict)

    def kind(self, name: str) -> str:
        """The kind of a column (numeric, date …), empty where the manifest does not say."""
        return str(self.columns.get(name, {}).get("kind", ""))

    def order(self, name: str) -> Any:
        """The values of a column in their order: as the manifest lists them, else as the type of the column does."""
        listed_order = self.columns.get(name, {}).get("order")
        dtype = self.frame.get_column(name).dtype
        if listed_order is None and isinstance(dtype, pl.Enum):
            return dtype.categories.to_list()
        return listed_order

    def values(self, name: str, *, exact: bool = False) -> Values:
        """Read the values of a sensitive column, once for all requirements; not `exact`: without regard to spelling."""
        if (name, exact) not in self._values:
            self._values[name, exact] = read_values(self.frame.get_column(name), self.kind(name), exact=exact)
        return self._values[name, exact]

    def combination(self, block: int) -> Sentence:
        """The quasi-identifiers of a block for people: `age = 3*, sex = F`.

        Long values are cut, many columns are counted.
        """
        row = int(self.first_row[block])
        cells: list[tuple[str, str]] = []
        for name in self.quasi[:_SHOWN_COLUMNS]:
            value = as_text(self.frame.get_column(name)[row : row + 1])[0]
            cells.append((name, FindingSentence("columns.missing_value") if value is None else _cut(value)))
        return listed(
            [FindingSentence("block.cell", name=name, value=value) for name, value in cells], len(self.quasi)
        )


@dataclass(frozen=True)
class Values:
    """The distinct values of a sensitive column in their natural order, a missing value last."""

    code: NDArray[np.int64]
    """For each row, the position of its value in `texts`."""
    texts: list[str | None]


@dataclass(frozen=True)
class Counts:
    """How often each sensitive value occurs in each block: only what occurs, by block, then by value."""

    block: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    sizes: NDArray[np.int64]
    """Rows of each block."""
    totals: NDArray[np.int64]
    """Rows of each value in the whole table."""


def gather_evidence(
    frame: pl.DataFrame,
    columns: Mapping[str, Mapping[str, Any]],
    hierarchies: Mapping[str, Mapping[str, Any]],
) -> Evidence:
    """Cut a table that has rows into its blocks."""
    quasi = [name for name in frame.columns if columns.get(name, {}).get("role") == "quasi"]
    if quasi:
        first_row, block = _groups([_key(frame.get_column(name)) for name in quasi])
    else:
        first_row, block = np.zeros(1, np.int64), np.zeros(frame.height, np.int64)
    return Evidence(frame, columns, hierarchies, quasi, block, first_row, np.bincount(block))


def read_values(series: pl.Series, kind: str, *, exact: bool = False) -> Values:
    """Read the distinct values of a column: numbers by size, dates by date, anything else as text.

    Cells that mean the same number or date ("1" and "1.0") are one value, so that a difference in
    writing never counts as diversity. Unless `exact`, neither does one that `sameness` removes, and a blank cell is a
    missing one where there are missing cells; of several spellings the one whose text is the least stands for all.
    """
    if kind == "set":  # the order of the items means nothing; text files join them by a bar
        are_texts = isinstance(series.dtype, pl.String | pl.Categorical)
        items = as_text(series).str.split("|") if are_texts else series.cast(pl.List(pl.String))
        series = items.list.unique().list.sort().list.join("|")
    first_row, group = _groups([_key(series)])
    texts: list[str | None] = as_text(series.gather(first_row)).to_list()
    if series.dtype.is_float() or series.dtype.is_decimal():
        kind = "numeric"
    keys = [natural_key(value, kind) for value in texts]
    same: list[Any] = keys if exact else [sameness(value, kind) for value in texts]
    if not exact and MISSING in keys:
        same = [MISSING if each == BLANK else each for each in same]
    stands: dict[Any, tuple[str, Any]] = {}
    for each, value, key in zip(same, texts, keys, strict=True):
        candidate = ("", MISSING) if each == MISSING else (value or "", key)
        if each not in stands or candidate[0] < stands[each][0]:
            stands[each] = candidate
    ordered = sorted(stands, key=lambda each: stands[each][1])
    position = {each: place for place, each in enumerate(ordered)}
    code = np.array([position[each] for each in same], np.int64)[group]
    return Values(code, [None if each == MISSING else stands[each][0] for each in ordered])


def count_values(
    evidence: Evidence, code: NDArray[np.int64], left_out: NDArray[np.bool_] | None = None
) -> Counts:
    """Count the values (by their code for each row) within each block, but for the rows that are left out."""
    block, sizes = evidence.block, evidence.sizes
    if left_out is not None and left_out.any():
        block, code = block[~left_out], code[~left_out]
        sizes = np.bincount(block, minlength=len(sizes))
    totals = np.bincount(code)
    pair, count = np.unique(block * len(totals) + code, return_counts=True)
    block, value = np.divmod(pair, len(totals))
    return Counts(block, value, count, sizes, totals)


def exempted(values: Values, texts: Sequence[str | None], kind: str, *, exact: bool) -> NDArray[np.bool_]:
    """For each row, whether its value is one of these texts."""

    def key(text: str | None) -> Any:
        found = natural_key(text, kind) if exact else sameness(text, kind)
        return MISSING if text is None or (not exact and found == BLANK and None in values.texts) else found

    wanted = {key(text) for text in texts}
    return np.array([key(text) in wanted for text in values.texts], dtype=np.bool_)[values.code]


def sums(place: NDArray[np.int64], amount: NDArray[Any], number: int) -> NDArray[np.float64]:
    """Add up the amounts that fall on each of the places 0 … number - 1."""
    return np.bincount(place, amount, number).astype(np.float64)


MISSING: tuple[int, Any] = (2, 0)
BLANK: tuple[int, Any] = (1, "")
_DECIMAL = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d\d?)?", re.ASCII)
_SIGNIFICANT = Context(prec=12)
_UNSEEN_MARKS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\uffa0\ufe00-\ufe0f]")


def sameness(text: str | None, kind: str) -> tuple[int, Any]:
    """Give the key by which two cells are one value to a reader, whatever their case, width, spaces or unseen characters.

    Numbers are equal if they agree in 12 significant digits, whole numbers if all digits agree. A text that is a plain
    decimal number counts as that number.

    >>> sameness("HIV ", "nominal") == sameness("ｈｉｖ\u200b", "nominal"), sameness("1", "") == sameness("1.0", "")
    (True, True)
    """
    if text is None:
        return MISSING
    key = natural_key(text, kind)
    if key == MISSING or (key[0] == 0 and kind == "date"):
        return key
    if key[0] == 0:
        return 0, _significant(text, key[1])
    shape = _UNSEEN_MARKS.sub("", text)
    shape = "".join(mark for mark in shape if mark.isspace() or category(mark) not in {"Cf", "Cc"})
    shape = normalize("NFKC", normalize("NFKC", shape).casefold())
    shape = re.sub(r"\s+", " ", shape).strip()
    if len(shape) <= 100 and _DECIMAL.fullmatch(shape):
        return 0, _significant(shape, float(shape))
    return 1, shape


def _significant(text: str, number: float) -> Any:
    """The number of a text, to 12 significant digits unless it is whole: then all its digits count."""
    if isinstance(number, float) and not math.isfinite(number):
        return number
    try:
        written = Decimal(text.strip())
    except InvalidOperation:
        written = Decimal(number)
    if written == written.to_integral_value():
        return int(written)
    binary = Decimal(float(written))
    if abs(binary) >= 10**11:
        return binary.to_integral_value(ROUND_HALF_EVEN)
    return _SIGNIFICANT.plus(binary)


def natural_key(text: str | None, kind: str) -> tuple[int, Any]:
    """Give the key by which values are equal and ordered: numbers or dates, then other text, then missing."""
    if text is None:
        return MISSING
    if kind == "numeric":
        number = _number(text)
        if isinstance(number, float) and math.isnan(number):
            return MISSING
        return (1, text) if number is None else (0, number)
    if kind == "date":
        moment = _moment(text)
        return (1, text) if moment is None else (0, moment)
    return (1, text)


def as_text(series: pl.Series) -> pl.Series:
    """Give the cells as text, with null and NaN as null; equal cells have equal text."""
    kind = series.dtype
    if kind.is_float():
        return series.fill_nan(None).cast(pl.String)
    if kind == pl.Duration:
        return series.dt.to_string("iso")
    if kind.is_nested() or kind in (pl.Binary, pl.Object):
        cells = [None if cell is None else json.dumps(cell, default=str) for cell in series.to_list()]
        return pl.Series(series.name, cells, dtype=pl.String)
    if kind == pl.Time:
        return series.dt.to_string("%H:%M:%S%.f")  # a cast leaves out the nanoseconds
    return series.cast(pl.String)


def listed(shown: Sequence[str], number: int | None = None) -> Sentence:
    """Join names for a sentence; beyond the first few they are counted.

    >>> listed(["age", "sex"])
    'age, sex'
    >>> listed(["a", "b", "c", "d", "e", "f", "g", "h"])
    'a, b, c, d, e, f and 2 more'
    """
    number = len(shown) if number is None else number
    names = enumerated(shown[:_SHOWN_COLUMNS])
    if number <= _SHOWN_COLUMNS:
        return names
    return FindingSentence("columns.more", names=names, more=number - _SHOWN_COLUMNS)


def _key(series: pl.Series) -> pl.Series:
    """What is equal where the cells are equal as text: that text, or for categories their number."""
    if isinstance(series.dtype, pl.Categorical):
        return series.to_physical()
    return as_text(series)


def _groups(keys: list[pl.Series]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct combinations of the columns: a row of each, and the number for each row."""
    names = [str(position) for position in range(len(keys))]
    frame = pl.DataFrame([key.alias(name) for key, name in zip(keys, names, strict=True)])
    same = frame.with_row_index("row").select(pl.col("row").first().over(names)).to_series().to_numpy()
    is_first = same == np.arange(len(same))
    number = np.cumsum(is_first) - 1
    return np.flatnonzero(is_first).astype(np.int64), number[same].astype(np.int64, copy=False)


def _number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _moment(text: str) -> tuple[datetime, str] | None:
    """A moment, and its digits beyond the microseconds, which Python's moments have not."""
    try:
        moment = datetime.fromisoformat(text)
        # Moments with and without a time zone cannot be compared; UTC serves as the one clock.
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    finer = _FINER.search(text)
    return moment, finer[1].rstrip("0") if finer else ""


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
