"""Columns as coordinates, so that the Euclidean distance is the product distance of mixed columns; and back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.anonymize.grouping.recode import column_weights
from sudare.arrays import starts_of
from sudare.describe.kinds import MEASURED_KINDS
from sudare.describe.text import axis_of
from sudare.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.describe.table import Table

_MOST_COORDINATES = 300_000_000
"""Maximum number of coordinates that a nominal column may become; they take some gigabytes."""
_EXACT = 2**53
"""Up to this, float64 represents every integer exactly."""


@dataclass(frozen=True, eq=False)
class Embedded:
    """Records as points, and how to publish a group."""

    table: Table
    X: Floats
    """Coordinates; every column contributes a variance equal to its weight, however many coordinates it takes."""

    def representative(self, name: str, labels: Labels, groups: int, *, integers: bool) -> pl.Series:
        """One column with each cell replaced with its group's mean, median or most frequent value."""
        kind = self.table.column(name).kind
        if kind in MEASURED_KINDS:
            return self._means(name, labels, groups, integers=integers)
        codes = self.table.codes(name)
        if kind == "ordinal":
            chosen = _medians(codes.codes, labels, groups)
        else:
            chosen = _modes(codes.codes, codes.count, labels, groups)
        return codes.decode(chosen[labels].astype(np.int32)).rename(name)

    def _means(self, name: str, labels: Labels, groups: int, *, integers: bool) -> pl.Series:
        series = self.table.frame[name]
        present = series.is_not_null().to_numpy()
        # Datetimes are exact integers in their own unit; decimals are used by value.
        plain = series.to_physical() if series.dtype.is_temporal() else series
        wide = integers and series.dtype.is_integer() and not _fits_floats(series)
        widest = pl.UInt128 if series.dtype == pl.UInt128 else pl.Int128
        base = pl.Series([series.min()], dtype=widest) if wide else None
        if base is not None:  # floats would not be exact, so the smallest value is subtracted first
            plain = plain.cast(widest) - base
        values = plain.cast(pl.Float64).fill_null(0.0).to_numpy()
        center = values[present].mean() if present.any() else 0.0
        counts = np.bincount(labels[present], minlength=groups)
        sums = np.bincount(labels[present], weights=values[present] - center, minlength=groups)
        means = sums / np.maximum(counts, 1) + center
        # A group is published as missing if most of its records are missing.
        missing = 2 * counts < np.bincount(labels, minlength=groups)
        whole = series.dtype.is_temporal() or (integers and series.dtype.is_integer())
        column = pl.Series(name, (np.rint(means) if whole else means)[labels])
        column = column.set(pl.Series(missing[labels]), None)
        if base is not None:
            return (column.clip(0.0, _below(series)).cast(widest) + base).cast(series.dtype)
        if whole:
            column = column.cast(pl.Int64).cast(pl.Int32 if series.dtype == pl.Date else pl.Int64)
            return column.cast(series.dtype)
        return column


def _fits_floats(series: pl.Series) -> bool:
    ends = [int(end) for end in (series.min(), series.max()) if end is not None]  # type: ignore[arg-type]  # whole numbers
    return all(abs(end) <= _EXACT for end in ends)


def _below(series: pl.Series) -> float:
    """The largest float within the span of the integers: if rounded up, a result would leave the column's type."""
    span = int(series.max()) - int(series.min())  # type: ignore[arg-type]  # whole numbers
    return float(span) if int(float(span)) <= span else math.nextafter(float(span), 0.0)


def embedded(table: Table, names: Sequence[str], weights: Mapping[str, float]) -> Embedded:
    """The records of a table as points."""
    parts = [
        _coordinates(table, name) * np.sqrt(weight)
        for name, weight in zip(names, column_weights(weights, names), strict=True)
    ]
    X = np.hstack(parts) if parts else np.zeros((table.rows, 0))
    return Embedded(table, np.ascontiguousarray(X))


def _coordinates(table: Table, name: str) -> Floats:
    codes = table.codes(name)
    missing = codes.ranks < 0
    if table.column(name).kind in MEASURED_KINDS:
        values = axis_of(table.frame[name]).fill_null(0.0).to_numpy()
        plain = _centered(_in_reach(values)[:, None], ~missing)
    elif table.column(name).kind == "ordinal":
        plain = _centered(codes.ranks.astype(np.float64)[:, None], ~missing)
    else:
        if table.rows * len(codes.values) > _MOST_COORDINATES:
            raise ParameterError(
                "anonymize.microaggregate.many_values", column=name, values=len(codes.values), rows=table.rows
            )
        plain = _centered(np.eye(max(len(codes.values), 1))[np.maximum(codes.ranks, 0)], ~missing)
    if missing.any():
        flag = missing.astype(np.float64)[:, None]
        plain = np.hstack([plain, flag - flag.mean()])
    return _scaled(plain)


def _in_reach(values: Floats) -> Floats:
    """The values times a power of two, so that the squares of the largest neither overflow nor vanish; no digit changes."""
    near: Floats = np.ldexp(values, -np.frexp(np.abs(values).max(initial=0.0))[1])
    return near


def _centered(values: Floats, present: npt.NDArray[np.bool_]) -> Floats:
    """Values centered on their mean with variance 1; 0 if missing."""
    if not present.any():
        return np.zeros_like(values)
    inside = values[present] - values[present].mean(axis=0)
    result = np.zeros_like(values)
    result[present] = _scaled(inside - inside.mean(axis=0))
    return result


def _scaled(values: Floats) -> Floats:
    """Coordinates with a total variance of 1; constant ones stay 0."""
    total = float(values.var(axis=0).sum())
    scale = np.abs(values).max(initial=0.0)
    return values / np.sqrt(total) if total > (1e-15 * scale) ** 2 and total > 0 else np.zeros_like(values)


def _medians(codes: npt.NDArray[np.int32], labels: Labels, groups: int) -> Labels:
    """The lower median code of each group."""
    order = np.lexsort((codes, labels))
    sizes = np.bincount(labels, minlength=groups)
    starts = starts_of(sizes)[:-1]
    middle: Labels = codes[order[starts + (sizes - 1) // 2]].astype(np.int64)
    return middle


def _modes(codes: npt.NDArray[np.int32], count: int, labels: Labels, groups: int) -> Labels:
    """The most frequent code of each group; the smallest in case of a tie."""
    pairs, counts = np.unique(labels * count + codes, return_counts=True)
    group, code = pairs // count, pairs % count
    order = np.lexsort((code, -counts, group))
    first = np.searchsorted(group[order], np.arange(groups))
    most: Labels = code[order[first]]
    return most
