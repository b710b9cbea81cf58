"""Who is notified while kernels are compiled: a first call seems to hang, and its progress bar should say why.

This does not load numba: `dispatch`, which kernels load when they are called, listens to numba and forwards its events.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Watcher(Protocol):
    """What wants to know that kernels are compiled."""

    def started(self, dispatcher: Any, types: Any) -> None:
        """A kernel that Python called is being compiled for arguments of these types, with all that it calls."""

    def ended(self) -> None:
        """It has been compiled."""


_WATCHERS: list[Watcher] = []
_under_way = 0


@contextmanager
def compiling_told(watcher: Watcher) -> Iterator[None]:
    """While this is open, the watcher hears when compilation of a kernel starts and ends.

    Kernels whose machine code is loaded from disk are not reported.
    """
    _WATCHERS.append(watcher)
    try:
        yield
    finally:
        _WATCHERS.remove(watcher)


def started(dispatcher: Any, types: Any) -> None:
    """Note that a kernel starts being compiled; kernels call kernels, and only the outermost is reported."""
    global _under_way  # noqa: PLW0603  # numba reports it for the whole process
    _under_way += 1
    if _under_way == 1:
        for watcher in _WATCHERS:
            watcher.started(dispatcher, types)


def ended() -> None:
    """Note that a kernel is no longer being compiled."""
    global _under_way  # noqa: PLW0603
    _under_way -= 1
    if _under_way == 0:
        for watcher in _WATCHERS:
            watcher.ended()
