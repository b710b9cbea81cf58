"""Progress: how long work tells its caller how far it is, and how the caller stops it."""

from __future__ import annotations

import functools
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

DELAY = 2.0
"""Seconds after which a bar appears by itself in a notebook."""
_PAUSE = 0.1


class Progress(Protocol):
    """What a long computation talks to.

    `start` opens a phase, `update` says how much of its total is done. To cancel, `update` raises
    `sudare.errors.CancelledError`: work calls it often, holds nothing half-written when it does, and
    lets the error pass.
    """

    def start(self, phase: str, total: float) -> None:
        """Open a phase with the amount of work it will take."""

    def update(self, done: float) -> None:
        """Say how much of the phase is done; raises CancelledError when the user has cancelled."""


class Silent:
    """Shows nothing and never cancels: the default of the library."""

    def start(self, phase: str, total: float) -> None:
        """Ignore the phase."""

    def update(self, done: float) -> None:
        """Ignore the amount."""


SILENT = Silent()


class ProgressBar:
    """A bar for `progress=`: HTML in a notebook, one line on standard error at a terminal.

    It appears after `delay` seconds and goes away when the work has ended. In a notebook it needs no request: a call
    that takes longer than two seconds shows one, unless it is given another progress (`sudare.progress.SILENT`).
    """

    def __init__(self, delay: float = 0.0) -> None:
        self._began = self._drawn = time.monotonic()
        self._delay = delay
        self._phase, self._total = "", 1.0
        self._calls = 0
        """Calls under way that it was given to: the outermost takes it away."""
        self._place: Any = None
        """Where the bar stands in the notebook, or True at a terminal; None while it is not shown."""

    def start(self, phase: str, total: float) -> None:
        """Open a phase."""
        self._phase, self._total = phase, max(float(total), 1e-12)
        self._drawn = 0.0  # the new phase shows at once
        self.update(0.0)

    def update(self, done: float) -> None:
        """Draw the bar, ten times a second at most."""
        now = time.monotonic()
        if now - self._began < self._delay or now - self._drawn < _PAUSE:
            return
        self._drawn = now
        self._show(min(max(done / self._total, 0.0), 1.0), now - self._began)

    def __enter__(self) -> Self:
        self._calls += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._calls -= 1
        if self._calls == 0:
            self._close()

    def _close(self) -> None:
        if self._place is None:
            return
        if self._place is True:
            sys.stderr.write("\r\x1b[K")
        else:
            self._place.update({"text/plain": "", "text/html": ""}, raw=True)
        self._place = None

    def _show(self, share: float, seconds: float) -> None:
        text = f"{self._phase}: {share:.0%}, {seconds:.0f} s"
        if in_notebook():
            from html import escape

            bar = f'<progress value="{share:.4f}" max="1"></progress>'
            shown = {"text/plain": text, "text/html": f"<div>{bar} {escape(text)}</div>"}
            if self._place is None:
                self._place = import_module("IPython.display").display(shown, raw=True, display_id=True)
            else:
                self._place.update(shown, raw=True)
        elif sys.stderr.isatty():
            self._place = True
            sys.stderr.write(f"\r\x1b[K{text[:79]}")
            sys.stderr.flush()


def in_notebook() -> bool:
    """Whether this Python is the kernel of a notebook. IPython is asked only if it is there already."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def shows_progress(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """A call that takes long shows a bar in a notebook, where it was given no `progress` of its own."""

    @functools.wraps(function)
    def told(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        given = kwargs.get("progress")
        if given is None and in_notebook():
            given = ProgressBar(DELAY)
            kwargs["progress"] = given
        if not isinstance(given, ProgressBar):
            return function(*args, **kwargs)
        with given:
            return function(*args, **kwargs)

    return told
