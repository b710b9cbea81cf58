"""The boundary: frames of other libraries become polars here, and are returned in their own type."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from sudare.errors import DescriptionError, shown
from sudare.read.text import days_if_midnight, pattern_among

NativeKind = Literal["polars", "pandas", "arrow"]
_EXTENSION: Any = getattr(pl, "BaseExtension", ())
"""Extension types, which other libraries define on top of plain ones; older versions of polars have none."""


def from_native(frame: Any) -> tuple[pl.DataFrame, NativeKind]:
    """A polars frame (with NaN as null: both mean missing) and the type it came from.

    A pandas index is not part of the data and is dropped: it often identifies the rows.
    """
    library = type(frame).__module__.partition(".")[0]
    native: NativeKind = "polars"
    try:
        if isinstance(frame, pl.LazyFrame):
            inner = frame.collect()
        elif isinstance(frame, pl.DataFrame):
            inner = frame
        elif library == "pandas" and hasattr(frame, "columns"):
            native = "pandas"
            inner = _from_pandas(frame)
        elif library != "pandas" and hasattr(frame, "__arrow_c_stream__"):
            native = "arrow"
            inner = pl.DataFrame(frame)
        else:
            raise DescriptionError("describe.frame.not_a_table", kind=type(frame).__name__)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        # Quote everything the library says: Arrow names the column in a second argument.
        raise DescriptionError("describe.frame.not_taken", library=library, why=str(error)) from None
    pattern = pattern_among(inner.columns)
    if pattern is not None:
        raise DescriptionError("describe.frame.pattern", name=pattern)
    odd = next((name for name, dtype in inner.schema.items() if isinstance(dtype, _EXTENSION)), None)
    if odd is not None:
        raise DescriptionError("describe.frame.foreign_type", column=odd, dtype=inner.schema[odd])
    # Series, not pl.col: a column may be named "*".
    floats = [plain_floats(inner[name]) for name, dtype in inner.schema.items() if dtype.is_float()]
    return inner.with_columns(floats) if floats else inner, native


def plain_floats(series: pl.Series) -> pl.Series:
    """NaN as null, and -0.0 as 0.0: two equal numbers must have the same text."""
    plain = series.fill_nan(None)
    zero = plain == 0
    return plain.set(zero, 0.0) if zero.any() else plain


def to_native(frame: pl.DataFrame, native: NativeKind) -> Any:
    """The frame in the caller's type."""
    if native == "pandas":
        return frame.to_pandas()
    if native == "arrow":
        return frame.to_arrow()
    return frame


def _from_pandas(frame: Any) -> pl.DataFrame:
    names = list(frame.columns)
    wrong = next((name for name in names if not isinstance(name, str)), None)
    if wrong is not None:
        raise DescriptionError("describe.frame.name_not_text", name=shown(wrong), example=str(wrong))
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise DescriptionError("describe.frame.name_repeated", name=repeated)
    plain = frame.reset_index(drop=True)
    texts = {name: _as_texts(plain[name]) for name in names if _is_span(plain[name].dtype)}
    if texts:
        plain = plain.assign(**texts)
    taken: pl.DataFrame = pl.from_pandas(plain, include_index=False)
    return pl.DataFrame([days_if_midnight(series) for series in taken.get_columns()])


def _is_span(dtype: Any) -> bool:
    """Whether a column contains periods or intervals (or their categories, as from pandas.cut), which only pandas has."""
    categories = getattr(dtype, "categories", None)
    inner = dtype if categories is None else categories.dtype
    return type(inner).__name__ in {"PeriodDtype", "IntervalDtype"}


def _as_texts(column: Any) -> Any:
    return column.astype(object).map(str, na_action="ignore").astype("string")
