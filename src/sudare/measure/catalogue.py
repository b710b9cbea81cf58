"""The measures there are: name, direction, range and meaning of each, and how to compute them together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from sudare.errors import ParameterError, did_you_mean
from sudare.measure import generalization
from sudare.measure.pair import pair_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Measure:
    """A loss figure and how to read it."""

    name: str
    meaning: str
    meaning_ja: str
    compute: Callable[[Any, Any], float]
    direction: Literal["lower is better", "higher is better"] = "lower is better"
    smallest: float = 0.0
    largest: float = 1.0


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            "loss",
            "share of each quasi-identifier's detail that was generalized away (Iyengar; what ARX reports)",
            "準識別子の詳細のうち一般化で失われた割合(Iyengar、ARXと同じ)",
            generalization.loss,
        ),
        Measure(
            "dis",
            "distortion: hierarchy levels climbed over those there are",
            "歪曲度:上がった階層段数の割合",
            generalization.dis,
        ),
        Measure(
            "gcp",
            "global certainty penalty: share of the domain each cell leaves open",
            "大域確実性損失:各セルが許す値の範囲の割合",
            generalization.gcp,
        ),
        Measure(
            "dm",
            "discernibility: sum of squared block sizes",
            "識別不能度:ブロックの大きさの二乗和",
            generalization.dm,
            largest=math.inf,
        ),
        Measure(
            "average_block",
            "rows per block",
            "ブロックあたりの行数",
            generalization.average_block,
            smallest=1.0,
            largest=math.inf,
        ),
        Measure("suppressed", "share of rows left out", "除かれた行の割合", generalization.suppressed),
    )
}


def measure(before: Any, after: Any, names: Iterable[str] | None = None) -> dict[str, float]:
    """Several measures at once, all of them unless named."""
    pair = pair_of(before, after)
    chosen = list(MEASURES) if names is None else list(names)
    for name in chosen:
        if name not in MEASURES:
            raise ParameterError(f"'{name}' is not a known measure; {did_you_mean(name, MEASURES)}")
    return {name: MEASURES[name].compute(pair.before, pair) for name in chosen}


def all(before: Any, after: Any) -> pl.DataFrame:  # noqa: A001  # sd.measure.all is the public name
    """Every measure as a table: value, range, direction and meaning."""
    values = measure(before, after)
    return pl.DataFrame(
        [
            {
                "measure": name,
                "value": value,
                "smallest": MEASURES[name].smallest,
                "largest": MEASURES[name].largest,
                "direction": MEASURES[name].direction,
                "meaning": MEASURES[name].meaning,
            }
            for name, value in values.items()
        ]
    )
