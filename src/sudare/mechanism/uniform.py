"""Uniform noise bounded to the range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.mechanism.numbers import BoundedNoise
from sudare.mechanism.protocol import Flip, Grid, High, Low, Ranks, check_range
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    import numpy.typing as npt


@parameters
class Uniform(BoundedNoise):
    """Uniform on [v - h, v + h], bounded to [a, b].

    `rate = 1` if h >= b - a (the release then reveals nothing about v), else 0: a number farther than h from v rules
    out v.

    >>> Uniform(half_width=120, low=0, high=120).rate(), Uniform(half_width=60, low=0, high=120).rate()
    (1.0, 0.0)
    """

    half_width: Annotated[float, Field(gt=0)]
    """Half-width h of the noise before bounding."""
    low: Low
    high: High
    grid: Grid = None
    flip: Flip = None
    values: Ranks = None

    @model_validator(mode="after")
    def _whole(self) -> Uniform:
        check_range(self.low, self.high, self.grid, self.values)
        return self

    def density(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`1 / (2 h)` up to h, 0 beyond."""
        near = np.abs(np.asarray(distance, dtype=np.float64)) <= self.half_width
        return np.where(near, 1 / (2 * self.half_width), 0.0)

    def half_mass(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`min(d / h, 1) / 2`."""
        return np.minimum(np.asarray(distance, dtype=np.float64) / self.half_width, 1.0) / 2

    def half_quantile(self, mass: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`2 m h`."""
        return 2 * np.asarray(mass, dtype=np.float64) * self.half_width
