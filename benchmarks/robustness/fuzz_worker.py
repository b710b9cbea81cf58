"""The fuzzing process: spoils, reads, judges, and keeps what reached something new. It may be killed at any case.

Before each case the file lies in FOLDER/case and FOLDER/current.json says how it is read: if the process dies or hangs,
its parent (fuzz.py) finds the culprit there.
"""

from __future__ import annotations

import base64
import collections
import faulthandler
import hashlib
import json
import os
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any

from fuzz_case import Lines, Outcome, run_case  # type: ignore[import-not-found]  # beside this script
from fuzz_targets import TARGETS, Target, neighbors  # type: ignore[import-not-found]  # beside this script

_MOST_MEMORY = 6 << 30
_MOST_SAMPLES = 3000
_FEW = 10_000
_HANGS = 300.0
"""Seconds after which a case is given up and the process with it."""


class Fuzzer:
    """One target after the other, each with its own growing stock of files."""

    def __init__(self, folder: Path, names: list[str], seed: int) -> None:
        self.folder = folder
        self.case = folder / "case"
        self.case.mkdir(parents=True, exist_ok=True)
        os.environ["SUDARE_LEDGER"] = str(self.case / "ledger.sqlite")
        neighbors(self.case)
        self.targets = [TARGETS[name] for name in names]
        self.random = random.Random(seed)
        self.lines = Lines()
        self.stock = {target.name: self._begun(target) for target in self.targets}
        self.words = {target.name: [word.encode() for word in target.words()] for target in self.targets}
        self.cases: collections.Counter[str] = collections.Counter()
        self.kinds: dict[str, collections.Counter[str]] = {name: collections.Counter() for name in names}
        self.found: dict[str, dict[str, Any]] = {}
        self.number = 0
        self.warming = 0.0
        """Processor seconds before the first case; they are no fuzzing."""

    def step(self) -> None:
        """One case of one target."""
        target = self.random.choices(self.targets, [target.share for target in self.targets])[0]
        stock = self.stock[target.name]
        data = stock[-1 - min(int(self.random.expovariate(4 / len(stock))), len(stock) - 1)]
        if self.random.random() < 0.98:
            data = target.spoil(data, self.random, stock, self.words[target.name])
        options = target.options(self.random)
        outcome = self.judge(target, data, options)
        if self.lines.new() and len(stock) < _MOST_SAMPLES:
            stock.append(data)
            self._keep("stock", target, data)
        self.cases[target.name] += 1
        self.kinds[target.name][outcome.kind] += 1

    def judge(self, target: Target, data: bytes, options: dict[str, str]) -> Outcome:
        """Run a case; what is not in order is kept, a slow one only if it is slow again."""
        self._announce(target, data, options)
        faulthandler.dump_traceback_later(_HANGS, exit=True)
        with self.lines:
            outcome = run_case(target, data, options, self.case)
        if not outcome.good and outcome.kind.startswith(("slow", "memory")):
            outcome = run_case(target, data, options, self.case)
        faulthandler.cancel_dump_traceback_later()
        if not outcome.good:
            self._report(target, data, options, outcome)
        return outcome

    def processor(self) -> float:
        """Processor seconds of the cases: of this process, its threads and the children it has waited for."""
        return _used() - self.warming

    def save(self) -> None:
        """Write down how far it is."""
        done = {
            "cases": dict(self.cases),
            "kinds": {name: dict(kinds) for name, kinds in self.kinds.items()},
            "found": self.found,
            "stock": {name: len(stock) for name, stock in self.stock.items()},
            "lines": len(self.lines.seen),
            "processor": self.processor(),
            "warming": self.warming,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        path = self.folder / "done.json"
        path.with_suffix(".part").write_text(json.dumps(done), encoding="utf-8")
        path.with_suffix(".part").replace(path)

    def _begun(self, target: Target) -> list[bytes]:
        """The valid files, and what an earlier process found worth keeping."""
        kept = sorted((self.folder / "stock" / target.name).glob("*"), key=lambda path: path.stat().st_mtime)
        return [*target.begin(), *(path.read_bytes() for path in kept)]

    def _keep(self, where: str, target: Target, data: bytes) -> None:
        place = self.folder / where / target.name
        place.mkdir(parents=True, exist_ok=True)
        (place / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)

    def _announce(self, target: Target, data: bytes, options: dict[str, str]) -> None:
        self.number += 1
        current = {
            "target": target.name,
            "options": options,
            "number": self.number,
            "data": base64.b64encode(data).decode(),
        }
        (self.folder / "current.json").write_text(json.dumps(current), encoding="utf-8")

    def _report(self, target: Target, data: bytes, options: dict[str, str], outcome: Outcome) -> None:
        known = self.found.get(f"{target.name}: {outcome.kind}")
        if known is not None and len(base64.b64decode(known["data"])) <= len(data):
            known["times"] += 1
            return
        times = 1 if known is None else known["times"] + 1
        self.found[f"{target.name}: {outcome.kind}"] = {
            "target": target.name, "options": options, "times": times, "details": outcome.details,
            "data": base64.b64encode(data).decode(),
        }  # fmt: skip
        self.save()


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    folder, names, seed = Path(sys.argv[1]), sys.argv[2].split(","), int(sys.argv[3])
    deadline, cases, processor = float(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6])
    with (folder / "fault.txt").open("w", encoding="utf-8") as fault:
        faulthandler.enable(fault)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        fuzzer = Fuzzer(folder, names, seed)
        warmed = (
            fuzzer.targets if cases > _FEW else []
        )  # libraries imported, kernels compiled: not the fault of a case
        for target in warmed:
            for data in target.begin():
                run_case(target, data, {}, fuzzer.case)
        size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + _MOST_MEMORY, resource.RLIM_INFINITY))
        saved = time.time()
        fuzzer.warming = _used()
        while time.time() < deadline and fuzzer.number < cases and fuzzer.processor() < processor:
            fuzzer.step()
            if time.time() - saved > 5:
                fuzzer.save()
                saved = time.time()
        fuzzer.save()


if __name__ == "__main__":
    main()
