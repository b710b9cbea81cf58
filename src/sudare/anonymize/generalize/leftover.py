"""Rows that no scheme could take: each joins the group where it costs least, or whole groups are merged with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.grouping.labels import ranked
from sudare.kernels.core.rules import complying, rows_by_label, scratch_for
from sudare.kernels.recoding.attach import attach_rows, cheapest_union

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.core.rules import Rules
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

_SLICE = 200


def attach(model: Covers, labels: Ints, smallest: int, rules: Rules, progress: Progress) -> Ints:
    """Labels without any -1. A row joins a group only if the group then still complies.

    Rows that no group can take form one group, which is merged with others, cheapest first, until it complies; the
    union of all rows complies if anything does.
    """
    labels = labels.copy()
    groups, left = int(labels.max()) + 1, np.flatnonzero(labels < 0)
    if not len(left):
        return labels
    if groups == 0:
        return np.zeros(len(labels), dtype=np.int64)
    scratch = scratch_for(rules)
    refused: list[int] = []
    progress.start("place_rows", len(left))
    for start in range(0, len(left), _SLICE):
        part = left[start : start + _SLICE]
        attach_rows(model, labels, groups, part, rules, scratch)
        refused += [int(row) for row in part if labels[row] < 0]
        progress.update(start + len(part))
    if refused:
        labels[refused] = groups
        cheapest_union(model, labels, groups + 1, groups, smallest, rules, scratch)
    return labels


def merged_to_comply(model: Covers, labels: Ints, smallest: int, rules: Rules) -> Ints:
    """Each group that does not comply is merged with others, cheapest first; the same labels if all comply."""
    scratch = scratch_for(rules)
    while True:
        groups = int(labels.max()) + 1
        broken = np.flatnonzero(~complying(rules, scratch, *rows_by_label(labels, groups)))
        if not len(broken) or groups == 1:
            return labels
        labels = labels.copy()
        cheapest_union(model, labels, groups, int(broken[0]), smallest, rules, scratch)
        labels = ranked(labels)
