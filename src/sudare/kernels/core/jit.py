"""The decorators of all kernels, `kernel`, `lean` and `inlined`: one place for the settings of caching and errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from numba.core import event

from sudare.kernels.core import compiling
from sudare.kernels.core.cache import InnerCache, KernelCache, folder_of

if TYPE_CHECKING:
    from collections.abc import Callable


class _Listener(event.Listener):  # type: ignore[misc]  # numba has no types
    """Reports that something is being compiled."""

    def on_start(self, event: Any) -> None:
        """One more kernel is being compiled."""
        compiling.started(event.data["dispatcher"], event.data["args"])

    def on_end(self, event: Any) -> None:
        """One fewer kernel is being compiled."""
        cache = event.data["dispatcher"]._cache  # noqa: SLF001  # numba offers no other way to it
        if event.is_failed and isinstance(cache, KernelCache):
            cache.release()
        compiling.ended()


event.register("numba:compile", _Listener())


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call, cache the machine code on disk, release the GIL, divide as numpy does.

    Kernels have no annotations: numba infers the types, and what it infers is stricter.
    """
    return _compiled(function, kept=True, nogil=True, error_model="numpy")


CALLED = {"nogil": True, "_nrt": False, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
"""Options of kernels whose sums may be reordered, so that they can use wide registers."""

INLINED = {**CALLED, "forceinline": True}
"""The same, merged into their callers."""


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small kernel that is always merged into its callers, and cached only as part of them.

    Tuples of arrays are passed to a called kernel as some hundred single arguments; merging avoids that.
    """
    return _compiled(function, kept=False, **INLINED)


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that creates no arrays, and so need not count references to those it receives."""
    return _compiled(function, kept=True, nogil=True, error_model="numpy", _nrt=False)


def _compiled(function: Callable[..., Any], *, kept: bool, **options: Any) -> Callable[..., Any]:
    """A kernel for Python, which inside kernels stands for one without the wrappers that unpack Python's objects.

    Numbers in a call of a kernel by a kernel count as what they are at widest. To numba a plain 0, a narrow integer
    and a computed one have three types, and the kernel would be compiled for each.
    """
    if numba.config.DISABLE_JIT:
        return function
    folder = folder_of(Path(function.__code__.co_filename)) if kept else None
    outer: Any = numba.njit(no_cfunc_wrapper=True, **options)(function)
    inner: Any = numba.njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, **options)(function)
    if folder is not None:
        outer._cache, inner._cache = KernelCache(function, folder), InnerCache(function, folder)  # noqa: SLF001

    def called(arguments: Any, named: Any) -> Any:
        wide = {name: _widest(kind) for name, kind in named.items()}
        return inner.get_call_template(tuple(map(_widest, arguments)), wide)

    outer.get_call_template, outer.get_overload = called, inner.get_overload
    compiled: Callable[..., Any] = outer
    return compiled


def _widest(kind: Any) -> Any:
    plain = numba.types.unliteral(kind)
    return numba.types.int64 if plain in numba.types.signed_domain else plain
