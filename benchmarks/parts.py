"""Run the parts of a long job one after the other, and go on where an earlier run stopped.

A part is a command with the files it leaves. What has finished is written down, one small file a part, under
benchmarks/results/state, with the files of the project that it imported: a part is run again only when one of those, its
command or what it stands on (versions, machine) has changed, when what it left is gone, or when everything is wanted afresh.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loaded import fingerprint, watched  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_HEARTBEAT = 60.0
STOPPED = 130


@dataclass(frozen=True)
class Part:
    """One command."""

    name: str
    command: tuple[str, ...]
    leaves: tuple[Path, ...]
    """Files that it writes."""
    folder: Path
    """Where it is run: the root of the project, whose files decide whether it must be run again."""
    finished: frozenset[int] = frozenset({0})
    """Exit codes after which it has done its work."""


@dataclass(frozen=True)
class Done:
    """How a part ended: now, or when it was last run."""

    part: Part
    code: int
    seconds: float
    fresh: bool
    """Whether it was run now."""

    @property
    def finished(self) -> bool:
        """Whether it has done its work."""
        return self.code in self.part.finished and all(path.exists() for path in self.part.leaves)


def run_parts(
    parts: Sequence[Part],
    state: Path,
    *,
    versions: str,
    fresh: bool = False,
    say: Callable[[str], None] = lambda line: print(line, flush=True),
) -> list[Done]:
    """Run what is not finished yet; a part that fails does not keep the others from running.

    Stopped by Ctrl-C it raises KeyboardInterrupt, with everything that had finished written down.
    """
    began = time.perf_counter()
    found: list[Done] = []
    for number, part in enumerate(parts, start=1):
        label = f"[{number}/{len(parts)}] {part.name}"
        known = None if fresh else _known(state, part, versions)
        if known is not None:
            say(f"{label}: up to date ({_clock(known.seconds)} when it was run)")
            found.append(known)
            continue
        say(f"{label}: running, {_clock(time.perf_counter() - began)} so far")
        started, since = time.perf_counter(), time.time()
        with watched(part.folder) as loaded:
            code = _run(part, label, say, loaded.environment)
            files = loaded.files(part.command)
        done = Done(part, code, time.perf_counter() - started, fresh=True)
        changed = _changed(part, files, since)
        if changed:
            say(f"{label}: {changed} changed while it ran, so it will be run again the next time")
            (state / f"{part.name}.json").unlink(missing_ok=True)
        elif done.finished:
            _write_down(state, done, versions, files)
        outcome = "done" if done.finished else f"FAILED (exit code {code})"
        say(f"{label}: {outcome} after {_clock(done.seconds)}, {_clock(time.perf_counter() - began)} in all")
        found.append(done)
    return found


def is_known(state: Path, part: Part, versions: str) -> bool:
    """Whether a part would not be run again."""
    return _known(state, part, versions) is not None


def put(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.part")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def _changed(part: Part, files: Sequence[str], since: float) -> str | None:
    """A file that was written after the part began: the result may be of the old one."""
    for name in files:
        path = part.folder / name
        if path.exists() and path.stat().st_mtime > since:
            return name
    return None


def _mark(part: Part, versions: str, files: Sequence[str]) -> str | None:
    found: str | None = fingerprint(part.folder, files, *part.command, versions)
    return found


def _known(state: Path, part: Part, versions: str) -> Done | None:
    """How the part ended before, if that still counts."""
    try:
        stored: dict[str, Any] = json.loads((state / f"{part.name}.json").read_text(encoding="utf-8"))
        done = Done(part, int(stored["code"]), float(stored["seconds"]), fresh=False)
        mark = _mark(part, versions, stored["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return done if mark is not None and stored.get("mark") == mark and done.finished else None


def _write_down(state: Path, done: Done, versions: str, files: Sequence[str]) -> None:
    put(
        state / f"{done.part.name}.json",
        json.dumps(
            {
                "mark": _mark(done.part, versions, files),
                "code": done.code,
                "seconds": round(done.seconds, 1),
                "command": list(done.part.command),
                "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "files": files,
            },
            indent=1,
        ),
    )


def _run(part: Part, label: str, say: Callable[[str], None], environment: Mapping[str, str]) -> int:
    """Run a command; its own progress bar shows on a terminal, a line a minute elsewhere."""
    started = time.perf_counter()
    with subprocess.Popen(part.command, cwd=part.folder, env=environment) as process:
        try:
            while True:
                try:
                    return process.wait(_HEARTBEAT)
                except subprocess.TimeoutExpired:
                    if not sys.stderr.isatty():
                        say(f"{label}: running for {_clock(time.perf_counter() - started)}")
        except KeyboardInterrupt:
            process.terminate()
            raise


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
