"""What the verifier computes from a mechanism as the manifest has it: its rate, and the local epsilon it implies.

The rate of a column is the least of `A[u', v] A[v', u] / (A[u', u] A[v', v])` over originals u, v and released values
u', v', where `A[x, v]` is the probability (density) that v is released as x. Here it is found as a figure of A itself:
the normalizers of bounded noise cancel, so for noise of density f it is the least of
`f(u' - v) f(v' - u) / (f(u' - u) f(v' - v))`, reached with u = u' and v = v' at the two ends; for replacement it is the
least over all pairs of values of the matrix. Part of the independent verifier.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.verify.finding import CannotCheckError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray


def noise_rate(name: str, mechanism: Any) -> float:
    """The rate of one column's mechanism, as the manifest has it."""
    if not isinstance(mechanism, dict) or mechanism.get("type") not in {*_RATIOS, "retention"}:
        raise CannotCheckError("mechanism_unknown", name=name)
    if mechanism["type"] == "retention":
        return _replacement_rate(name, mechanism)
    low, high = _number(name, mechanism, "low"), _number(name, mechanism, "high")
    if not low < high:
        raise CannotCheckError("range_empty", name=name)
    if mechanism["type"] == "normal" and mechanism.get("bounded", True) is not True:
        return 0.0
    # log f(d) - log f(0): logarithms, so that strong noise and weak noise keep their digits.
    fall = _RATIOS[mechanism["type"]](name, mechanism, high - low)
    rate = math.exp(2 * fall)
    if mechanism.get("flip") is None:
        return rate
    if mechanism.get("bounded", True) is not True:
        return 0.0
    return min(rate, _missing_rate(name, mechanism, high - low, fall))


def noise_epsilon(name: str, mechanism: Mapping[str, Any]) -> float:
    """The largest `log(A[x, v] / A[x, u])`: the most that a released value changes the odds of two originals.

    For noise `log f(0) - log f(b - a)`, for a density plus the largest ratio of two normalizers (an upper bound). A
    missing cell is released as a number with probability q, then uniform on the range.
    """
    if mechanism["type"] == "retention":
        return -float(_replacement_logs(name, mechanism).min())
    width = mechanism["high"] - mechanism["low"]
    numbers = -_RATIOS[mechanism["type"]](name, mechanism, width)
    if mechanism["type"] != "density" and mechanism.get("flip") is None:
        return numbers
    noise = _noise(name, mechanism)
    at_end = noise.cdf(width) - noise.cdf(0)
    if mechanism["type"] == "density":
        numbers += math.log(2 * (noise.cdf(width / 2) - noise.cdf(0)) / at_end)
    if mechanism.get("flip") is None:
        return numbers
    odds = math.log((1 - mechanism["flip"]) / mechanism["flip"])
    peak = math.log(width * noise.pdf(0) / at_end)
    return float(max(numbers, odds + peak, numbers - peak - odds))


def _laplace(name: str, mechanism: Mapping[str, Any], distance: float) -> float:
    return -distance / _positive(name, mechanism, "scale")


def _normal(name: str, mechanism: Mapping[str, Any], distance: float) -> float:
    return -((distance / _positive(name, mechanism, "deviation")) ** 2) / 2


def _uniform(name: str, mechanism: Mapping[str, Any], distance: float) -> float:
    return 0.0 if distance <= _positive(name, mechanism, "half_width") else -math.inf


def _density(name: str, mechanism: Mapping[str, Any], distance: float) -> float:
    noise = _scipy_noise(name, mechanism)
    along = np.linspace(0, distance, 2049)
    fall = noise.logpdf(along) - noise.logpdf(0)
    if not np.isfinite(noise.logpdf(0)) or np.abs(noise.logpdf(-along) - noise.logpdf(along)).max() > 1e-6:
        raise CannotCheckError("not_symmetric", name=name)
    return float(fall.min())


_RATIOS: dict[str, Callable[[str, Mapping[str, Any], float], float]] = {
    "laplace": _laplace,
    "normal": _normal,
    "uniform": _uniform,
    "density": _density,
}


def _scipy_noise(name: str, mechanism: Mapping[str, Any]) -> Any:
    from scipy import stats

    noise = mechanism.get("noise")
    family = getattr(stats, str(noise.get("name")), None) if isinstance(noise, dict) else None
    if not isinstance(noise, dict) or not isinstance(family, stats.rv_continuous):
        raise CannotCheckError("not_scipy", name=name)
    return family(
        *noise.get("shapes", ()), loc=noise.get("location", 0), scale=_positive(name, noise, "scale")
    )


def _missing_rate(name: str, mechanism: Mapping[str, Any], width: float, fall: float) -> float:
    """The least ratio with a missing original: missing and present change places with probability q.

    A missing cell that is released as a number is uniform on the range; the least ratio pairs it with the number of
    highest density, an end of the range.
    """
    flip = _positive(name, mechanism, "flip")
    if flip > 0.5:
        raise CannotCheckError("flip", name=name, flip=flip)
    noise = _noise(name, mechanism)
    at_end = noise.cdf(width) - noise.cdf(0)
    at_middle = 2 * (noise.cdf(width / 2) - noise.cdf(0))
    highest = width * noise.pdf(0) / at_end
    between_numbers = math.exp(fall) * (at_end / at_middle if mechanism["type"] == "density" else 1)
    return float(min((flip / (1 - flip)) ** 2 / highest, between_numbers))


def _noise(name: str, mechanism: Mapping[str, Any]) -> Any:
    from scipy import stats

    if mechanism["type"] == "laplace":
        return stats.laplace(scale=mechanism["scale"])
    if mechanism["type"] == "normal":
        return stats.norm(scale=mechanism["deviation"])
    if mechanism["type"] == "uniform":
        return stats.uniform(-mechanism["half_width"], 2 * mechanism["half_width"])
    return _scipy_noise(name, mechanism)


def _replacement_rate(name: str, mechanism: Mapping[str, Any]) -> float:
    """The least of `A[u, v] A[v, u] / (A[u, u] A[v, v])` over two different values."""
    # The ratio of two values is a product of one figure of each, so the two least figures make the least ratio.
    logs = _replacement_logs(name, mechanism)
    return float(np.exp(np.partition(logs, 1)[:2].sum())) if len(logs) > 1 else 1.0


def _replacement_logs(name: str, mechanism: Mapping[str, Any]) -> NDArray[np.float64]:
    """`log(A[v, u] / A[v, v])` of each value v, the same for every other value u."""
    keep, values = _number(name, mechanism, "keep"), mechanism.get("values")
    if not 0 <= keep <= 1 or not isinstance(values, list) or not values:
        raise CannotCheckError("replacement", name=name)
    given = mechanism.get("distribution")
    chance = np.full(len(values), 1 / len(values)) if given is None else np.array(given, dtype=np.float64)
    if len(chance) != len(values) or (chance < 0).any() or abs(chance.sum() - 1) > 1e-6:
        raise CannotCheckError("distribution", name=name)
    if len(values) == 1:
        return np.zeros(1)
    stays = keep + (1 - keep) * chance
    logs = np.full(len(values), -np.inf)
    moves = (1 - keep) * chance
    logs[moves > 0] = np.log(moves[moves > 0] / stays[moves > 0])
    return logs


def _number(name: str, mechanism: Mapping[str, Any], key: str) -> float:
    value = mechanism.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CannotCheckError("mechanism_part", name=name, key=key)
    return float(value)


def _positive(name: str, mechanism: Mapping[str, Any], key: str) -> float:
    value = _number(name, mechanism, key)
    if value <= 0:
        raise CannotCheckError("mechanism_part", name=name, key=key)
    return value
