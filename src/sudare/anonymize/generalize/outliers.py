"""Rows left out because they cost the other rows of their group more than the information they contribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.generalize.records import with_slots
from sudare.anonymize.grouping.recode import allowed_rows
from sudare.kernels.partition.finish import outlier_gains
from sudare.kernels.partition.partition import fill_costs, partition_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.partition.covers import Covers

    Ints = npt.NDArray[np.int64]


def outliers(model: Covers, labels: Ints, share: float) -> Ints:
    """At most `share` of the rows: those whose groups would save most without them, at most one per group.

    A row that is left out counts as fully generalized (cost 1), so it must save its group more than that.
    """
    part = partition_of(labels, 1)
    gains = outlier_gains(with_slots(model, slice(None), len(part.size)), part)
    order = np.argsort(-gains, kind="stable")
    order = order[gains[order] > 0]
    _, firsts = np.unique(labels[order], return_index=True)
    chosen: Ints = order[np.sort(firsts)][: allowed_rows(share, len(labels))]
    return chosen


def cost_of_groups(model: Covers, rows: Ints, labels: Ints) -> float:
    """Total cost of these rows in these groups."""
    part = partition_of(labels, 1)
    return float(fill_costs(with_slots(model, rows, len(part.size)), part))
