"""Exchange of boxes: improves groups chosen by prices, region by region (see `sudare.kernels.recoding.exchange`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.anonymize.generalize.prices import losses_of, worthy
from sudare.anonymize.grouping.labels import ranked
from sudare.kernels.recoding.exchange import exchange
from sudare.kernels.recoding.regions import Listed, boxes_of_rows, chained

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.generalize.prices import Priced
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

_SLICES, _SLICES_LEAVING = 20, 60
"""Number of steps in which the temperature falls; more if records may leave, because the rent changes in the same steps."""
_RISE, _FALL, _LEAST_RENT = 1.1, 0.85, 0.01
"""How the rent changes from step to step, and what counts as nothing."""


class Leaving(NamedTuple):
    """How many records may be left out, and what that costs beyond 1 at first.

    The rent is the Lagrange multiplier of the constraint that at most so many are left out: with the right rent, those
    leave that save most.
    """

    most: int
    rent: float


ALL_STAY = Leaving(0, 0.0)


class Regions(NamedTuple):
    """How many regions are formed anew, how large, and how freely."""

    attempts: int
    largest: int
    """Records of the largest of them, about."""
    heat: float
    """First temperature in units of the mean loss of a region's records; the last one is 0."""
    words: npt.NDArray[np.uint64]
    """Random words."""


def exchanged(
    model: Covers,
    priced: Priced,
    labels: Ints,
    smallest: int,
    regions: Regions,
    progress: Progress,
    leaving: Leaving = ALL_STAY,
) -> Ints:
    """Labels that lose no more: regions of their groups formed anew by the boxes that were looked for.

    Records may be left out (label -1) if `leaving` allows it; they cost 1 each.
    """
    attempts, prices = regions.attempts, priced.prices
    best_labels = ranked(labels)
    lost, sizes = losses_of(model, best_labels, smallest)
    rows = len(labels)
    total = best = float(lost[best_labels].sum())
    out, rent = -1, leaving.rent
    if leaving.most:
        out, lost, sizes = len(sizes), np.append(lost, 1.0 + rent), np.append(sizes, 0)
    starts, listed_rows, costs, _ = worthy(priced.boxes, prices, smallest, priced.hope)
    listed = Listed(starts, listed_rows, costs, *boxes_of_rows(starts, listed_rows, rows))
    groups = chained(listed, best_labels.copy(), sizes, lost, out)
    local = prices.copy()
    progress.start("exchange_boxes", attempts)
    size = max(attempts // (_SLICES if out < 0 else _SLICES_LEAVING), 1)
    for start in range(0, attempts, size):
        temperature = regions.heat * (1.0 - start / max(attempts - size, 1))
        total += exchange(
            listed,
            groups,
            prices,
            local,
            smallest,
            min(size, attempts - start),
            regions.largest,
            max(temperature, 0.0),
            regions.words,
            leaving.most,
        )
        reached = total
        if out >= 0:
            # The rent is what another record would save by leaving: it rises while no more may leave.
            reached = total - rent * groups.size[out]
            rent = _next_rent(rent, int(groups.size[out]) < leaving.most)
            total = reached + rent * groups.size[out]
            groups.cost[out] = 1.0 + rent
        if reached < best:
            best = reached
            best_labels[:] = groups.label
        progress.update(min(start + size, attempts))
    if out < 0:
        return ranked(best_labels)
    kept = best_labels != out
    best_labels[kept] = ranked(best_labels[kept])
    best_labels[~kept] = -1
    return best_labels


def _next_rent(rent: float, has_room: bool) -> float:
    if not has_room:
        return max(rent, _LEAST_RENT) * _RISE
    return rent * _FALL if rent > _LEAST_RENT else 0.0
