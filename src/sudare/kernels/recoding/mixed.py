"""Groups of prescribed mixtures: each takes a given number of records of every sensitive value, at the lowest cost."""

from __future__ import annotations

from sudare.kernels.core.jit import lean
from sudare.kernels.recoding.members import begin, cheapest, widen


@lean
def grow_mixed(model, rows, values, wanted, labels, first, low, high):
    """Form a group for each line of `wanted`, numbered from `first`; together the lines want every row once.

    `wanted[g, v]` records of value v go to group g (counted down to 0). A group starts with the row farthest from the
    start of the previous group. `rows` is reordered, `low` and `high` have room for one number per column. No column
    may be a free set. O(rows² columns).
    """
    left = len(rows)
    seed = rows[0]
    for group in range(len(wanted)):
        size = wanted[group].sum()
        place = begin(model, rows, left, seed, values, wanted[group], low, high)
        seed = rows[place]
        for _ in range(size):
            record = rows[place]
            labels[record] = first + group
            wanted[group, values[record]] -= 1
            left -= 1
            rows[place], rows[left] = rows[left], record
            widen(model, record, low, high)
            place = cheapest(model, rows, left, low, high, values, wanted[group])
