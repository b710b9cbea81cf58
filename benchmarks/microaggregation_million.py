"""A million records, k = 5: paths with their optimal cut in ten columns, and `best` beside MDAV in five.

A section of microaggregation.py; every case is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Measurement,
    Report,
    measure,
    megabytes,
)
from harness import seconds as shown

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

K = 5
_LIMIT = 3600.0
_PATHS = ("kd", "hilbert", "quantiles", "halving", "npn")  # the slowest last
_COLUMNS = 10
_ENOUGH_FOR_A_TREE = 2_500
_MINUTES = 600.0
"""The bar is "within minutes", which is read as ten here as it is for baskets."""
_BARRED = ("quantiles", "halving", "npn")
_HEAD = ["", "loss %", "seconds", "memory of the process"]


def million(report: Report, size: int) -> None:
    """Print both tables."""
    rows = []
    for path in _PATHS:
        found = measured(report, algorithm, name=path, rows=size, columns=_COLUMNS)
        rows.append(_row(f"{path} path + cut", found))
        goal = "above 1" if path in _BARRED else ""
        name = f"600 s / processor seconds of {path} path + cut, {size:,} x {_COLUMNS}"
        report.ratio(name, _MINUTES, found.cpu, goal)
    report.table(f"{size:,} x {_COLUMNS} normal records, k = {K}", _HEAD, rows)
    rows, loss_of_mdav = [], 0.0
    for name in ("mdav", "vmdav", "best fast", "best default"):
        found = measured(report, algorithm, name=name, rows=size, columns=5)
        loss_of_mdav = loss_of_mdav or found.facts["loss"]
        if name != "mdav":
            report.ratio(f"loss, MDAV / {name}, {size:,} x 5", loss_of_mdav, found.facts["loss"])
        rows.append([*_row(name, found), f"{found.facts['loss'] / loss_of_mdav:.4f}"])
    report.table(f"{size:,} x 5 normal records, k = {K}", [*_HEAD, "loss / MDAV's"], rows)


def algorithm(name: str, rows: int, columns: int) -> Case:
    """An algorithm, or the path of this name with its cut, on normal records."""
    import numpy as np

    import sudare as sd

    path: Any = name.removesuffix(" path")
    runs: dict[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.int64]]] = {
        "mdav": lambda X: sd.microaggregate.mdav(X, K),
        "vmdav": lambda X: sd.microaggregate.vmdav(X, K, 0.2),
        "best fast": lambda X: sd.microaggregate.best(X, K, effort="fast"),
        "best default": lambda X: sd.microaggregate.best(X, K),
    }
    run = runs.get(name, lambda X: sd.microaggregate.mhm(X, K, path=path))
    X = np.random.default_rng(1).normal(size=(rows, columns))
    # A long case is called once only, and should not be charged with the compiler's time.
    run(X[:_ENOUGH_FOR_A_TREE])

    def facts(labels: npt.NDArray[np.int64]) -> dict[str, Any]:
        return {
            "loss": 100 * sd.microaggregate.loss(X, labels),
            "smallest group": int(np.bincount(labels).min()),
        }

    return Case(lambda: run(X), facts)


def measured(report: Report, prepare: Any, repeats: int = 1, **arguments: Any) -> Measurement:
    """Measure a case, once more after its first call unless that was long, and keep the figures."""
    found = measure(prepare, repeats=repeats, budget=20.0, limit=_LIMIT, **arguments)
    if found is None:
        raise RuntimeError(f"{arguments} took more than {_LIMIT:.0f} seconds.")
    assert found.facts["smallest group"] >= K, found
    report.measurements.append(found)
    return found


def _row(title: str, found: Measurement) -> list[str]:
    return [title, f"{found.facts['loss']:.3f}", shown(found.cpu), megabytes(found.peak_mb)]
