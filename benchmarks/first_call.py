"""The first call of a process: kernels compiled (cold), read from an installed wheel, or from the user's folder (warm).

First four calls from Python: cold means an empty folder of compiled kernels; every process after that is warm. Then the
commands that people type first, as whole processes on tables of 1,000 rows (the demonstration: 5,000): with nothing
compiled, with the wheel of `make wheel` installed elsewhere and an empty folder, and once more with the folder that the
cold one has filled. The byte code of all modules is there before, as pip leaves it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data import hospital_described  # type: ignore[import-not-found]  # beside this script
from first_commands import FIRST, prepare  # type: ignore[import-not-found]  # beside this script
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
    _commands(report)
    report.save()


def _commands(report: Report) -> None:
    """What people type first: cold, from a wheel, and warm."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        installed = _installed(folder / "installed")
        ordinary = {**os.environ}
        ordinary.pop("PYTHONDONTWRITEBYTECODE", None)
        before = Path.cwd()
        os.chdir(folder)
        try:
            prepare(folder)
            rows = [_command(report, folder, name, ordinary, installed) for name in FIRST]
        finally:
            os.chdir(before)
    columns = [
        "`sudare` …",
        "cold",
        "wheel",
        "warm",
        "wheel - warm",
        "cold / warm",
        "wheel / warm",
        "cold: time",
        "warm: peak memory",
    ]
    report.table("First commands, processor seconds of whole processes", columns, rows)


def _command(report: Report, folder: Path, name: str, ordinary: dict[str, str], installed: Path) -> list[str]:
    text = sudare(*FIRST[name])
    kernels = {place: str(folder / "kernels" / name / place) for place in ("own", "none")}
    own = {**ordinary, "NUMBA_CACHE_DIR": kernels["own"]}
    wheel = {**ordinary, "NUMBA_CACHE_DIR": kernels["none"], "PYTHONPATH": str(installed)}
    cold, warm, first = whole(text, own), whole(text, own), whole(text, wheel)
    report.ratio(f"`sudare {name}`, cold / warm, processor time", cold.processor, warm.processor)
    report.ratio(
        f"`sudare {name}`, from a wheel / warm, processor time",
        first.processor,
        warm.processor,
        goal="at most 3 s more",
        why=f"{first.processor - warm.processor:+.1f} s",
    )
    return [
        name,
        *(seconds(one.processor) for one in (cold, first, warm)),
        f"{first.processor - warm.processor:+.2f} s",
        f"{cold.processor / warm.processor:.1f}",
        f"{first.processor / warm.processor:.2f}",
        seconds(cold.seconds),
        megabytes(warm.peak_mb),
    ]


def _installed(folder: Path) -> Path:
    """The folder into which a new wheel is installed, without what it requires."""
    subprocess.run([sys.executable, str(Path(__file__).with_name("wheel.py"))], check=True)
    minor = f"cp{sys.version_info.major}{sys.version_info.minor}"
    wheels = Path(__file__).parents[1].joinpath("dist").glob(f"sudare-*-{minor}-*.whl")
    newest = max(wheels, key=lambda wheel: wheel.stat().st_mtime)
    install = ["install", "-q", "--no-deps", "--target", str(folder), str(newest)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    return folder


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
