"""How accurate reconstructed cross tabulations are (the evaluation that Ikarashi et al. left for future work)."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.table import Table
from sudare.errors import InputError
from sudare.experiments.crosstab_page import advice, checks, figures, notes
from sudare.experiments.result import Compared, Experiment, needed_file
from sudare.measure.crosstab.build import count_like, crosstab_of
from sudare.measure.crosstab.options import CrosstabOptions
from sudare.mechanism import Retention, calibrate, rate_for, shares
from sudare.progress import SILENT, Progress
from sudare.randomness import Randomness, repeatable
from sudare.read.source import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sudare.mechanism.protocol import Mechanism

_ADULT = {"age": 0, "hours": 12, "sex": 9}
_RANGES = {"age": (0.0, 120.0), "hours": (0.0, 100.0)}
COMPARED_MECHANISMS = ("laplace", "normal", "retention")
_UNPUBLISHED = Compared(
    "error of reconstructed tables",
    "none: left for future work",
    "below",
    "There is nothing to differ from.",
)


def crosstab(
    data: Path | None = None,
    progress: Progress = SILENT,
    *,
    ks: Sequence[int] = (2, 10, 50),
    sizes: Sequence[int] = (1_000, 10_000, 100_000, 1_000_000),
    bins: Sequence[int] = (4, 8, 16),
    seeds: int = 6,
) -> Experiment:
    """Error of reconstructed tables by k, records, bins and mechanism, and how many records are needed."""
    people, source = _people(data)
    cases = list(product(sizes, COMPARED_MECHANISMS, bins, ks, range(seeds)))
    total = sum(case[0] for case in cases)
    progress.start("crosstab", total)
    rows: list[dict[str, Any]] = []
    done = 0
    for size, mechanism, count, k, seed in cases:
        rows.append(_case(people, size, mechanism, count, k, seed))
        done += size
        progress.update(done)
    errors = pl.DataFrame(rows)
    means = errors.group_by(["mechanism", "bins", "k", "records"], maintain_order=True).agg(
        pl.col("estimate", "released", "inverse", "steps").mean()
    )
    needed, most = advice(means), int(means["records"].to_numpy().max())
    return Experiment(
        name="crosstab",
        title="Cross tabulations from randomized records: error, and how many records are needed",
        paper="Ikarashi, Hasegawa, Osame, Kikuchi, Chida: privacy-preserving cross tabulation of numeric attributes by "
        "randomization that guarantees k-anonymity (in Japanese), the evaluation left for future work.",
        tables={"errors": errors, "means": means, "records-needed": needed},
        figures=figures(means),
        checks=tuple(checks(means)),
        compared=(_UNPUBLISHED,),
        notes=notes(source, list(people.columns), needed, most),
    )


def _people(data: Path | None) -> tuple[pl.DataFrame, str]:
    """Adult if it is available, else made-up people: two numbers and a category."""
    try:
        frame, _ = load(needed_file(data, "adult", "adult.data"), header=False)
    except InputError:
        if data is not None:
            raise
        return _made_up(30_000), "made-up people (Adult is absent)"
    table = pl.DataFrame({name: frame.to_series(place) for name, place in _ADULT.items()})
    return table.with_columns(pl.col("sex").cast(pl.String).str.strip_chars()), "UCI Adult"


def _made_up(rows: int) -> pl.DataFrame:
    """Ages with a peak, working hours that most people share, and more men among those who work long hours."""
    one, other, third = repeatable(0).random((3, rows))
    age = 17 + 73 * one**1.7
    hours = np.where(other < 0.45, 40, np.clip(70 * other - np.abs(age - 45) * 0.4, 1, 99))
    sex = np.where(third < 0.35 + hours / 150, "Male", "Female")
    return pl.DataFrame({"age": age.astype(np.int64), "hours": hours.astype(np.int64), "sex": sex})


def _case(people: pl.DataFrame, size: int, mechanism: str, bins: int, k: int, seed: int) -> dict[str, Any]:
    """Draw records, randomize them for this k, reconstruct the table, and compare."""
    random = Randomness(seed)
    original = people[random.integers(people.height, size)]
    if mechanism == "retention":
        original = _binned(original, bins)
    mechanisms = _calibrated(original, mechanism, rate_for(k, size))
    released = pl.DataFrame(
        [_randomized(original[name], mechanisms[name], random) for name in original.columns]
    )
    cut = {name: bins for name in original.columns if original[name].dtype.is_numeric()}
    without_errors = CrosstabOptions(draws=0)
    table = crosstab_of(
        Table.from_frame(released), original.columns, cut, mechanisms=mechanisms, options=without_errors
    )
    truth = count_like(table, Table.from_frame(original))
    found: dict[str, Any] = {
        "mechanism": mechanism,
        "bins": bins,
        "k": k,
        "records": size,
        "seed": seed,
        "cells": table.fit.cells,
        "steps": table.fit.iterations,
    }
    for figure in ("estimate", "released"):
        found[figure] = table.total_variation(truth, figure=figure)
    # Computed here: under strong noise the cells of the inverse are so large that rounding destroys their total, and
    # any share.
    known = "inverse" in table.figures
    apart = float(np.abs(table.array(figure="inverse") - truth).sum()) / (2 * size) if known else None
    return {**found, "inverse": apart}


def _binned(frame: pl.DataFrame, bins: int) -> pl.DataFrame:
    """Numbers as categories: the index of their bin."""
    columns = []
    for name in frame.columns:
        if name in _RANGES:
            low, high = _RANGES[name]
            place = np.floor((frame[name].to_numpy() - low) / (high - low) * bins).astype(np.int64)
            columns.append(pl.Series(name, np.clip(place, 0, bins - 1)).cast(pl.String))
        else:
            columns.append(frame[name])
    return pl.DataFrame(columns)


def _calibrated(frame: pl.DataFrame, mechanism: str, rate: float) -> Mapping[str, Mechanism]:
    found: dict[str, Mechanism] = {}
    for name, own in shares(rate, frame.columns).items():
        if frame[name].dtype.is_numeric():
            low, high = _RANGES[name]
            grid = 1.0 if frame[name].dtype.is_integer() else 0.01
            found[name] = calibrate(mechanism, own, low=low, high=high, grid=grid)
        else:
            values = tuple(frame[name].unique().sort().to_list())
            found[name] = calibrate("retention", own, values=values)
    return found


def _randomized(series: pl.Series, mechanism: Mechanism, random: Randomness) -> pl.Series:
    if isinstance(mechanism, Retention):
        values = pl.Series(series.name, list(mechanism.values), dtype=series.dtype)
        places = pl.DataFrame({series.name: values}).with_row_index("place")
        codes = series.to_frame().join(places, on=series.name, how="left", maintain_order="left")["place"]
        return values.gather(
            mechanism.randomize(codes.to_numpy().astype(np.float64), random).astype(np.int64)
        )
    numbers = mechanism.randomize(series.to_numpy().astype(np.float64), random)
    return pl.Series(series.name, numbers).cast(series.dtype)
