"""Records left out because they cost the others of their group more than themselves: a group without a size.

A record that is left out counts as fully generalized, so its cost is 1. That group has no rules to meet, but room for a
given number of records. Who leaves is decided by the same moves as who is in which group: a record leaves alone or
while its group is dissolved, it comes back, or changes places with one that stays. All pay a *rent* beyond the 1, the
Lagrange multiplier of the room: it starts where few want to leave and falls until the room is full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.generalize.exchange import Leaving
from sudare.anonymize.generalize.records import with_slots
from sudare.anonymize.grouping.refine import opened
from sudare.kernels.partition.finish import outlier_gains
from sudare.kernels.partition.partition import CLOCK, FIRST_EMPTY, fill_costs, limits_of, partition_of
from sudare.kernels.partition.refine import descend_slice, dissolve_all

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.core.rules import Rules
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

_OUT = 0
"""The slot of the records that are left out."""
_RENTS = (2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.2, 0.1, 0.0)
"""The rents, in units of the first guess."""
_AGAIN = (1.5, 1.0, 0.7, 0.5, 0.25, 0.0)
"""The rents after the room was full, in units of the rent then: those that save least come back, and others leave."""
_SWEEPS, _LEAST_GAIN = 20, 1e-6
_MOST_ROOM = 100_000_000
"""Maximum number of places for members, over all groups: four bytes each."""
_SLICE = 5000


def leaving_of(model: Covers, labels: Ints, most: int, smallest: int) -> Leaving:
    """That `most` records may leave; the first rent is what the last to find room saves if one of each group leaves."""
    part = partition_of(labels, smallest)
    gains = outlier_gains(with_slots(model, slice(None), len(part.size)), part)
    best = np.zeros(len(part.size))
    np.maximum.at(best, labels, gains)
    best = -np.sort(-best)
    return Leaving(most, float(best[min(most, len(best)) - 1]))


def total_cost(model: Covers, labels: Ints, smallest: int) -> float:
    """Total cost of groups, and 1 for each record that is left out (label -1)."""
    kept = np.flatnonzero(labels >= 0)
    if not len(kept):
        return float(len(labels))
    part = partition_of(labels[kept], smallest)
    return float(fill_costs(with_slots(model, kept, len(part.size)), part)) + len(labels) - len(kept)


def left_out(
    model: Covers,
    near: Ints,
    labels: Ints,
    smallest: int,
    rules: Rules,
    leaving: Leaving,
    openings: float,
    seed: int,
    progress: Progress,
) -> Ints:
    """Labels that cost no more, with -1 for at most `leaving.most` records; labels given as -1 may come back."""
    groups = int(labels.max()) + 2
    slots = max(groups, len(labels) // smallest) + 1
    most = min(leaving.most, max(_MOST_ROOM // slots, int((labels < 0).sum()), 1))
    search = _Search(model, near, labels, smallest, rules, most, progress)
    guess = leaving.rent
    if guess <= 0.0:
        rents = [0.5, 0.0]
    else:
        rents = [guess * share for share in _RENTS]
    full = search.auction(rents)
    if openings:
        search.open(seed, openings)
    if full is not None:
        search.auction([full * share for share in _AGAIN])
    return search.best


class _Search:
    """A partition with a group of records that are left out, and the best one so far."""

    def __init__(
        self,
        model: Covers,
        near: Ints,
        labels: Ints,
        smallest: int,
        rules: Rules,
        most: int,
        progress: Progress,
    ) -> None:
        self.best = labels.copy()
        self._part = partition_of(labels + 1, smallest, most + 2)
        self._part.counters[FIRST_EMPTY] = 1
        self._model = with_slots(model, slice(None), len(self._part.size))._replace(out=_OUT, most=most)
        self._limits, self._near, self._progress = limits_of(smallest, rules), near, progress
        self._cost = self._total()

    @property
    def _is_full(self) -> bool:
        return bool(self._part.size[_OUT] >= self._model.most)

    def auction(self, rents: list[float]) -> float | None:
        """Descend at falling rents; returns the rent at which the room was full first, if it ever was."""
        full = None
        for number, rent in enumerate(rents):
            self._model = self._model._replace(price=1.0 + rent)
            # Only what leaving costs has changed.
            self._part.counters[CLOCK] += 1
            self._part.changed[_OUT] = self._part.counters[CLOCK]
            self._descend()
            if self._is_full and number:
                full = max(rent, 0.01)
                break
        self._model = self._model._replace(price=1.0)
        self._descend()
        return full

    def open(self, seed: int, share: float) -> None:
        """Try to open groups around the records that lose most."""
        fill_costs(self._model, self._part)
        arguments = (self._model, self._part, self._limits, self._near)
        for _ in opened(arguments, seed, share, self._progress, _SLICE):
            pass
        self._keep()
        self._descend()

    def _descend(self) -> None:
        rows = len(self._part.label)
        now = float(fill_costs(self._model, self._part))
        arguments = (self._model, self._part, self._limits, self._near)
        self._progress.start("suppress_records", rows)
        for _ in range(_SWEEPS):
            before = now
            for start in range(0, rows, _SLICE):
                stop = min(start + _SLICE, rows)
                descend_slice(*arguments, start, stop)
                self._progress.update(stop)
            dissolve_all(*arguments)
            now = float(fill_costs(self._model, self._part))
            if now >= before * (1.0 - _LEAST_GAIN):
                break
        self._keep()

    def _total(self) -> float:
        """The cost without the rent; totals are recomputed to avoid drift."""
        rented = fill_costs(self._model, self._part)
        return float(rented) - (self._model.price - 1.0) * float(self._part.size[_OUT])

    def _keep(self) -> None:
        cost = self._total()
        if cost < self._cost:
            self._cost = cost
            self.best = self._part.label - 1
