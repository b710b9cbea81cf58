"""A first partition for rules on sensitive values: groups that mix the values as the table does, as many as comply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.generalize.start import FEW_ROWS, PART, spread_order
from sudare.arrays import starts_of
from sudare.kernels.core.rules import complying, scratch_for
from sudare.kernels.recoding.mixed import grow_mixed

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.core.rules import Rules
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]


def mixed_groups(model: Covers, smallest: int, rules: Rules, progress: Progress) -> Ints | None:
    """Labels of groups that comply, given that the table as a whole does; None where a part of a large table does not.

    Rows sorted by sensitive value are dealt to m groups like cards, so each value is spread as evenly as it can be; m is
    the largest number, found by bisection, for which all groups comply. Which rows of a value a group gets is then chosen
    anew, the cheapest one after the other. Skewed values, which leave no group of near rows that complies, need this.
    """
    order = spread_order(model, rules)
    values = np.unique(rules.sensitive, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
    parts = _alike_parts(order, values, 1 if len(order) <= FEW_ROWS else -(-len(order) // PART))
    counts = [_most_groups(part, values, smallest, rules) for part in parts]
    if not all(counts):
        # All rows as one part would take the square of their number.
        return None
    labels = np.empty(len(order), dtype=np.int64)
    span = np.empty((2, model.codes.shape[1]), dtype=np.int32)
    groups = 0
    progress.start("mixed_groups", len(parts))
    for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
        # Numbered within the part: a column of a million values would need a wish for each in every group.
        own, values[part] = np.unique(values[part], return_inverse=True)
        wanted = np.zeros((count, len(own)), dtype=np.int64)
        np.add.at(wanted, (np.arange(len(part)) % count, values[_by_value(part, values)]), 1)
        grow_mixed(model, part.copy(), values, wanted, labels, groups, *span)
        groups += count
        progress.update(number + 1)
    return labels


def _alike_parts(order: Ints, values: Ints, parts: int) -> list[Ints]:
    """Runs of the order, value by value, so that every part has about the same share of each."""
    dealt = _by_value(order, values)
    sizes = np.bincount(values)
    firsts = (np.cumsum(sizes) - sizes)[values[dealt]]
    part = (np.arange(len(dealt)) - firsts) * parts // sizes[values[dealt]]
    return [dealt[part == number] for number in range(parts)]


def _by_value(rows: Ints, values: Ints) -> Ints:
    return rows[np.argsort(values[rows], kind="stable")]


def _most_groups(rows: Ints, values: Ints, smallest: int, rules: Rules) -> int:
    """The most groups to which rows can be dealt by their values so that all comply; 0 where one does not."""
    dealt = _by_value(rows, values)
    scratch = scratch_for(rules)

    def comply(count: int) -> bool:
        group = np.arange(len(dealt)) % count
        starts = starts_of(np.bincount(group))
        return bool(complying(rules, scratch, dealt[np.argsort(group, kind="stable")], starts).all())

    low, high = 0, len(rows) // smallest + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if comply(middle) else (low, middle)
    return low
