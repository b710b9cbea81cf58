"""Refinement of groups of points: the search of `sudare.anonymize.search` on squared errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.search import Budget, Refined, refine
from sudare.kernels.squares import squares_model
from sudare.progress import SILENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.microaggregate.arrays import Floats, Labels
    from sudare.kernels.rules import Rules
    from sudare.progress import Progress

NEIGHBORS = 20
"""Nearest records whose groups a record may move to."""


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
    """Labels of no greater SSE: descent, then annealing for `moves` or `seconds`; groups keep k and the rules."""
    # No group is ever split off beyond one for every k records; one slot stays free for a split under way.
    model = squares_model(X, max(int(labels.max()) + 1, len(X) // k) + 1)
    budget = Budget(moves, seconds, seed)
    return refine(model, _neighbors(X), labels, k, budget=budget, rules=rules, progress=progress)


def _neighbors(X: Floats) -> npt.NDArray[np.int64]:
    from scipy.spatial import KDTree

    count = min(NEIGHBORS, len(X) - 1)
    if count < 1:
        return np.zeros((len(X), 1), dtype=np.int64)
    _, near = KDTree(X).query(X, count + 1, workers=-1)
    return np.ascontiguousarray(near[:, 1:], dtype=np.int64)
