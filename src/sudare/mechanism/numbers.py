"""Bounded noise with any symmetric, unimodal density: everything that follows from its half mass.

For a density f with `H(d) = integral of f over [0, d]`, a value v of the range [a, b] is released as x with density

    A[x, v] = f(x - v) / alpha_v on [a, b],   alpha_v = H(v - a) + H(b - v).

The normalizers cancel in the rate, so `rate = (f(b - a) / f(0))^2` exactly (Ikarashi et al., after 2011, checked by
brute force in the tests). Working outward from the value, with H instead of the CDF, keeps all digits at the ends of
the range and for noise much wider or narrower than the range: two numbers near 1 are never subtracted.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sudare.mechanism.grid import boundary, round_to_grid

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.mechanism.protocol import Draw, Scalar
    from sudare.randomness import Randomness

_BLOCK = 1 << 14  # rows at a time, so that intermediate arrays stay in the cache


class BoundedNoise:
    """Base class of the bounded mechanisms; a subclass defines its density, half mass and inverse half mass."""

    low: float
    high: float
    grid: float | None
    flip: float | None
    values: tuple[Scalar, ...] | None

    def density(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`f(d)` of the noise before bounding."""
        raise NotImplementedError

    def half_mass(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`H(d)`, d >= 0; at most 1/2."""
        raise NotImplementedError

    def half_quantile(self, mass: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The d with `H(d) = mass`."""
        raise NotImplementedError

    @property
    def width(self) -> float:
        """Width of the range."""
        return self.high - self.low

    def _ratio(self) -> float:
        """`f(b - a) / f(0)`."""
        return float(self.density(self.width)) / float(self.density(0.0))

    def _numbers_epsilon(self) -> float:
        """Upper bound of `log(A[x, v] / A[x, u])` over numbers: normalizers lie between H(b - a) and 2 H((b - a) / 2)."""
        ratio = self._ratio()
        if ratio == 0:
            return math.inf
        least, most = float(self.half_mass(self.width)), 2 * float(self.half_mass(self.width / 2))
        return -math.log(ratio) + math.log(most / least)

    def peak(self) -> float:
        """Largest density times the width: 1 for noise much wider than the range."""
        return float(self.density(0.0)) * self.width / float(self.half_mass(self.width))

    def rate(self) -> float:
        """`(f(b - a) / f(0))^2`; with a flip q, the least of that, `exp(-epsilon)` and `(q / (1 - q))^2 / (w max A)`."""
        numbers = self._ratio() ** 2
        if self.flip is None:
            return numbers
        odds = self.flip / (1 - self.flip)
        return min(numbers, math.exp(-self._numbers_epsilon()), odds**2 / self.peak())

    def epsilon(self) -> float:
        """The local differential privacy that the mechanism also provides."""
        numbers = self._numbers_epsilon()
        if self.flip is None:
            return numbers
        odds = math.log((1 - self.flip) / self.flip)
        peak = math.log(self.peak())
        return max(numbers, odds + peak, numbers - peak - odds)

    def cumulative(
        self, v: npt.ArrayLike, x: npt.ArrayLike, *, strict: bool = False
    ) -> npt.NDArray[np.float64]:
        """`Pr(released <= x | original v)`; `strict`: `< x`. Includes the grid."""
        original = np.asarray(v, dtype=np.float64)
        limit = boundary(np.asarray(x, dtype=np.float64), self.low, self.grid, strict=strict)
        below, above = self.half_mass(original - self.low), self.half_mass(self.high - original)
        distance = np.clip(limit, self.low, self.high) - original
        inner = below + np.sign(distance) * self.half_mass(np.abs(distance))
        inside = np.clip(inner / (below + above), 0.0, 1.0)
        return np.where(limit < self.low, 0.0, np.where(limit >= self.high, 1.0, inside))

    def cumulative_missing(self, x: npt.ArrayLike, *, strict: bool = False) -> npt.NDArray[np.float64]:
        """The same for a missing original that is released as a number."""
        limit = boundary(np.asarray(x, dtype=np.float64), self.low, self.grid, strict=strict)
        return np.clip((limit - self.low) / self.width, 0.0, 1.0)

    def randomize(
        self, values: npt.NDArray[np.float64], random: Randomness, *, draw: Draw = "inverse"
    ) -> npt.NDArray[np.float64]:
        """One released number for each original; NaN is missing and requires a flip."""
        original = np.ascontiguousarray(values, dtype=np.float64)
        released = np.empty(len(original))
        for start in range(0, len(original), _BLOCK):
            part = original[start : start + _BLOCK]
            missing = np.isnan(part) if self.flip is not None else None
            known = part if missing is None else np.where(missing, self.low, part)
            drawn = self._inverse(known, random) if draw == "inverse" else self._retry(known, random)
            if missing is not None:
                drawn = self._flipped(drawn, missing, random)
            released[start : start + _BLOCK] = round_to_grid(drawn, self.low, self.high, self.grid)
        return released

    def _inverse(self, values: npt.NDArray[np.float64], random: Randomness) -> npt.NDArray[np.float64]:
        """Inverse CDF: a uniform number gives the mass between v and the released value, and that their distance."""
        below, above = self.half_mass(values - self.low), self.half_mass(self.high - values)
        mass = random.uniform(len(values)) * (below + above) - below
        distance = np.sign(mass) * self.half_quantile(np.abs(mass))
        return np.clip(values + distance, self.low, self.high)

    def _retry(self, values: npt.NDArray[np.float64], random: Randomness) -> npt.NDArray[np.float64]:
        """Redraw noise from the whole density until v + noise is in the range: 1 / alpha_v draws on average."""
        drawn = np.empty(len(values))
        open_rows = np.arange(len(values))
        while len(open_rows):
            mass = random.uniform(len(open_rows)) - 0.5
            tried = values[open_rows] + np.sign(mass) * self.half_quantile(np.abs(mass))
            drawn[open_rows] = tried
            open_rows = open_rows[~((tried >= self.low) & (tried <= self.high))]
        return drawn

    def _flipped(
        self, drawn: npt.NDArray[np.float64], missing: npt.NDArray[np.bool_], random: Randomness
    ) -> npt.NDArray[np.float64]:
        flip = random.uniform(len(drawn)) < (self.flip or 0.0)
        spread = self.low + random.uniform(len(drawn)) * self.width
        return np.where(missing ^ flip, np.nan, np.where(missing, spread, drawn))
