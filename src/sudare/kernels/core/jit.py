"""The decorators of all kernels, `kernel`, `lean` and `inlined`: one place for the settings of caching and errors.

A decorated kernel loads numba when it is first called, or when a kernel that calls it is compiled: most commands call
few kernels, and some none, such as a list of the methods.
"""

from __future__ import annotations

import os
import threading
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}

_OVERLOADS: list[tuple[Callable[..., Any], dict[str, Any], Callable[..., Any]]] = []
"""What numba is told once it is loaded: functions that kernels call, and what chooses their body by types."""

_LOADING = threading.RLock()
"""Held while a dispatcher is made: threads may call a kernel for the first time together."""


class Kernel:
    """A function that numba compiles; everything of its dispatcher is there, once it is asked for."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], *, kept: bool) -> None:
        update_wrapper(self, function)
        del self.__wrapped__  # whoever unwraps it, to read its signature, would find no kernel
        self.py_func, self._options, self._kept = function, options, kept

    def __call__(self, *arguments: Any) -> Any:
        """Compile it for these types, unless that is done, and run it."""
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's object for the kernel."""
        from sudare.kernels.core.dispatch import compiled, overload

        with _LOADING:
            while _OVERLOADS:
                overload(*_OVERLOADS.pop())
            made = self.__dict__.get("dispatcher")
            return compiled(self.py_func, self._options, kept=self._kept) if made is None else made

    def __getattr__(self, name: str) -> Any:
        """Attributes of the dispatcher, `_numba_type_` among them: so kernels may call this one."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call, cache the machine code on disk, release the GIL, divide as numpy does.

    Kernels have no annotations: numba infers the types, and what it infers is stricter.
    """
    return _made(function, kept=True, nogil=True, error_model="numpy")


CALLED = {"nogil": True, "_nrt": False, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
"""Options of kernels whose sums may be reordered, so that they can use wide registers."""

INLINED = {**CALLED, "forceinline": True}
"""The same, merged into their callers."""


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A small kernel that is always merged into its callers, and cached only as part of them.

    Tuples of arrays are passed to a called kernel as some hundred single arguments; merging avoids that.
    """
    return _made(function, kept=False, **INLINED)


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that creates no arrays, and so need not count references to those it receives."""
    return _made(function, kept=True, nogil=True, error_model="numpy", _nrt=False)


def overloaded(stub: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """Decorates what chooses the body of a function by the types of its arguments, for compiled callers."""

    def noted(choose: Callable[..., Any]) -> Callable[..., Any]:
        _OVERLOADS.append((stub, options, choose))
        return choose

    return noted


def _made(function: Callable[..., Any], *, kept: bool, **options: Any) -> Callable[..., Any]:
    return function if _DISABLED else Kernel(function, options, kept=kept)
