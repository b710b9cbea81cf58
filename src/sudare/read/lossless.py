"""Give text columns a narrower type where nothing is lost by it.

A column becomes Int64, Float64 or Date only if every one of its cells can be written back from the value as
it was read. Leading zeros, plus signs, exponents, thousands separators and numbers longer than 18 digits keep
a column text, because such columns hold codes (ZIP, accounts) as often as quantities. `true`/`false` stay text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_DECIMAL = r"^-?(0|[1-9][0-9]*|(0|[1-9][0-9]*)?\.[0-9]+)$"
_ISO_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_HEAD = 64
_SAFE_LENGTH = 15
"""Decimals of no more characters than this have at most 15 significant digits, which a float64 holds."""


def narrow(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with every text column in the narrowest type that loses nothing."""
    columns = [narrow_column(column) if column.dtype == pl.String else column for column in frame]
    return pl.DataFrame(columns) if columns else frame


def narrow_column(column: pl.Series) -> pl.Series:
    """One text column as Int64, Float64 or Date if lossless, else as it is.

    >>> narrow_column(pl.Series(["7", "-12", None])).dtype
    Int64
    >>> narrow_column(pl.Series(["007", "12"])).dtype
    String
    >>> narrow_column(pl.Series(["1", "2.50"])).to_list()
    [1.0, 2.5]
    """
    # polars takes the name of a series such as '^a$' for a pattern, so the cells go under a plain one.
    return _narrowed(column.alias("cells")).alias(column.name)


def pattern_among(names: Iterable[str]) -> str | None:
    """The first name that polars takes for a pattern, which then stands for other columns than its own.

    >>> pattern_among(["a", "^b$"])
    '^b$'
    """
    return next((name for name in names if name[:1] == "^" and name[-1:] == "$"), None)


def days_if_midnight(column: pl.Series) -> pl.Series:
    """A column of moments that are all midnight as days: neither Excel nor pandas has days without a time."""
    if not isinstance(column.dtype, pl.Datetime) or column.dtype.time_zone is not None:
        return column
    days = column.cast(pl.Date)
    return days if bool((days.cast(column.dtype) == column).all()) else column


def mark_missing(frame: pl.DataFrame, missing: list[str]) -> pl.DataFrame:
    """Null in place of every text cell that is exactly one of `missing`."""
    if not missing:
        return frame
    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text.is_in(missing)).then(None).otherwise(text).name.keep())


def _narrowed(cells: pl.Series) -> pl.Series:
    if cells.null_count() == len(cells):
        return cells
    if _all_match(cells, _INTEGER):
        return cells.cast(pl.Int64)
    if _all_match(cells, _ISO_DATE):
        return _as_dates(cells)
    if _all_match(cells, _DECIMAL) and cells.str.contains(".", literal=True).any():
        return _as_floats(cells)
    return cells


def _all_match(column: pl.Series, pattern: str) -> bool:
    """Whether every present cell matches; the head is tried first, to leave text columns quickly."""
    return bool(column.head(_HEAD).str.contains(pattern).all() and column.str.contains(pattern).all())


def _as_dates(column: pl.Series) -> pl.Series:
    """Dates, if all exist in a calendar that begins with the year 1, as that of Python does."""
    dates = column.str.to_date("%Y-%m-%d", strict=False)
    exist = dates.null_count() == column.null_count() and bool((dates.dt.year() >= 1).all())
    return dates if exist else column


def _as_floats(column: pl.Series) -> pl.Series:
    """Floats, if each of them printed with as many decimals as its text had gives the text back."""
    long = column.filter(column.str.len_bytes() > _SAFE_LENGTH).unique()
    for text in long:
        decimals = len(text.partition(".")[2])
        whole = (
            text.replace("-.", "-0.")
            if text.startswith("-")
            else f"0{text}"
            if text.startswith(".")
            else text
        )
        if f"{float(text):.{decimals}f}" != whole:
            return column
    return column.cast(pl.Float64)
