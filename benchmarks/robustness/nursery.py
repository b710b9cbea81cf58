"""An interpreter that has imported Sudare and forks a process for each run: a start of Python takes longer than a small run.

Run as a script it is the nursery; `Nursery` talks to it. The forks are processes like any other: they can be killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self


class Nursery:
    """Starts `sudare` with arguments, as a fork."""

    def __init__(self, environment: dict[str, str], before: tuple[str, ...] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._count = 0
        self._process: Any = subprocess.Popen(
            [*before, sys.executable, __file__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
        self._folder.cleanup()

    def start(self, *arguments: str) -> Fork:
        """One run."""
        self._count += 1
        told = Path(self._folder.name) / str(self._count)
        number = self.ask("start", arguments=arguments, told=str(told))
        return Fork(self, int(number), told)

    def ask(self, question: str, **values: Any) -> Any:
        """A question to the nursery."""
        print(json.dumps([question, values]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


@dataclass
class Fork:
    """One run."""

    nursery: Nursery
    number: int
    told: Path
    code: int | None = None

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for its end, at most so long; whether it has ended."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self.code is None:
            self.code = self.nursery.ask("poll", number=self.number)
            if self.code is None:
                if deadline is not None and time.monotonic() >= deadline:
                    return False
                left = 0.02 if deadline is None else max(0.0, min(0.02, deadline - time.monotonic()))
                time.sleep(left)
        return True

    def kill(self) -> None:
        """Kill -9."""
        os.kill(self.number, signal.SIGKILL)
        self.wait()

    def said(self) -> tuple[str, str]:
        """Standard output and standard error."""
        return self.told.with_suffix(".out").read_text("utf-8"), self.told.with_suffix(".err").read_text(
            "utf-8"
        )


def serve() -> None:
    """Fork for each `start`; for each `poll` the exit code, or nothing while the process lives."""
    from numba.core.registry import cpu_target

    import sudare.advise.bounds
    import sudare.cli.run_command
    import sudare.release.recipe.table
    import sudare.release.summary
    import sudare.release.table.kind  # noqa: F401  # with all they import, so that the forks need not

    cpu_target.target_context.refresh()  # no threads yet: those of polars would not survive a fork

    for line in sys.stdin:
        question, values = json.loads(line)
        if question == "poll":
            number, status = os.waitpid(values["number"], os.WNOHANG)
            answer = None if number == 0 else os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if answer == 0:
                os._exit(_run(**values))
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


def _run(arguments: list[str], told: str) -> int:
    from sudare.cli import main

    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, suffix in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{told}.{suffix}", os.O_WRONLY | os.O_CREAT, 0o644), descriptor)
    code = 99
    try:
        code = main(arguments)
    except BaseException:  # noqa: BLE001  # what the interpreter would do
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve()
