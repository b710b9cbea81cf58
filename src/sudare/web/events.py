"""Events of a job: progress as lines of JSON in a file, which any number of readers follow."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from sudare.errors import CancelledError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAUSE = 0.2
"""Seconds between two lines: at most five a second."""
_MOST = 20_000
"""Lines that a file may have; a job of a day has fewer at this pace, since phases without news write none."""


class Recorder:
    """A progress that appends to the file, and cancels when it was told to."""

    def __init__(self, place: Path) -> None:
        self._file = place.open("a", encoding="utf-8")
        self._began = time.monotonic()
        self._written = self._began - _PAUSE
        self._phase, self._total = "", 1.0
        self._lines = 0
        self.canceled = False
        """Set by the handler of SIGTERM; the next update raises."""

    def start(self, phase: str, total: float) -> None:
        """Open a phase."""
        self._phase, self._total = phase, max(float(total), 1e-12)

    def update(self, done: float) -> None:
        """Append how much is done, at most five times a second; raises if the job is canceled."""
        if self.canceled:
            raise CancelledError
        if self._phase and time.monotonic() - self._written >= _PAUSE:
            self._write(min(max(done / self._total, 0.0), 1.0))

    def close(self) -> None:
        """End the file."""
        self._file.close()

    def _write(self, share: float) -> None:
        self._written = time.monotonic()
        self._lines += 1
        if self._lines > _MOST:
            return
        seconds = round(self._written - self._began, 1)
        self._file.write(
            json.dumps({"phase": self._phase, "share": round(share, 4), "seconds": seconds}) + "\n"
        )
        self._file.flush()


def events_of(place: Path, first: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events from a number on; a line that is being written is not one yet."""
    try:
        text = place.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    for number, line in enumerate(text.splitlines(keepends=True)):
        if number >= first and line.endswith("\n"):
            yield number, json.loads(line)


def last_event(place: Path) -> dict[str, Any] | None:
    """The latest event."""
    found = None
    try:
        with place.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(file.tell() - 4096, 0))
            lines = file.read().splitlines(keepends=True)
    except FileNotFoundError:
        return None
    for line in lines[-2:]:
        if line.endswith(b"\n") and line.startswith(b"{"):
            found = json.loads(line)
    return found
