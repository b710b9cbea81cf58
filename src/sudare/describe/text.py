"""Values as texts: the canonical text of a value, and ranges and sets of values as a release shows them, written and read.

The canonical text of a value: the key in hierarchies, and what a release shows.

A value has the same text whatever its column's type: 39 read as an integer and 39.0 read as a float are both "39".
"""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.errors import DescriptionError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from sudare.describe.table import Table

_INT64_REACH = 2.0**63


def as_text(series: pl.Series) -> pl.Series:
    """The text of every value of a column; missing values (null, NaN) stay missing.

    Integers are written plainly, decimals without trailing zeros, floats as the shortest text that reads back to the
    same number (integral ones without a fraction), dates and times in ISO 8601, Booleans as "true" and "false".

    >>> as_text(pl.Series("x", [2.0, 1.5, None])).to_list()
    ['2', '1.5', None]
    """
    dtype = series.dtype
    if dtype == pl.String:
        return series
    if dtype.is_float():
        return _float_text(series)
    if dtype.is_decimal():
        return series.cast(pl.String).str.replace(r"\.0*$|(\.[0-9]*[1-9])0+$", "$1")
    if isinstance(dtype, pl.Datetime):
        return series.dt.to_string("%+" if dtype.time_zone else "%Y-%m-%dT%H:%M:%S%.f")
    if dtype == pl.Time:
        return series.dt.to_string("%H:%M:%S%.f")
    if dtype == pl.Duration:
        return series.dt.to_string("iso")
    if has_no_text(dtype):
        raise DescriptionError("describe.column.no_text", column=series.name, dtype=dtype)
    return series.cast(pl.String)


def places_among(texts: pl.Series, distinct: pl.Series, missing: int) -> npt.NDArray[np.int64]:
    """The position of each text among distinct ones that include all of them; `missing` for a null.

    >>> places_among(pl.Series(["b", None, "a"]), pl.Series(["a", "b"]), -1)
    array([ 1, -1,  0])
    """
    return texts.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).fill_null(missing).to_numpy()


def has_no_text(dtype: pl.DataType) -> bool:
    """Whether values are sets, records, bytes or objects, which are not compared with one another."""
    return dtype.is_nested() or dtype in (pl.Binary, pl.Object)


def scalar_text(value: object) -> str:
    """The text of one value, by the same rules as `as_text`.

    >>> scalar_text(2.0), scalar_text(True), scalar_text("北")
    ('2', 'true', '北')
    """
    return value if isinstance(value, str) else str(as_text(pl.Series([value]))[0])


def _float_text(series: pl.Series) -> pl.Series:
    # Use a name of our own: polars may treat the column's as a pattern.
    number = pl.col("number").fill_nan(None)
    integral = (number == number.round()) & (number.abs() < _INT64_REACH)
    text = (
        pl.when(integral)
        .then(number.cast(pl.Int64, strict=False).cast(pl.String))
        .otherwise(number.cast(pl.String).str.strip_suffix(".0"))
    )
    return series.alias("number").to_frame().select(text).to_series().alias(series.name)


ANYTHING = "*"
"""The released text of a cell about which nothing is published."""

_FIRST_DAY = date(1970, 1, 1).toordinal()
_DAY = 86_400_000_000  # microseconds
_ZONE = r"(Z|[+-]\d\d:?\d\d)$"
_ISO_DAY = r"^(\d{4}-\d{2}-\d{2})($|[T ]\d)"
_PATTERN = r"^\[(.+), (.+)[\])]$"


def closed_ranges(lowest: pl.Series, highest: pl.Series) -> pl.Series:
    """Texts of the ranges from lowest to highest; if both are equal, the value itself.

    >>> closed_ranges(pl.Series([20, 30]), pl.Series([29, 30])).to_list()
    ['[20, 29]', '30']
    """
    low, high = as_text(lowest), as_text(highest)
    frame = pl.DataFrame({"low": low, "high": high})
    return frame.select(
        pl.when(pl.col("low") == pl.col("high"))
        .then(pl.col("low"))
        .otherwise(pl.format("[{}, {}]", "low", "high"))
        .alias("range")
    )["range"]


def positions(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Texts of a numeric or date column as numbers on its axis; null if a text is not a value of the column."""
    if dtype.is_temporal():
        # Wall-clock time, as in `axis_of`: the time zone in a text is ignored.
        clock = texts.str.replace(" ", "T").str.replace(_ZONE, "")
        moments = clock.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False)
        days = texts.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us"))
        return axis_of(moments.fill_null(days))
    return texts.cast(pl.Float64, strict=False)


def iso_days(texts: pl.Series) -> pl.Series:
    """The day of each text that begins with YYYY-MM-DD (a time may follow), null for other texts.

    >>> iso_days(pl.Series(["2024-02-29T12:00", "2023-02-29", "2024-2-9"])).to_list()
    [datetime.date(2024, 2, 29), None, None]
    """
    day = texts.str.extract(_ISO_DAY, 1)
    return day.str.to_date("%Y-%m-%d", strict=False)


def axis_of(series: pl.Series) -> pl.Series:
    """Numbers as they are, dates and timestamps as days since 1970."""
    if series.dtype == pl.Datetime:
        return series.dt.replace_time_zone(None).cast(pl.Datetime("us")).to_physical().cast(pl.Float64) / _DAY
    return (series.to_physical() if series.dtype.is_temporal() else series).cast(pl.Float64)


def days_as(places: npt.NDArray[np.float64], dtype: pl.DataType) -> pl.Series:
    """Positions on the date axis, each rounded to its day, as dates or timestamps of a type.

    >>> days_as(np.array([365.0]), pl.Date()).to_list()
    [datetime.date(1971, 1, 1)]
    """
    days = pl.Series(np.rint(places).astype(np.int64))
    if dtype == pl.Date:
        return days.cast(pl.Int32).cast(pl.Date)
    return (days * _DAY).cast(pl.Datetime("us")).cast(dtype)


def is_measured(series: pl.Series) -> bool:
    """Whether the values of a column lie on an axis: numbers, dates and timestamps."""
    return series.dtype.is_numeric() or series.dtype in (pl.Date, pl.Datetime)


def day_of(number: float) -> date:
    """The day at a position on the date axis.

    >>> day_of(365).isoformat()
    '1971-01-01'
    """
    return date.fromordinal(_FIRST_DAY + round(number))


def place_of_day(day: date) -> float:
    """The position of a day on the date axis.

    >>> place_of_day(date(1971, 1, 1))
    365.0
    """
    return float(day.toordinal() - _FIRST_DAY)


def places_of(values: pl.Series) -> npt.NDArray[np.float64]:
    """The positions of ascending values: numbers and dates on their axis, others by rank."""
    if values.dtype.is_numeric() or values.dtype.is_temporal():
        return axis_of(values).to_numpy()
    return np.arange(len(values), dtype=np.float64)


def range_ends(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The two ends of released cells as texts: a plain value is both of its ends; `ANYTHING` and null have none.

    >>> low, high = range_ends(pl.Series(["[20, 29]", "30", "*", None]))
    >>> low.to_list(), high.to_list()
    (['20', '30', None, None], ['29', '30', None, None])
    """
    frame = texts.alias("text").to_frame()
    ends = []
    for group in (1, 2):
        inside = pl.col("text").str.extract(_PATTERN, group)
        plain = pl.when(pl.col("text") != ANYTHING).then(pl.col("text"))
        ends.append(frame.select(pl.coalesce(inside, plain))["text"])
    return ends[0], ends[1]


_BETWEEN = "; "


def set_text(values: Iterable[str]) -> str:
    """The text of a set of two or more values."""
    return "{" + _BETWEEN.join(values) + "}"


def set_parts(text: str, known: Container[str | None]) -> list[str]:
    """The values of a released set; empty for a text that is not a set of known values."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    # A value that contains the separator is split into unknown pieces: join pieces until they are a known value.
    found, pending = [], ""
    for part in text[1:-1].split(_BETWEEN):
        pending = pending + _BETWEEN + part if pending else part
        if pending in known:
            found.append(pending)
            pending = ""
    return [] if pending else found


_EXACT = 2**53
"""Up to this value, a float64 represents every integer exactly."""
_BLUR = 1e-9
"""The largest error of a position on a column's axis, as a share of its range: far below what any figure shows."""


def refuse_blurred(table: Table) -> None:
    """Refuse numeric quasi-identifiers whose values floats cannot distinguish: groups and losses would be wrong.

    Large numbers that are far apart are fine: their differences are large too.
    """
    for name in table.names("quasi"):
        if table.column(name).kind == "numeric" and is_blurred(table.frame[name]):
            raise DescriptionError("describe.column.blurred", column=name)


def is_blurred(series: pl.Series) -> bool:
    """Whether the differences between integers or decimals are lost when they become floats.

    >>> is_blurred(pl.Series([2**60, 2**60 + 1])), is_blurred(pl.Series([0, 2**60, 2**60 + 1]))
    (True, False)
    """
    if not (series.dtype.is_integer() or series.dtype.is_decimal()) or series.null_count() == len(series):
        return False
    low: Any = series.min()
    high: Any = series.max()
    largest = max(abs(low), abs(high))
    if largest <= _EXACT or high == low:
        return False
    if math.ulp(float(largest)) / 2 <= _BLUR * float(high - low):
        return False
    present = series.alias("number").drop_nulls()
    back = present.cast(pl.Float64).cast(series.dtype, strict=False)
    return not bool(back.eq_missing(present).all())
