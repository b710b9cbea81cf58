"""Optimal cut of a sequence of records into consecutive groups of k … 2k - 1 (Hansen and Mukherjee 2003).

A group is an edge from its first record to the first of the next group; the best partition that respects the
order is the shortest path from 0 to n. The nodes are already in topological order, so one forward pass finds
it. Edge costs and the pass are separate: a different group cost needs only a different function for edge costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.kernels.core.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

_SLAB = 1 << 20  # edge costs in memory at a time


def optimal_cut(
    ordered: npt.NDArray[np.float64], k: int, report: Callable[[int], None] | None = None
) -> npt.NDArray[np.int64]:
    """Borders 0 = c_0 < c_1 < … < c_g = n of the partition with the lowest SSE; group i is ordered[c_i : c_{i+1}].

    The caller must ensure n >= k and k >= 1. Among equally good ends of a group's predecessor, the first is kept.
    Time O(k n p), memory O(n) in addition to the records.
    """
    n = len(ordered)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    previous = np.full(n + 1, -1, dtype=np.int64)
    step = max(1, _SLAB // k)
    for start in range(0, max(n - k + 1, 1), step):
        stop = min(start + step, n - k + 1)
        relax(sse_edges(ordered, start, stop, k), start, k, best, previous)
        if report is not None:
            report(stop)
    return np.asarray(_walk_back(previous), dtype=np.int64)


@kernel
def sse_edges(ordered, start, stop, k):
    """Entry (i - start, s): SSE of the k + s records from i on, for i in start … stop - 1; inf past the end.

    Welford's running update on the differences from record i: no sum of squares is ever formed, so the cost is
    as accurate for 1e9 + noise as for noise.
    """
    n, p = ordered.shape
    costs = np.full((stop - start, k), np.inf)
    mean = np.empty(p)
    for i in range(start, stop):
        mean[:] = 0.0
        total = 0.0
        for size in range(1, min(2 * k, n - i + 1)):
            row = i + size - 1
            added = 0.0
            share = 1.0 / size
            for column in range(p):
                delta = (ordered[row, column] - ordered[i, column]) - mean[column]
                mean[column] += delta * share
                added += delta * delta
            total += added * (size - 1) * share
            if size >= k:
                costs[i - start, size - k] = total
    return costs


@kernel
def relax(costs, start, k, best, previous):
    """Forward pass over the edges out of nodes start, start + 1, …; `best` and `previous` are updated."""
    for offset in range(len(costs)):
        i = start + offset
        if best[i] == np.inf:
            continue
        for extra in range(min(k, len(best) - i - k)):
            candidate = best[i] + costs[offset, extra]
            if candidate < best[i + k + extra]:
                best[i + k + extra] = candidate
                previous[i + k + extra] = i


@kernel
def _walk_back(previous):
    count = 0
    node = len(previous) - 1
    while node > 0:
        node = previous[node]
        count += 1
    borders = np.empty(count + 1, dtype=np.int64)
    node = len(previous) - 1
    for place in range(count, 0, -1):
        borders[place] = node
        node = previous[node]
    borders[0] = 0
    return borders
