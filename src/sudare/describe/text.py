"""The canonical text of a value: the key in hierarchies, and what a release shows.

A value has the same text whatever its column's type: 39 read as an integer and 39.0 read as a float are both "39".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sudare.errors import DescriptionError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
