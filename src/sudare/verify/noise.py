"""What the verifier computes from a mechanism as the manifest has it: its rate, and the local epsilon it implies.

The rate of a column is the least of `A[u', v] A[v', u] / (A[u', u] A[v', v])` over originals u, v and released values
u', v', where `A[x, v]` is the probability (density) that v is released as x. Here it is found as a figure of A itself:
the normalizers of bounded noise cancel, so for noise of density f it is the least of
`f(u' - v) f(v' - u) / (f(u' - u) f(v' - v))`, reached with u = u' and v = v' at the two ends; for replacement it is the
least over all pairs of values of the matrix. Part of the independent verifier.

What the verifier checks on randomized columns: Pk-anonymity, recomputed from the public description alone.

Part of the independent verifier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.errors import shown
from sudare.verify.blocks import as_text, gather_evidence, listed
from sudare.verify.finding import CannotCheckError, FindingSentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from sudare.verify.blocks import Evidence


def noise_rate(name: str, mechanism: Any) -> float:
    """The rate of one column's mechanism, as the manifest has it."""
    if not isinstance(mechanism, dict) or mechanism.get("type") not in {*_RATIOS, "retention"}:
        raise CannotCheckError("mechanism_unknown", name=name)
    if mechanism["type"] == "retention":
        return _replacement_rate(name, mechanism)
    low, high = _number(name, mechanism, "low"), _number(name, mechanism, "high")
    if not low < high:
        raise CannotCheckError("range_empty", name=name)
    _refuse_low_bits(name, mechanism, low, high)
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


def _refuse_low_bits(name: str, mechanism: Mapping[str, Any], low: float, high: float) -> None:
    """Stop where cells of the grid have too few floats: the low bits of noise that was added in floats tell the original."""
    if mechanism.get("grid") is None:
        raise CannotCheckError("no_grid", name=name)
    grid = _positive(name, mechanism, "grid")
    least = max(math.ulp(high - low) * 2**12, math.ulp(low) * 8, math.ulp(high) * 8)
    if grid < least:
        raise CannotCheckError("fine_grid", name=name, grid=grid, least=least)


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


_STEP = 1e-3
"""How far a released number may lie beside its grid, in steps: texts and 32-bit numbers are rounded."""


@dataclass(frozen=True)
class PkEvidence:
    """What a release shows through its mechanisms."""

    rate: float
    """Product of the rates."""
    epsilon: float
    """Sum of the local epsilons."""
    smallest: int
    """Records in the smallest block of what is exact."""
    randomized: list[str]
    exact: list[str]

    @property
    def reached(self) -> float:
        """K."""
        return 1 + (self.smallest - 1) * self.rate


def pk_reached(evidence: Evidence) -> PkEvidence:
    """Recompute all that Pk-anonymity follows from."""
    names = [
        name
        for name in evidence.frame.columns
        if evidence.columns.get(name, {}).get("role") in {"quasi", "sensitive"}
    ]
    rate, epsilon, randomized, exact = 1.0, 0.0, [], []
    keys: dict[str, pl.Series] = {}
    for name in names:
        series = evidence.frame.get_column(name)
        mechanism = evidence.columns[name].get("mechanism")
        if mechanism is None:
            exact.append(name)
            keys[name] = series
            continue
        rate *= noise_rate(name, mechanism)
        epsilon += noise_epsilon(name, mechanism)
        randomized.append(name)
        _check_cells(name, as_text(series), evidence.kind(name), mechanism)
        hides_missing = (
            None in mechanism["values"]
            if mechanism["type"] == "retention"
            else mechanism.get("flip") is not None
        )
        missing = as_text(series).is_null()
        if missing.any() and not hides_missing:
            exact.append(FindingSentence("columns.missing", name=name))
            keys[f"missing {name}"] = missing
    smallest = evidence.frame.height
    if keys:
        frame = pl.DataFrame([series.alias(str(place)) for place, series in enumerate(keys.values())])
        blocks = gather_evidence(frame, {name: {"role": "quasi"} for name in frame.columns}, {})
        smallest = int(blocks.sizes.min())
    return PkEvidence(rate, epsilon, smallest, randomized, exact)


def sentences(found: PkEvidence, k: float) -> tuple[FindingSentence, FindingSentence]:
    """What to say when Pk-anonymity holds, and when it does not."""
    among = FindingSentence("pk.among", records=found.smallest)
    if found.exact:
        among = FindingSentence("pk.among_exact", records=found.smallest, columns=listed(found.exact))
    figures = FindingSentence(
        "pk.figures",
        rate=found.rate,
        columns=listed(found.randomized) if found.randomized else FindingSentence("columns.none"),
        among=among,
        epsilon=found.epsilon,
        k=k,
    )
    reached = f"{found.reached:.6g}"
    return (
        FindingSentence("pk.holds", reached=reached, figures=figures),
        FindingSentence("pk.fails", reached=reached, figures=figures),
    )


def _check_cells(name: str, texts: pl.Series, kind: str, mechanism: Mapping[str, Any]) -> None:
    """Check that the mechanism can have released these cells: else the description is of other data."""
    distinct = texts.drop_nulls().unique()
    values = mechanism.get("values")
    if values is not None:
        known = {_plain(value) for value in values}
        strange = next((text for text in distinct if _plain(text) not in known), None)
        if strange is not None:
            raise CannotCheckError("never_released", name=name, value=shown(strange))
        return
    low, high, grid = mechanism["low"], mechanism["high"], mechanism.get("grid")
    numbers = _axis(distinct, kind)
    slack = 1e-6 * (high - low) if grid is None else _STEP * grid + 1e-7 * np.abs(numbers)
    steps = np.zeros(len(numbers)) if grid is None else (numbers - low) / grid
    beside = np.abs(steps - np.round(steps)) * (grid or 0.0)
    outside = (numbers < low - slack) | (numbers > high + slack)
    wrong = np.isnan(numbers) | (beside > slack) | (outside & bool(mechanism.get("bounded", True)))
    if wrong.any():
        value = shown(distinct[int(np.argmax(wrong))])
        raise CannotCheckError("off_grid", name=name, value=value, low=low, high=high)


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
        number = float(value)
    except ValueError:
        return value
    return value if math.isnan(number) else number  # the text NaN is not equal to itself as a number
