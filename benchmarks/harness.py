"""How the benchmarks measure: every case in a process of its own, its time, its peak memory, its growth.

A script names a case by a function that prepares it and returns a `Case`: `measure` starts a fresh Python that
prepares (not timed), calls `work` once (compiled code is loaded, caches of libraries are filled), then again and
again, and reports seconds and the highest resident memory since the preparation ended. So one case never
warms, fills or slows another, and a rival's crash or memory is its own. This module imports nothing heavy.
"""

from __future__ import annotations

import contextlib
import gc
import json
import math
import os
import resource
import runpy
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PACKAGES = (
    "sudare",
    "numpy",
    "numba",
    "polars",
    "pandas",
    "pycanon",
    "anjana",
    "anonypy",
    "multi-freq-ldpy",
)


class Case(NamedTuple):
    """What is timed, and what is read off its result afterwards."""

    work: Callable[[], Any]
    facts: Callable[[Any], dict[str, Any]] = lambda _: {}
    """Of the last result."""
    phases: Callable[[Any], dict[str, float]] = lambda _: {}
    """Seconds of the parts of one call; the median over the same calls as the whole is reported."""


@dataclass(frozen=True)
class Measurement:
    """Figures of one case."""

    case: str
    arguments: dict[str, Any]
    first: float
    """Seconds of the first call in the process."""
    best: float
    median: float
    cpu: float
    """Median processor seconds of a call, all threads together: on a busy machine steadier than the time."""
    repeats: int
    peak_mb: float
    """Highest resident memory of the whole process while working, its data and libraries included."""
    base_mb: float
    """Resident memory when the preparation had ended."""
    phases: dict[str, float]
    facts: dict[str, Any]


def measure(
    prepare: Callable[..., Case],
    *,
    repeats: int = 5,
    budget: float = 30.0,
    limit: float = 600.0,
    environment: dict[str, str] | None = None,
    **arguments: Any,
) -> Measurement | None:
    """Measure a case in a fresh process; None when it took longer than `limit` seconds.

    After the first call the work is repeated until `repeats` or `budget` seconds are reached; when the first
    call alone uses the budget up, it is the measurement.
    """
    script = prepare.__code__.co_filename
    command = [
        sys.executable,
        __file__,
        script,
        prepare.__name__,
        json.dumps(arguments),
        str(repeats),
        str(budget),
    ]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise RuntimeError(f"{prepare.__name__}({arguments}) failed:\n{done.stderr[-2000:]}")
    return Measurement(prepare.__name__, arguments, **json.loads(done.stdout))


def growth(sizes: Sequence[int], seconds: Sequence[float]) -> list[float]:
    """Exponent of n between neighboring sizes: slope of log time over log n (1 is linear)."""
    return [
        math.log(t1 / t0) / math.log(n1 / n0)
        for (n0, t0), (n1, t1) in pairwise(zip(sizes, seconds, strict=True))
    ]


@dataclass
class Report:
    """Tables and ratios of one script: printed as they come, stored as JSON at the end."""

    name: str
    about: str
    tables: list[dict[str, Any]] = field(default_factory=list)
    ratios: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    started: float = field(default_factory=time.time)
    load: list[float] = field(default_factory=lambda: list(os.getloadavg()))

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table and keep it."""
        widths = [max(len(cell) for cell in cells) for cells in zip(columns, *rows, strict=True)]
        print(f"\n{title}")
        for row in (columns, ["-" * width for width in widths], *rows):
            head, *rest = (
                cell.ljust(width) if index == 0 else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            print("  ".join([head, *rest]).rstrip(), flush=True)
        self.tables.append({"title": title, "columns": list(columns), "rows": [list(row) for row in rows]})

    def ratio(self, what: str, over: float, under: float, goal: str = "", *, why: str = "") -> None:
        """Print over / under and keep it for the summary; `why` is shown there only where the goal is missed."""
        kept = {"what": what, "over": over, "under": under, "ratio": over / under, "goal": goal, "why": why}
        self.ratios.append(kept)
        value = over / under
        shown = f"{value:.2f}" if value < 10 else f"{value:,.1f}"
        print(f"  {what}: {shown}{f'  (goal: {goal})' if goal else ''}", flush=True)

    def note(self, sentence: str) -> None:
        """Print a sentence and keep it."""
        self.notes.append(sentence)
        print(sentence, flush=True)

    def save(self) -> Path:
        """Write benchmarks/results/NAME.json with the machine and the versions, whole or not at all."""
        from sudare.experiments.machine import machine, versions  # not in the processes that are measured

        RESULTS.mkdir(exist_ok=True)
        stored = {
            **asdict(self),
            "machine": machine(),
            "versions": versions(PACKAGES),
            "sudare_from": getattr(find_spec("sudare"), "origin", None),
            "load_before": self.load,
            "load_after": list(os.getloadavg()),
            "seconds": time.time() - self.started,
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "command": " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        }
        path = RESULTS / f"{self.name}.json"
        aside = path.with_suffix(".part")
        aside.write_text(json.dumps(stored, indent=1, default=str), encoding="utf-8")
        aside.replace(path)
        print(f"\nload average {self.load[0]:.1f} before, {os.getloadavg()[0]:.1f} after; written to {path}")
        return path


def seconds(value: float) -> str:
    """A time that a reader can compare: milliseconds below a second."""
    return f"{value * 1000:,.0f} ms" if value < 1 else f"{value:,.2f} s"


def megabytes(value: float) -> str:
    """Memory."""
    return f"{value:,.0f} MB"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _resident(what: str) -> float:
    """VmRSS (now) or VmHWM (highest) in MB; the highest of the whole process where /proc is absent."""
    for line in _lines("/proc/self/status"):
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _child(script: str, name: str, arguments: str, repeats: int, budget: float) -> dict[str, Any]:
    case: Case = runpy.run_path(script, run_name="case")[name](**json.loads(arguments))
    gc.collect()
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the highest memory counts from here
    base = _resident("VmRSS")
    times: list[float] = []
    worked: list[float] = []
    parts: list[dict[str, float]] = []
    result: Any = None
    while len(times) <= repeats and sum(times) < budget:
        result = None  # the result before is not memory of this one
        started, busy = time.perf_counter(), time.process_time()
        result = case.work()
        times.append(time.perf_counter() - started)
        worked.append(time.process_time() - busy)
        parts.append(case.phases(result))
    peak = _resident("VmHWM")
    later, parts = (times[1:], parts[1:]) if len(times) > 1 else (times, parts)
    return {
        "first": times[0],
        "best": min(later),
        "median": statistics.median(later),
        "cpu": statistics.median(worked[-len(later) :]),
        "repeats": len(later),
        "peak_mb": peak,
        "base_mb": base,
        "phases": {phase: statistics.median(part[phase] for part in parts) for phase in parts[0]},
        "facts": case.facts(result),
    }


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):  # some rivals print
        figures = _child(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
    print(json.dumps(figures))
