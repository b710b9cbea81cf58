"""What an analyst counts and computes, before and after: distributions, means, variances, quantiles, correlations.

Distributions before and after: what an analyst counts.

A generalized cell is spread evenly over the values it covers, as by an analyst without other knowledge.
Numbers and dates are counted in bins between quantiles of the original; rare categories are counted together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.describe.distance.space import line_ends
from sudare.describe.kinds import MEASURED_KINDS
from sudare.describe.table import to_native
from sudare.describe.text import as_text, places_among, range_ends, set_parts
from sudare.kernels.core.rules import block_labels
from sudare.measure.pair import pair_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from sudare.measure.pair import DistinctCells, Pair

_LARGEST = 1e100


def numeric_names(pair: Pair) -> list[str]:
    """Numeric and date columns in both tables: quasi-identifiers, sensitive and other published columns."""
    present = set(pair.after.frame.columns)
    return [
        column.name
        for column in pair.before.columns
        if column.kind in MEASURED_KINDS
        and column.role in {"quasi", "sensitive", "insensitive"}
        and column.name in present
    ]


def numbers_of(pair: Pair, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(original numbers of all rows, released midpoints); NaN if missing."""
    (before, _), (after, _) = _counted_numbers(pair, name)
    distinct = pair.distinct(name)
    return before[distinct.before], after[distinct.after]


def _counted_numbers(pair: Pair, name: str) -> tuple[Counted, Counted]:
    """The distinct original numbers and how often each occurs; the same of released midpoints. NaN if missing."""
    distinct = pair.distinct(name)
    low, high = line_ends(distinct.cells)
    largest = max(np.nanmax(np.abs(low), initial=0.0), np.nanmax(np.abs(high), initial=0.0))
    if largest > _LARGEST:
        # No figure depends on the unit, and the squares of such large numbers would overflow.
        low, high = low / largest, high / largest
    middle = low + (high - low) / 2
    was, now = distinct.counts
    return (middle[: len(was)], was), (middle[len(was) :], now)


Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Places = npt.NDArray[np.signedinteger[Any] | np.unsignedinteger[Any]]

BINS = 20
"""Number of bins for a number, and of categories counted separately."""
MOST_COLUMNS = 100
"""Maximum number of columns compared: quasi-identifiers and sensitive columns come before others."""
MOST_PAIRED = 20
"""Maximum number of columns compared in all pairs."""


@dataclass(frozen=True, eq=False)
class Margin:
    """One column in K bins; the last bin is for missing values."""

    before: Places
    """Bin of each original cell."""
    after: Places
    """Index of each released cell among the distinct ones."""
    spread: Floats
    """Distinct released cells x K: the share of a cell that falls into each bin."""

    @property
    def shares_before(self) -> Floats:
        """Distribution of the original."""
        return np.bincount(self.before, minlength=self.spread.shape[1]) / max(len(self.before), 1)

    @property
    def shares_after(self) -> Floats:
        """Distribution of the release."""
        counts = np.bincount(self.after, minlength=len(self.spread))
        shares: Floats = counts @ self.spread / max(len(self.after), 1)
        return shares


def marginal_tv(before: Any, after: Any) -> float:
    """Mean over columns of the total variation between the original and the released distribution."""
    margins = _margins(pair_of(before, after))
    return _mean([_total_variation(one.shares_before, one.shares_after) for one in margins])


def hellinger(before: Any, after: Any) -> float:
    """Mean over columns of the Hellinger distance sqrt(1 - sum sqrt(p q)) = sqrt(sum (sqrt p - sqrt q)^2 / 2).

    The second form is used, so that equal distributions are exactly 0 apart.
    """
    margins = _margins(pair_of(before, after))
    apart = [np.sqrt(one.shares_before) - np.sqrt(one.shares_after) for one in margins]
    return _mean([float(roots @ roots / 2) ** 0.5 for roots in apart])


def pairwise_tv(before: Any, after: Any) -> float:
    """Mean over pairs of columns of the total variation between their two-way tables."""
    margins = _margins(pair_of(before, after), MOST_PAIRED)
    return _mean([_total_variation(*_two_way(one, other)) for one, other in combinations(margins, 2)])


def margin_of(pair: Pair, name: str) -> Margin:
    """The bins of one column (computed once)."""
    if name not in pair.margins:
        pair.margins[name] = _margin(pair, name)
    return pair.margins[name]


def _margin(pair: Pair, name: str) -> Margin:
    if pair.before.column(name).kind in MEASURED_KINDS:
        return _numeric(pair.distinct(name))
    return _categorical(pair, name)


def compared_names(pair: Pair) -> list[str]:
    """Columns that an analyst sees in both tables, the most important first."""
    present = set(pair.after.frame.columns)
    names = [*pair.before.names("quasi", "sensitive"), *pair.before.names("insensitive")]
    return [
        name for name in names if name in present and pair.before.column(name).kind not in {"string", "set"}
    ]


def _margins(pair: Pair, most: int = MOST_COLUMNS) -> list[Margin]:
    return [margin_of(pair, name) for name in compared_names(pair)[:most]]


def _numeric(distinct: DistinctCells) -> Margin:
    low, high = line_ends(distinct.cells)
    values = len(distinct.cells.before)
    original = low[:values]
    present = ~np.isnan(original)
    edges = _edges(original[present], distinct.counts[0][present])
    bins = len(edges) - 1
    binned = np.clip(np.searchsorted(edges, original, side="right") - 1, 0, bins - 1)
    bin_of = np.where(present, binned, bins).astype(np.int32)
    spread = _overlaps(edges, low[values:], high[values:])
    return _margin_of(bin_of[distinct.before], distinct.after, spread)


def _edges(values: Floats, counts: Integers) -> Floats:
    """Edges of the bins: between distinct values if there are few, otherwise quantiles."""
    distinct = np.unique(values)
    if len(distinct) <= BINS:
        middles = (distinct[1:] + distinct[:-1]) / 2
    else:
        middles = np.unique(_quantiles(values, counts, np.linspace(0, 1, BINS + 1)[1:-1]))
    return np.concatenate([[-np.inf], middles, [np.inf]])


def _quantiles(values: Floats, counts: Integers, shares: npt.ArrayLike) -> Floats:
    """Quantiles of values that occur so often, between two of them on the straight line, as `np.quantile` has them."""
    order = np.argsort(values)
    ends = np.cumsum(counts[order])
    place = np.asarray(shares, dtype=np.float64) * (ends[-1] - 1)
    below = np.floor(place)
    low, high = (
        values[order[np.searchsorted(ends, np.minimum(at, ends[-1] - 1), side="right")]]
        for at in (below, below + 1)
    )
    found: Floats = low + (high - low) * (place - below)
    return found


def _overlaps(edges: Floats, starts: Floats, stops: Floats) -> Floats:
    """Share of each range [start, stop] in each bin, missing last."""
    shares = np.zeros((len(starts), len(edges)))
    missing = np.isnan(starts)
    shares[missing, -1] = 1.0
    point = ~missing & (starts == stops)
    place = np.clip(np.searchsorted(edges, starts[point], side="right") - 1, 0, len(edges) - 2)
    shares[np.flatnonzero(point), place] = 1.0
    wide = ~missing & ~point
    low, high = starts[wide, None], stops[wide, None]
    inside = np.minimum(edges[None, 1:], high) - np.maximum(edges[None, :-1], low)
    shares[wide, :-1] = np.maximum(inside, 0.0) / (high - low)
    return shares


def _categorical(pair: Pair, name: str) -> Margin:
    codes = pair.before.codes(name)
    counts = np.bincount(codes.codes, minlength=codes.count)[: len(codes.values)]
    frequent = np.argsort(-counts, kind="stable")[:BINS]
    bins = min(len(frequent), BINS) + 1
    bin_of = np.full(codes.count, bins - 1, dtype=np.int32)
    bin_of[frequent] = np.arange(len(frequent))
    if codes.missing is not None:
        bin_of[codes.missing] = bins
    texts = as_text(pair.distinct(name).cells.after)
    distinct = texts.drop_nulls().unique().sort()
    spread = np.zeros((len(distinct) + 1, bins + 1))
    spread[-1, bins] = 1.0
    for number, values in enumerate(_covered(pair, name, distinct)):
        np.add.at(spread[number], bin_of[values], 1.0 / len(values))
    place = places_among(texts, distinct, len(distinct)).astype(np.int32)
    return _margin_of(bin_of[codes.codes], place[pair.distinct(name).after], spread)


def _margin_of(before: Places, after: Places, spread: Floats) -> Margin:
    """A margin in which released cells that lie in one bin are one cell, as most are in columns that did not change."""
    bins = spread.shape[1]
    first = spread.argmax(axis=1).astype(np.int32)
    wide = spread[np.arange(len(spread)), first] < 1.0
    place = np.where(wide, bins - 1 + np.cumsum(wide, dtype=np.int32), first)
    spread = np.concatenate([np.eye(bins), spread[wide]])
    return Margin(_small(before, bins), _small(place, len(spread))[after], spread)


def _small(places: Places, count: int) -> Places:
    """Places in the smallest type that holds them: margins of all columns are kept together."""
    return places.astype(np.min_scalar_type(max(count - 1, 0)))


def _covered(pair: Pair, name: str, distinct: pl.Series) -> list[Integers]:
    """For each released text, the codes of the original values it covers: all of them if it is unknown."""
    codes, tree = pair.before.codes(name), pair.before.hierarchy(name)
    place = {text: number for number, text in enumerate(as_text(codes.values).to_list())}
    below: dict[str, Integers] = {}
    if tree is not None:
        ranks = tree.first[tree.leaf_of(codes.values)]
        known = distinct.filter(tree.is_label(distinct))
        for text, node in zip(known.to_list(), tree.node_of(known), strict=True):
            below[text] = np.flatnonzero((ranks >= tree.first[node]) & (ranks < tree.last[node]))
    everything = np.arange(max(len(codes.values), 1))
    covered = []
    for text, low, high in zip(distinct.to_list(), *range_ends(distinct), strict=True):
        if text in below:
            inside = below[text]
        elif text in place:
            inside = np.array([place[text]])
        elif low in place and high in place:
            # A range of ordered values: codes ascend with the values.
            inside = np.arange(place[low], place[high] + 1)
        else:
            inside = np.array([place[part] for part in set_parts(text, place)], dtype=np.int64)
        covered.append(inside if len(inside) else everything)
    return covered


def _two_way(one: Margin, other: Margin) -> tuple[Floats, Floats]:
    rows = one.spread.shape[1], other.spread.shape[1]
    cells = _wide(one.before) * np.int32(rows[1]) + other.before
    before = np.bincount(cells, minlength=rows[0] * rows[1])
    first, second, weights = _combinations(one, other)
    after = (one.spread[first] * weights[:, None]).T @ other.spread[second]
    return before / max(len(one.before), 1), after.ravel() / max(len(one.after), 1)


_LARGEST_TABLE = 4_000_000
"""Combinations of two columns that are counted in a table of them all."""


def _combinations(
    one: Margin, other: Margin
) -> tuple[npt.NDArray[np.signedinteger], npt.NDArray[np.signedinteger], npt.NDArray[np.signedinteger]]:
    """The released cells that occur together, and how often."""
    width = len(other.spread)
    if len(one.spread) * width <= _LARGEST_TABLE:
        counts = np.bincount(_wide(one.after) * np.int32(width) + other.after)
        occurring = np.flatnonzero(counts)
        return occurring // width, occurring % width, counts[occurring]
    pairs = [_wide(one.after), _wide(other.after)]
    labels, count = block_labels(pairs, [len(one.spread), width], len(one.after))
    first = np.zeros(count, dtype=np.int64)
    first[labels] = np.arange(len(labels))
    return pairs[0][first], pairs[1][first], np.bincount(labels, minlength=count)


def _wide(places: Places) -> npt.NDArray[np.int32]:
    """Places as numbers that may be multiplied."""
    return places.astype(np.int32)


def _total_variation(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).sum() / 2)


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else 0.0


Counted = tuple[Floats, Integers]
"""Distinct values and how often each occurs."""
_DECILES = np.arange(0.1, 0.95, 0.1)


def mean_change(before: Any, after: Any) -> float:
    """Mean over numeric columns of |mean' - mean| in standard deviations of the original."""
    return _over_columns(
        pair_of(before, after), lambda was, now, scale: abs(_mean_of(*now) - _mean_of(*was)) / scale
    )


def variance_change(before: Any, after: Any) -> float:
    """Mean over numeric columns of |variance' / variance - 1|."""
    return _over_columns(
        pair_of(before, after), lambda was, now, _: abs(_variance(*now) / _variance(*was) - 1)
    )


def quantile_change(before: Any, after: Any) -> float:
    """Mean over numeric columns and deciles of |quantile' - quantile| in standard deviations of the original."""
    return _over_columns(
        pair_of(before, after),
        lambda was, now, scale: float(
            np.abs(_quantiles(*now, _DECILES) - _quantiles(*was, _DECILES)).mean() / scale
        ),
    )


def correlation_change(before: Any, after: Any) -> float:
    """Mean over pairs of numeric columns (the first 20) of |r' - r| (Pearson's r); 0 for a constant column."""
    pair = pair_of(before, after)
    names = numeric_names(pair)[:MOST_PAIRED]
    # One side after the other: the numbers of all rows of many columns take much memory.
    was, now = (
        [
            _correlation(*both)
            for both in combinations([_centered(numbers_of(pair, name)[side]) for name in names], 2)
        ]
        for side in (0, 1)
    )
    changes = [abs(after - before) for before, after in zip(was, now, strict=True)]
    return float(np.mean(changes)) if changes else 0.0


QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


def by_column(before: Any, after: Any) -> Any:
    """Mean, standard deviation, quantiles and correlations of each numeric and date column before and after.

    A frame with the columns column, figure, other, before and after. `figure` is unknown (the share of cells that are
    missing, or as wide as the whole column, such as `*`: the other figures leave them out), mean, std, q10, q25, q50, q75,
    q90 or correlation (Pearson's r with the column in `other`, among the first 20 columns). A generalized value counts by
    the middle of what it covers; dates are days since 1970-01-01; a figure of no value, and the correlation of a constant
    column, is null. The frame is of the kind in which `before` was given.
    """
    pair = pair_of(before, after)
    return to_native(figures_by_column(pair), pair.before.given_as)


def figures_by_column(pair: Pair) -> pl.DataFrame:
    """The figures of `by_column` as a polars frame."""
    import polars as pl

    names = numeric_names(pair)
    rows: list[tuple[str, str, str | None, float | None, float | None]] = []
    for name in names:
        sides = [_summed_up(side) for side in _middles(pair, name)]
        rows += [(name, key, None, sides[0][key], sides[1][key]) for key in sides[0]]
    paired = names[:MOST_PAIRED]
    was, now = (
        [
            _correlated(*both)
            for both in combinations([_centered(_telling_numbers(pair, name)[side]) for name in paired], 2)
        ]
        for side in (0, 1)
    )
    for (one, other), *figures in zip(combinations(paired, 2), was, now, strict=True):
        rows.append((one, "correlation", other, figures[0], figures[1]))
    schema = {
        "column": pl.String,
        "figure": pl.String,
        "other": pl.String,
        "before": pl.Float64,
        "after": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _middles(pair: Pair, name: str) -> tuple[Counted, Counted]:
    """As `_counted_numbers`, in the column's own unit; NaN also where a released cell says nothing."""
    distinct = pair.distinct(name)
    low, high = line_ends(distinct.cells)
    was, now = distinct.counts
    middle = low / 2 + high / 2
    middle[len(was) :][_as_wide_as_all(low, high, len(was))] = np.nan
    return (middle[: len(was)], was), (middle[len(was) :], now)


def _telling_numbers(pair: Pair, name: str) -> tuple[Floats, Floats]:
    """As `numbers_of`, with NaN for released cells as wide as the whole column."""
    distinct = pair.distinct(name)
    (before, _), (after, _) = _counted_numbers(pair, name)
    after = np.where(_as_wide_as_all(*line_ends(distinct.cells), len(before)), np.nan, after)
    return before[distinct.before], after[distinct.after]


def _as_wide_as_all(low: Floats, high: Floats, originals: int) -> npt.NDArray[np.bool_]:
    """Which released cells cover all originals together: their middle is of the column, not of a person."""
    smallest = np.nanmin(low[:originals], initial=np.inf)
    largest = np.nanmax(low[:originals], initial=-np.inf)
    low, high = low[originals:], high[originals:]
    found: npt.NDArray[np.bool_] = (low <= smallest) & (high >= largest) & (low < high)
    return found


def _summed_up(side: Counted) -> dict[str, float | None]:
    present, counts = _present(side)
    rows = side[1].sum()
    unknown = {"unknown": 1 - float(counts.sum() / rows) if rows else None}
    names = ["mean", "std", *(f"q{round(100 * share)}" for share in QUANTILES)]
    if not counts.sum():
        return {**unknown, **dict.fromkeys(names)}
    unit = float(np.abs(present).max()) or 1.0  # squares of very large numbers would overflow
    scaled = present / unit
    figures = [
        _mean_of(scaled, counts),
        math.sqrt(_variance(scaled, counts)),
        *_quantiles(scaled, counts, QUANTILES),
    ]
    return {
        **unknown,
        **{name: float(value) * unit for name, value in zip(names, figures, strict=True)},
    }


def _correlated(one: Centered, other: Centered) -> float | None:
    first, second = _both_present(one, other)
    if len(first.numbers) < 2 or not (first.varies and second.varies):
        return None
    return _correlation(first, second)


def _over_columns(pair: Pair, change: Callable[[Counted, Counted, float], float]) -> float:
    """Mean over columns that vary; missing values are ignored."""
    changes = []
    for name in numeric_names(pair):
        was, now = (_present(side) for side in _counted_numbers(pair, name))
        scale = math.sqrt(_variance(*was)) if len(was[0]) else 0.0
        if scale > 0 and len(now[0]):
            changes.append(change(was, now, scale))
    return float(np.mean(changes)) if changes else 0.0


def _present(side: Counted) -> Counted:
    values, counts = side
    known = ~np.isnan(values)
    return values[known], counts[known]


def _mean_of(values: Floats, counts: Integers) -> float:
    return float(counts @ values / counts.sum())


def _variance(values: Floats, counts: Integers) -> float:
    return float(counts @ (values - _mean_of(values, counts)) ** 2 / counts.sum())


class Centered(NamedTuple):
    """Numbers with their mean taken away, for correlations with several columns."""

    numbers: Floats
    squares: float
    """Their sum of squares; NaN where some are missing, which pairs of columns leave out."""

    @property
    def varies(self) -> bool:
        """Whether two of them differ."""
        return bool(np.ptp(self.numbers))


def _centered(numbers: Floats) -> Centered:
    centered = numbers - numbers.mean() if len(numbers) else numbers
    return Centered(numbers if np.isnan(centered).any() else centered, float(centered @ centered))


def _both_present(one: Centered, other: Centered) -> tuple[Centered, Centered]:
    if not (math.isnan(one.squares) or math.isnan(other.squares)):
        return one, other
    both = ~(np.isnan(one.numbers) | np.isnan(other.numbers))
    return _centered(one.numbers[both]), _centered(other.numbers[both])


def _correlation(one: Centered, other: Centered) -> float:
    first, second = _both_present(one, other)
    if len(first.numbers) < 2:
        return 0.0
    scale = math.sqrt(first.squares * second.squares)
    return float(first.numbers @ second.numbers) / scale if scale > 0 else 0.0
