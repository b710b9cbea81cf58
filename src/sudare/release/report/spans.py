"""Where released numbers and dates lie: every cell as a stretch of the axis, read from its published text alone.

Numbers lie on their own axis, dates on that of milliseconds since 1970-01-01. Nothing here looks at a
hierarchy: its bounds would tell the smallest and largest original value.
"""

from __future__ import annotations

import polars as pl

from sudare.describe.ranges import is_measured, range_ends
from sudare.describe.text import as_text

DAY = 86_400_000.0
"""Milliseconds."""

_BELOW, _FROM = r"^< (.+)$", r"^>= (.+)$"


def points(values: pl.Series) -> pl.Series:
    """The place of plain numbers and dates on the axis."""
    if values.dtype == pl.Date:
        return values.to_physical().cast(pl.Float64) * DAY
    if values.dtype == pl.Datetime:
        return values.dt.epoch("ms").cast(pl.Float64)
    return values.cast(pl.Float64)


def spans(released: pl.Series, original: pl.DataType) -> pl.DataFrame:
    """`low` and `high` of released values: null where the text says nothing, infinite where it has no end.

    >>> spans(pl.Series(["[20, 29]", "[20, 25)", ">= 80", "*", "7"]), pl.Int64()).rows()
    [(20.0, 30.0), (20.0, 25.0), (80.0, inf), (None, None), (7.0, 7.0)]
    """
    if is_measured(released):
        place = points(released)
        return pl.DataFrame({"low": place, "high": place})
    text = as_text(released).alias("text")
    first, last = range_ends(text)
    closed = text.str.ends_with("]")
    if original.is_temporal():
        begins, (last_begins, last_ends) = _period(first)[0], _period(last)
        half_open = text.str.ends_with(")")
        ends = _choose(half_open, last_begins, last_ends)
        return pl.DataFrame({"low": begins.alias("low"), "high": ends.alias("high")})
    # The range [20, 29] of whole numbers holds ten of them: it reaches up to 30.
    whole = 1.0 if original.is_integer() else 0.0
    low, high = (ends.cast(pl.Float64, strict=False) for ends in (first, last))
    high = _choose(closed, high + whole, high)
    frame = pl.DataFrame(
        {
            "low": low,
            "high": high,
            "below": text.str.extract(_BELOW).cast(pl.Float64, strict=False),
            "from": text.str.extract(_FROM).cast(pl.Float64, strict=False),
        }
    )
    return frame.select(
        low=pl.when(pl.col("below").is_not_null())
        .then(float("-inf"))
        .otherwise(pl.coalesce("from", pl.col("low").fill_nan(None))),
        high=pl.when(pl.col("from").is_not_null())
        .then(float("inf"))
        .otherwise(pl.coalesce("below", pl.col("high").fill_nan(None))),
    )


def _period(text: pl.Series) -> tuple[pl.Series, pl.Series]:
    """First moment of a calendar period and of the next: 2024-03-05, 2024-03, 2024-Q1, 2024, 2020s."""
    cell = pl.col("text")
    year = cell.str.extract(r"^(\d{4})").cast(pl.Int32, strict=False)
    month = cell.str.extract(r"^\d{4}-(\d{2})$").cast(pl.Int32, strict=False)
    quarter = cell.str.extract(r"^\d{4}-Q([1-4])$").cast(pl.Int32, strict=False)
    day = cell.str.extract(r"^(\d{4}-\d{2}-\d{2})(?:$|[T ])").str.to_date("%Y-%m-%d", strict=False)
    known = month.is_between(1, 12) | quarter.is_not_null() | cell.str.contains(r"^\d{4}s?$")
    start = pl.when(known & (year > 0)).then(
        pl.date(year, pl.coalesce(month.clip(1, 12), quarter * 3 - 2, pl.lit(1)), 1)
    )
    step = (
        pl.when(month.is_not_null())
        .then(pl.lit("1mo"))
        .when(quarter.is_not_null())
        .then(pl.lit("3mo"))
        .when(cell.str.ends_with("s"))
        .then(pl.lit("10y"))
        .otherwise(pl.lit("1y"))
    )
    frame = text.alias("text").to_frame().select(day.alias("day"), start.alias("start"), step.alias("step"))
    frame = frame.select(
        first=pl.coalesce("day", "start"),
        next=pl.coalesce(pl.col("day").dt.offset_by("1d"), pl.col("start").dt.offset_by(pl.col("step"))),
    )
    return points(frame["first"]), points(frame["next"])


def _choose(condition: pl.Series, yes: pl.Series, no: pl.Series) -> pl.Series:
    frame = pl.DataFrame({"condition": condition, "yes": yes, "no": no})
    return frame.select(pl.when("condition").then("yes").otherwise("no").alias("chosen"))["chosen"]
