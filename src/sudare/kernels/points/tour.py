"""Shorten a closed tour by 2-opt and Or-opt moves over neighbor lists, with a queue of cities worth examining."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import kernel
from sudare.kernels.points.distance import squared_distance

_LONGEST = 50_000  # maximum number of cities reversed in one move
_GAIN = 1e-10  # share of the affected edges that a move must save, so that rounding cannot cause endless exchanges


class Tour(NamedTuple):
    """The state of the search between slices."""

    points: npt.NDArray[np.float64]
    near: npt.NDArray[np.int64]
    """Cities x nearest cities, the nearest first."""
    city: npt.NDArray[np.int64]
    """City at each position of the tour."""
    place: npt.NDArray[np.int64]
    queue: npt.NDArray[np.int64]
    """Ring buffer of cities to examine, each at most once."""
    queued: npt.NDArray[np.bool_]
    counters: npt.NDArray[np.int64]
    """Head of the queue, its length."""


@kernel
def shorten_slice(tour, looks):
    """Examine up to `looks` queued cities, each until no move shortens the tour there."""
    n = len(tour.city)
    counters = tour.counters
    while looks > 0 and counters[1] > 0:
        looks -= 1
        city = tour.queue[counters[0]]
        counters[0] = (counters[0] + 1) % n
        counters[1] -= 1
        tour.queued[city] = False
        while _two_opt(tour, city) or _or_opt(tour, city):
            pass


@kernel
def _step(tour, city, forward):
    n = len(tour.city)
    return tour.city[(tour.place[city] + (1 if forward else n - 1)) % n]


@kernel
def _length(tour, a, b):
    return np.sqrt(squared_distance(tour.points, a, tour.points[b]))


@kernel
def _look_again(tour, city):
    if not tour.queued[city]:
        n = len(tour.city)
        tour.queue[(tour.counters[0] + tour.counters[1]) % n] = city
        tour.counters[1] += 1
        tour.queued[city] = True


@kernel
def _two_opt(tour, a):
    """Replace edges a-b and c-d with a-c and b-d for a near c, if that is shorter; returns whether it was done."""
    for forward in (True, False):
        b = _step(tour, a, forward)
        a_b = _length(tour, a, b)
        for c in tour.near[a]:
            a_c = _length(tour, a, c)
            if a_c >= a_b:
                break
            d = _step(tour, c, forward)
            if c == b or d == a:
                continue
            old = a_b + _length(tour, c, d)
            if old - a_c - _length(tour, b, d) > _GAIN * old and _exchange(tour, a, b, c, _LONGEST):
                _look_again(tour, b)
                _look_again(tour, c)
                _look_again(tour, d)
                return True
    return False


@kernel
def _or_opt(tour, a):
    """Move a and up to two cities beyond it between near c and one of its neighbors; returns whether it was done."""
    n = len(tour.city)
    for forward in (True, False):
        before = _step(tour, a, not forward)
        a_before = _length(tour, a, before)
        end = a
        for size in range(1, 4):
            if size > 1:
                end = _step(tour, end, forward)
            after = _step(tour, end, forward)
            freed = a_before + _length(tour, end, after) - _length(tour, before, after)
            for c in tour.near[a]:
                a_c = _length(tour, a, c)
                if a_c >= freed:
                    break
                ahead = (
                    (tour.place[c] - tour.place[a]) % n if forward else (tour.place[a] - tour.place[c]) % n
                )
                if ahead < size:
                    continue
                for c_first in (True, False):
                    # Continuing from `after`, one of c and e comes first.
                    e = _step(tour, c, forward == c_first)
                    e_ahead = (ahead + (1 if c_first else n - 1)) % n
                    if e_ahead < size:
                        continue
                    old = freed + _length(tour, c, e)
                    if old - a_c - _length(tour, end, e) <= _GAIN * (a_before + old):
                        continue
                    x = c if c_first else e
                    if not _exchange(tour, before, a, x, _LONGEST):
                        continue
                    _exchange(tour, before, x, after, n)
                    if c_first:
                        _exchange(tour, c, end, a, n)
                    _look_again(tour, before)
                    _look_again(tour, after)
                    _look_again(tour, end)
                    _look_again(tour, c)
                    _look_again(tour, e)
                    return True
    return False


@kernel
def _exchange(tour, u, v, w, longest):
    """Replace edges u-v and w-z with u-w and v-z; returns whether it was done. z follows w: u v … w z or z w … v u."""
    n = len(tour.city)
    if tour.city[(tour.place[u] + 1) % n] == v:
        start, stop = tour.place[v], tour.place[w]
    else:
        start, stop = tour.place[w], tour.place[v]
    size = (stop - start) % n + 1
    if 2 * size > n:
        start, stop, size = (stop + 1) % n, (start - 1) % n, n - size
    if size > longest:
        return False
    for _ in range(size // 2):
        one, two = tour.city[start], tour.city[stop]
        tour.city[start], tour.city[stop] = two, one
        tour.place[two], tour.place[one] = start, stop
        start = start + 1 if start + 1 < n else 0
        stop = stop - 1 if stop > 0 else n - 1
    return True
