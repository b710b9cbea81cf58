"""Who is notified while kernels are compiled: a first call seems to hang, and its progress bar should say why.

This does not load numba: `jit`, which every kernel imports, listens to numba and forwards its events.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LISTENERS: list[Callable[[bool], None]] = []
_under_way = 0


@contextmanager
def compiling_told(tell: Callable[[bool], None]) -> Iterator[None]:
    """While this is open, `tell(True)` is called when compilation of kernels starts and `tell(False)` when it ends.

    Kernels whose machine code is loaded from disk are not reported.
    """
    _LISTENERS.append(tell)
    try:
        yield
    finally:
        _LISTENERS.remove(tell)


def changed(by: int) -> None:
    """Note that a kernel starts or stops being compiled; kernels call kernels, and only the outermost is reported."""
    global _under_way  # numba reports it for the whole process
    before, _under_way = _under_way, _under_way + by
    if (before == 0) != (_under_way == 0):
        for tell in _LISTENERS:
            tell(_under_way > 0)
