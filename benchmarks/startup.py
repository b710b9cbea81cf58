"""What one waits for before any work: `sudare --help` beside `python -c pass`, `import sudare`, and commands with little to do.

`check` is of a release of 1,000 rows, `describe` of the table it was made from. Commands take turns, so that a busy minute
slows all of them alike, 7 rounds after one that warms the disk and leaves the byte code, as pip does. The highest memory of
each is read in a run of its own. Ratios are of processor seconds, which other work on the machine disturbs less.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from first_commands import prepare  # type: ignore[import-not-found]  # run from this folder
from harness import Report, megabytes, seconds  # type: ignore[import-not-found]  # run from this folder
from whole import sudare, whole  # type: ignore[import-not-found]  # run from this folder

_ROUNDS = 7
_SUDARE = str(Path(sys.executable).with_name("sudare"))
_COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import sudare'": [sys.executable, "-c", "import sudare"],
    "sudare --help": [_SUDARE, "--help"],
    "sudare run --help": [_SUDARE, "run", "--help"],
    "sudare catalogue": [_SUDARE, "catalogue"],
    "sudare schema": [_SUDARE, "schema"],
    "sudare check": [_SUDARE, "check", "released"],
    "sudare describe": [_SUDARE, "describe", "patients.csv", "--out", "again.recipe.yaml", "--overwrite"],
}
_SAME = {
    "python -c pass": "pass",
    "python -c 'import sudare'": "import sudare",
    **{name: sudare(*command[1:]) for name, command in _COMMANDS.items() if command[0] == _SUDARE},
}
"""The same as Python texts, for their memory."""


def main() -> None:
    report = Report("startup", __doc__)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            prepare(Path(folder))
            _measure(report)
        finally:
            os.chdir(before)
    report.save()


def _measure(report: Report) -> None:
    times: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    busy: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    for turn in range(_ROUNDS + 1):
        for name, command in _COMMANDS.items():
            took, worked = _seconds_of(command)
            if turn:
                times[name].append(took)
                busy[name].append(worked)
    base = statistics.median(busy["python -c pass"])
    rows = [
        [
            name,
            seconds(statistics.median(taken)),
            seconds(min(taken)),
            seconds(statistics.median(busy[name])),
            f"{statistics.median(busy[name]) / base:.1f}",
            megabytes(whole(_SAME[name]).peak_mb),
        ]
        for name, taken in times.items()
    ]
    columns = ["command", "median", "best", "processor", "ratio to pass", "peak memory"]
    report.table(f"Startup, {_ROUNDS} runs each", columns, rows)
    report.note(
        "`sudare --help` prints a fixed page before typer is imported; a command's own --help imports it."
    )
    for name in list(_COMMANDS)[1:]:
        goal = "below 8" if name == "sudare --help" else ""
        report.ratio(f"{name} / python -c pass, processor", statistics.median(busy[name]), base, goal)


def _seconds_of(command: list[str]) -> tuple[float, float]:
    """The time and the processor time of a whole process."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
