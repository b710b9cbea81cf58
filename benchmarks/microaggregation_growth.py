"""How time grows with the number of records, five normal columns, k = 5 (a section of microaggregation.py)."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from harness import growth, seconds  # type: ignore[import-not-found]  # beside this script
from microaggregation_million import algorithm, measured  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness import Report

_COLUMNS = 5
_NAMES = {
    "mdav": "MDAV",
    "vmdav": "V-MDAV, gamma 0.2",
    "npn": "npn path + cut",
    "quantiles": "quantiles path + cut",
    "halving": "halving path + cut",
    "mdav path": "mdav path + cut",
    "hilbert": "hilbert path + cut",
    "kd": "kd path + cut",
    "tour": "tour path + cut",
    "best fast": "best, fast",
}


def growths(report: Report, sizes: Sequence[int]) -> None:
    """Print the times and the slope of log time over log n, of all sizes and between neighboring ones."""
    rows, largest = [], {}
    for name, title in _NAMES.items():
        times = [
            measured(report, algorithm, repeats=3, name=name, rows=size, columns=_COLUMNS).cpu
            for size in sizes
        ]
        steps = " ".join(f"{step:.2f}" for step in growth(sizes, times))
        largest[name] = times[-1]
        report.ratio(
            f"exponent of growth, {sizes[0]:,} to {sizes[-1]:,} rows, {title}", _slope(sizes, times), 1.0
        )
        rows.append([title, *(seconds(time) for time in times), f"{_slope(sizes, times):.2f}", steps])
    report.ratio(
        f"processor time, best fast / MDAV, {sizes[-1]:,} rows", largest["best fast"], largest["mdav"]
    )
    report.table(
        f"growth, x {_COLUMNS} normal, k = 5",
        ["", *(f"{size:,}" for size in sizes), "exponent", "step by step"],
        rows,
    )


def _slope(sizes: Sequence[int], times: Sequence[float]) -> float:
    found = statistics.linear_regression([math.log(n) for n in sizes], [math.log(t) for t in times])
    return found.slope
