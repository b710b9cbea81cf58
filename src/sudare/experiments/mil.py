"""MIL after MDAV and V-MDAV (Akiyama 2018, appendix A), and its distance to the optimum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.anonymize.microaggregate.arrays import loss
from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.one_column import mil_with_count, optimal_1d, sorted_start
from sudare.anonymize.microaggregate.vmdav import vmdav
from sudare.experiments.mil_data import COMPONENTS, COUNTS, FALLS, PRINTED_TESTS, made_up
from sudare.experiments.mil_page import (
    beside_print,
    by_data,
    by_k,
    checks,
    compared,
    figures,
    further_off,
    notes,
    spread_of,
)
from sudare.experiments.result import Experiment
from sudare.kernels.points.ends import mdav_borders, vmdav_borders
from sudare.kernels.points.mil import move_borders
from sudare.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

_LARGEST_K = 50
_GAMMA = 1.0
_STARTS: dict[str, tuple[Callable[[Floats, int], Integers], Callable[[Floats, int], Integers]]] = {
    "MDAV": (mdav, mdav_borders),
    "V-MDAV": (lambda x, k: vmdav(x, k, _GAMMA), lambda x, k: vmdav_borders(x, k, _GAMMA)),
}
"""Each starting method twice: for any table, and for a sorted column, which needs no search."""


def mil(
    data: Path | None = None,
    progress: Progress = SILENT,
    *,
    datasets: int = 13,
    sizes: Sequence[int] = (100, 1_000, 10_000, 100_000),
    seeds: int = 3,
    largest_k: int = _LARGEST_K,
    drawn_seeds: int = 20,
) -> Experiment:
    """Tables A.2-A.9: share improved, decrease of the loss and number of tests, for MIL after MDAV and V-MDAV."""
    del data  # generated, not read
    names = list(COMPONENTS)[:datasets]
    # The tables use few seeds (the paper's use one); the spread of single draws needs more.
    drawn = _losses(names, max(seeds, drawn_seeds), progress)
    spread = spread_of(falls_of(drawn, ["dataset", "start", "seed"]), seeds)
    losses = drawn.filter(pl.col("seed") < seeds)
    tests = _tests(names, sizes, seeds, largest_k, progress)
    falls = with_published(falls_of(losses, ["dataset", "start"]))
    counts = _counts(tests)
    beside = beside_print(drawn)
    return Experiment(
        name="mil",
        title="MIL after MDAV and V-MDAV on one column, and its distance to the optimum",
        paper="Akiyama: information loss by anonymization (thesis, Nara Women's University 2018, in Japanese), "
        "appendix A, tables A.2-A.9 and figures A.1-A.14.",
        tables={
            "losses": losses,
            "losses-a2-a4": beside,
            "falls": falls,
            "spread": spread,
            "tests": tests,
            "tests-a7-a8": _by_seed(tests),
            "counts": counts,
        },
        printed={**by_k(beside), **by_data(falls), **further_off(spread, seeds)},
        figures=figures(losses, tests, counts),
        compared=tuple(compared(falls_of(losses, ["start"]), falls, counts)),
        checks=tuple(checks(losses, falls_of(losses, ["start"]), falls, counts)),
        notes=notes(falls_of(losses, ["start"]), spread, beside, len(names), seeds),
    )


def _losses(names: Sequence[str], seeds: int, progress: Progress) -> pl.DataFrame:
    """Loss before and after MIL and at the optimum, for every k up to N/2 (tables A.2-A.4 in full)."""
    progress.start("losses", len(names) * seeds)
    rows: list[dict[str, Any]] = []
    for done, (name, seed) in enumerate((name, seed) for name in names for seed in range(seeds)):
        x = made_up(name, None, seed)
        ordered = np.sort(x)
        for k in range(2, len(x) // 2 + 1):
            optimum = loss(x, optimal_1d(x, k))
            for start, (method, on_sorted) in _STARTS.items():
                first = sorted_start(x, k, method(x, k))
                rows.append(
                    {
                        "dataset": name,
                        "seed": seed,
                        "k": k,
                        "start": start,
                        "before": loss(x, first),
                        "after": loss(x, mil_with_count(x, k, first)[0]),
                        "optimum": optimum,
                        "same_groups": _borders(x, first) == on_sorted(ordered, k).tolist(),
                    }
                )
        progress.update(done + 1)
    return pl.DataFrame(rows).with_columns(
        (100 * (1 - pl.col("after") / pl.col("before"))).alias("fall"),
        (100 * (pl.col("before") / pl.col("optimum") - 1)).alias("excess_before"),
        (100 * (pl.col("after") / pl.col("optimum") - 1)).alias("excess_after"),
    )


def _borders(x: Floats, labels: Integers) -> list[int]:
    """Where the groups of a partition into consecutive groups start and end in the sorted column."""
    ordered = labels[np.argsort(x, kind="stable")]
    return [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(x)]


def falls_of(losses: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Share improved and decreases in percent, with the excess over the optimum."""
    improved = pl.col("fall") > 1e-9
    return losses.group_by(by, maintain_order=True).agg(
        (100 * improved.mean()).alias("improved"),
        pl.col("fall").mean().alias("mean_fall"),
        pl.col("fall").filter(improved).mean().alias("mean_fall_of_improved"),
        pl.col("fall").max().alias("largest_fall"),
        pl.col("excess_before").mean().alias("mean_excess_before"),
        pl.col("excess_after").mean().alias("mean_excess_after"),
        (100 * (pl.col("excess_after") < 1e-6).mean()).alias("optimal_after"),
    )


def with_published(falls: pl.DataFrame) -> pl.DataFrame:
    """Tables A.5 and A.6 with the paper's figures next to ours."""
    published = [FALLS[start][name] for name, start in falls.select("dataset", "start").iter_rows()]
    columns = zip(*published, strict=True)
    names = ("published_improved", "published_mean_fall", "published_largest_fall")
    return falls.with_columns(pl.Series(name, values) for name, values in zip(names, columns, strict=True))


def _tests(
    names: Sequence[str], sizes: Sequence[int], seeds: int, largest_k: int, progress: Progress
) -> pl.DataFrame:
    """Number of tests for k = 2 … 50."""
    cases = [(size, name, seed) for size in sizes for name in names for seed in range(seeds)]
    total, done = sum(size for size, _, _ in cases), 0
    progress.start("tests", total)
    rows: list[dict[str, Any]] = []
    for size, name, seed in cases:
        ordered = np.sort(made_up(name, size, seed))
        for k in range(2, min(largest_k, size // 2) + 1):
            for start, (_, on_sorted) in _STARTS.items():
                count = int(move_borders(ordered, on_sorted(ordered, k), k))
                rows.append(
                    {"dataset": name, "seed": seed, "N": size, "k": k, "start": start, "tests": count}
                )
        done += size
        progress.update(done)
    return pl.DataFrame(rows)


def _by_seed(tests: pl.DataFrame) -> pl.DataFrame:
    """Tables A.7 and A.8: mean and largest number of tests for each seed's DS0, with the published numbers."""
    found = (
        tests.filter(pl.col("dataset") == "DS0")
        .group_by("start", "seed", "N", maintain_order=True)
        .agg(pl.col("tests").mean().alias("mean"), pl.col("tests").max().alias("largest"))
        .sort("start", "seed", "N")
    )
    published = [
        _printed_tests(start, seed, size)
        for start, seed, size in found.select("start", "seed", "N").iter_rows()
    ]
    return found.with_columns(
        pl.Series("published_mean", [mean for mean, _ in published], dtype=pl.Float64),
        pl.Series("published_largest", [largest for _, largest in published], dtype=pl.Int64),
    )


def _printed_tests(start: str, seed: int, size: int) -> tuple[float | None, int | None]:
    sizes, seeds = list(COUNTS[start]), PRINTED_TESTS[start]
    return seeds[seed][sizes.index(size)] if seed < len(seeds) and size in sizes else (None, None)


def _counts(tests: pl.DataFrame) -> pl.DataFrame:
    """Table A.9 with the published numbers if the paper has them."""
    counts = (
        tests.group_by("start", "N", maintain_order=True)
        .agg(
            pl.col("tests").mean().alias("mean"),
            pl.col("tests").max().alias("largest"),
            pl.len().alias("cases"),
        )
        .sort("start", "N")
    )
    published = [
        COUNTS[start].get(size, (None, None)) for start, size in counts.select("start", "N").iter_rows()
    ]
    return counts.with_columns(
        pl.Series("published_mean", [mean for mean, _ in published], dtype=pl.Float64),
        pl.Series("published_largest", [largest for _, largest in published], dtype=pl.Int64),
    )
