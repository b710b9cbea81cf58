"""G^2 of counts, and its size by chance alone.

    G^2 = 2 sum_i y_i log(y_i / u_i)

For expected counts u_i of 10 and more, every cell adds about 1, so G^2 is about the number of cells (minus 1, because
the total is given). For small u_i a cell adds E[2 Y log(Y / u)], with Y a Poisson count: 1.15 at u = 1, 0.014 at
u = 0.001. A table of 10^6 cells from 10^5 records fits when its G^2 reaches that sum, not 10^6.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_LARGE = 50.0
"""From this value on, the series 1 + 1/(6u) + 1/(6u^2) is exact to 1e-4."""
LARGEST_PART = 1.2
"""More than any cell is expected to add; the maximum is 1.16, at u = 1.3."""
_LOWEST = 1e-8
_POINTS = 400


def misfit(counts: Floats, expected: Floats) -> float:
    """G^2 of present counts, with their expected values."""
    return 2.0 * float(counts @ np.log(counts / np.maximum(expected, 1e-300)))


def expected_misfit(expected: Floats) -> float:
    """The mean of G^2 if the counts come from these expected values."""
    flat = expected.ravel()
    if float(flat.min(initial=_LARGE)) >= _LARGE:
        inverse = 1.0 / flat
        return float(len(flat) - 1.0 + (inverse.sum() + inverse @ inverse) / 6.0)
    places, values = _curve()
    small = flat < _LARGE
    if small.any():
        low = np.interp(np.log(np.maximum(flat[small], _LOWEST)), places, values).sum()
    else:
        low = 0.0
    large = flat[~small]
    return float(low + (1.0 + 1.0 / (6.0 * large) + 1.0 / (6.0 * large**2)).sum() - 1.0)


@cache
def _curve() -> tuple[Floats, Floats]:
    """(log u, expected contribution of a cell) on a grid, by summing over the Poisson counts."""
    from scipy.special import gammaln

    places = np.linspace(np.log(_LOWEST), np.log(_LARGE), _POINTS)
    means = np.exp(places)[:, None]
    counts = np.arange(1.0, 200.0)[None, :]
    chance = np.exp(counts * np.log(means) - means - gammaln(counts + 1.0))
    values = (chance * (2.0 * counts * np.log(counts / means))).sum(axis=1)
    return places, values
