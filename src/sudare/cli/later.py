"""Libraries that a command may do without are loaded when something of them is first used.

Nearly every module of ours imports polars, which takes longer to load than all of them together; a list of the methods or
a schema needs none of it. Only commands do this: who uses the library from Python finds his modules as he left them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any

_REPLACING = Lock()


class _Later(ModuleType):
    """Stands for a module until it is used, and from then on hands out what the module has."""

    def __getattr__(self, name: str) -> Any:
        if (
            name.startswith("__") and name != "__path__"
        ):  # who looks through all modules does not use this one
            raise AttributeError(name)
        with _REPLACING:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        found = getattr(import_module(self.__name__), name)
        self.__dict__[name] = found
        return found


def load_later(*names: str) -> None:
    """Put off loading these modules, unless they are loaded already."""
    for name in names:
        sys.modules.setdefault(name, _Later(name))
