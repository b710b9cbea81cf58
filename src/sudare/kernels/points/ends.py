"""MDAV and V-MDAV on one sorted column, where the remaining records are always one stretch of it: O(n) after sorting.

The record farthest from any point is at one of the two ends, and its k - 1 nearest are the next ones. The groups are
those of `sudare.kernels.points.mdav` and `sudare.kernels.points.vmdav`, except for records whose distances are equal
to the last bit: ties go to the lowest row there, to the lower end here.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel


@kernel
def mdav_borders(ordered, k):
    """Borders 0 = c_0 < c_1 < … < c_g = n of MDAV's groups of ascending values.

    A round takes k from either end, whatever the values are; only the last full group of k has to choose its end.
    """
    n = len(ordered)
    rounds = 0
    while n - 2 * k * rounds >= 3 * k:
        rounds += 1
    low, high = rounds * k, n - rounds * k
    sizes = np.full(n // k, k)
    if high - low < 2 * k:
        sizes[rounds] = high - low
    else:
        center = ordered[low] + (ordered[low:high] - ordered[low]).mean()
        at_low = center - ordered[low] >= ordered[high - 1] - center
        sizes[rounds + 1 if at_low else rounds] = high - low - k
    return _borders(sizes)


@kernel
def vmdav_borders(ordered, k, gamma):
    """Borders of V-MDAV's groups of ascending values."""
    n = len(ordered)
    center = ordered[0] + (ordered - ordered[0]).mean()
    lower, upper = np.empty(n // k, dtype=np.int64), np.empty(n // k, dtype=np.int64)
    below, above = 0, 0
    low, high = 0, n
    while high - low >= k:
        if center - ordered[low] >= ordered[high - 1] - center:
            size = _extended(ordered, low, 1, high - low, k, gamma)
            lower[below] = size
            below, low = below + 1, low + size
        else:
            size = _extended(ordered, high - 1, -1, high - low, k, gamma)
            upper[above] = size
            above, high = above + 1, high - size
    for index in range(low, high):
        down = ordered[index] - ordered[low - 1] if below > 0 else np.inf
        up = ordered[high] - ordered[index] if above > 0 else np.inf
        if down <= up:
            lower[below - 1] += 1
        else:
            upper[above - 1] += 1
    return _borders(np.concatenate((lower[:below], upper[:above][::-1])))


@kernel
def _extended(ordered, end, step, left, k, gamma):
    """Size of the group that starts at an end and takes remaining records toward the middle."""
    size = k
    while size < 2 * k - 1 and size < left:
        inside = abs(ordered[end + step * size] - ordered[end + step * (size - 1)])
        outside = np.inf
        if size + 1 < left:
            outside = abs(ordered[end + step * (size + 1)] - ordered[end + step * size])
        # Never with gamma = 0, not even the last record: 0 * inf is NaN, and nothing is less than NaN.
        if not inside < gamma * outside:
            break
        size += 1
    return size


@kernel
def _borders(sizes):
    borders = np.zeros(len(sizes) + 1, dtype=np.int64)
    for group in range(len(sizes)):
        borders[group + 1] = borders[group] + sizes[group]
    return borders
