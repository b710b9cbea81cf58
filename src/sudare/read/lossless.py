"""Give text columns a narrower type if nothing is lost by it.

A column becomes Int64, Float64 or Date only if every cell can be restored from its value exactly as
it was read. Leading zeros, plus signs, exponents, thousands separators and numbers longer than 18 digits keep
a column text, because such columns are codes (ZIP, accounts) as often as quantities. `true`/`false` stay text.
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
"""Decimals of at most this many characters have at most 15 significant digits, which a float64 represents exactly."""


def narrow(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with every text column in the narrowest type that loses nothing."""
    columns = [narrow_column(column) if column.dtype == pl.String else column for column in frame]
    return pl.DataFrame(columns) if columns else frame


def narrow_column(column: pl.Series) -> pl.Series:
    """One text column as Int64, Float64 or Date if lossless, else unchanged.

    >>> narrow_column(pl.Series(["7", "-12", None])).dtype
    Int64
    >>> narrow_column(pl.Series(["007", "12"])).dtype
    String
    >>> narrow_column(pl.Series(["1", "2.50"])).to_list()
    [1.0, 2.5]
    """
    # polars treats a series name such as '^a$' as a pattern, so the cells get a plain name.
    return _narrowed(column.alias("cells")).alias(column.name)


def pattern_among(names: Iterable[str]) -> str | None:
    """The first name that polars would treat as a pattern, and so match other columns; None if there is none.

    >>> pattern_among(["a", "^b$"])
    '^b$'
    """
    return next((name for name in names if name[:1] == "^" and name[-1:] == "$"), None)


def days_if_midnight(column: pl.Series) -> pl.Series:
    """A column of timestamps as dates if all are midnight: neither Excel nor pandas has dates without a time."""
    if not isinstance(column.dtype, pl.Datetime) or column.dtype.time_zone is not None:
        return column
    days = column.cast(pl.Date)
    return days if bool((days.cast(column.dtype) == column).all()) else column


def mark_missing(frame: pl.DataFrame, missing: list[str]) -> pl.DataFrame:
    """The frame with null in place of every text cell that exactly equals one of `missing`."""
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
    """Whether every non-missing cell matches; the first cells are tried first, to reject text columns quickly."""
    return bool(column.head(_HEAD).str.contains(pattern).all() and column.str.contains(pattern).all())


def _as_dates(column: pl.Series) -> pl.Series:
    """Dates, if all exist in a calendar that begins with year 1, as Python's does."""
    dates = column.str.to_date("%Y-%m-%d", strict=False)
    exist = dates.null_count() == column.null_count() and bool((dates.dt.year() >= 1).all())
    return dates if exist else column


def _as_floats(column: pl.Series) -> pl.Series:
    """Floats, if printing each with as many decimals as its text had gives the text back."""
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
