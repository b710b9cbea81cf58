"""Ranges as released text: "[20, 29]" closed, "[20, 30)" half open; written and read in one place."""

from __future__ import annotations

import polars as pl

from sudare.describe.text import as_text

ANYTHING = "*"
"""The released text of a cell about which nothing is said."""

_PATTERN = r"^\[(.+), (.+)[\])]$"


def closed_ranges(lowest: pl.Series, highest: pl.Series) -> pl.Series:
    """Texts of the ranges from lowest to highest: the value itself where both are equal.

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
    """Texts of a numeric or date column as numbers on its axis (dates in days or the column's own unit).

    Null where a text is not a value of the column.
    """
    if dtype == pl.Date:
        return texts.str.to_date("%Y-%m-%d", strict=False).to_physical().cast(pl.Float64)
    if dtype.is_temporal():
        moments = texts.str.replace(" ", "T").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False)
        days = texts.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us"))
        return moments.fill_null(days).cast(dtype).to_physical().cast(pl.Float64)
    return texts.cast(pl.Float64, strict=False)


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
