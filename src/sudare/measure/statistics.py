"""What an analyst computes from numbers: means, variances, quantiles, correlations, before and after."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.measure.margins import MOST_PAIRED
from sudare.measure.pair import pair_of
from sudare.measure.values import numbers_of, numeric_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudare.measure.pair import Pair

Floats = npt.NDArray[np.float64]
_DECILES = np.arange(0.1, 0.95, 0.1)


def mean_change(before: Any, after: Any) -> float:
    """Mean over numeric columns of |mean' - mean| in standard deviations of the original."""
    return _over_columns(pair_of(before, after), lambda was, now, scale: abs(now.mean() - was.mean()) / scale)


def variance_change(before: Any, after: Any) -> float:
    """Mean over numeric columns of |variance' / variance - 1|."""
    return _over_columns(pair_of(before, after), lambda was, now, _: abs(now.var() / was.var() - 1))


def quantile_change(before: Any, after: Any) -> float:
    """Mean over numeric columns and deciles of |quantile' - quantile| in standard deviations of the original."""
    return _over_columns(
        pair_of(before, after),
        lambda was, now, scale: float(
            np.abs(np.quantile(now, _DECILES) - np.quantile(was, _DECILES)).mean() / scale
        ),
    )


def correlation_change(before: Any, after: Any) -> float:
    """Mean over pairs of numeric columns (the first 20) of |r' - r| (Pearson's r); 0 for a constant column."""
    pair = pair_of(before, after)
    columns = [numbers_of(pair, name) for name in numeric_names(pair)[:MOST_PAIRED]]
    changes = [
        abs(_correlation(one[1], other[1]) - _correlation(one[0], other[0]))
        for one, other in combinations(columns, 2)
    ]
    return float(np.mean(changes)) if changes else 0.0


def _over_columns(pair: Pair, change: Callable[[Floats, Floats, float], float]) -> float:
    """Mean over columns that vary; missing values are ignored."""
    changes = []
    for name in numeric_names(pair):
        was, now = (side[~np.isnan(side)] for side in numbers_of(pair, name))
        scale = float(was.std()) if len(was) else 0.0
        if scale > 0 and len(now):
            changes.append(change(was, now, scale))
    return float(np.mean(changes)) if changes else 0.0


def _correlation(one: Floats, other: Floats) -> float:
    both = ~(np.isnan(one) | np.isnan(other))
    first, second = one[both], other[both]
    if len(first) < 2:
        return 0.0
    first, second = first - first.mean(), second - second.mean()
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / scale if scale > 0 else 0.0
