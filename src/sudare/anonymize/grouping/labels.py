"""Labels of records: their group numbers 0, 1, …, without gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.rules import dense_labels

Labels = npt.NDArray[np.int64]


def numbered(labels: npt.NDArray[Any]) -> Labels:
    """Groups numbered in the order of their first row.

    >>> numbered(np.array([7, 2, 7])).tolist()
    [0, 1, 0]
    """
    return dense_labels(np.asarray(labels, dtype=np.int64))[0].astype(np.int64)


def of_runs(order: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Labels:
    """Groups that are runs of these sizes in an order of the records.

    >>> of_runs(np.array([2, 0, 1]), np.array([1, 2])).tolist()
    [0, 0, 1]
    """
    runs = np.empty(len(order), dtype=np.int64)
    runs[order] = np.repeat(np.arange(len(sizes)), sizes)
    return numbered(runs)


def ranked(labels: npt.NDArray[Any]) -> Labels:
    """Groups numbered in the order of their previous numbers.

    >>> ranked(np.array([7, 2, 7])).tolist()
    [1, 0, 1]
    """
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
