"""Who is told while kernels are compiled: a first call stands still for as long, and its bar should say why.

This loads no numba: `jit`, which every kernel imports, listens to numba and passes on what it hears.
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
    """While this is open, `tell(True)` is called as kernels begin to be compiled and `tell(False)` when that has ended.

    Kernels whose machine code is loaded from disk are not spoken of.
    """
    _LISTENERS.append(tell)
    try:
        yield
    finally:
        _LISTENERS.remove(tell)


def changed(by: int) -> None:
    """One more kernel is being compiled, or one less; kernels call kernels, and only the outermost is told."""
    global _under_way  # numba tells it to the whole process
    before, _under_way = _under_way, _under_way + by
    if (before == 0) != (_under_way == 0):
        for tell in _LISTENERS:
            tell(_under_way > 0)
