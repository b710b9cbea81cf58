"""The domain of a column: converts its cells to numbers (or positions in a list of values), and back to its type."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.text import as_text, axis_of, day_of, days_as, place_of_day
from sudare.errors import DescriptionError, ParameterError, shown
from sudare.mechanism.grid import decimals, decimals_fit, default_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.describe.table import Table
    from sudare.mechanism.protocol import Scalar

End = float | str | date
"""An end of a range: a number, or a date (also as text, YYYY-MM-DD)."""


@dataclass(frozen=True, eq=False)
class NumberDomain:
    """Numbers or dates within a known range."""

    name: str
    low: float
    high: float
    grid: float
    dtype: pl.DataType

    @property
    def fields(self) -> dict[str, Any]:
        """The fields passed to a mechanism."""
        return {"low": self.low, "high": self.high, "grid": self.grid}

    def numbers(self, series: pl.Series, *, clip: bool) -> tuple[npt.NDArray[np.float64], int]:
        """Cells as numbers, NaN where missing, and how many were clipped to the range."""
        values = axis_of(series).to_numpy()
        outside = (values < self.low) | (values > self.high)
        if outside.any() and not clip:
            row = int(np.argmax(outside))
            raise DescriptionError(
                "anonymize.randomize.outside",
                column=self.name,
                value=series[row],
                row=row + 1,
                low=self.shown(self.low),
                high=self.shown(self.high),
            )
        return np.clip(values, self.low, self.high), int(outside.sum())

    def series(self, numbers: npt.NDArray[np.float64]) -> pl.Series:
        """Numbers as cells of the column's type; NaN is missing."""
        missing = np.isnan(numbers)
        known = np.where(missing, self.low, numbers)
        if self.dtype.is_temporal():
            cells = days_as(known, self.dtype)
        elif self.dtype.is_integer():
            cells = pl.Series(np.rint(known).astype(np.int64))
            narrow = cells.cast(self.dtype, strict=False)
            cells = cells if narrow.null_count() else narrow  # a range beyond the type needs a wider one
        else:
            cells = pl.Series(known)
            if isinstance(self.dtype, pl.Decimal) and self._is_decimal(self.dtype.scale):
                cells = cells.round(self.dtype.scale).cast(self.dtype)
        gone = pl.Series(missing)
        return pl.select(pl.when(~gone).then(cells)).to_series().rename(self.name)

    def _is_decimal(self, scale: int) -> bool:
        """Whether every grid point has at most `scale` decimal places; otherwise rounding would leave the grid."""
        digits = decimals(self.grid)
        return digits is not None and digits <= scale and decimals_fit(self.low, scale)

    def shown(self, number: float) -> str:
        """An end of the range in a form for people."""
        if self.dtype.is_temporal():
            return str(day_of(number))
        return f"{number:g}"


@dataclass(frozen=True, eq=False)
class ValueDomain:
    """A list of values; its numbers are positions in the list."""

    name: str
    values: pl.Series
    """All values in order; null is last if missing is one of them."""
    from_data: bool
    """Whether the list was taken from the data, and so reveals which values occur."""

    @property
    def listed(self) -> tuple[Scalar, ...]:
        """The values in a form that a manifest can contain."""
        plain = self.values.dtype.is_integer() or self.values.dtype in (pl.Boolean, pl.String)
        return tuple((self.values if plain else as_text(self.values)).to_list())

    @property
    def present(self) -> int:
        """Number of values, not counting missing."""
        return len(self.values) - self.values.null_count()

    def numbers(self, series: pl.Series, *, clip: bool) -> tuple[npt.NDArray[np.float64], int]:  # noqa: ARG002  # a value has no nearest one
        """Positions of the cells in the list; NaN for missing cells if missing is not in the list."""
        place = {text: float(number) for number, text in enumerate(as_text(self.values).to_list())}
        places = as_text(series).replace_strict(place, default=None, return_dtype=pl.Float64)
        if self.values.null_count():
            places = places.fill_null(float(self.present))
        unknown = places.is_null() & series.is_not_null()
        if unknown.any():
            row = int(unknown.arg_max() or 0)
            raise DescriptionError(
                "anonymize.randomize.unlisted",
                column=self.name,
                value=series[row],
                row=row + 1,
                count=len(place),
            )
        return places.to_numpy().astype(np.float64), 0

    def series(self, numbers: npt.NDArray[np.float64]) -> pl.Series:
        """Positions as cells; NaN is missing."""
        places = pl.Series(numbers).fill_nan(None).cast(pl.Int64)
        return self.values.gather(places).rename(self.name)


Domain = NumberDomain | ValueDomain


def number_domain(table: Table, name: str, ends: tuple[End, End], grid: float | None) -> NumberDomain:
    """The range of a column of numbers or dates, which must be given."""
    dtype = table.frame[name].dtype
    low, high = (_number(name, end, dtype) for end in ends)
    if not low < high:
        raise ParameterError("anonymize.randomize.empty_range", column=name, low=ends[0], high=ends[1])
    whole = dtype.is_temporal() or dtype.is_integer()
    if whole and not (low.is_integer() and high.is_integer()):
        raise ParameterError(
            "anonymize.randomize.range_not_whole", column=name, low=ends[0], high=ends[1], dtype=dtype
        )
    if whole and grid is not None and not float(grid).is_integer():
        raise ParameterError("anonymize.randomize.grid_not_whole", column=name, grid=grid, dtype=dtype)
    return NumberDomain(name, low, high, grid or (1.0 if whole else default_grid(low, high)), dtype)


def value_domain(
    table: Table, name: str, values: Sequence[Scalar] | None, *, ordered: bool, missing: bool
) -> ValueDomain:
    """The values of a column: those given, or those in the data (if `ordered`, in the order of its hierarchy).

    `missing` adds the missing value if it occurs in the column.
    """
    series = table.frame[name]
    codes = table.codes(name)
    found = codes.values
    if values is not None:
        found = _given_values(series, values)
    elif ordered and (tree := table.hierarchy(name)) is not None:
        found = found.gather(np.argsort(tree.leaf_of(found), kind="stable"))
    if (missing and series.null_count() > 0) or len(found) == 0 or (values is not None and None in values):
        found = found.extend_constant(None, 1)
    return ValueDomain(name, _published(found), values is None)


def _published(values: pl.Series) -> pl.Series:
    """Values in a type with the same text in every file format: mechanisms are published and checked as text."""
    if values.dtype == pl.Float32 or values.dtype.is_decimal():
        numbers = as_text(values).cast(pl.Float64)
        return numbers if numbers.n_unique() == len(values) else as_text(values)
    if values.dtype.is_temporal() and values.dtype != pl.Date:
        return as_text(values)
    return values


def _given_values(series: pl.Series, values: Sequence[Scalar]) -> pl.Series:
    if None in values[:-1]:
        raise ParameterError("anonymize.randomize.missing_not_last", column=series.name)
    try:
        given = pl.Series([value for value in values if value is not None], strict=False).cast(series.dtype)
    except pl.exceptions.PolarsError:
        raise ParameterError(
            "anonymize.randomize.values_of_other_type", column=series.name, dtype=series.dtype
        ) from None
    if given.n_unique() < len(given):
        raise ParameterError("anonymize.randomize.value_twice", column=series.name)
    return given


def _number(name: str, end: End, dtype: pl.DataType) -> float:
    if not dtype.is_temporal():
        if isinstance(end, str | date):
            raise ParameterError(
                "anonymize.randomize.range_not_numbers", column=name, end=shown(end), dtype=dtype
            )
        return float(end)
    if isinstance(end, int | float):
        return float(end)
    try:
        day = end if isinstance(end, date) else date.fromisoformat(end)
    except ValueError:
        raise ParameterError("anonymize.randomize.range_not_dates", column=name, end=shown(end)) from None
    return place_of_day(day)
