"""Launcher: gives a job a process that outlives the server, with the libraries loaded already.

A forkserver process has Sudare imported; a child of it forks a grandchild, which is the worker: a session of its own, output
into `log.txt`, first to go if memory runs out. The child ends once the worker holds its lock, so from then on the job is known
by its folder alone: to this server and to one that is started after it was killed.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.web.worker import main

if TYPE_CHECKING:
    from collections.abc import Mapping

_PRELOADED = (
    "sudare.web.worker",
    "sudare.api",
    "sudare.release.run",
    "sudare.release.promote",
    "sudare.release.recipe.draft",
    "sudare.release.report.table.page",
)
_PATIENCE = 60.0
"""Seconds until a worker must hold its lock; the first one waits for the libraries."""


def launch(folder: Path, connections: Mapping[str, str]) -> None:
    """Start the worker of a job; returns when it holds the job's lock."""
    process = _context().Process(target=_fork, args=(str(folder), dict(connections)), daemon=False)
    process.start()
    process.join(_PATIENCE)
    process.close() if process.exitcode is not None else process.kill()


def prepare() -> None:
    """Start the forkserver, so that the first job does not wait for it."""
    from multiprocessing import forkserver

    _context()
    forkserver.ensure_running()


def _context() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_PRELOADED))
    return context


def _fork(folder: str, connections: dict[str, str]) -> None:
    """In the child: fork the worker, and end once it holds its lock."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        _become_worker(Path(folder), connections, writing)
    os.close(writing)
    os.read(reading, 1)  # a byte when it holds the lock, the end of the pipe if it died
    os.close(reading)


def _become_worker(folder: Path, connections: dict[str, str], ready: int) -> None:
    """In the grandchild: a session, output and priority of its own; never returns."""
    code = 1
    try:
        os.setsid()
        log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        sys.stdout.flush()
        sys.stderr.flush()
        for number, descriptor in enumerate((nothing, log, log)):
            os.dup2(descriptor, number)
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
        main(folder, connections, ready)
        code = 0
    finally:
        os._exit(code)
