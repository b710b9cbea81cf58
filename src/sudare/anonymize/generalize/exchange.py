"""Exchange of boxes: improves groups chosen by prices, region by region (see `sudare.kernels.recoding.exchange`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sudare.anonymize.generalize.prices import losses_of, worthy
from sudare.anonymize.grouping.labels import ranked
from sudare.kernels.recoding.exchange import exchange
from sudare.kernels.recoding.regions import Listed, boxes_of_rows, chained

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sudare.anonymize.generalize.prices import Priced
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

_SLICES = 20
"""Number of steps in which the temperature falls."""


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
    model: Covers, priced: Priced, labels: Ints, smallest: int, regions: Regions, progress: Progress
) -> Ints:
    """Labels that lose no more: regions of their groups formed anew by the boxes that were looked for."""
    attempts, prices = regions.attempts, priced.prices
    best_labels = ranked(labels)
    lost, sizes = losses_of(model, best_labels, smallest)
    rows = len(labels)
    total = best = float(lost[best_labels].sum())
    starts, listed_rows, costs, _ = worthy(priced.boxes, prices, smallest, priced.hope)
    listed = Listed(starts, listed_rows, costs, *boxes_of_rows(starts, listed_rows, rows))
    groups = chained(listed, best_labels.copy(), sizes, lost)
    local = prices.copy()
    progress.start("exchange_boxes", attempts)
    size = max(attempts // _SLICES, 1)
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
        )
        if total < best:
            best = total
            best_labels[:] = groups.label
        progress.update(min(start + size, attempts))
    return ranked(best_labels)
