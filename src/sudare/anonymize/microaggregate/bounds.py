"""Lower bounds of the SSE: how far a partition can be from the best there is."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.anonymize.microaggregate.arrays import checked


def nearest_bound(X: Any, k: int) -> float:
    """SSE of any k-partition is at least sum_i (1 / 2k) (squared distances of i to its k-1 nearest others).

    A group of s >= k records has SSE = (1 / 2s) sum_{i, j} d_ij^2, and each i has at least the squared distances of
    its s-1 nearest records there; (sum of the s-1 smallest) / s does not fall with s, so s = k is the least.
    """
    from scipy.spatial import KDTree

    records = checked(X, k)
    distances, _ = KDTree(records).query(records, k)
    return float((np.asarray(distances).reshape(len(records), -1)[:, 1:] ** 2).sum() / (2 * k))
