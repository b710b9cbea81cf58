"""Transition matrices of numbers: Pr(released in I' | original in I).

    A[I', I] = average over v in I of F(v, end of I') - F(v, start of I'),   F(v, x) = Pr(released < x | original v)

The inner integral is the difference of two values of the mechanism's CDF. The outer one is a Gauss-Legendre rule with
24 nodes, on pieces that are halved until the last Legendre coefficients of the polynomial through the nodes vanish (the
rule is then exact to roughly their square) and the polynomial matches the values at both ends, where noise much
narrower than a bin has all its effect. (The closed form with logarithms by Ikarashi et al. cancels: an error of 4e10 at
a scale of 0.03 ranges was measured.) Integers, days and ranks are averaged one by one instead, because their originals
are not a continuum. The density inside I is not uniform: see `attribute` for its weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.mechanism.protocol import NumberMechanism

    Floats = npt.NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_TO_ENDS = np.linalg.solve(
    np.polynomial.legendre.legvander(_NODES, 23).T,
    np.polynomial.legendre.legvander(np.array([-1.0, 1.0]), 23).T,
)
"""Weights that extend the polynomial through the nodes to both ends."""
_LAST = np.polynomial.legendre.legvander(_NODES, 23)[:, 20:] * _WEIGHTS[:, None] * (np.arange(20, 24) + 0.5)
"""Weights that give the coefficients of the Legendre polynomials of degree 20 to 23."""
_TOLERANCE = 1e-10
"""For both, relative to the interval: errors can hide only beyond the outermost nodes, in 1/400 of a piece."""
_DEEPEST = 60
_MOST_POINTS = 4_000_000
"""Number of values of F computed at a time."""


def released_edges(mechanism: NumberMechanism, originals: Floats, edges: Floats) -> Floats:
    """Pr(released bin | original) for each original: bins x originals; the first and last bins have no outer edge."""
    inner = mechanism.cumulative(originals[None, :], edges[1:-1, None], strict=True)
    ends = np.ones((1, len(originals)))
    steps = np.diff(np.concatenate([np.zeros_like(ends), inner, ends]), axis=0)
    return np.maximum(steps, 0.0)


def interval_matrix(mechanism: NumberMechanism, edges: Floats, lows: Floats, highs: Floats) -> Floats:
    """[released bin, original interval]: averages over the intervals from `lows` to `highs`; each column sums to 1."""
    matrix = np.zeros((len(edges) - 1, len(lows)))
    left, right, interval = _split(lows, highs, _bends(mechanism, edges))
    for depth in range(_DEEPEST):
        found, unseen = _averages(mechanism, edges, left, right)
        share = (right - left) / (highs - lows)[interval]
        done = (unseen * share <= _TOLERANCE) | (depth == _DEEPEST - 1)
        np.add.at(matrix.T, interval[done], (found * share)[:, done].T)
        if done.all():
            break
        left, right, interval = left[~done], right[~done], interval[~done]
        middle = (left + right) / 2
        left, right, interval = np.r_[left, middle], np.r_[middle, right], np.r_[interval, interval]
    return _normalized(matrix)


def value_matrix(mechanism: NumberMechanism, edges: Floats, values: Floats) -> Floats:
    """[released bin, original value] for single values."""
    return _normalized(released_edges(mechanism, values, edges))


def _bends(mechanism: NumberMechanism, edges: Floats) -> Floats:
    """Originals at which a released bin's probability has a kink: where the noise peaks at the edge of the bin."""
    bends = edges
    if mechanism.grid is not None:
        # A released number is below an edge if the drawn number is below the midpoint between two grid points.
        place = (edges - mechanism.low) / mechanism.grid
        nearest = np.round(place)
        steps = np.where(np.abs(place - nearest) < 1e-6, nearest - 0.5, np.floor(place) + 0.5)
        bends = mechanism.low + steps * mechanism.grid
    reach = getattr(mechanism, "half_width", None)
    if reach is not None:
        ends = np.array([mechanism.low + reach, mechanism.high - reach])
        bends = np.concatenate([bends, bends - reach, bends + reach, ends])
    return np.unique(bends)


def _split(lows: Floats, highs: Floats, bends: Floats) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """The intervals cut at the bends inside them: starts, ends, and the interval of each part."""
    found = []
    for number, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        inside = bends[np.searchsorted(bends, low, "right") : np.searchsorted(bends, high, "left")]
        cuts = np.concatenate([[low], inside, [high]])
        found.append((cuts[:-1], cuts[1:], np.full(len(cuts) - 1, number)))
    left, right, interval = (np.concatenate(part) for part in zip(*found, strict=True))
    return left, right, interval


def _averages(
    mechanism: NumberMechanism, edges: Floats, left: Floats, right: Floats
) -> tuple[Floats, Floats]:
    """Averages over each interval (bins x intervals), and the possible error of the polynomial through the nodes."""
    found, hidden = np.empty((len(edges) - 1, len(left))), np.empty(len(left))
    places = np.r_[-1.0, _NODES, 1.0]
    block = max(1, _MOST_POINTS // (len(edges) * len(places)))
    for start in range(0, len(left), block):
        part = slice(start, start + block)
        center, half = (left[part] + right[part]) / 2, (right[part] - left[part]) / 2
        points = np.clip(center[:, None] + half[:, None] * places, left[part, None], right[part, None])
        steps = released_edges(mechanism, points.ravel(), edges).reshape(len(edges) - 1, -1, len(places))
        inner = steps[:, :, 1:-1]
        found[:, part] = inner @ (_WEIGHTS / 2)
        at_ends = np.abs(inner @ _TO_ENDS - steps[:, :, [0, -1]]).max(axis=(0, 2))
        hidden[part] = np.maximum(at_ends, np.abs(inner @ _LAST).max(axis=(0, 2)))
    return found, hidden


def _normalized(matrix: Floats) -> Floats:
    """Columns that sum to exactly 1, not only up to the last digits."""
    scaled: Floats = matrix / matrix.sum(axis=0, keepdims=True)
    return scaled
