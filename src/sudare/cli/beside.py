"""A second process that compiles the kernels a command will need next, while the command compiles the first ones.

It begins with the last of them. Each is compiled once: who comes second waits for the machine code of the other
(`kernels.core.cache.KernelCache`), so the two meet in the middle.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudare.kernels.core.entries import Entry

_ALONE = ("-m", "sudare.cli.beside")
_SURE = 5.0
"""Seconds of compiling after which the speed of this machine is known."""
_GAIN = 1.7
"""How much sooner two processes are done."""


class Beside:
    """Watches what this process compiles (`compiling.Watcher`), and shares with a second process what is needed with it."""

    def __init__(self) -> None:
        self._asked: set[Entry] = set()
        self._left: dict[Entry, float] = {}
        """What is to be compiled, by either, with the seconds it took where the list was written."""
        self._done = 0.0
        """Such seconds of what was compiled."""
        self._began = time.monotonic()
        self._now: Entry | None = None
        self._other: subprocess.Popen[str] | None = None
        self._listening: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._other is not None and self._listening is not None:
            self._other.terminate()
            self._listening.join()
            with contextlib.suppress(BrokenPipeError), self._other:
                pass

    def started(self, dispatcher: Any, types: Any) -> None:
        """This process compiles a kernel: others are needed with it."""
        from sudare.kernels.core.entries import entries, entry_of

        self._now = entry_of(dispatcher.py_func, types)
        needed = entries().needed_with(self._now)
        self.share(needed[needed.index(self._now) :] if needed else ())

    def ended(self) -> None:
        """This process has compiled it."""
        if self._now is not None:
            self.finished(self._now)
            self._now = None

    def finished(self, entry: Entry) -> float:
        """Note that a kernel is compiled; returns the seconds of all that are, as the list has them."""
        self._done += self._left.pop(entry, 0.0)
        return self._done

    def share(self, needed: Iterable[Entry]) -> None:
        """Have the second process compile, last first, what has no machine code yet."""
        from sudare.kernels.core.entries import entries

        new = [entry for entry in needed if entry not in self._asked and not entry.is_kept()]
        self._asked.update(new)
        if not self._left:
            self._began, self._done = time.monotonic(), 0.0
        self._left.update({entry: entries().seconds[entry] for entry in new})
        others = [entry for entry in new if entry != self._now]
        if others and (os.cpu_count() or 1) > 1:
            self._ask(reversed(others))

    def seconds_left(self) -> float | None:
        """How long compiling will take from now, at least a second; None while nothing is left to compile."""
        left = sum(self._left.copy().values())
        if not left:
            return None
        passed = time.monotonic() - self._began
        speed = self._done / passed if self._done > _SURE else 1.0 if self._other is None else _GAIN
        return max(left / speed, 1.0)

    def _ask(self, others: Iterable[Entry]) -> None:
        with contextlib.suppress(OSError):  # without a second process the first compiles all
            if self._other is None:
                self._other = subprocess.Popen(  # noqa: S603  # this Python and a module of ours
                    [sys.executable, *_ALONE],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                )  # fmt: skip
                self._listening = threading.Thread(target=self._listen, daemon=True)
                self._listening.start()
            if self._other.stdin is not None:
                self._other.stdin.writelines(f"{json.dumps(entry)}\n" for entry in others)
                self._other.stdin.flush()

    def _listen(self) -> None:
        from sudare.kernels.core.entries import Entry

        if self._other is not None and self._other.stdout is not None:
            for line in self._other.stdout:
                self.finished(Entry(*json.loads(line)))
        for entry in self._left.keys() - {self._now}:  # it is gone: this process compiles what it needs
            self._left.pop(entry, None)


def _second() -> None:
    """The second process: compile what the first asks for, and say what is done."""
    from sudare.kernels.core.entries import Entry

    for line in sys.stdin:
        with contextlib.suppress(
            Exception
        ):  # a list older than the kernels: the first process compiles what it needs
            Entry(*json.loads(line)).compile()
        sys.stdout.write(line)
        sys.stdout.flush()


if __name__ == "__main__":
    _second()
