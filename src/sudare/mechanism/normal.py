"""Normal noise bounded to the range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sudare.errors import ErrorSentence
from sudare.mechanism.numbers import BoundedNoise
from sudare.mechanism.protocol import Flip, Grid, High, Low, Ranks, check_range
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    import numpy.typing as npt


@parameters
class Normal(BoundedNoise):
    """Density `exp(-(x - v)^2 / (2 s^2))`, bounded to [a, b] and normalized.

    `rate = exp(-(b - a)^2 / s^2)`, local epsilon `(b - a)^2 / (2 s^2)`. Unbounded normal noise is refused because its
    rate is 0 for every s: far outside the range, the ratio of the densities of two originals has no lower bound.

    >>> Normal(deviation=120, low=0, high=120).epsilon()
    0.5
    """

    deviation: Annotated[float, Field(gt=0)]
    """Standard deviation s of the noise before bounding."""
    low: Low
    high: High
    bounded: bool = True
    """Must be true."""
    grid: Grid = None
    flip: Flip = None
    values: Ranks = None

    @model_validator(mode="after")
    def _whole(self) -> Normal:
        check_range(self.low, self.high, self.grid, self.values)
        if not self.bounded:
            raise ValueError(ErrorSentence("mechanism.unbounded.normal"))
        return self

    def density(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`exp(-(d / s)^2 / 2) / (s sqrt(2 pi))`."""
        units = np.asarray(distance, dtype=np.float64) / self.deviation
        return np.exp(-(units**2) / 2) / (self.deviation * math.sqrt(2 * math.pi))

    def half_mass(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`erf(d / (s sqrt 2)) / 2`."""
        from scipy.special import erf

        halved = erf(np.asarray(distance, dtype=np.float64) / (self.deviation * math.sqrt(2))) / 2
        return np.asarray(halved, dtype=np.float64)

    def half_quantile(self, mass: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The inverse of `half_mass`; infinite at 1/2."""
        from scipy.special import erfinv

        units = erfinv(2 * np.asarray(mass, dtype=np.float64))
        return np.asarray(self.deviation * math.sqrt(2) * units, dtype=np.float64)

    def _ratio(self) -> float:
        return math.exp(-((self.width / self.deviation) ** 2) / 2)

    def _numbers_epsilon(self) -> float:
        """Exact: attained when the originals are the two ends and one of them is released."""
        return (self.width / self.deviation) ** 2 / 2
