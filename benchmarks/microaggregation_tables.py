"""The tables of microaggregation_quality.py, all standardized, and the figures to reach on two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import sudare as sd

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_ADULT_NUMBERS = (0, 2, 4, 10, 11, 12)  # age, weight, years of education, capital gain and loss, hours a week
_KS = (3, 4, 5, 10)


def _by_k(*losses: float) -> dict[int, float]:
    return dict(zip(_KS, losses, strict=True))


GOALS = {
    "tarragona": {
        "MDAV": _by_k(16.9326, 19.5460, 22.4619, 33.1929),
        "prototype, descent": _by_k(15.05, 17.70, 20.69, 30.74),
        "prototype, 1e7 moves": _by_k(14.66, 17.20, 20.34, 30.21),
        "prototype, 1e8 moves": _by_k(14.58, 17.19, 20.23, 30.16),
    },
    "census": {
        "MDAV": _by_k(5.6922, 7.4947, 9.0884, 14.1559),
        "prototype, descent": _by_k(5.23, 6.74, 8.16, 12.26),
        "prototype, 1e7 moves": _by_k(4.82, 6.17, 7.49, 11.54),
        "prototype, 1e8 moves": _by_k(4.73, 6.14, 7.38, 11.46),
    },
}
"""Losses in percent by table, title and k (MDAV: published; the others: the prototype of the spec)."""


def tables() -> dict[str, Floats]:
    """Tables by name; those whose file is absent are left out."""
    found = {
        name: pl.read_csv(_DATA / "casc" / f"{name}.csv").to_numpy().astype(np.float64)
        for name in GOALS
        if (_DATA / "casc" / f"{name}.csv").exists()
    }
    found |= _made_up(np.random.default_rng(1))
    if (_DATA / "adult" / "adult.data").exists():
        adult = pl.read_csv(_DATA / "adult" / "adult.data", has_header=False, n_rows=2000)
        numbers = [
            adult[:, column].cast(pl.String).str.strip_chars().cast(pl.Float64) for column in _ADULT_NUMBERS
        ]
        found["adult, numbers"] = np.column_stack([column.to_numpy() for column in numbers])
    return {name: sd.microaggregate.standardized(X) for name, X in found.items()}


def _made_up(random: np.random.Generator) -> dict[str, Floats]:
    centers = 8 * random.normal(size=(40, 4))
    # Firms of three kinds with common size: columns go together, a few records dwarf all others, many cells are 0.
    size = np.exp(random.normal(size=(1200, 1)) * random.choice([0.5, 1.0, 2.0], size=(1200, 1)))
    firms = size * np.exp(0.5 * random.normal(size=(1200, 13))) * (random.random(size=(1200, 13)) < 0.8)
    return {
        "normal": random.normal(size=(1000, 8)),
        "lognormal": np.exp(random.normal(size=(1000, 8))),
        "clusters": centers[random.integers(0, 40, size=1500)] + random.normal(size=(1500, 4)),
        "heavy tails": firms,
        "ties": random.integers(0, 6, size=(600, 3)).astype(np.float64),
    }
