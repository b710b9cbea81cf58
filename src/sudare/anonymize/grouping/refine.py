"""Refinement: a partition improved by moves, never made worse, within a budget of moves or seconds.

One search serves every cost of a group: squared errors for microaggregation, the loss of a group for generalization.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sudare.anonymize.grouping.labels import numbered
from sudare.errors import CancelledError
from sudare.kernels.core.rules import no_rules
from sudare.kernels.partition.openings import open_slice
from sudare.kernels.partition.partition import fill_costs, limits_of, partition_of
from sudare.kernels.partition.rebuild import rebuild_slice
from sudare.kernels.partition.refine import anneal_slice, descend_slice, dissolve_all
from sudare.progress import SILENT
from sudare.randomness import words_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.kernels.core.rules import Rules
    from sudare.kernels.partition.covers import Covers
    from sudare.kernels.partition.partition import Partition
    from sudare.kernels.partition.squares import Squares
    from sudare.kernels.recoding.schemes import Schemes
    from sudare.progress import Progress

Effort = Literal["fast", "default", "thorough"]
"""How long a method may search."""
_HOT, _COLD = 2.0, 0.02
"""Initial temperature, in units of the root mean square of the cost of a record after descent (heavy tails need more
heat to move), and final temperature, in units of its mean."""
_PATIENCE = 5000.0
"""Moves per record that justify the full heat; with fewer, the search starts colder, or it would end disordered."""
_DISSOLVE = 0.01
"""How often a record in a group of minimum size tries to dissolve it."""
_MOVES_A_SECOND = 3e6
_SLICE = 500_000
_REBUILD_SLICE = 1000
_SPREAD = 0.7
"""How much the column weights vary when schemes are ordered for a rebuild."""
_ROUNDS = 100
_OPEN_SLICE = 2000
_OPEN_TRIES = 4
"""Number of first companions tried for each record."""
_OPEN_ROOM = 500
_LEAST_GAIN = 1e-8
"""Share of the cost, times the rows, that a sweep must gain to be repeated, at most a thousandth."""


@dataclass(frozen=True, eq=False)
class Refined:
    """A partition and whether the user stopped the search for a better one."""

    labels: Labels
    canceled: bool = False

    def finished(self) -> Labels:
        """The labels of a search that was not canceled; a release accepts no others."""
        if self.canceled:
            raise CancelledError("anonymize.canceled")
        return self.labels


@dataclass(frozen=True, eq=False)
class Budget:
    """How long to search after descent."""

    moves: int = 0
    """Number of random moves to try."""
    seconds: float | None = None
    """Time limit instead of a number of moves; results then differ from run to run."""
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Rebuilding:
    """Large steps for generalization: regions are taken apart and rebuilt by schemes."""

    schemes: Schemes
    attempts: int
    """Regions to take apart."""
    region: int
    """Approximate number of rows in a region."""


def refine(
    model: Squares | Covers,
    neighbors: npt.NDArray[np.int64],
    labels: Labels,
    smallest: int,
    *,
    budget: Budget | None = None,
    rebuilding: Rebuilding | None = None,
    openings: float = 0,
    rules: Rules | None = None,
    progress: Progress = SILENT,
) -> Refined:
    """Descend, open new groups in `openings` passes (a fraction: around the records that lose most), then anneal within the budget, then descend again.

    Every group keeps at least `smallest` records and the rules; the result never costs more than `labels`. The
    same seed gives the same result unless seconds limit the search. Canceling returns the best partition so far.
    """
    room = 0 if rebuilding is None else rebuilding.region
    search = _Search(model, neighbors, labels, smallest, rules or no_rules(), room)
    budget = budget or Budget()
    try:
        if rebuilding is not None:
            search.rebuild(rebuilding, budget.seed, progress)
        search.descend(progress)
        for number in range(math.ceil(openings)):
            search.open(budget.seed + number, progress, min(openings - number, 1.0))
            search.descend(progress)
        if budget.moves or budget.seconds:
            search.anneal(budget, progress)
            search.descend(progress)
    except CancelledError:
        return Refined(search.best(), canceled=True)
    return Refined(search.best())


class _Search:
    """The state of one refinement."""

    def __init__(
        self,
        model: Squares | Covers,
        neighbors: npt.NDArray[np.int64],
        labels: Labels,
        smallest: int,
        rules: Rules,
        room: int = 0,
    ) -> None:
        self._part = partition_of(labels, smallest, room)
        self._arguments = (model, self._part, limits_of(smallest, rules), neighbors)
        self._rows = len(labels)
        self._width = neighbors.shape[1]
        self._best_labels = labels.copy()
        self._best_cost = fill_costs(model, self._part)

    def best(self) -> Labels:
        """The best partition seen."""
        return numbered(self._best_labels)

    def descend(self, progress: Progress) -> None:
        """Repeat sweeps of improving moves until none is left."""
        step = max(1, _SLICE // (20 * self._width))
        for _ in range(_ROUNDS):
            before = self._best_cost
            progress.start("refine", self._rows)
            for start in range(0, self._rows, step):
                stop = min(start + step, self._rows)
                descend_slice(*self._arguments, start, stop)
                progress.update(stop)
            dissolve_all(*self._arguments)
            self._keep()
            if self._best_cost >= before * (1.0 - min(1e-3, _LEAST_GAIN * self._rows)):
                return

    def anneal(self, budget: Budget, progress: Progress) -> None:
        """Make random moves at a falling temperature."""
        seconds, planned = budget.seconds, budget.moves
        hot, cold = self._temperatures(planned if seconds is None else seconds * _MOVES_A_SECOND)
        words = words_from(budget.seed)
        started = time.perf_counter()
        done = 0
        progress.start("anneal", 1.0)
        while True:
            share = done / planned if seconds is None else (time.perf_counter() - started) / seconds
            if share >= 1:
                return
            size = min(_SLICE, planned - done) if seconds is None else _SLICE
            rate = size / planned if seconds is None else _share_of_slice(share, done, size)
            first, last = hot * (cold / hot) ** share, hot * (cold / hot) ** min(1.0, share + rate)
            anneal_slice(*self._arguments, words, size, first, last, _DISSOLVE)
            done += size
            self._keep()
            progress.update(min(1.0, share + rate))

    def open(self, seed: int, progress: Progress, share: float = 1.0) -> None:
        """Try to open a new group around every record that loses something, or the share of them that lose most."""
        for _ in opened(self._arguments, seed, share, progress):
            self._keep()

    def rebuild(self, rebuilding: Rebuilding, seed: int, progress: Progress) -> None:
        """Take regions apart and rebuild their groups."""
        given = rebuilding
        words = words_from(seed)
        progress.start("rebuild", given.attempts)
        for start in range(0, given.attempts, _REBUILD_SLICE):
            attempts = min(_REBUILD_SLICE, given.attempts - start)
            rebuild_slice(*self._arguments, given.schemes, words, attempts, given.region, _SPREAD)
            self._keep()
            progress.update(start + attempts)

    def _temperatures(self, moves: float) -> tuple[float, float]:
        """Initial and final temperature for about this many moves."""
        size, cost = self._part.size, self._part.cost
        mean = max(self._best_cost / self._rows, 1e-300)
        spread = max(float(np.sqrt((cost**2 / np.maximum(size, 1)).sum() / self._rows)), mean)
        cold = _COLD * mean
        patience = np.log(max(moves / self._rows, 1.0)) / np.log(_PATIENCE)
        return cold * (_HOT * spread / cold) ** min(float(patience), 1.0), cold

    def _keep(self) -> None:
        """Save the partition if it is the best so far; group totals are recomputed to avoid drift."""
        cost = fill_costs(self._arguments[0], self._part)
        if cost < self._best_cost:
            self._best_cost = cost
            self._best_labels[:] = self._part.label


def opened(
    arguments: tuple[Any, Partition, Any, Any],
    seed: int,
    share: float,
    progress: Progress,
    step: int = _OPEN_SLICE,
) -> Iterator[None]:
    """Try to open groups around the share of the records that lose most; stops after every `step` of them."""
    part = arguments[1]
    lost = (part.cost / np.maximum(part.size, 1))[part.label]
    records = np.argsort(-lost, kind="stable")[: math.ceil(share * np.count_nonzero(lost > 0))]
    words = words_from(seed)
    work = [np.empty(size * _OPEN_ROOM, dtype=np.int64) for size in (1, 1, 2)]
    progress.start("open_groups", len(records))
    for start in range(0, len(records), step):
        some = records[start : start + step]
        open_slice(*arguments, some, _OPEN_TRIES, words, *work)
        yield
        progress.update(start + len(some))


def _share_of_slice(share: float, done: int, size: int) -> float:
    """Share of the time that one slice takes, estimated from those before it."""
    return 0.05 if done == 0 else share * size / done
