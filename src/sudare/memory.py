"""Give memory back: what a step no longer needs goes to the system, so that the next one does not come on top of it."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache
from typing import Any


def give_back() -> None:
    """Return what was freed to the system, where the C library can: glibc keeps arrays of up to 32 MB for later ones.

    A few milliseconds, between steps that each need much memory.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """`malloc_trim` of glibc; None elsewhere."""
    with suppress(OSError, TypeError, AttributeError):
        return ctypes.CDLL(None).malloc_trim
    return None
