"""Independent tasks side by side in threads: kernels and numpy release the interpreter, so two cores halve the time.

What a task computes must not depend on the others, nor on their order: then results are the same for any number of threads.
`side_by_side` is for a few long tasks with progress of their own, a `Team` for many rounds of short calls. Inside a thread of
either there are no further threads: all processors are busy.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sudare.errors import CancelledError
from sudare.progress import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from threading import Event

    from sudare.progress import Progress

    Task = Callable[[Progress], "_Result"]

_Result = TypeVar("_Result")
_PAUSE = 0.1
"""Seconds between two reports of progress."""
_own = threading.local()
"""Has the attribute `busy` in a thread of this module."""


def processors() -> int:
    """How many processors this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


class Team:
    """Threads for round after round of short calls that release the interpreter: so many at most, and no more than processors.

    >>> with Team(4) as team:
    ...     team.run([lambda: 1, lambda: 2, lambda: 3])
    [1, 2, 3]
    """

    def __init__(self, most: int) -> None:
        self.size = 1 if hasattr(_own, "busy") else max(min(processors(), most), 1)
        """How many threads there are; with one, calls are made by the caller's."""
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.size > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self.size, initializer=_become_busy)
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(
        self,
        calls: Sequence[Callable[[], _Result]],
        meanwhile: Callable[[], Any] | None = None,
        stop: Callable[[], Any] | None = None,
    ) -> list[_Result]:
        """What each call returns, in their order.

        `meanwhile` is called in the caller's thread about ten times a second while calls run in others. If it or a call
        fails, `stop` is called as often until those that run have ended.
        """
        if self._pool is None:
            return [call() for call in calls]
        from concurrent.futures import FIRST_EXCEPTION, wait

        futures = [self._pool.submit(call) for call in calls]
        pause = None if meanwhile is None else _PAUSE
        try:
            pending = set(futures)
            while pending:
                ended, pending = wait(pending, timeout=pause, return_when=FIRST_EXCEPTION)
                for future in ended:
                    future.result()
                if meanwhile is not None:
                    meanwhile()
        except BaseException:
            for future in futures:
                future.cancel()
            while stop is not None and not all(future.done() for future in futures):
                stop()
                wait(futures, timeout=_PAUSE)
            raise
        return [future.result() for future in futures]


def _become_busy() -> None:
    _own.busy = True


def side_by_side(
    tasks: Sequence[Task[_Result]],
    sizes: Sequence[int],
    progress: Progress,
    phase: str,
    *,
    inner: Mapping[str, float] | None = None,
    threads: int | None = None,
) -> list[_Result]:
    """The result of each task, in their order, from as many threads as there are processors (or as given).

    One phase of `progress` shows the share of all tasks that is done, weighted by their sizes; `inner` has the weights of
    the phases that each task reports. If the caller cancels, or a task fails, the others stop at their next report.
    """
    order = sorted(range(len(tasks)), key=lambda number: -sizes[number])
    count = min(processors() if threads is None else threads, len(tasks))
    if hasattr(_own, "busy"):
        count = 1
    if count <= 1:
        order, alone = [], order
    else:
        # The smallest task first and alone: it compiles the kernels that the others will need, too.
        order, alone = order[:-1], order[-1:]
    done = _Done([0.0] * len(tasks), sizes, progress)
    results: dict[int, _Result] = {}
    progress.start(phase, 1.0)
    for number in alone:
        results[number] = _run(tasks[number], _Share(done, number), phase, inner)
    if order:
        results |= _in_threads(tasks, order, count, done, phase, inner)
    return [results[number] for number in range(len(tasks))]


def _in_threads(
    tasks: Sequence[Task[_Result]],
    order: Sequence[int],
    count: int,
    done: _Done,
    phase: str,
    inner: Mapping[str, float] | None,
) -> dict[int, _Result]:
    """The largest tasks first, so that the threads end together."""
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    stop = threading.Event()
    with ThreadPoolExecutor(count, initializer=_become_busy) as pool:
        futures = {
            number: pool.submit(_run, tasks[number], _Share(done, number, stop), phase, inner)
            for number in order
        }
        try:
            pending = set(futures.values())
            while pending:
                ended, pending = wait(pending, timeout=_PAUSE, return_when=FIRST_EXCEPTION)
                for future in ended:
                    future.result()
                # Only the caller's thread reports: a progress need not be safe to call from others.
                done.report()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    return {number: future.result() for number, future in futures.items()}


def _run(task: Task[_Result], share: _Share, phase: str, inner: Mapping[str, float] | None) -> _Result:
    with Plan(share, {phase: 1.0}).phase(phase, inner=inner) as step:
        return task(step)


class _Done:
    """The share of each task that is done."""

    def __init__(self, shares: list[float], sizes: Sequence[int], progress: Progress) -> None:
        self.shares, self._sizes, self._progress = shares, sizes, progress
        self._whole = max(sum(sizes), 1)

    def report(self) -> None:
        """Tell the caller, who may cancel."""
        done = sum(share * size for share, size in zip(self.shares, self._sizes, strict=True))
        self._progress.update(done / self._whole)


class _Share:
    """The progress of one task."""

    def __init__(self, done: _Done, number: int, stop: Event | None = None) -> None:
        self._done, self._number, self._stop = done, number, stop

    def start(self, phase: str, total: float) -> None:
        """The caller sees one phase for all tasks."""

    def update(self, share: float) -> None:
        """Note the share; in a thread of its own the caller hears of it later, and may have canceled before."""
        self._done.shares[self._number] = share
        if self._stop is None:
            self._done.report()
        elif self._stop.is_set():
            raise CancelledError("anonymize.canceled")
