"""Charts of a report as SVG texts, and the distributions they draw: a few numbers each, never rows.

Where released numbers and dates lie: every cell as a stretch of the axis, read from its published text alone.

Numbers lie on their own axis, dates on that of milliseconds since 1970-01-01. Nothing here looks at a
hierarchy: its bounds would tell the smallest and largest original value.

Charts as SVG texts: a Vega-Lite specification each, drawn by vl-convert, without network and without scripts.

Fields have fixed names and user data are values only, so no column name or cell can become part of a chart's
grammar; vl-convert escapes every text it draws.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from markupsafe import Markup, escape

from sudare.assess.requirement import blocks_of
from sudare.describe.kinds import MEASURED_KINDS
from sudare.describe.text import ANYTHING, as_text, is_measured, range_ends
from sudare.display import AFTER, BEFORE, distinct_labels, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.describe.table import Table
    from sudare.release.table.release import Release

    Floats = npt.NDArray[np.float64]

Side = Literal["original", "table"]
"""The two tables of a release, by the names of its fields."""

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


_BINS = 30
_MOST_BARS = 10
_LONGEST_LABEL = 200
_TAIL = 0.005
_COMPARABLE = 0.9
_DWARFS = 2.0
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
    raised: bool = False
    """Whether values are shown by a level of their hierarchy, because there are many."""

    @property
    def rest_dwarfs(self) -> bool:
        """Whether a bar of the others would leave nothing to see of the rest."""
        shown = max((*self.after, *(self.before or ())), default=0.0)
        return max(self.rest) > _DWARFS * shown


@dataclass(frozen=True, eq=False)
class BlockSizes:
    """Share of rows in blocks of each size."""

    labels: list[str]
    before: list[float] | None
    after: list[float]


def distribution(release: Release, name: str, *, with_original: bool) -> Binned | Listed:
    """The distribution of one column, of the release alone unless `with_original`."""
    original = release.original.frame[name]
    before = _counts(release, "original", name) if with_original else None
    after = _counts(release, "table", name)
    if is_measured(original) and release.original.column(name).kind in MEASURED_KINDS:
        placed = _placed(after, original.dtype)
        stated = after.filter(pl.col("value").is_not_null() & (pl.col("text") != ANYTHING))["count"].sum()
        if placed["count"].sum() * 2 > stated:
            return _binned(original.dtype, before, after, placed)
    tree = release.original.hierarchy(name)
    # Only for the custodian: labels that no released value needs may name what was removed.
    raised = None if before is None or tree is None else _raised(before, after, tree)
    return _listed(before, after) if raised is None else replace(_listed(*raised), raised=True)


def block_sizes(release: Release, *, with_original: bool) -> BlockSizes:
    """Share of rows in blocks of 1, 2, 3-4, 5-9 … rows."""
    after = _rows_by_block_size(release, "table")
    before = _rows_by_block_size(release, "original") if with_original else None
    used = np.flatnonzero(after if before is None else after + before)
    bins = int(used[-1]) + 1 if len(used) else 1
    starts = [*_BLOCK_SIZES, math.inf]
    labels = [_size_label(start, following) for start, following in pairwise(starts[: bins + 1])]
    return BlockSizes(labels, None if before is None else before[:bins].tolist(), after[:bins].tolist())


def count_rows(release: Release, names: Sequence[str], *, blocks: bool, with_original: bool) -> None:
    """Count what the charts of these columns show, and that of the blocks; the release keeps it."""
    sides: tuple[Side, ...] = ("table", "original") if with_original else ("table",)
    for side in sides:
        for name in names:
            _counts(release, side, name)
        if blocks:
            _rows_by_block_size(release, side)


def _counts(release: Release, side: Side, name: str) -> pl.DataFrame:
    """Distinct values with their `text` and `count`, commonest first (counted once)."""
    key = ("values", side, name)
    if key not in release.counted:
        release.counted[key] = _counted(getattr(release, side), name)
    found: pl.DataFrame = release.counted[key]
    return found


def _counted(table: Table, name: str) -> pl.DataFrame:
    if table.frame[name].dtype.is_nested() or table.frame[name].dtype == pl.Object:
        counted = table.frame[name].alias("value").value_counts(name="count")
    else:
        codes = table.codes(name)
        counts = np.bincount(codes.codes, minlength=codes.count)
        present = np.flatnonzero(counts).astype(np.int32)
        counted = pl.DataFrame({"value": codes.decode(present), "count": counts[present]})
    counted = counted.with_columns(pl.col("count").cast(pl.Float64))
    return counted.with_columns(as_text(counted["value"]).alias("text")).sort(
        "count", "text", descending=[True, False], nulls_last=True
    )


def _raised(
    before: pl.DataFrame, after: pl.DataFrame, tree: Hierarchy
) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Both sides at the lowest level of the hierarchy with few values; None if that is the level of the values.

    What was released above that level stays as it is.
    """
    known = all(
        tree.knows(side["value"]) and (tree.missing is not None or not side["value"].null_count())
        for side in (before, after)
    )
    if before.height <= _MOST_BARS or not known:
        return None
    for level in range(1, tree.height):
        sides = []
        for side in (before, after):
            nodes = tree.node_of(side["value"])
            while (moved := (tree.level[tree.parent[nodes]] <= level) & (tree.parent[nodes] != nodes)).any():
                nodes = np.where(moved, tree.parent[nodes], nodes)
            texts = side.select(tree.labels_of(nodes).alias("text"), "count")
            sides.append(texts.group_by("text").agg(pl.col("count").sum()))
        if sides[0].height <= _MOST_BARS:
            return sides[0], sides[1]
    return None


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


def _rows_by_block_size(release: Release, side: Side) -> Floats:
    """The share of rows in blocks of each size (counted once)."""
    key = ("block sizes", side)
    if key not in release.counted:
        table: Table = getattr(release, side)
        sizes = blocks_of(table).sizes
        place = np.searchsorted(_BLOCK_SIZES, sizes, side="right") - 1
        rows = np.bincount(place, weights=sizes, minlength=len(_BLOCK_SIZES))
        release.counted[key] = rows / max(table.rows, 1)
    found: Floats = release.counted[key]
    return found


def _size_label(start: float, following: float) -> str:
    if following == math.inf:
        return f"{start:,.0f}+"
    return f"{start:,.0f}" if following == start + 1 else f"{start:,.0f}–{following - 1:,.0f}"


_INK, _GRID, _LINE = "#3c4650", "#e6e9ec", "#c9ced4"
_FONT = "Helvetica Neue, Arial, Hiragino Sans, Noto Sans CJK JP, Yu Gothic, Meiryo, sans-serif"
_WIDTH, _HEIGHT, _BAND = 430, 150, 20
_LONGEST_DRAWN, _WIDE = 170, 11
"""Pixels: of a label, and of a Japanese sign."""
_MOST_POINTS = 400
_YEAR = 365.25 * 86_400_000


def histogram(binned: Binned, description: str) -> Markup:
    """Before as gray bars with after as a blue outline; after alone as blue bars."""
    lefts, rights = binned.edges[:-1].tolist(), binned.edges[1:].tolist()
    axis = {"title": None, "grid": False, "tickCount": 5, "labelOverlap": "greedy", "labelSeparation": 8}
    if binned.dates:
        axis["format"] = _date_format(lefts[0], rights[-1])
    x = {
        "field": "left",
        "type": "temporal" if binned.dates else "quantitative",
        "axis": axis,
        "scale": {
            "type": "utc" if binned.dates else "linear",
            "domain": [binned.edges[0].item(), binned.edges[-1].item()],
            "nice": False,
            "zero": False,
        },
    }
    filled = (binned.after if binned.before is None else binned.before).tolist()
    color = AFTER if binned.before is None else BEFORE
    bars = {
        "data": _data(left=lefts, right=rights, share=filled, zero=[0] * len(filled)),
        "mark": {"type": "rect", "color": color, "stroke": "white", "strokeWidth": 0.5},
        "encoding": {"x": x, "x2": {"field": "right"}, "y": _SHARE_AXIS, "y2": {"field": "zero"}},
    }
    if binned.before is None:
        return _svg(bars, description)
    outline = binned.after.tolist()
    line = {
        "data": _data(
            left=[lefts[0], *lefts, rights[-1]], share=[0.0, *outline, 0.0], order=range(len(outline) + 2)
        ),
        "mark": {
            "type": "line",
            "color": AFTER,
            "strokeWidth": 2,
            "interpolate": "step-after",
            "strokeJoin": "miter",
        },
        "encoding": {"x": x, "y": _SHARE_AXIS, "order": {"field": "order", "type": "quantitative"}},
    }
    return _svg({"layer": [bars, line]}, description)


def bars(listed: Listed, description: str, *, missing: str, others: str) -> Markup:
    """One band a value: gray before above blue after."""
    labels = [missing if label is None else label for label in listed.labels]
    before, after = listed.before, list(listed.after)
    if listed.others and not listed.rest_dwarfs:
        labels.append(others)
        after.append(listed.rest[1])
        before = None if before is None else [*before, listed.rest[0]]
    shown = distinct_labels(labels)
    encoding = {
        "x": {**_SHARE, "axis": {"format": "~%", "tickCount": 5}},
        "y": {
            "field": "label",
            "type": "nominal",
            "sort": None,
            "title": None,
            "scale": {"padding": 0.2},
            "axis": {
                "labelLimit": _LONGEST_DRAWN,
                "ticks": False,
                "domain": False,
                "minExtent": _extent(shown),
            },
        },
        "color": _COLORS,
    }
    if before is not None:
        encoding["yOffset"] = _SIDE_BY_SIDE
    chart = {"data": _both(shown, before, after), "mark": "bar", "encoding": encoding}
    return _svg({**chart, "height": {"step": _BAND, "for": "position"}}, description)


def size_bars(sizes: BlockSizes, description: str, title: str) -> Markup:
    """Upright bars: share of rows in blocks of each size."""
    axis = {"labelAngle": 0, "ticks": False, "labelOverlap": True}
    encoding: dict[str, Any] = {
        "x": {"field": "label", "type": "nominal", "sort": None, "title": title, "axis": axis},
        "y": _SHARE_AXIS,
        "color": _COLORS,
    }
    if sizes.before is not None:
        encoding["xOffset"] = _SIDE_BY_SIDE
    chart = {"data": _both(sizes.labels, sizes.before, sizes.after), "mark": "bar", "encoding": encoding}
    return _svg(chart, description)


def ranked(before: Sequence[int] | None, after: Sequence[int], description: str, title: str) -> Markup:
    """Frequencies by rank, both logarithmic: gray points before, blue ones after at the same ranks.

    Of many items some are drawn, at even distances on the logarithmic axis. Zero stands at one half.
    """
    chosen = np.unique(np.geomspace(1, max(len(after), 1), _MOST_POINTS).round().astype(np.int64))
    chosen = chosen[chosen <= len(after)]
    sides = [("after", after)] if before is None else [("before", before), ("after", after)]
    rows = [(int(rank), max(side[rank - 1], 0.5), when) for when, side in sides for rank in chosen]
    axis = {"grid": True, "tickCount": 4, "format": "~s"}
    logarithmic = {
        "type": "quantitative",
        "axis": axis,
        "scale": {"type": "log", "nice": False, "padding": 8},
    }
    chart = {
        "data": _data(
            rank=[row[0] for row in rows], count=[row[1] for row in rows], when=[row[2] for row in rows]
        ),
        "mark": {"type": "circle", "size": 16, "opacity": 0.8, "clip": False},
        "encoding": {
            "x": {**logarithmic, "field": "rank", "title": title},
            "y": {**logarithmic, "field": "count", "title": None},
            "color": _COLORS,
        },
    }
    return _svg(chart, description)


_SHARE = {"field": "share", "type": "quantitative", "title": None, "scale": {"zero": True}}
_SHARE_AXIS = {**_SHARE, "axis": {"format": "~%", "tickCount": 4}}
_COLORS = {
    "field": "when",
    "type": "nominal",
    "legend": None,
    "scale": {"domain": ["before", "after"], "range": [BEFORE, AFTER]},
}
_SIDE_BY_SIDE = {"field": "when", "type": "nominal", "sort": ["before", "after"]}


def _both(labels: Sequence[str], before: Sequence[float] | None, after: Sequence[float]) -> dict[str, Any]:
    sides = {"after": after} if before is None else {"before": before, "after": after}
    rows = [
        (label, when, share)
        for when, side in sides.items()
        for label, share in zip(labels, side, strict=True)
    ]
    return _data(
        label=[row[0] for row in rows], when=[row[1] for row in rows], share=[row[2] for row in rows]
    )


def _data(**fields: Any) -> dict[str, Any]:
    return {"values": [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]}


def _date_format(first: float, last: float) -> str:
    """Numbers only, so that both languages can read it."""
    years = (last - first) / _YEAR
    return "%Y" if years > 6 else "%Y-%m" if years > 0.5 else "%m-%d"


def _extent(labels: Sequence[str]) -> int:
    """Room for labels of wide signs: where no font has them, they are drawn, and so measured, by another of no width."""
    wide = [width_of(label) for label in labels if width_of(label) > len(label)]
    return min(_LONGEST_DRAWN, max(wide, default=0) * _WIDE // 2)


def heat_maps(chart: Any, description: str) -> Markup:
    """Maps of a cross tabulation, side by side."""
    return _drawn(chart.to_dict(validate=False), description)


def _svg(chart: dict[str, Any], description: str) -> Markup:
    layout = {"width": _WIDTH, "autosize": {"type": "fit-x", "contains": "padding"}}
    return _drawn({"height": _HEIGHT, **chart, **layout}, description)


def _drawn(specification: dict[str, Any], description: str) -> Markup:
    import vl_convert

    specification |= {
        "background": None,
        "padding": 2,
        "config": {
            "aria": False,
            "font": _FONT,
            "view": {"stroke": None},
            "title": {"color": _INK, "fontSize": 13, "fontWeight": 600},
            "legend": {"labelColor": _INK, "titleColor": _INK, "titleFontWeight": "normal"},
            "axis": {
                "labelColor": _INK,
                "labelFontSize": 11,
                "labelPadding": 5,
                "titleColor": _INK,
                "titleFontSize": 11,
                "titleFontWeight": "normal",
                "gridColor": _GRID,
                "domainColor": _LINE,
                "tickColor": _LINE,
            },
        },
    }
    drawn = vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])
    # Inside HTML the namespaces are implied; without them the page names no address at all.
    drawn = re.sub(r' xmlns(?::xlink)?="[^"]*"', "", drawn, count=2)
    # The whole drawing is one image with a name; its groups are not graphics of their own, which would need names too.
    drawn = re.sub(r' (?:role="graphics-[^"]*"|aria-roledescription="[^"]*"|aria-label="[^"]*")', "", drawn)
    return Markup(drawn.replace("<svg", f'<svg role="img" aria-label="{escape(description)}"', 1))  # noqa: S704  # drawn by vl-convert, which escapes
