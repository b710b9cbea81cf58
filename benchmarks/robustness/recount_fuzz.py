"""Release hostile tables and baskets by every method into every format, and count the written files again.

Released or refused in one sentence is in order. Found is: another exception or a warning; a figure (k, l, t, Pk, rho, k^m)
that is not what was asked, or not what `sd.verify_release` says; something left behind by a refusal; a removed value in the
public bytes. Each case follows from `--seed` and its number: `--only N` runs it alone, makes it small and prints it. A run that
was stopped goes on where it was, unless a source changed meanwhile.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from recount_case import outcome_of, shrunk, told  # type: ignore[import-not-found]  # beside this script
from recount_tables import BASKET_METHODS, METHODS, case_of  # type: ignore[import-not-found]  # beside this script
from stored import FOLDER, save  # type: ignore[import-not-found]  # beside this script

import sudare

_HANGS = 600.0
"""Seconds after which a case is given up and the process with it."""
_MEMORY = Path("/dev/shm")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="run one case and print it")
    parser.add_argument("--name", default="recount", help="name of the results")
    parser.add_argument(
        "--folder", type=Path, help="where progress is kept; among the results when left out, and figures too"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        if asked.only is not None:
            return _one(asked.seed, asked.only, Path(name))
        folder = asked.folder or FOLDER / asked.name
        run = Run(folder, asked.seed)
        run.until(asked.cases, Path(name))
    if asked.folder is None:
        save(asked.name, run.done)
        (folder / "done.json").unlink()  # finished: the next run begins anew
    print(run.line())
    for kind, found in run.done["found"].items():
        print(f"FOUND {kind} ({found['times']} times), rerun: --seed {asked.seed} --only {found['number']}")
        print(found["details"][-1500:])
    return 1 if run.done["found"] else 0


class Run:
    """How far a run is, kept in a file."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        fresh: dict[str, Any] = {
            "seed": seed, "sources": _sources(), "cases": 0, "seconds": 0.0, "methods": {}, "formats": {}, "refusals": {}, "found": {},
        }  # fmt: skip
        known = _read(folder / "done.json")
        same = all(known.get(name) == fresh[name] for name in ("seed", "sources"))
        self.done = known if same else fresh
        current = _read(folder / "current.json")
        (folder / "current.json").unlink(missing_ok=True)
        # A case that was begun and not ended brought the process down; those before it that were not saved are run again.
        self.deadly = int(current.get("number", -1)) if same else -1
        if self.deadly >= self.done["cases"]:
            self._found("the process died", self.deadly, "see the case", "")

    def until(self, cases: int, place: Path) -> None:
        """Run cases until there are so many."""
        began = saved = time.process_time()
        with (self.folder / "fault.txt").open("w", encoding="utf-8") as fault:
            faulthandler.enable(fault)
            while self.done["cases"] < cases:
                number = self.done["cases"]
                (self.folder / "current.json").write_text(json.dumps({"number": number}), encoding="utf-8")
                faulthandler.dump_traceback_later(_HANGS, exit=True, file=fault)
                if number != self.deadly:
                    self._step(number, place)
                faulthandler.cancel_dump_traceback_later()
                self.done["cases"] += 1
                now = time.process_time()
                self.done["seconds"] += now - began
                began = now
                if now - saved > 30:
                    saved = now
                    self.save()
                    print(f"{time.strftime('%H:%M:%S')} {self.line()}", flush=True)
            faulthandler.disable()
        (self.folder / "current.json").unlink(missing_ok=True)
        self.save()

    def _step(self, number: int, place: Path) -> None:
        case = case_of(self.done["seed"], number)
        outcome = outcome_of(case, place)
        states = self.done["methods"].setdefault(case.method, {})
        states[outcome.state] = states.get(outcome.state, 0) + 1
        if outcome.state == "released":
            self.done["formats"][case.format] = self.done["formats"].get(case.format, 0) + 1
        elif outcome.state == "refused":
            self.done["refusals"][outcome.kind] = self.done["refusals"].get(outcome.kind, 0) + 1
        else:
            known = outcome.kind in self.done["found"]
            small = "" if known else told(shrunk(case, outcome.kind, place))
            self._found(outcome.kind, number, outcome.details, small)

    def _found(self, kind: str, number: int, details: str, small: str) -> None:
        known = self.done["found"].get(kind)
        if known is not None:
            known["times"] += 1
            return
        self.done["found"][kind] = {"times": 1, "number": number, "details": details, "case": small}
        self.save()

    def save(self) -> None:
        """Write down how far it is, whole or not at all."""
        path = self.folder / "done.json"
        path.with_suffix(".part").write_text(json.dumps(self.done, indent=1), encoding="utf-8")
        path.with_suffix(".part").replace(path)

    def line(self) -> str:
        """How far it is, in a line."""
        states: collections.Counter[str] = collections.Counter()
        for one in self.done["methods"].values():
            states.update(one)
        rate = self.done["cases"] / max(self.done["seconds"], 1e-9)
        return (
            f"{self.done['cases']:,} cases, {states['released']:,} released, {states['refused']:,} refused, "
            f"{len(self.done['found'])} kinds of faults, {rate:.0f} cases a second, "
            f"{len(self.done['methods'])} of {len(METHODS) + len(BASKET_METHODS)} methods"
        )


def _one(seed: int, number: int, place: Path) -> int:
    case = case_of(seed, number)
    outcome = outcome_of(case, place)
    print(f"{outcome.state}: {outcome.kind}\n{outcome.details}")
    print(told(shrunk(case, outcome.kind, place) if outcome.state == "wrong" else case))
    return 1 if outcome.state == "wrong" else 0


def _sources() -> str:
    """One word for all sources that decide what a case is and what becomes of it."""
    digest = hashlib.sha256()
    package = Path(str(sudare.__file__)).parent
    for path in sorted([*package.rglob("*.py"), *Path(__file__).parent.glob("recount*.py")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


if __name__ == "__main__":
    sys.exit(main())
