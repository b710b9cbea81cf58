"""A release of up to a million hospital rows by Mondrian, k = 10: from the CSV file to the verified folder with both reports.

Seconds are of a process that has released a thousand rows before, so compiled kernels are loaded. They are those of the
processor, all threads together: on a busy machine they are steadier than the clock, which is shown beside them. Peak memory
is that of another, fresh process, which does what a user does: `sudare run` with the recipe as a file, charts of both
reports and loading of kernels included (the highest resident memory that the system counted, `ru_maxrss`).
Bars are of the version before measures counted distinct cells (23.6 s for a million rows; 1,445 MB were those of the first,
warm process, which has more libraries in memory).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from harness import (  # type: ignore[import-not-found]  # beside this script
    Case,
    Report,
    growth,
    megabytes,
    seconds,
)
from measured import measure_into  # type: ignore[import-not-found]  # beside this script

_SIZES = (10_000, 100_000, 1_000_000)
_FEW = 1_000
_BEFORE_SECONDS, _BEFORE_MB = 23.6, 1_445.0
_GOAL_SECONDS, _GOAL_MB, _GOAL_GROWTH = 10.0, 800.0, 1.1


def main() -> None:
    report = Report("release_million", __doc__)
    found = [measure_into(report, release, rows=rows, repeats=1, budget=0.001) for rows in _SIZES]
    phases = list(dict.fromkeys(name for one in found for name in one.phases))
    rows = [
        [name, *_figures([one.phases.get(name, 0.0) for one in found])]
        for name in phases
        if found[-1].phases.get(name, 0.0) >= 0.01
    ]
    rows.append(["all, processor", *_figures([one.cpu for one in found])])
    rows.append(["all, clock", *_figures([one.median for one in found])])
    peaks = [peak_of_run(size) for size in _SIZES]
    rows.append(["peak memory of sudare run", *map(megabytes, peaks), ""])
    report.table(
        "processor seconds by phase", ["", *(f"{size:,} rows" for size in _SIZES), "exponents"], rows
    )
    largest = found[-1]
    report.ratio("processor seconds, now / before, 1,000,000 rows", largest.cpu, _BEFORE_SECONDS)
    report.ratio("processor seconds / 10, 1,000,000 rows", largest.cpu, _GOAL_SECONDS, "at most 1")
    report.ratio("peak memory, now / before, 1,000,000 rows, both warm", largest.peak_mb, _BEFORE_MB)
    report.ratio("peak memory of sudare run / 800 MB, 1,000,000 rows", peaks[-1], _GOAL_MB, "at most 1")
    worst = max(growth(_SIZES, [one.cpu for one in found]))
    report.ratio("largest exponent of growth / 1.1", worst, _GOAL_GROWTH, "at most 1")
    report.save()


def release(rows: int) -> Case:
    """A release from its recipe, with processor seconds by phase."""
    small, large = _recipe(_FEW), _recipe(rows)
    _released(small)
    return Case(lambda: _released(large), phases=lambda found: found)


def peak_of_run(rows: int) -> float:
    """Highest resident memory of a fresh process that runs a recipe from its file, in MB."""
    recipe = _recipe(rows)
    folder = Path(recipe.output.folder).parent
    file = folder / "recipe.yaml"
    file.write_text(recipe.to_yaml(), encoding="utf-8")
    command = [sys.executable, "-m", "sudare.cli", "run", str(file)]
    with (folder / "said.txt").open("w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"sudare run failed:\n{said.read()[-2000:]}")
    return used.ru_maxrss / 1024


def _recipe(rows: int) -> Any:
    from sudare.read.examples.hospital import hospital_columns
    from sudare.release.recipe.table import Recipe

    folder = Path(mkdtemp(prefix="sudare-"))
    # In a process of its own: the rows must not count as memory of the release.
    made = f"import sudare as sd; sd.hospital({rows}, seed=1).write_csv({str(folder / 'patients.csv')!r})"
    subprocess.run([sys.executable, "-c", made], check=True)
    return Recipe.model_validate(
        {
            "version": 1,
            "source": {"path": str(folder / "patients.csv")},
            "columns": dict(hospital_columns("en")),
            "requirements": [{"type": "k-anonymity", "k": 10}],
            "method": {"type": "mondrian"},
            "output": {"folder": str(folder / "release")},
        }
    )


def _released(recipe: Any) -> dict[str, float]:
    from sudare.release.run import run

    watch = _Watch()
    run(recipe, overwrite=True, progress=watch)
    watch.start("", 0)
    return watch.seconds


class _Watch:
    """Processor seconds of each phase that a progress is told of."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._phase, self._since = "", time.process_time()

    def start(self, phase: str, total: float) -> None:  # noqa: ARG002  # as a progress has it
        now = time.process_time()
        if self._phase:
            self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def update(self, done: float) -> None:
        """Phases alone matter."""


def _figures(values: list[float]) -> list[str]:
    steps = growth(_SIZES, values) if min(values) > 0 else []
    return [*(seconds(value) for value in values), " ".join(f"{step:.2f}" for step in steps)]


if __name__ == "__main__":
    main()
