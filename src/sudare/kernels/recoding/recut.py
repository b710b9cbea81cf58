"""Optimal cut of given groups: each group's rows, in order, are cut where their covers cost least."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel
from sudare.kernels.core.rules import satisfied
from sudare.kernels.partition.covers import SET, column_cost


@kernel
def recut(model, order, starts, smallest, longest, rules, scratch, labels):
    """Cut rows order[starts[g]:starts[g + 1]] of every group into runs of smallest … longest rows that comply.

    Finds the best cut that respects the order, by a shortest path over the positions between rows; a group without one
    stays whole. Fills `labels`. O(rows x longest x columns).
    """
    groups = 0
    most = 0
    for group in range(len(starts) - 1):
        most = max(most, starts[group + 1] - starts[group])
    best = np.empty(most + 1)
    previous = np.empty(most + 1, dtype=np.int64)
    columns = model.codes.shape[1]
    low = np.empty(columns, dtype=np.int32)
    high = np.empty(columns, dtype=np.int32)
    for group in range(len(starts) - 1):
        start, count = starts[group], starts[group + 1] - starts[group]
        if count == 0:
            continue
        best[0] = 0.0
        for place in range(1, count + 1):
            best[place] = np.inf
        for first in range(count):
            if best[first] == np.inf:
                continue
            for size in range(1, min(longest, count - first) + 1):
                row = order[start + first + size - 1]
                total = 0.0
                for column in range(columns):
                    code = model.codes[row, column]
                    if model.mode[column] == SET:
                        fresh = True
                        for earlier in range(first, first + size - 1):
                            fresh = fresh and model.codes[order[start + earlier], column] != code
                        low[column] = np.int32(fresh) if size == 1 else low[column] + np.int32(fresh)
                        high[column] = low[column]
                    else:
                        low[column] = code if size == 1 else min(low[column], code)
                        high[column] = code if size == 1 else max(high[column], code)
                    if size >= smallest:
                        total += column_cost(model, column, low[column], high[column])
                if size < smallest:
                    continue
                after = first + size
                candidate = best[first] + total * size
                if candidate < best[after] and satisfied(rules, scratch, order, start + first, start + after):
                    best[after] = candidate
                    previous[after] = first
        if best[count] == np.inf:
            previous[count] = 0
        after = count
        while after > 0:
            for place in range(previous[after], after):
                labels[order[start + place]] = groups
            groups += 1
            after = previous[after]
