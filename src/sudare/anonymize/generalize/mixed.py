"""A first partition for rules on sensitive values: as many compliant groups as possible, mixed like the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.generalize.prices import losses_of
from sudare.anonymize.generalize.records import with_slots
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
    Floats = npt.NDArray[np.float64]

_FAR = 1.5
"""How many times the loss of rival groups shows that mixed groups cannot become better than they."""


def mixed_groups(
    model: Covers, smallest: int, rules: Rules, progress: Progress, rival: Floats | None = None
) -> Ints | None:
    """Labels of compliant groups, given that the whole table complies; None if a part of a large table does not.

    With the loss of each row in `rival` groups, also None if the groups of the first of several parts lose far more.

    Rows sorted by sensitive value are dealt to m groups like cards, so each value is spread as evenly as possible; m is
    the largest number, found by bisection, for which all groups comply. Then the rows of each value that a group gets
    are chosen again, the cheapest one after the other. Skewed values need this: no group of near rows complies.
    """
    order = spread_order(model, rules)
    values = values_of(rules)
    parts = alike_parts(order, values, 1 if len(order) <= FEW_ROWS else -(-len(order) // PART))
    counts = [most_groups(part, values, smallest, rules) for part in parts]
    if not all(counts):
        # With all rows as one part, the time would be quadratic.
        return None
    labels = np.empty(len(order), dtype=np.int64)
    span = np.empty((2, model.codes.shape[1]), dtype=np.int32)
    groups = 0
    progress.start("mixed_groups", len(parts))
    for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
        # Numbered within the part: otherwise a column of a million values would need a wish for each in every group.
        own, values[part] = np.unique(values[part], return_inverse=True)
        wanted = np.zeros((count, len(own)), dtype=np.int64)
        np.add.at(wanted, (np.arange(len(part)) % count, values[by_value(part, values)]), 1)
        grow_mixed(model, part.copy(), values, wanted, labels, groups, *span)
        groups += count
        progress.update(number + 1)
        if number == 0 and len(parts) > 1 and rival is not None:
            lost, _ = losses_of(with_slots(model, part, 1), labels[part], smallest)
            if lost[labels[part]].sum() > _FAR * rival[part].sum():
                return None
    return labels


def values_of(rules: Rules) -> Ints:
    """One number for each combination of sensitive values, in their order."""
    if len(rules.sensitive) == 1:  # much faster than by the axis
        return np.unique(rules.sensitive[0], return_inverse=True)[1].astype(np.int64)
    return np.unique(rules.sensitive, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)


def alike_parts(order: Ints, values: Ints, parts: int) -> list[Ints]:
    """Runs of the order, taken value by value, so that every part has about the same share of each."""
    dealt = by_value(order, values)
    sizes = np.bincount(values[order])
    firsts = (np.cumsum(sizes) - sizes)[values[dealt]]
    part = (np.arange(len(dealt)) - firsts) * parts // sizes[values[dealt]]
    return [dealt[part == number] for number in range(parts)]


def by_value(rows: Ints, values: Ints) -> Ints:
    """The rows sorted by their values."""
    return rows[np.argsort(values[rows], kind="stable")]


def most_groups(rows: Ints, values: Ints, smallest: int, rules: Rules) -> int:
    """Maximum number of groups to which rows can be dealt by value so that all comply; 0 if even one group does not."""
    dealt = by_value(rows, values)
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
