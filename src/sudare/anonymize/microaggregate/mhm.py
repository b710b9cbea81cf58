"""MHM: a path through the records, cut optimally (Domingo-Ferrer and others 2006; Suzaki, Hashimoto, Kamidoi, Wakabayashi, undated)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from sudare.anonymize.grouping.labels import of_runs
from sudare.anonymize.microaggregate import paths
from sudare.anonymize.microaggregate.arrays import checked
from sudare.errors import ParameterError, did_you_mean
from sudare.kernels.points.cut import optimal_cut
from sudare.progress import SILENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.progress import Progress

Path = Literal["npn", "grid", "flexdice", "mdav", "hilbert", "kd", "tour"]


def mhm(X: Any, k: int, path: Path | npt.ArrayLike = "npn", *, progress: Progress | None = None) -> Labels:
    """Groups of k … 2k - 1 consecutive records of a path, with the least SSE among all such partitions.

    `path` is the name of an ordering of the records (see `paths`), or the order itself: a permutation of the rows.
    """
    matrix = checked(X, k)
    report = SILENT if progress is None else progress
    order = _named_path(matrix, k, path, report) if isinstance(path, str) else _given_path(len(matrix), path)
    return cut_labels(matrix, k, order, report)


def cut_labels(X: Floats, k: int, order: npt.NDArray[np.int64], progress: Progress = SILENT) -> Labels:
    """Labels of the optimal cut of an order."""
    progress.start("cut", len(X))
    borders = optimal_cut(X[order], k, progress.update)
    return of_runs(order, np.diff(borders))


def _named_path(X: Floats, k: int, name: str, progress: Progress) -> npt.NDArray[np.int64]:
    match name:
        case "npn":
            return paths.npn_path(X, progress)
        case "grid":
            return paths.grid_path(X, progress)
        case "flexdice":
            return paths.flexdice_path(X, k, progress)
        case "mdav":
            from sudare.anonymize.microaggregate.mdav import mdav

            return paths.mdav_path(X, mdav(X, k, progress=progress), progress)
        case "hilbert":
            return paths.hilbert_path(X, progress)
        case "kd":
            return paths.kd_path(X, progress)
        case "tour":
            return paths.tour_path(X, progress)
        case _:
            raise ParameterError(
                "anonymize.microaggregate.unknown_path", name=name, hint=did_you_mean(name, get_args(Path))
            )


def _given_path(n: int, path: npt.ArrayLike) -> npt.NDArray[np.int64]:
    order = np.asarray(path)
    if (
        order.shape != (n,)
        or not np.issubdtype(order.dtype, np.integer)
        or not np.array_equal(np.sort(order), np.arange(n))
    ):
        raise ParameterError("anonymize.microaggregate.not_an_order", shape=order.shape, rows=n, last=n - 1)
    return order.astype(np.int64)
