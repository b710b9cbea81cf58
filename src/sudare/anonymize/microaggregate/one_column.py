"""One numeric column: the optimum (Hansen and Mukherjee 2003), and MIL's local moves (Akiyama 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.anonymize.grouping.labels import of_runs
from sudare.anonymize.microaggregate.arrays import centroids, checked, labels_of
from sudare.anonymize.microaggregate.mhm import cut_labels
from sudare.arrays import starts_of
from sudare.errors import ParameterError
from sudare.kernels.points.mil import move_borders
from sudare.progress import SILENT
from sudare.words.sentence import counted

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.progress import Progress


def optimal_1d(x: Any, k: int, *, progress: Progress | None = None) -> Labels:
    """The partition of one column into groups of at least k with the least SSE, in O(n log n + k n).

    Some optimal partition consists of consecutive groups of k … 2k - 1 of the sorted values: sort, then cut.
    """
    column = _one_column(x, k)
    order = np.argsort(column[:, 0], kind="stable").astype(np.int64)
    return cut_labels(column, k, order, SILENT if progress is None else progress)


def mil(X: Any, k: int, labels: npt.ArrayLike | None = None) -> Labels:
    """MIL on one column: from a partition (groups of k if left out) to one that no move of an element improves.

    Never worse than its start in sorted order (see `mil_with_count`), never better than `optimal_1d`. A group may
    grow beyond 2k - 1 records.
    """
    return mil_with_count(X, k, labels)[0]


def mil_with_count(x: Any, k: int, start: npt.ArrayLike | None = None) -> tuple[Labels, int]:
    """MIL's labels, and the number of moves tested: the paper's measure of cost.

    The start is first converted to sorted consecutive groups, with its groups' sizes in the order of their means.
    """
    column = _one_column(x, k)
    order = np.argsort(column[:, 0], kind="stable")
    sizes = _fixed_sizes(len(column), k) if start is None else _sorted_sizes(column, k, start)
    borders = starts_of(sizes)
    tests = int(move_borders(column[order, 0], borders, k))
    return of_runs(order, np.diff(borders)), tests


def sorted_start(x: Any, k: int, start: npt.ArrayLike) -> Labels:
    """A partition of one column into sorted consecutive groups: the same sizes, in the order of the groups' means."""
    column = _one_column(x, k)
    return of_runs(np.argsort(column[:, 0], kind="stable"), _sorted_sizes(column, k, start))


def _one_column(x: Any, k: int) -> Floats:
    column = checked(x, k)
    if column.shape[1] != 1:
        raise ParameterError("anonymize.microaggregate.several_columns", columns=column.shape[1])
    return column


def _fixed_sizes(n: int, k: int) -> npt.NDArray[np.int64]:
    sizes = np.full(n // k, k, dtype=np.int64)
    sizes[-1] += n % k
    return sizes


def _sorted_sizes(column: Floats, k: int, start: npt.ArrayLike) -> npt.NDArray[np.int64]:
    groups = labels_of(start, len(column))
    sizes = np.bincount(groups)
    if sizes.min() < k:
        raise ParameterError(
            "anonymize.microaggregate.small_group", records=counted("records", int(sizes.min())), k=k
        )
    means = centroids(column - column.min(), groups)[:, 0]
    return sizes[np.argsort(means, kind="stable")].astype(np.int64)
