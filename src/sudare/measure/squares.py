"""Squared errors: SSE / SST, the loss of microaggregation (ILSSDM)."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.measure.pair import pair_of
from sudare.measure.values import numbers_of, numeric_names


def sse_ratio(before: Any, after: Any) -> float:
    """ILSSDM = SSE / SST over the standardized numeric quasi-identifiers, in [0, 1] for group means.

    SSE = sum (x - x')^2, SST = sum (x - mean)^2, each column divided by its population standard deviation, so that
    every column counts the same; a constant column is ignored. A row that is left out or released as missing counts as
    if replaced with the mean; a value that was missing before counts 0.
    """
    pair = pair_of(before, after)
    names = [name for name in numeric_names(pair) if name in pair.quasi]
    shares = [
        share
        for share in (_share(*numbers_of(pair, name), pair.traced) for name in names)
        if share is not None
    ]
    return float(np.mean(shares)) if shares else 0.0


def _share(
    original: np.ndarray[Any, np.dtype[np.float64]],
    released: np.ndarray[Any, np.dtype[np.float64]],
    rows: np.ndarray[Any, np.dtype[np.int64]],
) -> float | None:
    """SSE / SST of one column; None for a constant one."""
    present = ~np.isnan(original)
    center = original[present].mean() if present.any() else 0.0
    deviation = np.where(present, original - center, 0.0)
    total = float(deviation @ deviation)
    if total == 0:
        return None
    # A value that is not released, or released as missing, could be anything: the mean is the best guess.
    guess = np.full(len(original), center)
    known = ~np.isnan(released)
    guess[rows[known]] = released[known]
    error = np.where(present, original - guess, 0.0)
    return float(error @ error) / total
