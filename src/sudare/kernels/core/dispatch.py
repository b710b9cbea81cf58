"""Kernels as numba compiles them: with our cache, without wrappers inside, and heard by whoever shows progress."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from numba import extending
from numba.core import compiler, event

from sudare.kernels.core import compiling
from sudare.kernels.core.cache import InnerCache, KernelCache, folder_of
from sudare.kernels.core.merged import MERGES, EntryCompiler, MergedCompiler

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


class _Flags(compiler.Flags):  # type: ignore[misc]  # numba has no types
    """Options of a kernel, equal whether or not it has a wrapper for Python.

    What a kernel calls of numba's own (`max`, `np.empty`) is compiled once for equal options, and is the same for both.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags) and self._within() == other._within()

    def __hash__(self) -> int:
        return hash(_Flags)

    def _within(self) -> dict[str, Any]:
        return {name: value for name, value in self._values.items() if name != "no_cpython_wrapper"}


def overload(stub: Callable[..., Any], options: dict[str, Any], choose: Callable[..., Any]) -> None:
    """Tell numba what chooses the body of a function."""
    extending.overload(stub, jit_options=options, strict=False)(choose)


def compiled(function: Callable[..., Any], options: dict[str, Any], *, kept: bool) -> Any:
    """A kernel for Python, which inside kernels stands for one without the wrappers that unpack Python's objects.

    Numbers in a call of a kernel by a kernel count as what they are at widest. To numba a plain 0, a narrow integer
    and a computed one have three types, and the kernel would be compiled for each.
    """
    folder = folder_of(Path(function.__code__.co_filename)) if kept else None
    entry, merged = ({"pipeline_class": one} if MERGES else {} for one in (EntryCompiler, MergedCompiler))
    outer: Any = numba.njit(no_cfunc_wrapper=True, **entry, **options)(function)
    inner: Any = numba.njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, **merged, **options)(function)
    if folder is not None:
        outer._cache, inner._cache = KernelCache(function, folder), InnerCache(function, folder)  # noqa: SLF001

    def called(arguments: Any, named: Any) -> Any:
        wide = {name: _widest(kind) for name, kind in named.items()}
        return inner.get_call_template(tuple(map(_widest, arguments)), wide)

    outer.get_call_template, outer.get_overload = called, inner.get_overload
    if MERGES:
        outer._compiler._customize_flags = inner._compiler._customize_flags = _Flags  # noqa: SLF001  # numba asks it for them
    return outer


def _widest(kind: Any) -> Any:
    plain = numba.types.unliteral(kind)
    return numba.types.int64 if plain in numba.types.signed_domain else plain
