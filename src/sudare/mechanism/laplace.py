"""Laplace noise, bounded to the range or not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sudare.errors import ErrorSentence
from sudare.mechanism.grid import boundary, round_to_grid
from sudare.mechanism.numbers import BoundedNoise
from sudare.mechanism.protocol import Flip, Grid, High, Low, Ranks, check_range
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.mechanism.protocol import Draw
    from sudare.randomness import Randomness


@parameters
class Laplace(BoundedNoise):
    """Density `exp(-|x - v| / s) / (2 s alpha_v)` on [a, b], `alpha_v = 1 - exp(-(v-a)/s)/2 - exp(-(b-v)/s)/2`.

    `rate = exp(-2 (b - a) / s)`, local epsilon `(b - a) / s`. The paper once calls s the variance, but it is the
    scale; the variance of the unbounded noise is 2 s^2. Unbounded noise (`alpha_v = 1`) has the same rate on the same
    range, but releases numbers outside it.

    >>> mechanism = Laplace(scale=60, low=0, high=120)
    >>> round(mechanism.rate(), 6), mechanism.epsilon()
    (0.018316, 2.0)
    """

    scale: Annotated[float, Field(gt=0)]
    """Scale s of the noise: its mean absolute value before bounding."""
    low: Low
    high: High
    bounded: bool = True
    """Whether released numbers stay within the range."""
    grid: Grid = None
    flip: Flip = None
    values: Ranks = None

    @model_validator(mode="after")
    def _whole(self) -> Laplace:
        check_range(self.low, self.high, self.grid, self.values)
        if not self.bounded and (self.flip is not None or self.values is not None):
            raise ValueError(ErrorSentence("mechanism.unbounded.laplace"))
        return self

    def density(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`exp(-d / s) / (2 s)`."""
        return np.exp(-np.abs(np.asarray(distance, dtype=np.float64)) / self.scale) / (2 * self.scale)

    def half_mass(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`(1 - exp(-d / s)) / 2`."""
        return -np.expm1(-np.asarray(distance, dtype=np.float64) / self.scale) / 2

    def half_quantile(self, mass: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`-s log(1 - 2 m)`; infinite at 1/2."""
        with np.errstate(divide="ignore"):
            return -self.scale * np.log1p(-2 * np.asarray(mass, dtype=np.float64))

    def _inverse(self, values: npt.NDArray[np.float64], random: Randomness) -> npt.NDArray[np.float64]:
        """The base class's inverse CDF with one exponential fewer and without its intermediate arrays."""
        from sudare.kernels.records.noise import place_released, signed_masses, start_distances

        kept, lost, signs, wide, narrow = np.empty((5, len(values)))
        start_distances(values, self.scale, self.low, self.high, lost)
        np.exp(lost, out=kept)
        np.expm1(lost, out=lost)
        words = random.bits(len(values))
        signed_masses(kept, lost, words, self.width / self.scale, signs, wide, narrow)
        with np.errstate(divide="ignore"):
            np.log1p(wide, out=wide)
            np.log(narrow, out=narrow)
        place_released(values, wide, narrow, signs, self.scale, self.low, self.high, lost)
        return lost

    def _ratio(self) -> float:
        return math.exp(-self.width / self.scale)

    def _numbers_epsilon(self) -> float:
        """Exact: `log alpha_u + (u - a) / s` increases up to u = b, where the normalizers are equal."""
        return self.width / self.scale

    def cumulative(
        self, v: npt.ArrayLike, x: npt.ArrayLike, *, strict: bool = False
    ) -> npt.NDArray[np.float64]:
        """`Pr(released <= x | original v)`; `strict`: `< x`. Includes the grid."""
        if self.bounded:
            return super().cumulative(v, x, strict=strict)
        limit = boundary(np.asarray(x, dtype=np.float64), self.low, self.grid, strict=strict)
        distance = limit - np.asarray(v, dtype=np.float64)
        tail = np.exp(-np.abs(distance) / self.scale) / 2
        return np.where(distance < 0, tail, 1 - tail)

    def randomize(
        self, values: npt.NDArray[np.float64], random: Randomness, *, draw: Draw = "inverse"
    ) -> npt.NDArray[np.float64]:
        """One released number for each original; NaN is missing and requires a flip."""
        if self.bounded:
            return super().randomize(values, random, draw=draw)
        mass = (
            random.uniform(len(values)) + 2.0**-54 - 0.5
        )  # the middle of its step, so that the noise is never infinite
        drawn = values + np.sign(mass) * self.half_quantile(np.abs(mass))
        return round_to_grid(drawn, self.low, self.high, self.grid)
