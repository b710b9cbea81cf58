"""The end of a search: split groups until no split is possible, and find the rows that are most costly for others."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.rules import satisfied
from sudare.kernels.partition.costs import cost_of, cost_without, refresh
from sudare.kernels.partition.covers import SET, column_cost


@kernel
def split_group(model, rows, count, smallest, rules, scratch, chosen):
    """Mark in `chosen` a part of rows[:count] that can be its own, less generalized group; False if there is none.

    A part is generalized less on a column if it lacks what the whole group needs there: all rows that are nearer
    to some row than the group is wide (under one child of the group's node; short of one end of its interval;
    without one value of its set). If the rest then breaks a rule, rows of the part are moved to it one by one as
    long as the part satisfies the rules. Both parts comply.
    """
    if count < 2 * smallest:
        return False
    codes, modes = model.codes, model.mode
    first, second = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for column in range(codes.shape[1]):
        low = high = codes[rows[0], column]
        for index in range(1, count):
            low, high = min(low, codes[rows[index], column]), max(high, codes[rows[index], column])
        if low == high:
            continue
        whole = column_cost(model, column, low, high) if modes[column] != SET else 0.0
        for anchor in range(count):
            mine = codes[rows[anchor], column]
            repeated = False
            for earlier in range(anchor):
                repeated = repeated or codes[rows[earlier], column] == mine
            if repeated:
                continue
            inside = 0
            for index in range(count):
                code = codes[rows[index], column]
                if modes[column] == SET:
                    chosen[index] = code != mine
                else:
                    chosen[index] = column_cost(model, column, min(code, mine), max(code, mine)) < whole
                inside += chosen[index]
            # Rows nearer to the anchor than the group is wide can together still be as wide: the middle of an interval.
            if (
                inside < smallest
                or inside == count
                or not _narrower(model, rows, count, chosen, column, whole)
            ):
                continue
            if _mended(rows, count, smallest, rules, scratch, chosen, first, second):
                return True
    return False


@kernel
def _narrower(model, rows, count, chosen, column, whole):
    if model.mode[column] == SET:
        return True
    low, high = np.int32(2147483647), np.int32(-2147483648)
    for index in range(count):
        if chosen[index]:
            code = model.codes[rows[index], column]
            low, high = min(low, code), max(high, code)
    return column_cost(model, column, low, high) < whole


@kernel
def _mended(rows, count, smallest, rules, scratch, chosen, first, second):
    """Whether both parts comply, after moving rows from the first to the second if needed."""
    if not _complies(rows, count, chosen, True, smallest, rules, scratch, first):
        return False
    for index in range(count):
        if _complies(rows, count, chosen, False, smallest, rules, scratch, second):
            return True
        if chosen[index]:
            chosen[index] = False
            if not _complies(rows, count, chosen, True, smallest, rules, scratch, first):
                chosen[index] = True
    return _complies(rows, count, chosen, False, smallest, rules, scratch, second)


@kernel
def _complies(rows, count, chosen, value, smallest, rules, scratch, work):
    found = 0
    for index in range(count):
        if chosen[index] == value:
            work[found] = rows[index]
            found += 1
    if found < smallest:
        return False
    return satisfied(rules, scratch, work, 0, found)


@kernel
def split_all(model, order, starts, smallest, rules, scratch, labels):
    """Split every group repeatedly until no split is possible; fills `labels`."""
    most = 1
    for group in range(len(starts) - 1):
        most = max(most, starts[group + 1] - starts[group])
    chosen = np.zeros(most, dtype=np.bool_)
    work = order.copy()
    groups = 0
    # Parts still to be examined, as ranges of `work`.
    begins, ends = (
        [starts[group] for group in range(len(starts) - 1)],
        [starts[group + 1] for group in range(len(starts) - 1)],
    )
    while len(begins) > 0:
        begin, end = begins.pop(), ends.pop()
        count = end - begin
        if count == 0:
            continue
        if split_group(model, work[begin:end], count, smallest, rules, scratch, chosen):
            kept = begin
            for place in range(begin, end):
                if chosen[place - begin]:
                    work[place], work[kept] = work[kept], work[place]
                    chosen[place - begin], chosen[kept - begin] = chosen[kept - begin], chosen[place - begin]
                    kept += 1
            begins.append(begin)
            ends.append(kept)
            begins.append(kept)
            ends.append(end)
        else:
            for place in range(begin, end):
                labels[work[place]] = groups
            groups += 1


@kernel
def outlier_gains(model, part):
    """What the group of each record saves if the record is left out, minus 1 for the record."""
    gains = np.zeros(len(part.label))
    for group in range(len(part.size)):
        if part.size[group] == 0:
            continue
        refresh(model, part.members, part.size, group)
        before = cost_of(model, part.size, group)
        for index in range(part.size[group]):
            record = part.members[group, index]
            gains[record] = before - cost_without(model, part.members, part.size, group, record) - 1.0
    return gains
