"""From k and the number of records to the parameters of mechanisms, and back.

    k = 1 + (|R| - 1) * product of the rates     (Ikarashi et al., after 2011; exact worst-case posterior, enumerated in the tests)

Equal budgets: with m columns each has rate `((k - 1) / (|R| - 1))^(1 / m)`; with weights w, the exponent w_a / sum w.
A column of weight 2 is protected less: its rate is the square of that of a column of weight 1.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from sudare.errors import ErrorSentence, InfeasibleError, ParameterError, did_you_mean
from sudare.mechanism.catalogue import MECHANISMS
from sudare.mechanism.density import Density, Family
from sudare.mechanism.numbers import BoundedNoise
from sudare.mechanism.retention import Retention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from sudare.mechanism.protocol import Mechanism

_Records = TypeVar("_Records", float, "npt.NDArray[np.float64]")
_TWELVE_UP = decimal.Context(prec=12, rounding=decimal.ROUND_CEILING)
_TWELVE_DOWN = decimal.Context(prec=12, rounding=decimal.ROUND_FLOOR)


def rate_for(k: float, records: int) -> float:
    """The product of rates that gives this k for this many records.

    >>> rate_for(10, 1000) == 9 / 999
    True
    """
    if not k > 1:
        raise ParameterError("mechanism.k_of_one", k=k)
    if k > records:
        raise InfeasibleError(
            f"mechanism.k_above_records.{'one' if records == 1 else 'many'}", k=k, records=records
        )
    return (k - 1) / (records - 1)


def k_of(rate: float, records: _Records) -> _Records:
    """The k of a release of this many records (or of several such numbers) whose rates have this product.

    >>> k_of(9 / 999, 1000)
    10.0
    """
    return 1 + (records - 1) * rate


def k_reached(mechanisms: Iterable[Mechanism], records: int) -> float:
    """The k of a release of this many records in which each column is randomized by one of these mechanisms."""
    return k_of(math.prod(mechanism.rate() for mechanism in mechanisms), float(records))


def shares(rate: float, names: Sequence[str], weights: Mapping[str, float] | None = None) -> dict[str, float]:
    """The rate of each column, with the product `rate`: equal for all, or in proportion to weights (1 if not given).

    >>> shares(0.01, ["age", "sex"])
    {'age': 0.1, 'sex': 0.1}
    """
    weight = {name: (weights or {}).get(name, 1.0) for name in names}
    total = math.fsum(weight.values())
    return {name: rate ** (weight[name] / total) for name in names}


def calibrate(kind: str, rate: float, **fields: Any) -> Mechanism:
    """A mechanism of this kind with the given rate: its strength is computed, the other fields are given.

    `laplace`, `normal`, `uniform` and `density` take low, high, grid and values; density also takes noise, whose scale
    is computed; `missing=True` adds the flip of missing cells. `retention` takes values and distribution. Parameters
    are rounded to 12 digits toward more noise, so that a rounding error never makes the rate too low.

    >>> calibrate("laplace", 0.01, low=0, high=120)
    Laplace(scale=52.1153..., low=0.0, high=120.0, bounded=True, grid=None, flip=None, values=None)
    """
    if not 0 < rate <= 1:
        raise ParameterError("mechanism.rate", rate=rate)
    if kind not in _SOLVERS:
        what, hint = ErrorSentence("parameters.what.mechanism"), did_you_mean(kind, _SOLVERS)
        raise ParameterError("parameters.unknown_entry", name=kind, what=what, hint=hint)
    rest = {field: value for field, value in fields.items() if field != "missing"}
    mechanism = MECHANISMS.build({"type": kind, **rest, **_SOLVERS[kind](rate, fields)})
    if isinstance(mechanism, BoundedNoise) and fields.get("missing"):
        return _with_flip(mechanism, rate, mechanism.peak())
    return mechanism


def _laplace(rate: float, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"scale": _up(2 * _width(fields) / _depth(rate, "laplace"))}


def _normal(rate: float, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"deviation": _up(_width(fields) / math.sqrt(_depth(rate, "normal")))}


def _uniform(rate: float, fields: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001  # 1 is the only rate above 0
    return {"half_width": _width(fields)}


def _density(rate: float, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The scale, found by bisection: wider noise has a higher rate, for every family of scipy."""
    _depth(rate, "density")
    rest = {field: value for field, value in fields.items() if field != "missing"}
    given = MECHANISMS.build({"type": "density", **rest})
    if not isinstance(given, Density) or not isinstance(given.noise, Family):
        raise ParameterError("mechanism.no_scale")
    width, family = given.width, given.noise
    noise = replace(family, scale=1.0).frozen()

    def reaches(scale: float) -> bool:
        end = width / scale
        fall = float(noise.pdf(end) / noise.pdf(0))
        if not fields.get("missing"):
            return fall**2 >= rate
        # With missing cells the ratio of two normalizers matters too: see BoundedNoise.rate.
        least, most = 0.5 - noise.cdf(-end), 1.0 - 2 * noise.cdf(-end / 2)
        return min(fall**2, fall * float(least / most)) >= rate

    low, high = width * 1e-9, width
    while not reaches(high) and high < width * 1e12:
        high *= 2
    while high / low > 1 + 1e-13:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return {"noise": replace(family, scale=_up(high))}


def _retention(rate: float, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Uniform replacement in closed form, `p = (1 - r) / (1 + (d - 1) r)`, `r = sqrt(rate)`; else by bisection."""
    rest = {field: value for field, value in fields.items() if field != "missing"}
    most = MECHANISMS.build({"type": "retention", "keep": 0.0, **rest})
    if not isinstance(most, Retention) or most.rate() < rate:
        raise InfeasibleError("mechanism.never_drawn")
    if most.distribution is None:
        root = math.sqrt(rate)
        return {"keep": _down((1 - root) / (1 + (len(most.values) - 1) * root))}
    low, high = 0.0, 1.0 - 2**-53
    while high - low > 1e-15:
        middle = (low + high) / 2
        low, high = (middle, high) if replace(most, keep=middle).rate() >= rate else (low, middle)
    return {"keep": _down(low)}


_SOLVERS: dict[str, Callable[[float, Mapping[str, Any]], dict[str, Any]]] = {
    "laplace": _laplace,
    "normal": _normal,
    "uniform": _uniform,
    "density": _density,
    "retention": _retention,
}


def _with_flip(mechanism: Mechanism, rate: float, peak: float) -> Mechanism:
    odds = math.sqrt(rate * peak)
    return replace(mechanism, flip=min(0.5, _up(odds / (1 + odds))))  # type: ignore[type-var]  # subclasses are dataclasses


def _width(fields: Mapping[str, Any]) -> float:
    return float(fields["high"]) - float(fields["low"])


def _depth(rate: float, kind: str) -> float:
    if rate == 1:
        raise InfeasibleError("mechanism.infinite_noise", kind=kind)
    return -math.log(rate)


def _up(value: float) -> float:
    """The smallest number with 12 significant digits that is not below the value."""
    return float(_TWELVE_UP.create_decimal(value))


def _down(value: float) -> float:
    """The largest number with 12 significant digits that is not above the value."""
    return float(_TWELVE_DOWN.create_decimal(value))
