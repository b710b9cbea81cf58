"""Distributions of a column before and after, as a few numbers each: rows never reach a chart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.assess.blocks import blocks_of
from sudare.describe.kinds import MEASURED_KINDS
from sudare.describe.ranges import ANYTHING, is_measured
from sudare.describe.text import as_text
from sudare.release.report.spans import DAY, spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.describe.table import Table
    from sudare.release.table.release import Release

    Floats = npt.NDArray[np.float64]

_BINS = 30
_MOST_BARS = 10
_LONGEST_LABEL = 200
_TAIL = 0.005
_COMPARABLE = 0.9
_SMALLEST = 1e-300
"""Bins that are not wider cannot be drawn, for their reciprocal is no number: the column counts as constant."""
_BLOCK_SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, eq=False)
class Binned:
    """Shares of rows in equal bins of an axis; ranges are spread evenly over what they cover."""

    edges: Floats
    before: Floats | None
    after: Floats
    dates: bool
    """Whether the axis is of dates (milliseconds since 1970-01-01)."""
    unstated: float
    """Share of released cells that say nothing about where they lie."""
    missing: float
    """Share of released cells that are empty."""
    undrawn: float
    """Largest share of rows with a place on the axis outside of the bins."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Shares of rows with the commonest values, and of the rest together."""

    labels: list[str | None]
    """None is the missing value."""
    before: list[float] | None
    after: list[float]
    others: int
    """How many further values there are; their shares are (before, after) in `rest`."""
    rest: tuple[float, float]


@dataclass(frozen=True, eq=False)
class BlockSizes:
    """Share of rows in blocks of each size."""

    labels: list[str]
    before: list[float] | None
    after: list[float]


def distribution(release: Release, name: str, *, with_original: bool) -> Binned | Listed:
    """The distribution of one column, of the release alone unless `with_original`."""
    original = release.original.frame[name]
    before = _counts(original) if with_original else None
    after = _counts(release.table.frame[name])
    if is_measured(original) and release.original.column(name).kind in MEASURED_KINDS:
        placed = _placed(after, original.dtype)
        stated = after.filter(pl.col("value").is_not_null() & (pl.col("text") != ANYTHING))["count"].sum()
        if placed["count"].sum() * 2 > stated:
            return _binned(original.dtype, before, after, placed)
    return _listed(before, after)


def block_sizes(release: Release, *, with_original: bool) -> BlockSizes:
    """Share of rows in blocks of 1, 2, 3-4, 5-9 … rows."""
    after = _rows_by_block_size(release.table)
    before = _rows_by_block_size(release.original) if with_original else None
    used = np.flatnonzero(after if before is None else after + before)
    bins = int(used[-1]) + 1 if len(used) else 1
    starts = [*_BLOCK_SIZES, math.inf]
    labels = [_size_label(start, following) for start, following in pairwise(starts[: bins + 1])]
    return BlockSizes(labels, None if before is None else before[:bins].tolist(), after[:bins].tolist())


def _counts(series: pl.Series) -> pl.DataFrame:
    """Distinct values with their `text` and `count`, commonest first."""
    counted = series.alias("value").value_counts(name="count").with_columns(pl.col("count").cast(pl.Float64))
    return counted.with_columns(as_text(counted["value"]).alias("text")).sort(
        "count", "text", descending=[True, False], nulls_last=True
    )


def _placed(counts: pl.DataFrame, original: pl.DataType) -> pl.DataFrame:
    return counts.select("count").hstack(spans(counts["value"], original)).drop_nulls()


def _binned(
    dtype: pl.DataType, before: pl.DataFrame | None, after: pl.DataFrame, placed: pl.DataFrame
) -> Binned:
    sides = [placed] if before is None else [placed, _placed(before, dtype)]
    edges = _edges(sides, dtype)
    sums = [float(side["count"].sum()) for side in ([after] if before is None else [after, before])]
    shares = [_spread(side, edges) / max(rows, 1) for side, rows in zip(sides, sums, strict=True)]
    undrawn = [
        float(side["count"].sum()) / max(rows, 1) - share.sum()
        for side, rows, share in zip(sides, sums, shares, strict=True)
    ]
    missing = float(after.filter(pl.col("value").is_null())["count"].sum())
    stated = float(placed["count"].sum())
    return Binned(
        edges=edges,
        before=None if before is None else shares[1],
        after=shares[0],
        dates=dtype.is_temporal(),
        unstated=(sums[0] - missing - stated) / max(sums[0], 1),
        missing=missing / max(sums[0], 1),
        undrawn=max(0.0, *undrawn),
    )


def _edges(sides: Sequence[pl.DataFrame], dtype: pl.DataType) -> Floats:
    """Edges of about `_BINS` round bins; long thin tails are cut so that the body can be seen."""
    low, high = _body(sides[-1])
    if len(sides) > 1:
        shown = _spread(sides[0], np.array([low, math.nextafter(high, math.inf)])).sum()
        # The original decides what is drawn, unless the release lies elsewhere.
        if shown < _COMPARABLE * float(sides[0]["count"].sum()):
            other_low, other_high = _body(sides[0])
            low, high = min(low, other_low), max(high, other_high)
    width = _round_width(low, high, dtype)
    first, last = math.floor(low / width), math.floor(high / width) + 1
    edges: Floats = np.arange(first, last + 1, dtype=np.float64) * width
    if len(edges) > 2 and edges[-2] >= high and not any((side["low"] >= edges[-2]).any() for side in sides):
        edges = edges[:-1]
    # Ranges without an end reach one bin beyond everything else.
    before = [edges[0] - width] if any((side["low"] == -math.inf).any() for side in sides) else []
    after = [edges[-1] + width] if any((side["high"] == math.inf).any() for side in sides) else []
    return np.concatenate([before, edges, after])


def _body(side: pl.DataFrame) -> tuple[float, float]:
    """Where the values lie, without long thin tails."""
    ends = np.concatenate([side["low"].to_numpy(), side["high"].to_numpy()])
    ends = ends[np.isfinite(ends)]
    if not len(ends):
        return 0.0, 1.0
    low, high = float(ends.min()), float(ends.max())
    inner_low, inner_high = _quantile(side, "low", _TAIL), _quantile(side, "high", 1 - _TAIL)
    inner = inner_high - inner_low
    # Not so where an end is open (infinite) or the tail is short.
    return (inner_low, inner_high) if 0 < inner < (high - low) / 1.5 else (low, high)


def _round_width(low: float, high: float, dtype: pl.DataType) -> float:
    least = (high - low) / _BINS
    if dtype.is_temporal():
        return max(1.0, math.ceil(least / DAY)) * DAY
    # Far from zero neighboring bins must still be different numbers.
    least = max(least, abs(high) * 1e-12, abs(low) * 1e-12)
    if least <= _SMALLEST:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    steps = (1, 2, 5, 10, 20) if dtype.is_integer() and power < 10 else (1, 2, 2.5, 5, 10, 20)
    width = next(step * power for step in steps if step * power >= least)
    return max(1.0, math.ceil(width)) if dtype.is_integer() else width


def _quantile(side: pl.DataFrame, end: str, share: float) -> float:
    ordered = side.sort(end)
    reached = ordered["count"].cum_sum().to_numpy()
    place = min(int(np.searchsorted(reached, share * reached[-1])), len(reached) - 1)
    return float(ordered[end][place])


def _spread(side: pl.DataFrame, edges: Floats) -> Floats:
    """Rows in each bin: a point falls into one, a range is spread evenly over what it covers."""
    low, high, count = (side[name].to_numpy() for name in ("low", "high", "count"))
    low, high = np.where(np.isneginf(low), edges[0], low), np.where(np.isposinf(high), edges[-1], high)
    point = high - low <= _SMALLEST
    rows, _ = np.histogram(low[point], bins=edges, weights=count[point])
    low, high, count = low[~point], high[~point], count[~point]
    width = high - low
    below = np.array([float((count * np.clip((edge - low) / width, 0.0, 1.0)).sum()) for edge in edges])
    return rows + np.diff(below)


def _listed(before: pl.DataFrame | None, after: pl.DataFrame) -> Listed:
    joined = after.select("text", after=pl.col("count") / max(after["count"].sum(), 1))
    if before is None:
        joined = joined.with_columns(before=pl.lit(0.0))
    else:
        shares = before.select("text", before=pl.col("count") / max(before["count"].sum(), 1))
        joined = joined.join(shares, on="text", how="full", coalesce=True, nulls_equal=True)
        joined = joined.with_columns(pl.col("before", "after").fill_null(0.0))
    joined = joined.sort(
        pl.max_horizontal("before", "after"), "text", descending=[True, False], nulls_last=True
    )
    shown, rest = joined.head(_MOST_BARS), joined.slice(_MOST_BARS)
    return Listed(
        labels=[None if text is None else text[:_LONGEST_LABEL] for text in shown["text"]],
        before=None if before is None else shown["before"].to_list(),
        after=shown["after"].to_list(),
        others=rest.height,
        rest=(float(rest["before"].sum()), float(rest["after"].sum())),
    )


def _rows_by_block_size(table: Table) -> Floats:
    sizes = blocks_of(table).sizes
    place = np.searchsorted(_BLOCK_SIZES, sizes, side="right") - 1
    rows = np.bincount(place, weights=sizes, minlength=len(_BLOCK_SIZES))
    return rows / max(table.rows, 1)


def _size_label(start: float, following: float) -> str:
    if following == math.inf:
        return f"{start:,.0f}+"
    return f"{start:,.0f}" if following == start + 1 else f"{start:,.0f}–{following - 1:,.0f}"
