"""The first call of a process: kernels compiled (cold), read from an installed wheel, or from the user's folder (warm).

First two calls from Python: cold means an empty folder of compiled kernels; every process after that is warm. Then what
`make demo` runs, as whole processes, with nothing compiled and once more. Then the commands that people type first, on tables
of 1,000 rows (the demonstration: 5,000): with the wheel of `make wheel` installed elsewhere and an empty folder, and with a
folder in which everything is compiled. The byte code of all modules is there before, as pip leaves it.
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
            kept = {**ordinary, "NUMBA_CACHE_DIR": str(folder / "kernels" / "kept")}
            _make_demo(report, kept)
            subprocess.run([sys.executable, "-m", "sudare.cli.warm"], check=True, env=kept)
            prepare(folder)
            rows = [_command(report, folder, name, kept, ordinary, installed) for name in FIRST]
        finally:
            os.chdir(before)
    columns = ["`sudare` …", "wheel", "warm", "wheel - warm", "wheel / warm", "warm: peak memory"]
    report.table("First commands, processor seconds of whole processes", columns, rows)


def _make_demo(report: Report, kept: dict[str, str]) -> None:
    """What `make demo` runs, with nothing compiled and again."""
    texts = (sudare("demo", "--out", "demo", "--overwrite"), sudare("assess", "demo/recipe.yaml"))
    rows = []
    for name in ("nothing compiled", "again"):
        both = [whole(text, kept) for text in texts]
        total = [sum(one.processor for one in both), sum(one.seconds for one in both)]
        cells = [seconds(figure) for one in both for figure in (one.processor, one.seconds)]
        rows.append([name, *cells, *map(seconds, total)])
    heads = [f"{name}: {what}" for name in ("demo", "assess", "both") for what in ("processor", "time")]
    report.table("`make demo` after pip, whole processes", ["", *heads], rows)


def _command(
    report: Report,
    folder: Path,
    name: str,
    kept: dict[str, str],
    ordinary: dict[str, str],
    installed: Path,
) -> list[str]:
    text, none = sudare(*FIRST[name]), str(folder / "kernels" / name)
    wheel = {**ordinary, "NUMBA_CACHE_DIR": none, "PYTHONPATH": str(installed)}
    first, warm = whole(text, wheel), whole(text, kept)
    report.ratio(
        f"`sudare {name}`, from a wheel / warm, processor time",
        first.processor,
        warm.processor,
        goal="at most 3 s more",
        why=f"{first.processor - warm.processor:+.1f} s",
    )
    return [
        name,
        *(seconds(one.processor) for one in (first, warm)),
        f"{first.processor - warm.processor:+.2f} s",
        f"{first.processor / warm.processor:.2f}",
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


if __name__ == "__main__":
    main()
