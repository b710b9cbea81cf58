"""kill -9 at random moments of `sudare run`, and before single operations on the file system.

Runs are begun until `--runs N` of them were killed before they ended, each after a random delay spread over the whole
duration of a run (measured first, kernels compiled): in turns into a new folder, over an existing release (`--overwrite`), and into a folder whose parents do not exist. With
`--points` runs are also killed exactly before each of their writing system calls (needs strace).

After each kill: the release is absent, the old one to the byte, or the new one whole and verified; the ledger is intact and
says no more than is true; nothing but a temporary folder is left; the next run succeeds and sweeps it. What is not so is kept
among the figures (`broken`), and the script ends with an error.
"""

from __future__ import annotations

import argparse
import collections
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from jobs import Job, environment, listing, noting, promise  # type: ignore[import-not-found]  # beside this script
from nursery import Nursery  # type: ignore[import-not-found]  # beside this script
from stored import save  # type: ignore[import-not-found]  # beside this script

_ENDED = "ended before the kill"
_MOST = 20
"""So many runs are begun at most for each that is to be killed."""
_WAYS = ("new folder", "overwrite", "new parents")
_CALLS = (
    "mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,fsync,fdatasync,pwrite64,ftruncate,flock"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="so many are killed before they end")
    parser.add_argument(
        "--points",
        type=int,
        default=0,
        help="kill before so many of the system calls of a run, evenly chosen",
    )
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Nursery(environment()) as nursery:
        broken: list[str] = []
        figures: dict[str, Any] = {"runs": asked.runs, "seed": asked.seed, "broken": broken}
        figures |= random_kills(Path(name), nursery, asked.runs, asked.seed, broken)
        if asked.points and shutil.which("strace"):
            figures["points"] = kills_at_calls(Path(name), nursery, asked.points, broken)
    save("kill", figures)
    for key, value in figures.items():
        print(f"{key}: {value}")
    return 1 if broken else 0


def random_kills(folder: Path, nursery: Nursery, runs: int, seed: int, broken: list[str]) -> dict[str, Any]:
    """Kill after random delays; every fifth run is a process from its start, the others forks that have imported."""
    durations = _durations(folder / "job", nursery)
    chosen = random.Random(seed)
    phases: collections.Counter[str] = collections.Counter()
    states: collections.Counter[str] = collections.Counter()
    killed = ended = number = 0
    while killed < runs and number < _MOST * runs:
        way, kind = _WAYS[number % len(_WAYS)], "process" if number % 5 == 0 else "fork"
        # One delay in each of `runs` equal parts of the duration, in an order that mixes them over the ways.
        delay = durations[kind] * 1.1 * ((number * 37 % runs) + chosen.random()) / runs
        phase = state = "a promise was broken"
        with noting(broken, f"{way}, {kind}, after {delay:.2f} s"):
            phase, state = one_kill(folder / f"job{number}", nursery, way, kind, delay)
        number += 1
        if phase == _ENDED:
            ended += 1
        else:
            killed += 1
            phases[phase] += 1
            states[f"{way}: {state}"] += 1
        print(f"[{killed}/{runs}] {way}, {kind}, after {delay:.2f} s: {phase}; {state}", flush=True)
        shutil.rmtree(folder / f"job{number - 1}")
    return {
        "killed": killed,
        "ended": ended,
        "durations": durations,
        "phases": dict(phases),
        "states": dict(states),
    }


def _durations(folder: Path, nursery: Nursery) -> dict[str, float]:
    """How long an undisturbed run takes, kernels compiled: the middle of three."""
    job = Job.made(folder, nursery)
    job.done()
    taken: dict[str, list[float]] = {"fork": [], "process": []}
    for kind in ("fork", "process") * 3:
        started = time.perf_counter()
        run = job.start("--overwrite") if kind == "fork" else job.process("--overwrite")
        run.wait()
        taken[kind].append(time.perf_counter() - started)
    return {kind: sorted(times)[1] for kind, times in taken.items()}


def one_kill(folder: Path, nursery: Nursery, way: str, kind: str, delay: float) -> tuple[str, str]:
    """One run killed; the phase it was in, and what the release was then."""
    job = Job.made(folder, nursery)
    options = prepared(job, way)
    old = listing(job.release) if job.release.exists() else {}
    before = len(job.events())
    if kind == "fork":
        run = job.start(*options)
        if not run.wait(delay):
            run.kill()
        code = run.code
    else:
        process = job.process(*options)
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.kill()
        code = process.wait()
    promise(code in {0, -signal.SIGKILL}, f"the run ended with {code}")
    return judged(job, way, old, before, killed=code != 0)


def prepared(job: Job, way: str) -> list[str]:
    """The options of a run of this way, its old release made."""
    if way == "overwrite":
        job.done()
        return ["--overwrite", "--require", "k-anonymity k=7"]
    if way == "new parents":
        return ["--out", str(job.folder / "release" / "of" / "today")]
    return []


def judged(job: Job, way: str, old: dict[str, str], before: int, *, killed: bool) -> tuple[str, str]:
    """Everything that must hold after a kill, and after the run that follows."""
    target = job.release / "of" / "today" if way == "new parents" else job.release
    staging = sorted(target.parent.glob(".sudare-*")) if target.parent.exists() else []
    job.check_ledger()
    events = job.events()[before:]
    promise(events in ([], ["started"], ["started", "released"]), f"the ledger says {events}")
    state = _state(job, target, old, staging)
    phase = _phase(events, staging, state, killed=killed)
    promise("released" not in events or state == "new", f"the ledger says released, the release is {state}")
    if way != "new parents":
        job.check_strangers()
    job.done(*(["--out", str(target)] if way == "new parents" else []), "--overwrite")
    run = job.check_release(target)
    job.check_ledger()
    last = job.ledger().entries()[-1]
    promise((last.event, last.run) == ("released", run), "the last entry is not that of the release")
    promise(not list(target.parent.glob(".sudare-*")), "the next run left a temporary folder")
    return phase, state


def _phase(events: list[str], staging: list[Path], state: str, *, killed: bool) -> str:
    """What the run had reached, told from the ledger, its temporary folder and the release."""
    if not killed:
        return _ENDED
    if not events:
        return "starting (libraries, recipe)"
    if "released" in events:
        return "after the last entry of the ledger"
    if not staging:
        return "between the rename and the ledger" if state == "new" else "reading and anonymizing"
    files = {path.name for path in staging[-1].rglob("*") if path.is_file()}
    if (staging[-1] / "old").exists():
        return "between the two renames" if (staging[-1] / "content").exists() else "removing the old release"
    if not (staging[-1] / "content").exists():
        return "cleaning up after the rename" if state == "new" else "making the temporary folder"
    if "recipe.yaml" in files:
        return "reports, bringing to disk"
    return "verifying" if "manifest.json" in files else "writing"


def _state(job: Job, target: Path, old: dict[str, str], staging: list[Path]) -> str:
    """What the release is: absent, old or new; anything else breaks the promise."""
    aside = [path / "old" for path in staging if (path / "old").exists() and (path / "content").exists()]
    if not target.exists():
        if old:
            promise(bool(aside) and listing(aside[0]) == old, "the old release is gone")
            return "absent, the old one aside"
        return "absent"
    if not any(target.iterdir()):
        promise(not old, "the old release is empty")
        return "absent"
    if old and listing(target) == old:
        return "old"
    job.check_release(target)
    return "new"


def kills_at_calls(folder: Path, nursery: Nursery, points: int, broken: list[str]) -> dict[str, Any]:
    """Kill before single system calls that write, half of them over an old release, half in a new folder."""
    figures: dict[str, Any] = {}
    for way in ("overwrite", "new folder"):
        calls, first = _calls(folder, nursery, way)
        step = max(1, -(-2 * (len(calls) - first) // points))
        states: collections.Counter[str] = collections.Counter()
        kinds: collections.Counter[str] = collections.Counter()
        for place in range(first, len(calls), step):
            # strace counts each kind of call by itself.
            found = "a promise was broken"
            with noting(broken, f"{way}, before call {place - first + 1} ({calls[place]})"):
                found = _kill_at(
                    folder / "point", nursery, way, calls[place], calls[: place + 1].count(calls[place])
                )
            states[found] += 1
            kinds[calls[place]] += 1
            print(
                f"{way}, before call {place - first + 1} of {len(calls) - first} ({calls[place]}): {found}",
                flush=True,
            )
        figures[way] = {"calls": len(calls) - first, "tried": dict(kinds), "states": dict(states)}
    return figures


def _calls(folder: Path, nursery: Nursery, way: str) -> tuple[list[str], int]:
    """The names of the writing system calls of an undisturbed run, and where those in its folder begin."""
    job = Job.made(folder / "point", nursery)
    options = prepared(job, way)
    trace = folder / "trace.txt"
    traced = job.process(
        *options, before=("strace", "-f", "-qq", "-y", "-o", str(trace), "-e", f"trace={_CALLS}")
    )
    promise(traced.wait() == 0, "a run under strace failed")
    lines = trace.read_text("utf-8", "replace").splitlines()
    own = [line.split(maxsplit=1)[1] for line in lines if line.split()[0] == lines[0].split()[0]]
    first = next(place for place, line in enumerate(own) if str(job.folder) in line)
    shutil.rmtree(job.folder)
    return [line.partition("(")[0] for line in own], first


def _kill_at(folder: Path, nursery: Nursery, way: str, call: str, number: int) -> str:
    job = Job.made(folder, nursery)
    options = prepared(job, way)
    old = listing(job.release) if job.release.exists() else {}
    before = len(job.events())
    inject = f"inject={call}:signal=KILL:when={number}"
    process = job.process(
        *options, before=("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
    )
    code = process.wait()
    try:
        phase, state = judged(job, way, old, before, killed=code != 0)
    finally:
        shutil.rmtree(folder)
    return f"{phase}; {state}"


if __name__ == "__main__":
    sys.exit(main())
