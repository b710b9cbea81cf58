"""The grid of released numbers: the low bits of floating-point noise reveal the original (Mironov 2012).

Rounding is post-processing: if `A[u', v] A[v', u] >= rate A[u', u] A[v', v]` for all points, then it is also true for
sums over cells, so rounding never lowers the rate. The two end points of the range get half a cell each.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_FEWEST_STEPS = 10_000
_BINARY_STEPS = 20
_MOST_DIGITS = 12
_FLOATS_PER_CELL = 4096
_FLOATS_PER_STEP = 8


def finest_grid(low: float, high: float) -> float:
    """The least step that released numbers of a range may have.

    The noise is computed from 53 random bits and rounded to floats of the size of the range's width. Which floats it can
    be depends on the original; with 4,096 of them in every cell of the grid, the cell no longer shows it. Adding the noise
    to the original rounds the sum to the floats of its size: that is the same for every original, and hides nothing and
    reveals nothing, but the grid must be wide enough to be seen beside it.

    >>> finest_grid(0, 1) == 2**-40
    True
    """
    of_noise, of_numbers = np.spacing([high - low, max(abs(low), abs(high))])
    return float(max(_FLOATS_PER_CELL * of_noise, _FLOATS_PER_STEP * of_numbers))


def default_grid(low: float, high: float) -> float:
    """The largest power of ten that gives 10,000 steps or more and divides the range; else 2^-20 of the range.

    >>> default_grid(0, 120), default_grid(-0.5, 0.5), default_grid(0, 2**0.5) * 2**20 == 2**0.5
    (0.01, 0.0001, True)
    """
    finest = max((high - low) / finest_grid(low, high), 1.0)  # steps that floats of this size allow
    digits = math.floor(math.log10(finest / (high - low)))
    digits = min(digits, math.ceil(math.log10(_FEWEST_STEPS / (high - low))))
    if abs(digits) <= _MOST_DIGITS:
        step = 10.0**-digits
        if all(abs(end / step - round(end / step)) < 1e-9 for end in (low, high)):
            return step
    return (high - low) / math.pow(2.0, min(_BINARY_STEPS, math.floor(math.log2(finest))))


def round_to_grid(
    values: npt.NDArray[np.float64], low: float, high: float, grid: float | None
) -> npt.NDArray[np.float64]:
    """The nearest grid points, never outside the range if the values are inside; NaN stays."""
    if grid is None:
        return values
    points = low + np.floor((values - low) / grid + 0.5) * grid
    digits = decimals(grid)
    if digits is not None and decimals_fit(low, digits):
        points = (
            np.round(points, digits) + 0.0
        )  # one text for each number: 0.3, not 0.30000000000000004 or -0.0
    last = high - grid / 4  # low + steps * grid may differ from high by a rounding error
    return np.where((points > last) & (points < high + grid / 4), high, points)


def boundary(
    x: npt.NDArray[np.float64], low: float, grid: float | None, *, strict: bool
) -> npt.NDArray[np.float64]:
    """The number below which a drawn value must lie for its rounded value to be `<= x` (`strict`: `< x`)."""
    if grid is None:
        return x
    place = (x - low) / grid
    nearest = np.round(place)
    on_grid = np.abs(place - nearest) < 1e-6
    below = np.where(on_grid, nearest - 1 if strict else nearest, np.floor(place))
    return np.asarray(low + (below + 0.5) * grid, dtype=np.float64)


def decimals(grid: float) -> int | None:
    """Decimal places of a grid that is a power of ten or an integer, else None."""
    if float(grid).is_integer():
        return 0
    digits = round(-math.log10(grid))
    return digits if 0 < digits <= _MOST_DIGITS and math.isclose(10.0**-digits, grid, rel_tol=1e-12) else None


def decimals_fit(value: float, digits: int) -> bool:
    """Whether a number has at most `digits` decimal places."""
    return round(value, digits) == value
