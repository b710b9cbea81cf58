"""The first call of a process: kernels compiled (cold cache), loaded from disk (warm cache), or already there.

Cold means an empty folder of numba's cache, as right after installing; every process after that is warm.
"""

from __future__ import annotations

import tempfile
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
    report.save()


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
