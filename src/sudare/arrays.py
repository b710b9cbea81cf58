"""Consecutive runs in one array, read-only arrays, and the memory of arrays that are gone."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def starts_of(sizes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """The start of each of several consecutive runs of these sizes, and the end of the last one.

    >>> starts_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def read_only(array: Any) -> Any:
    """A read-only view; the array itself is unchanged."""
    view = array.view()
    view.setflags(write=False)
    return view


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
