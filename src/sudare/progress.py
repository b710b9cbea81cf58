"""Progress: how long-running work reports how far it is, and how the caller stops it.

Long-running work receives a `Progress`: it opens phases by their keys and reports how much of each is done. A job of
several steps is a `Plan`: its phases have weights, so that one bar shows the share of the whole job and the time that
is left. The texts for the keys are in `words/en/progress.yaml` and `words/ja/progress.yaml`.
"""

from __future__ import annotations

import functools
import sys
import time
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, Self, TypeVar

from sudare.words.sentence import shown_language, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sudare.words.sentence import Language

DELAY = 2.0
"""Seconds after which a bar appears automatically in a notebook."""
_PAUSE = 0.1
_FIRST = 0.9
"""The share of a step assigned to its first phase if the number of phases is not known in advance."""


class Progress(Protocol):
    """The interface through which a long computation reports its progress.

    `start` opens a phase, `update` says how much of its total is done. To cancel, `update` raises
    `sudare.errors.CancelledError`: work calls it often, leaves nothing half-written when it is raised, and
    lets the error pass.
    """

    def start(self, phase: str, total: float) -> None:
        """Open a phase, identified by its key, with the amount of work it will take."""

    def update(self, done: float) -> None:
        """Report how much of the phase is done; raises CancelledError if the user has canceled."""


class Silent:
    """Shows nothing and never cancels: the library's default."""

    def start(self, phase: str, total: float) -> None:
        """Ignore the phase."""

    def update(self, done: float) -> None:
        """Ignore the amount."""


SILENT = Silent()


def phase_text(phase: str, language: Language = "en") -> str:
    """The text for a phase; a phase that is not Sudare's own is shown as it is.

    >>> phase_text("verify"), phase_text("my own phase")
    ('Verifying the written files', 'my own phase')
    """
    return texts(language, "progress").or_else(phase, phase)


class Plan:
    """One job as phases with weights; it reports to one `Progress` the share of the whole job that is done.

    The progress receives `start(phase, 1)` when another phase begins and `update(share)` with the share of all phases
    together, which never decreases. Plans can be nested: the inner plan fills its phase of the outer one.

    >>> class Printed:
    ...     def start(self, phase, total): print(phase)
    ...     def update(self, done): print(f"{done:.0%}")
    >>> plan = Plan(Printed(), {"read": 1, "check": 3})
    >>> with plan.phase("read"):
    ...     pass
    read
    0%
    25%
    >>> with plan.phase("check") as step:
    ...     step.start("check", 10)
    ...     step.update(5)
    check
    25%
    25%
    59%
    100%
    """

    def __init__(self, progress: Progress | None, weights: Mapping[str, float]) -> None:
        whole = sum(weights.values())
        self._outer = progress if isinstance(progress, _Step) else _Outermost(progress or SILENT)
        self._spans: dict[str, tuple[float, float]] = {}
        self.seconds: dict[str, float] = {}
        """How long each finished phase took."""
        done = 0.0
        for key, weight in weights.items():
            self._spans[key] = (done / whole, (done + weight) / whole)
            done += weight

    @contextmanager
    def phase(
        self, key: str, *, shown: str | None = None, inner: Mapping[str, float] | None = None
    ) -> Iterator[_Step]:
        """One phase: yields the progress to which the work inside reports, in phases of its own.

        `shown` is the key that readers see if the plan's key only marks a position in the plan; `inner` has the
        weights of the phases inside, if they are known in advance.
        """
        step = _Step(self._outer, shown or key, *self._spans[key], inner or {})
        began = time.perf_counter()
        step.at(0.0, shown or key)
        yield step
        self.seconds[key] = time.perf_counter() - began
        step.at(1.0, shown or key)


class _Outermost:
    """The caller's progress, which receives the share of the whole job."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._phase: str | None = None

    def at(self, share: float, phase: str) -> None:
        if phase != self._phase:
            self._phase = phase
            self._progress.start(phase, 1.0)
        self._progress.update(share)


class _Step:
    """The progress for one phase of a plan: the phases inside it fill one stretch of the whole."""

    def __init__(
        self,
        outer: _Outermost | _Step,
        key: str,
        low: float,
        high: float,
        weights: Mapping[str, float],
    ) -> None:
        self._outer, self._key, self._low, self._high = outer, key, low, high
        self._phase, self._total = key, 1.0
        self._reached = 0.0
        whole = sum(weights.values())
        self._spans: dict[str, tuple[float, float]] = {}
        for name, weight in weights.items():
            before = max((end for _, end in self._spans.values()), default=0.0)
            self._spans[name] = (before, before + weight / whole)
        self._span = (0.0, 1.0)

    def start(self, phase: str, total: float) -> None:
        """Open a phase within this one."""
        self._phase, self._total = phase, max(float(total), 1e-12)
        # Each unannounced phase takes most of what is left, so that the share never decreases.
        left = self._reached + _FIRST * (1.0 - self._reached)
        low, high = self._spans.get(phase, (self._reached, left))
        self._span = (max(low, self._reached), max(high, self._reached))
        self.at(self._span[0], phase)

    def update(self, done: float) -> None:
        """Report how much of the inner phase is done."""
        low, high = self._span
        self.at(low + (high - low) * min(max(done / self._total, 0.0), 1.0), self._phase)

    def at(self, share: float, phase: str) -> None:
        """Report the share of this phase that is done; `phase` is the current activity."""
        self._reached = max(self._reached, share)
        self._outer.at(self._low + (self._high - self._low) * self._reached, phase)


class ProgressBar:
    """A bar for `progress=`: HTML in a notebook, one line on standard error at a terminal.

    It appears after `delay` seconds and disappears when the work has ended. In a notebook it is automatic: a call
    that takes longer than two seconds shows a bar, unless it is given another progress (`sudare.progress.SILENT`).
    """

    def __init__(self, delay: float = 0.0, language: Language | None = None) -> None:
        self._began = self._drawn = time.monotonic()
        self._delay, self._language = delay, language or shown_language()
        self._phase, self._total = "", 1.0
        self._calls = 0
        """Calls in progress that use this bar: the outermost one removes it."""
        self._place: Any = None
        """The bar's display handle in a notebook, or True at a terminal; None while it is not shown."""

    def start(self, phase: str, total: float) -> None:
        """Open a phase."""
        self._phase, self._total = phase, max(float(total), 1e-12)
        self._drawn = 0.0  # show the new phase immediately
        self.update(0.0)

    def update(self, done: float) -> None:
        """Draw the bar, at most ten times a second."""
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
        words = texts(self._language, "progress")
        told = {"phase": phase_text(self._phase, self._language), "share": share, "seconds": seconds}
        text = (
            words("bar.left", **told, left=seconds * (1 - share) / share)
            if share > 0.02 and seconds >= 1
            else words("bar.begun", **told)
        )
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
    """Whether this Python is the kernel of a notebook. IPython is consulted only if it is already imported."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def shows_progress(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Make a long call show a bar in a notebook, unless it was given a `progress` of its own."""

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
