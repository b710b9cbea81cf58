"""What the verifier checks on randomized columns: Pk-anonymity, recomputed from the public description alone.

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
import polars as pl

from sudare.release.verify_blocks import CannotCheckError, as_text, gather_evidence, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from sudare.release.verify_blocks import Evidence

_STEP = 1e-3
"""How far a released number may lie beside its grid, in steps: texts and 32-bit numbers are rounded."""


def pk_reached(evidence: Evidence) -> tuple[float, int, list[str], list[str]]:
    """(product of rates, records in the smallest block of what is exact, randomized columns, exact ones)."""
    names = [
        name
        for name in evidence.frame.columns
        if evidence.columns.get(name, {}).get("role") in {"quasi", "sensitive"}
    ]
    rate, randomized, exact = 1.0, [], []
    keys: dict[str, pl.Series] = {}
    for name in names:
        series = evidence.frame.get_column(name)
        mechanism = evidence.columns[name].get("mechanism")
        if mechanism is None:
            exact.append(name)
            keys[name] = series
            continue
        rate *= _rate(name, mechanism)
        randomized.append(name)
        _check_cells(name, as_text(series), evidence.kind(name), mechanism)
        hides_missing = (
            None in mechanism["values"]
            if mechanism["type"] == "retention"
            else mechanism.get("flip") is not None
        )
        missing = as_text(series).is_null()
        if missing.any() and not hides_missing:
            exact.append(f"missing {name}")
            keys[f"missing {name}"] = missing
    smallest = evidence.frame.height
    if keys:
        frame = pl.DataFrame([series.alias(str(place)) for place, series in enumerate(keys.values())])
        blocks = gather_evidence(frame, {name: {"role": "quasi"} for name in frame.columns}, {})
        smallest = int(blocks.sizes.min())
    return rate, smallest, randomized, exact


def sentences(
    rate: float, smallest: int, randomized: list[str], exact: list[str], k: float
) -> tuple[str, str]:
    """What to say when Pk-anonymity holds, and when it does not."""
    reached = f"{1 + (smallest - 1) * rate:.6g}"
    among = f"{smallest} records" + (f" that agree on {listed(exact)}" if exact else "")
    figures = f"product of rates {rate:.6g} over {listed(randomized) or 'no column'}, {among}; asked: {k:g}"
    return (
        f"From the public description, no record is somebody's with probability above 1/{reached} ({figures}).",
        f"From the public description, a record may be somebody's with probability 1/{reached} ({figures}).",
    )


def _rate(name: str, mechanism: Any) -> float:
    if not isinstance(mechanism, dict) or mechanism.get("type") not in {*_RATIOS, "retention"}:
        raise CannotCheckError(f"the mechanism of {name} is not known to this version")
    if mechanism["type"] == "retention":
        return _replacement_rate(name, mechanism)
    low, high = _number(name, mechanism, "low"), _number(name, mechanism, "high")
    if not low < high:
        raise CannotCheckError(f"the range of {name} is empty")
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
        raise CannotCheckError(f"the density of {name} is not symmetric")
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
        raise CannotCheckError(f"the density of {name} is not one of scipy.stats")
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
        raise CannotCheckError(f"the flip of {name} is {flip:g}, above 1/2")
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
    keep, values = _number(name, mechanism, "keep"), mechanism.get("values")
    if not 0 <= keep <= 1 or not isinstance(values, list) or not values:
        raise CannotCheckError(f"the replacement of {name} has no proper 'keep' or 'values'")
    given = mechanism.get("distribution")
    chance = np.full(len(values), 1 / len(values)) if given is None else np.array(given, dtype=np.float64)
    if len(chance) != len(values) or (chance < 0).any() or abs(chance.sum() - 1) > 1e-6:
        raise CannotCheckError(f"the replacement of {name} has no proper 'distribution'")
    if len(values) == 1:
        return 1.0
    stays = keep + (1 - keep) * chance
    logs = np.full(len(values), -np.inf)
    moves = (1 - keep) * chance
    logs[moves > 0] = np.log(moves[moves > 0] / stays[moves > 0])
    # The ratio of two values is a product of one figure of each, so the two least figures make the least ratio.
    return float(np.exp(np.partition(logs, 1)[:2].sum()))


def _check_cells(name: str, texts: pl.Series, kind: str, mechanism: Mapping[str, Any]) -> None:
    """Check that the mechanism can have released these cells: else the description is of other data."""
    distinct = texts.drop_nulls().unique()
    values = mechanism.get("values")
    if values is not None:
        known = {_plain(value) for value in values}
        strange = next((text for text in distinct if _plain(text) not in known), None)
        if strange is not None:
            raise CannotCheckError(f"the column {name} holds {strange!r}, which its mechanism never releases")
        return
    low, high, grid = mechanism["low"], mechanism["high"], mechanism.get("grid")
    numbers = _axis(distinct, kind)
    slack = 1e-6 * (high - low) if grid is None else _STEP * grid + 1e-7 * np.abs(numbers)
    steps = np.zeros(len(numbers)) if grid is None else (numbers - low) / grid
    beside = np.abs(steps - np.round(steps)) * (grid or 0.0)
    outside = (numbers < low - slack) | (numbers > high + slack)
    wrong = np.isnan(numbers) | (beside > slack) | (outside & bool(mechanism.get("bounded", True)))
    if wrong.any():
        raise CannotCheckError(
            f"the column {name} holds {distinct[int(np.argmax(wrong))]!r}, which is not on the grid of its mechanism "
            f"from {low:g} to {high:g}"
        )


def _axis(texts: pl.Series, kind: str) -> NDArray[np.float64]:
    """Texts as numbers, dates as days since 1970; NaN where a text is neither."""
    if kind == "date":
        days = texts.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
        return days.to_physical().cast(pl.Float64).to_numpy()
    return texts.cast(pl.Float64, strict=False).to_numpy()


def _plain(value: Any) -> Any:
    """Values as they are compared: numbers by size, however they are written, truth values as text."""
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    try:
        return float(value)
    except ValueError:
        return value


def _number(name: str, mechanism: Mapping[str, Any], key: str) -> float:
    value = mechanism.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CannotCheckError(f"the mechanism of {name} has no proper {key!r}")
    return float(value)


def _positive(name: str, mechanism: Mapping[str, Any], key: str) -> float:
    value = _number(name, mechanism, key)
    if value <= 0:
        raise CannotCheckError(f"the mechanism of {name} has no proper {key!r}")
    return value
