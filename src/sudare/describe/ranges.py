"""Ranges as released text: "[20, 29]" closed, "[20, 30)" half open; written and read in one place."""

from __future__ import annotations

from datetime import date

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.describe.text import as_text

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
