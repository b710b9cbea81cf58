"""Parts of a large table in which groups are searched independently: rows that are near each other.

The table is cut in two again and again, down to parts of thousands of rows, between values that are far apart in their
hierarchy: few groups would contain both. No group contains rows of two parts, so a cut must not separate what groups
need from each other either: rows with different sensitive values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.anonymize.generalize.mixed import alike_parts, by_value, most_groups, values_of
from sudare.anonymize.generalize.records import with_slots
from sudare.anonymize.generalize.start import spread_order
from sudare.kernels.core.rules import rules_of, satisfied, scratch_for
from sudare.kernels.partition.covers import LINE, PAIRS, SET

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.kernels.core.rules import Rules
    from sudare.kernels.partition.covers import Covers

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

_EVEN, _UNEVEN = 0.25, 0.02
"""The smaller side of a cut has at least the first share of the rows, or the second if no column allows the first."""
_FEWEST = 100
"""Groups of minimum size that a part has room for, at least."""
_SAMPLED = 4000
"""How many rows are dealt to groups, to find out how many groups the rows of a part allow."""
_KEPT = 0.9
"""A cut must keep at least this share of the groups that the rows allow."""


class _Cut(NamedTuple):
    """A place where the values of a column are cut in two."""

    column: int
    first: int
    """The lowest number on the upper side."""
    gap: float
    """What a group of the two values next to the cut costs: the more, the fewer groups would contain both."""
    share: float
    """Share of the rows on the smaller side."""
    values: int
    """Number of values of the column in these rows."""


def parts_of(model: Covers, rules: Rules, smallest: int, largest: int) -> list[Ints]:
    """The rows of each part, ascending; every row is in one part, and every part as one group complies with the rules.

    A part has at most `largest` rows, unless it can only be cut where a side would not comply or its rows are all equal.
    The same table is always cut in the same way.
    """
    sensitive = values_of(rules) if len(rules.kind) else None
    largest = max(largest, _FEWEST * smallest)
    stack, parts = [np.arange(len(model.codes), dtype=np.int64)], []
    while stack:
        rows = stack.pop()
        halves = None
        if len(rows) > largest:
            halves = _halves(model, rules, smallest, rows, sensitive)
            if halves is None and sensitive is not None:
                halves = _alike(model, rules, smallest, rows, sensitive, largest)
        if halves is None:
            parts.append(rows)
        else:
            stack += reversed(halves)
    return parts


def _halves(
    model: Covers, rules: Rules, smallest: int, rows: Ints, sensitive: Ints | None
) -> list[Ints] | None:
    """The two sides of the first cut that may be made; None if there is none."""
    even, least = (max(share, smallest / len(rows)) for share in (_EVEN, _UNEVEN))
    found = [_cut_of(model, column, rows, even) for column in range(model.codes.shape[1])]
    cuts = [cut for cut in found if cut is not None and cut.share >= least]
    chosen = sorted((cut for cut in cuts if cut.share >= even), key=lambda cut: (-cut.gap, cut.values))
    chosen += sorted((cut for cut in cuts if cut.share < even), key=lambda cut: -cut.share)
    allowed = 0.0 if sensitive is None else _groups_allowed(rules, smallest, rows, sensitive)
    for cut in chosen:
        lower = model.codes[rows, cut.column] < cut.first
        halves = [rows[lower], rows[~lower]]
        if sensitive is None or _may_be_parts(rules, smallest, halves, sensitive, allowed):
            return halves
    return None


def _cut_of(model: Covers, column: int, rows: Ints, least: float) -> _Cut | None:
    """The best cut of a column: of those with at least this share on either side, the one between values that are farthest apart."""
    codes = model.codes[rows, column]
    lowest = int(codes.min())
    counts = np.bincount(codes - lowest)
    values = np.flatnonzero(counts)
    if len(values) < 2:
        return None
    below = np.cumsum(counts[values])[:-1]
    shares = np.minimum(below, len(rows) - below) / len(rows)
    values += lowest
    is_line = model.mode[column] == LINE
    # An interval has no borders of its own: what matters is how wide the values lie.
    gaps = (
        np.repeat(_costs(model, column, values[:1], values[-1:]) / 2, len(below))
        if is_line
        else _costs(model, column, values[:-1], values[1:])
    )
    even = shares >= least
    # Where several borders are as high, the most even cut.
    best = np.lexsort((shares, np.where(even, gaps, 0.0), even))[-1]
    return _Cut(column, int(values[best + 1]), float(gaps[best]), float(shares[best]), len(values))


def _costs(model: Covers, column: int, low: Ints, high: Ints) -> Floats:
    """What it costs to cover the numbers low … high, low < high (sets: two values)."""
    table, start, mode = model.table[model.start[column] :], int(model.start[column]), model.mode[column]
    if mode == SET:
        return np.full(len(low), table[2])
    if mode == PAIRS:
        return np.asarray(table[low * model.width[column] + high])
    if mode == LINE:
        return np.where(low < 0, model.whole[column], table[high] - table[np.maximum(low, 0)])
    node = low.copy()
    while True:
        outside = model.last[start + node] <= high
        if not outside.any():
            return np.asarray(table[node])
        node = np.where(outside, model.parent[start + node], node)


def _may_be_parts(rules: Rules, smallest: int, parts: list[Ints], sensitive: Ints, allowed: float) -> bool:
    """Whether all comply as groups, and allow nearly as many groups as before."""
    scratch = scratch_for(rules)
    if not all(satisfied(rules, scratch, rows, 0, len(rows)) for rows in parts):
        return False
    kept = sum(_groups_allowed(rules, smallest, rows, sensitive) for rows in parts)
    return kept >= _KEPT * allowed


def _groups_allowed(rules: Rules, smallest: int, rows: Ints, sensitive: Ints) -> float:
    """To how many groups the rows can be dealt by value so that all comply; from a sample if there are many."""
    dealt = by_value(rows, sensitive)
    step = max(len(rows) // _SAMPLED, 1)
    sample = dealt[step // 2 :: step]
    return most_groups(sample, sensitive, smallest, rules) * len(rows) / len(sample)


def _alike(
    model: Covers, rules: Rules, smallest: int, rows: Ints, sensitive: Ints, largest: int
) -> list[Ints] | None:
    """Parts with the same share of each sensitive value, near rows only among those of one value."""
    own = rules_of(rules, rows)
    order = rows[spread_order(with_slots(model, rows, 1), own)]
    parts = alike_parts(order, sensitive, -(-len(rows) // largest))
    allowed = _groups_allowed(rules, smallest, rows, sensitive)
    return (
        [np.sort(part) for part in parts]
        if _may_be_parts(rules, smallest, parts, sensitive, allowed)
        else None
    )
