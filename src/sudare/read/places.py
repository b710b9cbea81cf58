"""Whether something is at a path that came out of a file or from a command line, whatever that path is.

pathlib raises an error where a name is longer than the system allows (Python 3.11); `os.path` says that nothing is there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def is_file(path: str | Path) -> bool:
    """Whether a file is there.

    >>> is_file("x" * 5000)
    False
    """
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there."""
    return os.path.isdir(path)  # noqa: PTH112


def is_path(source: str) -> bool:
    """Whether a source is a path, and neither standard input (`-`) nor the address of a database."""
    return source != "-" and "://" not in source


def exists(path: str | Path) -> bool:
    """Whether anything is there."""
    return os.path.exists(path)  # noqa: PTH110
