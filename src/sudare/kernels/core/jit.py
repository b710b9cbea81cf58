"""The decorators of all kernels, `kernel`, `lean` and `inlined`: one place for the settings of caching and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
from numba.core import event

from sudare.kernels.core import compiling
from sudare.kernels.core.cache import kept_for

if TYPE_CHECKING:
    from collections.abc import Callable


class _Listener(event.Listener):  # type: ignore[misc]  # numba has no types
    """Reports that something is being compiled."""

    def on_start(self, _: Any) -> None:
        """One more kernel is being compiled."""
        compiling.changed(1)

    def on_end(self, _: Any) -> None:
        """One fewer kernel is being compiled."""
        compiling.changed(-1)


event.register("numba:compile", _Listener())


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call, cache the machine code on disk, release the GIL, divide as numpy does.

    Kernels have no annotations: numba infers the types, and what it infers is stricter.
    """
    return _kept(function, nogil=True, error_model="numpy")


CALLED = {"nogil": True, "_nrt": False, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
"""Options of kernels whose sums may be reordered, so that they can use wide registers."""

INLINED = {**CALLED, "forceinline": True}
"""The same, merged into their callers."""


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small kernel that is always merged into its callers, and cached only as part of them.

    Tuples of arrays are passed to a called kernel as some hundred single arguments; merging avoids that.
    """
    compiled: Callable[..., Any] = numba.njit(**INLINED)(function)
    return compiled


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that creates no arrays, and so need not count references to those it receives."""
    return _kept(function, nogil=True, error_model="numpy", _nrt=False)


def _kept(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    with kept_for(function.__code__.co_filename) as writable:
        compiled: Callable[..., Any] = numba.njit(cache=writable, **options)(function)
    return compiled
