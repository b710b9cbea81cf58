"""The best partition for a given effort: a start chosen by size, then refinement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from sudare.anonymize.grouping.refine import Budget, Effort, Refined, refine
from sudare.anonymize.microaggregate.arrays import Floats, checked
from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.mhm import mhm
from sudare.anonymize.microaggregate.one_column import optimal_1d
from sudare.errors import ParameterError, did_you_mean, shown
from sudare.kernels.partition.squares import squares_model
from sudare.progress import SILENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.kernels.core.rules import Rules
    from sudare.progress import Progress

_MOVES = {"fast": 0, "default": 40_000_000, "thorough": 160_000_000}
_LARGEST_MDAV = 300_000
_WIDEST_MDAV = 5
_CACHED = 30_000
"""Up to so many records their order in memory matters little."""
_NEIGHBORS = 20
"""Number of nearest records whose groups a record may move to."""


def best(
    X: Any,
    k: int,
    effort: Effort = "default",
    seconds: float | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Labels:
    """Labels of a partition with low SSE: the optimum for one column, otherwise a start refined by moves.

    `fast` only descends; `default` and `thorough` anneal, up to a fixed number of moves or for `seconds`.
    Canceling returns the best partition found so far.
    """
    return search(checked(X, k), k, effort, seconds, seed=seed, progress=progress or SILENT).labels


def search(
    X: Floats,
    k: int,
    effort: Effort,
    seconds: float | None,
    *,
    seed: int = 0,
    progress: Progress = SILENT,
    rules: Rules | None = None,
    start: Labels | None = None,
) -> Refined:
    """Like `best`, for records already checked, with rules for groups and optionally a given start."""
    if effort not in get_args(Effort):
        raise ParameterError(
            "anonymize.microaggregate.effort",
            given=shown(effort),
            hint=did_you_mean(str(effort), get_args(Effort)),
        )
    if seconds is not None and not seconds > 0:
        raise ParameterError("anonymize.microaggregate.search_seconds", given=shown(seconds))
    if X.shape[1] == 1 and rules is None:
        return Refined(optimal_1d(X[:, 0], k, progress=progress))
    moves = 0 if seconds is not None else _MOVES[effort]
    if start is None and rules is None and len(X) > _CACHED:
        # Records that are near each other lie near each other in memory, where the processor has both at hand.
        order = _kd_order(X)
        near = X[order]
        found = refined(
            near,
            first_partition(near, k, progress),
            k,
            moves=moves,
            seconds=seconds,
            seed=seed,
            progress=progress,
        )
        labels = np.empty_like(found.labels)
        labels[order] = found.labels
        return replace(found, labels=labels)
    first = first_partition(X, k, progress) if start is None else start
    return refined(X, first, k, moves=moves, seconds=seconds, seed=seed, rules=rules, progress=progress)


def first_partition(X: Floats, k: int, progress: Progress = SILENT) -> Labels:
    """MDAV where it is fast, otherwise the optimal cut of the halving path, which loses less than other fast ones."""
    if len(X) <= _LARGEST_MDAV or X.shape[1] <= _WIDEST_MDAV:
        return mdav(X, k, progress=progress)
    return mhm(X, k, path="halving", progress=progress)


def refined(
    X: Floats,
    labels: Labels,
    k: int,
    *,
    moves: int = 0,
    seconds: float | None = None,
    seed: int = 0,
    rules: Rules | None = None,
    progress: Progress = SILENT,
) -> Refined:
    """Labels with an SSE at most as large, found by descent, then annealing for `moves` or `seconds`.

    The engine is `sudare.anonymize.grouping.refine`; groups keep k and the rules.
    """
    # Splits never make more than one group for every k records; one slot stays free for a split in progress.
    model = squares_model(X, max(int(labels.max()) + 1, len(X) // k) + 1)
    budget = Budget(moves, seconds, seed)
    return refine(model, _neighbors(X), labels, k, budget=budget, rules=rules, progress=progress)


def _kd_order(X: Floats) -> npt.NDArray[np.int64]:
    """Records in the order of the leaves of a kd tree."""
    from scipy.spatial import KDTree

    order: npt.NDArray[np.int64] = KDTree(X).indices
    return order


def _neighbors(X: Floats) -> npt.NDArray[np.int64]:
    from scipy.spatial import KDTree

    count = min(_NEIGHBORS, len(X) - 1)
    if count < 1:
        return np.zeros((len(X), 1), dtype=np.int64)
    _, near = KDTree(X).query(X, count + 1, workers=-1)
    return np.ascontiguousarray(near[:, 1:], dtype=np.int64)
