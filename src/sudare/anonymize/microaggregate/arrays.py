"""Arrays as the algorithms take them: checked, standardized, scored."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.anonymize.grouping.labels import Labels, numbered, ranked
from sudare.errors import InfeasibleError, ParameterError, shown
from sudare.words.sentence import counted

Floats = npt.NDArray[np.float64]


def checked(X: Any, k: int) -> Floats:
    """A contiguous float64 copy of a numeric matrix (n, p) from which groups of k can be formed."""
    matrix = matrix_of(X)
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 2:
        raise ParameterError("anonymize.microaggregate.k", given=shown(k))
    if len(matrix) < k:
        raise InfeasibleError(
            "anonymize.microaggregate.few_records", records=counted("records", len(matrix)), k=k
        )
    return matrix


def matrix_of(X: Any) -> Floats:
    """A contiguous float64 copy of a numeric matrix (n, p); a vector counts as one column."""
    try:
        matrix = np.array(X, dtype=np.float64, order="C", copy=True)
    except (TypeError, ValueError):
        raise ParameterError("anonymize.microaggregate.not_numbers") from None
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ParameterError("anonymize.microaggregate.shape", shape=matrix.shape)
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ParameterError(
            "anonymize.microaggregate.not_finite", row=row, column=column, value=matrix[row, column]
        )
    return matrix


def labels_of(labels: npt.ArrayLike, records: int) -> Labels:
    """Group numbers from 0, one for each record."""
    given = np.asarray(labels)
    if given.shape != (records,):
        raise ParameterError("anonymize.microaggregate.labels", shape=given.shape, records=records)
    return numbered(ranked(given))


def standardized(X: Any) -> Floats:
    """Columns scaled to mean 0 and population standard deviation 1; a constant column becomes 0."""
    matrix = matrix_of(X)
    matrix -= matrix.mean(axis=0)
    # Subtracted twice: the first mean of numbers far from 0 is rounded.
    matrix -= matrix.mean(axis=0)
    scale = matrix.std(axis=0)
    tiny = scale <= np.finfo(np.float64).eps * np.abs(matrix).max(axis=0, initial=0.0)
    return np.asarray(np.where(tiny, 0.0, matrix / np.where(tiny, 1.0, scale)), order="C")


def centroids(X: Floats, labels: Labels) -> Floats:
    """Mean of each group, accurate even far from 0."""
    groups = int(labels.max()) + 1
    center = X.mean(axis=0)
    sizes = np.bincount(labels, minlength=groups).astype(np.float64)
    sums = np.stack(
        [np.bincount(labels, weights=column, minlength=groups) for column in (X - center).T], axis=1
    )
    means: Floats = sums / sizes[:, None] + center
    return means


def sse(X: Floats, labels: Labels) -> float:
    """Sum of squared distances to the group means."""
    error = X - centroids(X, labels)[labels]
    return float((error * error).sum())


def loss(X: Any, labels: npt.ArrayLike) -> float:
    """SSE / SST in [0, 1]; 0 for constant data."""
    matrix = matrix_of(X)
    groups = labels_of(labels, len(matrix))
    around = matrix - matrix.mean(axis=0)
    total = float((around * around).sum())
    return sse(matrix, groups) / total if total > 0 else 0.0
