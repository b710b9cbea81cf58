"""What one waits for before any work: `sudare --help` beside `python -c pass`, and `import sudare`.

Commands take turns, 20 rounds after one that warms the disk, so that a busy minute slows all of them alike. The highest
memory of each is read in a run of its own.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from harness import Report, megabytes, seconds  # type: ignore[import-not-found]  # run from this folder
from whole import sudare, whole  # type: ignore[import-not-found]  # run from this folder

_ROUNDS = 20
_SUDARE = str(Path(sys.executable).with_name("sudare"))
_COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import sudare'": [sys.executable, "-c", "import sudare"],
    "sudare --help": [_SUDARE, "--help"],
    "sudare run --help": [_SUDARE, "run", "--help"],
}
_SAME = {
    "python -c pass": "pass",
    "python -c 'import sudare'": "import sudare",
    "sudare --help": sudare("--help"),
    "sudare run --help": sudare("run", "--help"),
}
"""The same as Python texts, for their memory."""


def main() -> None:
    report = Report("startup", __doc__)
    times: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    for turn in range(_ROUNDS + 1):
        for name, command in _COMMANDS.items():
            took = _seconds_of(command)
            if turn:
                times[name].append(took)
    base = statistics.median(times["python -c pass"])
    rows = [
        [
            name,
            seconds(statistics.median(taken)),
            seconds(min(taken)),
            f"{statistics.median(taken) / base:.1f}",
            megabytes(whole(_SAME[name]).peak_mb),
        ]
        for name, taken in times.items()
    ]
    report.table(
        f"Startup, {_ROUNDS} runs each", ["command", "median", "best", "ratio to pass", "peak memory"], rows
    )
    report.note(
        "`sudare --help` prints a fixed page before typer is imported; a command's own --help imports it."
    )
    for name in list(_COMMANDS)[1:]:
        goal = "below 8" if name == "sudare --help" else ""
        report.ratio(f"{name} / python -c pass", statistics.median(times[name]), base, goal)
    report.save()


def _seconds_of(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
