"""Lower bounds on the SSE: how far a partition can be from the optimum."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.anonymize.microaggregate.arrays import checked


def nearest_bound(X: Any, k: int) -> float:
    """The SSE of any k-partition is at least sum_i (1 / 2k) (squared distances of i to its k-1 nearest others).

    A group of s >= k records has SSE = (1 / 2s) sum_{i, j} d_ij^2, and each i adds at least the squared distances to
    its s-1 nearest records; (sum of the s-1 smallest) / s does not decrease with s, so s = k gives the minimum.
    """
    from scipy.spatial import KDTree

    records = checked(X, k)
    distances, _ = KDTree(records).query(records, k)
    return float((np.asarray(distances).reshape(len(records), -1)[:, 1:] ** 2).sum() / (2 * k))
