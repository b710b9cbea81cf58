"""Refinement: a partition made better by moves, never worse, within a budget of moves or seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

from sudare.anonymize.microaggregate.arrays import Floats, Labels, numbered
from sudare.errors import CancelledError
from sudare.kernels.costs import squares_model
from sudare.kernels.refine import (
    Limits,
    anneal_slice,
    descend_slice,
    dissolve_all,
    fill_costs,
    partition_of,
)
from sudare.kernels.rules import Rules, no_rules, scratch_for
from sudare.progress import SILENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.progress import Progress

NEIGHBORS = 20
"""Nearest records whose groups a record may move to."""
_HOT, _COLD = 2.0, 0.05
"""First and last temperature, in units of the mean squared error of a record after descent."""
_DISSOLVE = 0.1
"""How often a record of a smallest group tries to dissolve it."""
_SLICE = 500_000
_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Refined:
    """A partition and whether the user stopped the search for a better one."""

    labels: Labels
    canceled: bool = False


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
    """Descend, then anneal for `moves` random moves (or as many as fit into `seconds`), then descend again.

    Every group keeps at least k records and the rules; the result never costs more than `labels`. The same seed
    gives the same result unless `seconds` limits the search. Canceling gives the best partition found so far.
    """
    search = _Search(X, labels, k, rules)
    try:
        search.descend(progress)
        if moves or seconds:
            search.anneal(moves, seconds, seed, progress)
            search.descend(progress)
    except CancelledError:
        return Refined(search.best(), canceled=True)
    return Refined(search.best())


class _Search:
    """The state of one refinement."""

    def __init__(self, X: Floats, labels: Labels, k: int, rules: Rules | None) -> None:
        self._part = partition_of(labels, k)
        self._model = squares_model(X, len(self._part.size))
        self._rules = no_rules() if rules is None else rules
        self._scratch = scratch_for(self._rules)
        self._limits = Limits(k, 2 * k, rules is not None)
        self._neighbors = _neighbors(X)
        self._rows = len(X)
        self._squares = float((self._model.X * self._model.X).sum())
        self._best_labels = labels.copy()
        self._best_cost = fill_costs(self._model, self._part)

    def best(self) -> Labels:
        """The best partition seen."""
        return numbered(self._best_labels)

    def descend(self, progress: Progress) -> None:
        """Sweeps of improving moves until none is left."""
        step = max(1, _SLICE // (20 * NEIGHBORS))
        for _ in range(_ROUNDS):
            gained = 0.0
            progress.start("refine", self._rows)
            for start in range(0, self._rows, step):
                stop = min(start + step, self._rows)
                gained += descend_slice(*self._arguments, start, stop)
                progress.update(stop)
            gained += dissolve_all(*self._arguments)
            self._keep()
            if gained > -1e-9 * max(1.0, self._squares + self._best_cost):
                return

    def anneal(self, moves: int, seconds: float | None, seed: int, progress: Progress) -> None:
        """Random moves under a falling temperature."""
        unit = max((self._squares + self._best_cost) / self._rows, 1e-300)
        # Any odd multiplier spreads small seeds over the 64 bits; 0 is the one word the generator cannot leave.
        words = np.array([(seed * 0x9E3779B97F4A7C15 + 88172645463325252) % 2**64 or 1], dtype=np.uint64)
        started = time.perf_counter()
        done, planned = 0, moves
        progress.start("anneal", 1.0)
        while True:
            share = done / planned if seconds is None else (time.perf_counter() - started) / seconds
            if share >= 1:
                return
            size = min(_SLICE, planned - done) if seconds is None else _SLICE
            rate = size / planned if seconds is None else self._share_of_slice(started, seconds, done, size)
            hot = unit * _HOT * (_COLD / _HOT) ** share
            cold = unit * _HOT * (_COLD / _HOT) ** min(1.0, share + rate)
            anneal_slice(*self._arguments, words, size, hot, cold, _DISSOLVE)
            done += size
            self._keep()
            progress.update(min(1.0, share + rate))

    @property
    def _arguments(self) -> tuple[object, ...]:
        return self._model, self._part, self._limits, self._rules, self._scratch, self._neighbors

    @staticmethod
    def _share_of_slice(started: float, seconds: float, done: int, size: int) -> float:
        """How much of the time one slice takes, judged by those before it."""
        return 0.05 if done == 0 else (time.perf_counter() - started) / seconds * size / done

    def _keep(self) -> None:
        """Remember the partition if it is the best so far; sums are computed anew against drift."""
        cost = fill_costs(self._model, self._part)
        if cost < self._best_cost:
            self._best_cost = cost
            self._best_labels[:] = self._part.label


def _neighbors(X: Floats) -> npt.NDArray[np.int64]:
    count = min(NEIGHBORS, len(X) - 1)
    if count < 1:
        return np.zeros((len(X), 1), dtype=np.int64)
    _, near = KDTree(X).query(X, count + 1, workers=-1)
    return np.ascontiguousarray(near[:, 1:], dtype=np.int64)
