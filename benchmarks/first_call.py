"""The first call of a process: kernels compiled (cold cache), loaded from disk (warm cache), or already there.

Cold means an empty folder of compiled kernels, as right after installing; every process after that is warm. A first and
a second `sudare demo` are timed as a whole; the byte code of all modules is there before, as pip leaves it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from data import hospital_described  # type: ignore[import-not-found]  # beside this script
from harness import Case, Report, measure, seconds  # type: ignore[import-not-found]  # beside this script

_ROWS = 1_000


def main() -> None:
    report = Report("first_call", __doc__)
    rows = []
    for name, case in (("check k and l", check), ("Mondrian, k = 10", mondrian)):
        with tempfile.TemporaryDirectory() as folder:
            environment = {"NUMBA_CACHE_DIR": folder}
            cold = measure(case, environment=environment, rows=_ROWS)
            warm = measure(case, environment=environment, rows=_ROWS)
        if cold is None or warm is None:
            raise RuntimeError(f"The first call of {name} took longer than its limit")
        report.measurements.extend([cold, warm])
        rows.append([name, seconds(cold.first), seconds(warm.first), seconds(warm.median)])
        report.ratio(f"first call, cold cache / warm cache, {name}", cold.first, warm.first)
    columns = ["", "first call, cold", "first call, warm", "later calls"]
    report.table(f"hospital, {_ROWS:,} rows, libraries imported before", columns, rows)
    _demo_twice(report)
    report.save()


def _demo_twice(report: Report) -> None:
    """The first thing that a newcomer types, and the same again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        _demo(folder, {**environment, "NUMBA_CACHE_DIR": str(folder / "thrown away")})
        cache = {**environment, "NUMBA_CACHE_DIR": str(folder / "kernels")}
        first, second = _demo(folder, cache), _demo(folder, cache)
        size = sum(path.stat().st_size for path in (folder / "kernels").rglob("*") if path.is_file())
    rows = [
        [name, seconds(took), seconds(busy)] for name, (took, busy) in (("first", first), ("second", second))
    ]
    report.table("`sudare demo`, 5,000 rows, the whole process", ["", "time", "processor time"], rows)
    report.note(f"Compiled kernels of the demonstration: {size / 2**20:.1f} MB.")
    report.ratio("`sudare demo`, first / second", first[0], second[0])
    report.ratio("`sudare demo`, first / second, processor time", first[1], second[1])


def _demo(folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds, and processor seconds, of one demonstration."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "sudare.cli", "demo", "--out", str(folder / "demo"), "--overwrite"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(rows: int) -> Case:
    """Three requirements on a new table."""
    import sudare as sd

    frame = sd.hospital(rows)
    requirements = (sd.KAnonymity(2), sd.LDiversity(2), sd.LDiversity(2, kind="entropy"))

    def work() -> Any:
        table = hospital_described(frame)
        return [requirement.check(table) for requirement in requirements]

    return Case(work)


def mondrian(rows: int) -> Case:
    """A whole release."""
    import sudare as sd

    frame = sd.hospital(rows)
    return Case(lambda: sd.anonymize(hospital_described(frame), sd.KAnonymity(10), method=sd.Mondrian()))


if __name__ == "__main__":
    main()
