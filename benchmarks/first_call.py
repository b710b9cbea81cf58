"""The first call of a process: kernels compiled (cold cache), loaded from disk (warm cache), or already there.

Cold means an empty folder of compiled kernels, as right after installing; every process after that is warm. Then the
commands that a newcomer types, one after the other and each a second time, as whole processes: `sudare demo`, `sudare assess` of its
recipe, which compiles what the demonstration did not need, and `sudare check` of its release. The byte code of all
modules is there before, as pip leaves it.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data import hospital_described  # type: ignore[import-not-found]  # beside this script
from harness import Case, Report, megabytes, seconds  # type: ignore[import-not-found]  # beside this script
from measured import measure_into  # type: ignore[import-not-found]  # beside this script
from whole import sudare, whole  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Callable

_ROWS = 1_000


def main() -> None:
    report = Report("first_call", __doc__)
    rows = []
    cases = {
        "check k and l": check,
        "Mondrian, k = 10": mondrian,
        "Generalize, k = 10": generalize,
        "assess k and l": assess,
    }
    for name, case in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            environment = {"NUMBA_CACHE_DIR": folder}
            cold = measure_into(report, case, environment=environment, rows=_ROWS)
            warm = measure_into(report, case, environment=environment, rows=_ROWS)
        rows.append(
            [
                name,
                *(
                    cell
                    for one in (cold, warm)
                    for cell in (seconds(one.first), seconds(one.facts["first_cpu"]), megabytes(one.peak_mb))
                ),
                seconds(warm.median),
            ]
        )
        report.ratio(f"first call, cold cache / warm cache, {name}", cold.first, warm.first)
    columns = [
        "",
        "cold: time",
        "processor",
        "peak memory",
        "warm: time",
        "processor",
        "peak memory",
        "later calls",
    ]
    report.table(f"First call, hospital, {_ROWS:,} rows, libraries imported before", columns, rows)
    _commands_twice(report)
    report.save()


def _commands_twice(report: Report) -> None:
    """What a newcomer types first, and the same again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo = str(folder / "demo")
        commands = {
            "`sudare demo`": sudare("demo", "--out", demo, "--overwrite"),
            "`sudare assess`": sudare("assess", f"{demo}/recipe.yaml"),
            "`sudare check`": sudare("check", f"{demo}/release"),
        }
        ordinary = {**os.environ}
        ordinary.pop("PYTHONDONTWRITEBYTECODE", None)
        for text in commands.values():
            whole(
                text, ordinary
            )  # with kernels as they are on this machine: leaves the byte code of our modules
        cache, rows = {**ordinary, "NUMBA_CACHE_DIR": str(folder / "kernels")}, []
        for command, text in commands.items():
            first, second = whole(text, cache), whole(text, cache)
            kept = sum(path.stat().st_size for path in (folder / "kernels").rglob("*") if path.is_file())
            rows.append(
                [
                    command,
                    *(
                        cell
                        for one in (first, second)
                        for cell in (seconds(one.seconds), seconds(one.processor), megabytes(one.peak_mb))
                    ),
                    f"{kept / 2**20:.1f} MB",
                ]
            )
            report.ratio(f"{command}, first / second", first.seconds, second.seconds)
            report.ratio(f"{command}, first / second, processor time", first.processor, second.processor)
    columns = [
        "",
        "first: time",
        "processor",
        "peak memory",
        "second: time",
        "processor",
        "peak memory",
        "kernels kept",
    ]
    report.table("5,000 rows, one command after the other, whole processes", columns, rows)


def _counted(work: Callable[[], Any]) -> Case:
    """A case that also tells the processor seconds of its first call, compilation included."""
    spent: list[float] = []

    def counting() -> Any:
        busy = time.process_time()
        result = work()
        spent.append(time.process_time() - busy)
        return result

    return Case(counting, lambda _: {"first_cpu": spent[0]})


def check(rows: int) -> Case:
    """Three requirements on a new table."""
    import sudare as sd

    frame = sd.hospital(rows)
    requirements = (sd.KAnonymity(2), sd.LDiversity(2), sd.LDiversity(2, kind="entropy"))

    def work() -> Any:
        table = hospital_described(frame)
        return [requirement.check(table) for requirement in requirements]

    return _counted(work)


def mondrian(rows: int) -> Case:
    """A whole release."""
    import sudare as sd

    frame = sd.hospital(rows)
    return _counted(lambda: sd.anonymize(hospital_described(frame), sd.KAnonymity(10), method=sd.Mondrian()))


def generalize(rows: int) -> Case:
    """The same by local recoding of low loss."""
    import sudare as sd

    frame = sd.hospital(rows)
    return _counted(
        lambda: sd.anonymize(hospital_described(frame), sd.KAnonymity(10), method=sd.Generalize())
    )


def assess(rows: int) -> Case:
    """Bounds, suitability and compromises."""
    import sudare as sd

    frame = sd.hospital(rows)
    asked = (sd.KAnonymity(5), sd.LDiversity(3, kind="entropy"))
    return _counted(lambda: sd.assess(hospital_described(frame), *asked))


if __name__ == "__main__":
    main()
