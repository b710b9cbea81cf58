"""Found first on PYTHONPATH while a part runs (see ../loaded.py): every Python below notes which files it imports.

Python imports a module of this name at start-up. Each import is written down at once, since a worker may be killed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder


class Noting(PathFinder):
    """Finds modules as ever, and appends those of the project to the list."""

    root = os.environ.get("SUDARE_NOTE_BELOW", "") + os.sep
    place = os.environ.get("SUDARE_NOTE_INTO", "")

    @classmethod
    def find_spec(cls, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """As the finder of paths does it."""
        spec = super().find_spec(fullname, path, target)  # type: ignore[arg-type]
        origin = "" if spec is None else spec.origin or ""
        if origin.startswith(cls.root) and "site-packages" not in origin:
            # A process that may write nothing, or no large file, notes nothing: it is told elsewhere what it may not.
            with contextlib.suppress(OSError), open(cls.place, "a", encoding="utf-8") as listed:  # noqa: PTH123  # pathlib costs at start-up
                listed.write(f"{origin}\n")
        return spec


if Noting.place:
    sys.meta_path.insert(0, Noting)
