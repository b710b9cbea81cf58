"""The one decorator of all kernels, so that caching and error handling are set in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba

if TYPE_CHECKING:
    from collections.abc import Callable


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call, keep the machine code on disk, release the GIL, divide as numpy does.

    Kernels carry no annotations: numba infers them, and what it infers is stricter.
    """
    compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled
