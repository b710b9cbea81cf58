"""MHM: a path through the records, cut optimally (Domingo-Ferrer and others 2006; Suzaki, Hashimoto, Kamidoi, Wakabayashi, undated)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from sudare.anonymize.grouping.labels import of_runs
from sudare.anonymize.microaggregate import paths
from sudare.anonymize.microaggregate.arrays import checked
from sudare.errors import ParameterError, did_you_mean, shown
from sudare.kernels.points.cut import optimal_cut
from sudare.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.progress import Progress

Path = Literal["npn", "grid", "quantiles", "flexdice", "halving", "mdav", "hilbert", "kd", "tour"]
OPTIONS: dict[str, tuple[str, ...]] = {
    "grid": ("blocks",),
    "flexdice": ("c1", "c2"),
    "halving": ("c1", "c2"),
}
"""The paths that have parameters of their own, and which."""


def mhm(
    X: Any,
    k: int,
    path: Path | npt.ArrayLike = "npn",
    *,
    blocks: int | None = None,
    c1: int | None = None,
    c2: int | None = None,
    progress: Progress | None = None,
) -> Labels:
    """Groups of k … 2k - 1 consecutive records of a path, with the least SSE among all such partitions.

    `path` is the name of an ordering of the records (see `paths`), or the order itself: a permutation of the rows.
    `blocks` is the number of blocks of a `grid` along each column; `c1` and `c2` are the paper's C1, the most records of
    a cell of `flexdice` or `halving`, and C2, the number of cells up to which smaller cells are split as well.
    """
    matrix = checked(X, k)
    report = SILENT if progress is None else progress
    options = {
        name: value for name, value in (("blocks", blocks), ("c1", c1), ("c2", c2)) if value is not None
    }
    check_options(path if isinstance(path, str) else "", options)
    if isinstance(path, str):
        order = _named_path(matrix, k, path, options, report)
    else:
        order = _given_path(len(matrix), path)
    return cut_labels(matrix, k, order, report)


def check_options(path: str, options: Mapping[str, int]) -> None:
    """Refuse parameters of another path, and numbers below 1."""
    for name, value in options.items():
        if name not in OPTIONS.get(path, ()):
            those = " | ".join(own for own in OPTIONS if name in OPTIONS[own])
            raise ParameterError(
                "anonymize.microaggregate.other_path", name=name, path=path or "[…]", paths=those
            )
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise ParameterError("anonymize.microaggregate.path_option", name=name, given=shown(value))


def cut_labels(X: Floats, k: int, order: npt.NDArray[np.int64], progress: Progress = SILENT) -> Labels:
    """Labels of the optimal cut of an order."""
    progress.start("cut", len(X))
    borders = optimal_cut(X[order], k, progress.update)
    return of_runs(order, np.diff(borders))


def _named_path(
    X: Floats, k: int, name: str, options: Mapping[str, int], progress: Progress
) -> npt.NDArray[np.int64]:
    match name:
        case "npn":
            return paths.npn_path(X, progress)
        case "grid":
            return paths.grid_path(X, progress, **options)
        case "quantiles":
            return paths.quantiles_path(X, progress)
        case "flexdice":
            return paths.flexdice_path(X, k, progress, **options)
        case "halving":
            return paths.halving_path(X, k, progress, **options)
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
