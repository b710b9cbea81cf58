"""What the verifier checks on randomized columns: Pk-anonymity, recomputed from the public description alone.

Part of the independent verifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.errors import shown
from sudare.verify.blocks import as_text, gather_evidence, listed
from sudare.verify.finding import CannotCheckError, FindingSentence
from sudare.verify.noise import noise_epsilon, noise_rate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sudare.verify.blocks import Evidence

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
        return float(value)
    except ValueError:
        return value
