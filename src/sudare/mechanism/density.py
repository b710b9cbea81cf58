"""Bounded noise with any symmetric, unimodal density from scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BeforeValidator

from sudare.errors import ErrorSentence, shown
from sudare.mechanism.numbers import BoundedNoise
from sudare.mechanism.protocol import Flip, Grid, High, Low, Ranks, check_range
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    import numpy.typing as npt

_TOLERANCE = 1e-6


def as_family(given: Any) -> Any:
    """A frozen scipy distribution as its name and parameters, which can be stored in a manifest."""
    if isinstance(given, Family):
        return given
    if isinstance(given, str | dict):
        return Family(**({"name": given} if isinstance(given, str) else given))
    family = getattr(getattr(given, "dist", None), "name", None)
    if family is None:
        if not all(callable(getattr(given, name, None)) for name in ("pdf", "cdf", "ppf")):
            raise ValueError(ErrorSentence("mechanism.density.no_functions", given=shown(given)))
        return given
    from scipy import stats

    shapes, location, scale = getattr(stats, family)._parse_args(*given.args, **given.kwds)  # noqa: SLF001  # scipy has no public way back
    return Family(family, tuple(map(float, shapes)), float(location), float(scale))


@parameters
class Family:
    """A distribution of `scipy.stats`, given by its name."""

    name: str
    """Name in `scipy.stats`, such as logistic, t, cauchy, laplace."""
    shapes: tuple[float, ...] = ()
    """Its shape parameters in order, such as the degrees of freedom of t."""
    location: float = 0.0
    """Must be 0: noise is centered."""
    scale: Annotated[float, Field(gt=0)] = 1.0
    """Its scale."""

    def frozen(self) -> Any:
        """The distribution itself, with pdf, cdf and ppf."""
        from scipy import stats

        family = getattr(stats, self.name, None)
        if not isinstance(family, stats.rv_continuous):
            raise ValueError(ErrorSentence("mechanism.density.not_a_family", name=self.name))  # noqa: TRY004  # pydantic tells it
        return family(*self.shapes, loc=self.location, scale=self.scale)


@parameters
class Density(BoundedNoise):
    """Noise with a symmetric, unimodal density f, bounded to [a, b]: `rate = (f(b - a) / f(0))^2`.

    Its epsilon is an upper bound: `log(f(0) / f(b - a))` plus the logarithm of the largest ratio of normalizers.

    >>> from scipy import stats
    >>> mechanism = Density(stats.logistic(scale=60), low=0, high=120)
    >>> mechanism.noise.name, round(mechanism.rate(), 6)
    ('logistic', 0.176378)
    """

    noise: Annotated[Any, BeforeValidator(as_family)]
    """A distribution of scipy.stats (its name, a mapping of name, shapes and scale, or the distribution itself), which
    can be stored in a manifest; or, for use in memory only, any object with pdf, cdf and ppf."""
    low: Low
    high: High
    grid: Grid = None
    flip: Flip = None
    values: Ranks = None

    @model_validator(mode="after")
    def _whole(self) -> Density:
        check_range(self.low, self.high, self.grid, self.values)
        frozen = self._frozen()
        distance = np.linspace(0, self.high - self.low, 257)
        right, left = frozen.pdf(distance), frozen.pdf(-distance)
        top = float(right[0])
        if not (np.isfinite(right).all() and top > 0):
            raise ValueError(ErrorSentence("mechanism.density.not_finite", noise=self._called))
        if np.abs(right - left).max() > _TOLERANCE * top or np.diff(right).max() > _TOLERANCE * top:
            raise ValueError(ErrorSentence("mechanism.density.not_falling", noise=self._called))
        return self

    @property
    def _called(self) -> str:
        return f"'{self.noise.name}'" if isinstance(self.noise, Family) else type(self.noise).__name__

    def _frozen(self) -> Any:
        return self.noise.frozen() if isinstance(self.noise, Family) else self.noise

    def density(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The density f."""
        return np.asarray(self._frozen().pdf(distance), dtype=np.float64)

    def half_mass(self, distance: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`F(d) - 1/2`, computed from the lower half, where cdf values keep the most digits."""
        return np.asarray(0.5 - self._frozen().cdf(-np.asarray(distance, dtype=np.float64)), dtype=np.float64)

    def half_quantile(self, mass: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """`-F^-1(1/2 - m)`."""
        return np.asarray(-self._frozen().ppf(0.5 - np.asarray(mass, dtype=np.float64)), dtype=np.float64)
