"""Fuzz the readers, recipes and hierarchies: spoiled files must give a valid object or one sentence, never anything else.

It ends after `--minutes` of the clock, `--processor-minutes` of fuzzing (libraries and kernels loaded, so that a busy machine
does not count as fuzzing) or `--cases`, whichever comes first, shared by all targets. The process that does it may die or hang: it is then started again, and the case is
kept as found. Files that reach new lines of Sudare are spoiled further (`benchmarks/results/robustness/fuzz`, resumed).
"""

from __future__ import annotations

import argparse
import base64
import collections
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from fuzz_targets import TARGETS  # type: ignore[import-not-found]  # beside this script
from stored import FOLDER, save  # type: ignore[import-not-found]  # beside this script

_WORKER = Path(__file__).with_name("fuzz_worker.py")
_SILENCE = 600.0
"""Seconds without a new case after which the process is ended."""
_WARMING = 1800.0
"""Seconds it may take until the first case: kernels are compiled before."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of the clock, at most")
    parser.add_argument("--processor-minutes", type=float, default=float("inf"), help="of cases, at most")
    parser.add_argument("--cases", type=int, default=1 << 60, help="at most so many cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--targets", nargs="*", default=list(TARGETS), help=", ".join(TARGETS))
    parser.add_argument("--name", default="fuzz", help="name of the results")
    parser.add_argument(
        "--folder", type=Path, help="where files are kept; among the results when left out, and figures too"
    )
    asked = parser.parse_args()
    folder = asked.folder or FOLDER / asked.name
    folder.mkdir(parents=True, exist_ok=True)
    began = time.time()
    deadline, processor = began + 60 * asked.minutes, 60 * asked.processor_minutes
    total = Total()
    start = 0
    while time.time() < deadline - 5 and total.cases.total() < asked.cases and total.processor < processor:
        (folder / "done.json").unlink(missing_ok=True)
        (folder / "current.json").unlink(missing_ok=True)
        limits = (
            str(deadline),
            str(asked.cases - total.cases.total()),
            str(processor - total.processor),
        )
        ended = _one_process(folder, asked.targets, asked.seed * 1000 + start, limits)
        total.add(folder, ended)
        start += 1
        print(
            f"{time.strftime('%H:%M:%S')} {total.cases.total():,} cases, {len(total.found)} kinds of faults",
            flush=True,
        )
    if asked.folder is None:
        save(asked.name, total.stored((time.time() - began) / 60, asked.seed, start))
    for name, fault in sorted(total.found.items()):
        print(f"FOUND {name} ({fault['times']} times) {fault['options']} {fault['details'][-300:]!r}")
    return 1 if total.found else 0


class Total:
    """What all processes together did."""

    def __init__(self) -> None:
        self.cases: collections.Counter[str] = collections.Counter()
        self.kinds: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.found: dict[str, dict[str, Any]] = {}
        self.lines = 0
        self.processor = 0.0
        self.warming = 0.0
        self.peak = 0.0
        self.stock: dict[str, int] = {}

    def add(self, folder: Path, ended: str) -> None:
        """What one process wrote down, and what it died of."""
        done = _read(folder / "done.json")
        self.cases.update(done.get("cases", {}))
        for name, kinds in done.get("kinds", {}).items():
            self.kinds[name].update(kinds)
        for name, fault in done.get("found", {}).items():
            times = self.found.get(name, {"times": 0})["times"]
            self.found[name] = {**fault, "times": times + fault["times"]}
        self.lines = max(self.lines, done.get("lines", 0))
        self.processor += done.get("processor", 0.0)
        self.warming += done.get("warming", 0.0)
        self.peak = max(self.peak, done.get("peak_mb", 0.0))
        self.stock.update(done.get("stock", {}))
        if ended and not (folder / "current.json").exists():
            raise RuntimeError(f"It did not begin: {ended}; see {folder / 'worker.txt'}")
        if ended:
            current = _read(folder / "current.json")
            fault = (folder / "fault.txt").read_text(encoding="utf-8", errors="replace")[:3000]
            name = f"{current.get('target')}: {ended}"
            times = self.found.get(name, {"times": 0})["times"]
            self.found[name] = {**current, "times": times + 1, "details": fault}
        for number, (name, fault) in enumerate(sorted(self.found.items())):
            place = folder / "found" / f"{number:03}"
            place.mkdir(parents=True, exist_ok=True)
            (place / "about.txt").write_text(
                f"{name}\n{fault['options']}\n{fault['details']}\n", encoding="utf-8"
            )
            (place / "data").write_bytes(base64.b64decode(fault["data"]))

    def stored(self, minutes: float, seed: int, starts: int) -> dict[str, Any]:
        """For the page."""
        return {
            "minutes": minutes, "seed": seed, "starts": starts, "cases": dict(self.cases), "lines": self.lines, "processor": self.processor, "warming": self.warming,
            "peak_mb": self.peak, "stock": self.stock, "found": self.found,
            "kinds": {name: dict(kinds) for name, kinds in self.kinds.items()},
        }  # fmt: skip


def _one_process(folder: Path, targets: list[str], seed: int, limits: tuple[str, str, str]) -> str:
    """Run one process until it ends; what it died of, or nothing."""
    command = [sys.executable, str(_WORKER), str(folder), ",".join(targets), str(seed), *limits]
    with (
        (folder / "worker.txt").open("wb") as told,
        subprocess.Popen(command, stdout=told, stderr=told) as process,
    ):
        current, changed = "", time.time()
        while True:
            try:
                code = process.wait(5)
            except subprocess.TimeoutExpired:
                known = _text(folder / "current.json")
                if known != current:
                    current, changed = known, time.time()
                elif time.time() - changed > (_SILENCE if current else _WARMING):
                    process.kill()
                    process.wait()
                    return "hangs"
                continue
            return "" if code == 0 else f"the process died ({code})"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(_text(path))
    except ValueError:
        return {}
    return found


if __name__ == "__main__":
    sys.exit(main())
