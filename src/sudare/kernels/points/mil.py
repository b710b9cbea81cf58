"""MIL (minimizing information loss, Akiyama 2018, algorithm 1): border elements move while the SSE decreases."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel

_GAIN = 1e-12  # share that a move must save, so that rounding cannot move an element back and forth forever


@kernel
def move_borders(ordered, borders, k):
    """Move the borders of consecutive groups of ascending values in place; returns the number of tests made.

    Group i is ordered[borders[i] : borders[i + 1]]. Means are kept as an offset from a value of the group, so that
    distances to them keep all their digits for data far from 0.
    """
    groups = len(borders) - 1
    base, offset = np.empty(groups), np.empty(groups)
    for group in range(groups):
        _set_mean(ordered, borders, group, base, offset)
    tests = 0
    moved = True
    while moved:
        moved = False
        for group in range(groups - 1):
            border = borders[group + 1]
            tests += _move_up(ordered, borders, group, base, offset, k)
            tests += _move_down(ordered, borders, group, base, offset, k)
            if borders[group + 1] != border:
                moved = True
                _set_mean(ordered, borders, group, base, offset)
                _set_mean(ordered, borders, group + 1, base, offset)
    return tests


@kernel
def _set_mean(ordered, borders, group, base, offset):
    start, stop = borders[group], borders[group + 1]
    base[group] = ordered[start]
    total = 0.0
    for index in range(start, stop):
        total += ordered[index] - base[group]
    offset[group] = total / (stop - start)


@kernel
def _move_up(ordered, borders, group, base, offset, k):
    """Move the largest elements of a group to the next one; returns the tests made."""
    tests = 0
    while borders[group + 1] - borders[group] > k:
        n = borders[group + 1] - borders[group] - 1
        m = borders[group + 2] - borders[group + 1]
        x = ordered[borders[group + 1] - 1]
        here = (x - base[group]) - offset[group]
        there = (x - base[group + 1]) - offset[group + 1]
        tests += 1
        saved = (n + 1) / n * here * here
        if m / (m + 1) * there * there >= saved * (1.0 - _GAIN):
            break
        offset[group] -= here / n
        offset[group + 1] += there / (m + 1)
        borders[group + 1] -= 1
    return tests


@kernel
def _move_down(ordered, borders, group, base, offset, k):
    """Move the smallest elements of the next group to a group; returns the tests made."""
    tests = 0
    while borders[group + 2] - borders[group + 1] > k:
        n = borders[group + 1] - borders[group]
        m = borders[group + 2] - borders[group + 1] - 1
        x = ordered[borders[group + 1]]
        here = (x - base[group]) - offset[group]
        there = (x - base[group + 1]) - offset[group + 1]
        tests += 1
        saved = (m + 1) / m * there * there
        if n / (n + 1) * here * here >= saved * (1.0 - _GAIN):
            break
        offset[group] += here / (n + 1)
        offset[group + 1] -= there / m
        borders[group + 1] += 1
    return tests
