"""Quality of microaggregation: SSE/SST of every algorithm beside the published and prototype figures.

Tarragona and Census are the tables of the field; others (made up: normal, lognormal, clusters; numeric columns of
Adult) show whether settings tuned to two tables carry over. Losses are in percent of standardized data; `default`
and `thorough` are medians over seeds. The lower bound is that of the k-1 nearest records. Then a million records:
paths with their optimal cut, and `best` beside MDAV. Seconds are processor seconds.

`--seeds N` (10) and `--thorough N` (3 seeds) set how many runs the medians are over.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

import sudare as sd
from harness import Report  # type: ignore[import-not-found]  # beside this script

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
KS = (3, 4, 5, 10)
PUBLISHED = {
    "tarragona": {
        "mdav": (16.9326, 19.5460, 22.4619, 33.1929),
        "1e7 moves": (14.66, 17.20, 20.34, 30.21),
        "1e8 moves": (14.58, 17.19, 20.23, 30.16),
    },
    "census": {
        "mdav": (5.6922, 7.4947, 9.0884, 14.1559),
        "1e7 moves": (4.82, 6.17, 7.49, 11.54),
        "1e8 moves": (4.73, 6.14, 7.38, 11.46),
    },
}
Floats = npt.NDArray[np.float64]


def main() -> None:
    report = Report("microaggregation", __doc__ or "")
    seeds, thorough = _option("--seeds", 10), _option("--thorough", 3)
    for name, X in _tables().items():
        _quality(report, name, X, seeds, thorough)
    _million(report)
    report.save()


def _quality(report: Report, name: str, X: Floats, seeds: int, thorough: int) -> None:
    goals = PUBLISHED.get(name, {})
    rows: list[list[str]] = []
    for title, cells in goals.items():
        rows.append([f"goal: {title}", *(f"{cell:.4f}" for cell in cells), ""])
    runs: dict[str, Any] = {
        "mdav": lambda k: [sd.microaggregate.mdav(X, k)],
        "vmdav, gamma 0.2": lambda k: [sd.microaggregate.vmdav(X, k, 0.2)],
        "mhm, tour": lambda k: [sd.microaggregate.mhm(X, k, path="tour")],
        "best, fast": lambda k: [sd.microaggregate.best(X, k, effort="fast")],
        f"best, default ({seeds} seeds)": lambda k: [
            sd.microaggregate.best(X, k, seed=seed) for seed in range(seeds)
        ],
        f"best, thorough ({thorough} seeds)": lambda k: [
            sd.microaggregate.best(X, k, effort="thorough", seed=seed) for seed in range(thorough)
        ],
    }
    for title, run in runs.items():
        losses, spent = [], 0.0
        for k in KS:
            started = time.process_time()
            found = run(k)
            spent += (time.process_time() - started) / max(len(found), 1)
            losses.append(statistics.median(100 * sd.microaggregate.loss(X, labels) for labels in found))
        rows.append([title, *(f"{loss:.4f}" for loss in losses), f"{spent / len(KS):.2f}"])
    total = float(((X - X.mean(axis=0)) ** 2).sum())
    rows.append(
        ["lower bound", *(f"{100 * sd.microaggregate.nearest_bound(X, k) / total:.4f}" for k in KS), ""]
    )
    report.table(
        f"{name}: {X.shape[0]:,} x {X.shape[1]}, loss in %", ["", *(f"k={k}" for k in KS), "seconds"], rows
    )


def _million(report: Report) -> None:
    random = np.random.default_rng(0)
    rows = []
    for columns, path in ((10, "kd"), (10, "hilbert"), (10, "grid"), (10, "flexdice")):
        X = random.normal(size=(10**6, columns))
        rows.append(
            _timed(
                f"mhm, {path}, x {columns}", X, lambda X, path=path: sd.microaggregate.mhm(X, 5, path=path)
            )
        )
    X = random.normal(size=(10**6, 5))
    rows.append(_timed("mdav, x 5", X, lambda X: sd.microaggregate.mdav(X, 5)))
    rows.append(_timed("best fast, x 5", X, lambda X: sd.microaggregate.best(X, 5, effort="fast")))
    report.table("a million normal records, k = 5", ["", "loss %", "seconds"], rows)


def _timed(title: str, X: Floats, run: Any) -> list[str]:
    started = time.process_time()
    labels = run(X)
    return [title, f"{100 * sd.microaggregate.loss(X, labels):.3f}", f"{time.process_time() - started:.1f}"]


def _tables() -> dict[str, Floats]:
    random = np.random.default_rng(1)
    found = {
        name: pl.read_csv(DATA / "casc" / f"{name}.csv").to_numpy().astype(np.float64)
        for name in PUBLISHED
        if (DATA / "casc" / f"{name}.csv").exists()
    }
    found["normal"] = random.normal(size=(1000, 8))
    found["lognormal"] = np.exp(random.normal(size=(1000, 8)))
    found["clusters"] = random.normal(size=(1000, 4)) + 8 * random.integers(0, 3, size=(1000, 4))
    return {name: sd.microaggregate.standardized(X) for name, X in found.items()}


def _option(name: str, default: int) -> int:
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


if __name__ == "__main__":
    main()
