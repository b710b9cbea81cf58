"""A whole Python process: its time, its processor time, and the highest memory it held."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# The process says itself how much it held: what the system tells the parent includes the parent's own memory.
_TELLING = """\
import atexit, os
def tell():
    with open("/proc/self/status") as status, open(os.environ["SUDARE_PEAK_INTO"], "w") as told:
        told.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))
atexit.register(tell)
"""
_COMMAND = "import sys; from sudare.cli import main; sys.exit(main({arguments!r}))"


class Whole(NamedTuple):
    """Figures of one process."""

    seconds: float
    processor: float
    """Processor seconds, all threads together."""
    peak_mb: float
    """Highest resident memory, libraries included."""


def sudare(*arguments: str) -> str:
    """The Python text that is the same as a `sudare` command."""
    return _COMMAND.format(arguments=list(arguments))


def whole(text: str, environment: Mapping[str, str] | None = None) -> Whole:
    """Run a Python text in a process of its own; an exit code other than 0 is an error."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "peak"
        surroundings = {**(os.environ if environment is None else environment), "SUDARE_PEAK_INTO": str(told)}
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", _TELLING + text], check=True, stdout=subprocess.DEVNULL, env=surroundings
        )
        took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        peak = int(told.read_text(encoding="ascii")) / 1024
    return Whole(took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak)
