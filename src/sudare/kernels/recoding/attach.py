"""Add rows to groups, and merge groups, at the lowest cost."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.rules import rows_by_label, satisfied
from sudare.kernels.partition.covers import SET, column_cost


@kernel
def _spans(model, labels, groups):
    """Lowest and highest code of each group and its size; for sets an interval replaces the count, which is unknown."""
    codes = model.codes
    low = np.full((groups, codes.shape[1]), 2147483647, dtype=np.int32)
    high = np.full((groups, codes.shape[1]), -2147483648, dtype=np.int32)
    size = np.zeros(groups, dtype=np.int64)
    for row in range(len(labels)):
        group = labels[row]
        if group >= 0:
            size[group] += 1
            for column in range(codes.shape[1]):
                low[group, column] = min(low[group, column], codes[row, column])
                high[group, column] = max(high[group, column], codes[row, column])
    return low, high, size


@kernel
def _cost(model, low, high):
    total = 0.0
    for column in range(len(low)):
        if model.mode[column] == SET:
            # The number of values is not known here: any number above one will do.
            total += model.whole[column] if low[column] < high[column] else 0.0
        else:
            total += column_cost(model, column, low[column], high[column])
    return total


@kernel
def attach_rows(model, labels, groups, left, rules, scratch):
    """Add each of the rows in `left` to the group whose cost rises least and that still complies afterward."""
    codes = model.codes
    low, high, size = _spans(model, labels, groups)
    order, starts = _members(labels, groups)
    plain = len(rules.kind) == 0
    joined = np.full(len(left), -1, dtype=np.int64)
    rise = np.empty(groups)
    new_low, new_high = np.empty(codes.shape[1], dtype=np.int32), np.empty(codes.shape[1], dtype=np.int32)
    for place in range(len(left)):
        row = left[place]
        for group in range(groups):
            for column in range(codes.shape[1]):
                new_low[column] = min(low[group, column], codes[row, column])
                new_high[column] = max(high[group, column], codes[row, column])
            rise[group] = np.inf
            if size[group] > 0:
                before = _cost(model, low[group], high[group]) * size[group]
                rise[group] = _cost(model, new_low, new_high) * (size[group] + 1) - before
        while True:
            group = np.argmin(rise)
            if rise[group] == np.inf:
                break
            if plain or _may_join(rules, scratch, order, starts, group, left, joined, place):
                joined[place] = group
                labels[row] = group
                size[group] += 1
                for column in range(codes.shape[1]):
                    low[group, column] = min(low[group, column], codes[row, column])
                    high[group, column] = max(high[group, column], codes[row, column])
                break
            rise[group] = np.inf


@kernel
def _members(labels, groups):
    shifted = np.empty(len(labels), dtype=np.int64)
    for row in range(len(labels)):
        shifted[row] = labels[row] if labels[row] >= 0 else groups
    return rows_by_label(shifted, groups + 1)


@kernel
def _may_join(rules, scratch, order, starts, group, left, joined, place):
    count = starts[group + 1] - starts[group]
    work = np.empty(count + place + 1, dtype=np.int64)
    for index in range(count):
        work[index] = order[starts[group] + index]
    for earlier in range(place):
        if joined[earlier] == group:
            work[count] = left[earlier]
            count += 1
    work[count] = left[place]
    return satisfied(rules, scratch, work, 0, count + 1)


@kernel
def cheapest_union(model, labels, groups, broken, smallest, rules, scratch):
    """Merge the group `broken` with the group for which the cost of both rises least, until it complies."""
    codes = model.codes
    while groups > 1:
        low, high, size = _spans(model, labels, groups)
        order, starts = _members(labels, groups)
        if size[broken] >= smallest and satisfied(rules, scratch, order, starts[broken], starts[broken + 1]):
            break
        best, chosen = np.inf, -1
        new_low, new_high = np.empty(codes.shape[1], dtype=np.int32), np.empty(codes.shape[1], dtype=np.int32)
        for group in range(groups):
            if group == broken or size[group] == 0:
                continue
            for column in range(codes.shape[1]):
                new_low[column] = min(low[group, column], low[broken, column])
                new_high[column] = max(high[group, column], high[broken, column])
            rise = (
                _cost(model, new_low, new_high) * (size[group] + size[broken])
                - _cost(model, low[group], high[group]) * size[group]
            )
            if rise < best:
                best, chosen = rise, group
        last = groups - 1
        for row in range(len(labels)):
            if labels[row] == chosen:
                labels[row] = broken
            elif labels[row] == last and chosen != last:
                labels[row] = chosen
        if broken == last and chosen != last:
            # The broken group itself was moved into the freed number.
            for row in range(len(labels)):
                if labels[row] == broken:
                    labels[row] = chosen
            broken = chosen
        groups -= 1
