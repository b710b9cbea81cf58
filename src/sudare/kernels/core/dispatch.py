"""Kernels as numba compiles them: with our cache, without wrappers inside, and heard by whoever shows progress."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from numba import extending
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
        # Not `event.is_failed`, which in numba 0.68 is true of events without an exception.
        if event._exc_details is not None and isinstance(cache, KernelCache):  # noqa: SLF001
            cache.release()
        compiling.ended()


event.register("numba:compile", _Listener())


def overload(stub: Callable[..., Any], options: dict[str, Any], choose: Callable[..., Any]) -> None:
    """Tell numba what chooses the body of a function."""
    extending.overload(stub, jit_options=options, strict=False)(choose)


def compiled(function: Callable[..., Any], options: dict[str, Any], *, kept: bool) -> Any:
    """A kernel for Python, which inside kernels stands for one without the wrappers that unpack Python's objects.

    Numbers in a call of a kernel by a kernel count as what they are at widest. To numba a plain 0, a narrow integer
    and a computed one have three types, and the kernel would be compiled for each.
    """
    folder = folder_of(Path(function.__code__.co_filename)) if kept else None
    outer: Any = numba.njit(no_cfunc_wrapper=True, **options)(function)
    inner: Any = numba.njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, **options)(function)
    if folder is not None:
        outer._cache, inner._cache = KernelCache(function, folder), InnerCache(function, folder)  # noqa: SLF001

    def called(arguments: Any, named: Any) -> Any:
        wide = {name: _widest(kind) for name, kind in named.items()}
        return inner.get_call_template(tuple(map(_widest, arguments)), wide)

    outer.get_call_template, outer.get_overload = called, inner.get_overload
    return outer


def _widest(kind: Any) -> Any:
    plain = numba.types.unliteral(kind)
    return numba.types.int64 if plain in numba.types.signed_domain else plain
