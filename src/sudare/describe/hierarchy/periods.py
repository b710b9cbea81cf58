"""Hierarchy of calendar periods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import polars as pl
from pydantic import AfterValidator

from sudare.describe.hierarchy.making import distinct, grow, refuse
from sudare.describe.ranges import iso_days
from sudare.errors import ErrorSentence
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.describe.hierarchy.tree import Hierarchy

Period = Literal["day", "month", "quarter", "year", "decade"]
Periods = Annotated[Sequence[Period], Field(min_length=1), AfterValidator(tuple)]
_PERIODS: tuple[Period, ...] = ("day", "month", "quarter", "year", "decade")


@parameters
class Dates:
    """Dates and times by calendar period: 2024-03-05, 2024-03, 2024-Q1, 2024, 2020s.

    The column contains dates, times or their ISO 8601 texts. The numeric bounds of a node are its first and its last
    day, counted from 1970-01-01.
    """

    levels: Periods = _PERIODS
    """Periods from the finest to the coarsest; `day` adds no level if the values are days."""

    @model_validator(mode="after")
    def _coarser_and_coarser(self) -> Dates:
        for one, other in pairwise(self.levels):
            if _PERIODS.index(one) >= _PERIODS.index(other):
                raise ValueError(ErrorSentence("describe.dates.levels", one=one, other=other))
        return self

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The tree of the periods that contain the column's values."""
        frame = distinct(values, column)
        frame = frame.with_columns(_days(frame, column).alias("day")).sort("day", "value")
        labels, ranges = [frame["text"]], [_range(frame, "day")]
        for period in self.levels:
            label = frame.select(_LABELS[period]).to_series()
            if period == "day" and (label == frame["text"]).all():
                continue
            labels.append(label)
            ranges.append(_range(frame, period))
        return grow(labels, values, column, ranges=ranges)


_DAY = pl.col("day")
_YEAR = _DAY.dt.year()
_DECADE = _YEAR // 10 * 10
_LABELS: dict[Period, pl.Expr] = {
    "day": _DAY.dt.to_string("%Y-%m-%d"),
    "month": _DAY.dt.to_string("%Y-%m"),
    "quarter": pl.format("{}-Q{}", _DAY.dt.to_string("%Y"), _DAY.dt.quarter()),
    "year": _DAY.dt.to_string("%Y"),
    "decade": pl.format("{}s", _DECADE.cast(pl.String).str.zfill(4)),
}
_ENDS: dict[Period, tuple[pl.Expr, pl.Expr]] = {
    "day": (_DAY, _DAY),
    "month": (_DAY.dt.month_start(), _DAY.dt.month_end()),
    "quarter": (
        pl.date(_YEAR, _DAY.dt.quarter().cast(pl.Int32) * 3 - 2, 1),
        pl.date(_YEAR, _DAY.dt.quarter().cast(pl.Int32) * 3, 1).dt.month_end(),
    ),
    "year": (pl.date(_YEAR, 1, 1), pl.date(_YEAR, 12, 31)),
    "decade": (pl.date(_DECADE, 1, 1), pl.date(_DECADE + 9, 12, 31)),
}


def _range(frame: pl.DataFrame, period: Period) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    ends = [
        end.to_physical().cast(pl.Float64).alias(name) for name, end in zip("ab", _ENDS[period], strict=True)
    ]
    days = frame.select(ends)
    return days["a"].to_numpy(), days["b"].to_numpy()


def _days(frame: pl.DataFrame, column: str) -> pl.Series:
    """The day of every distinct value."""
    value = frame["value"]
    if value.dtype in (pl.Date, pl.Datetime):
        return value.cast(pl.Date) if value.dtype == pl.Date else value.dt.date()
    text = frame["text"]
    day = iso_days(text)
    wrong = text.filter(day.is_null())
    if len(wrong):
        raise refuse(wrong, column, ErrorSentence("describe.dates.not_dates"))
    return day
