"""Whether a path from a file or the command line exists, whatever that path is.

pathlib raises an error if a name is longer than the system allows (Python 3.11); `os.path` reports that nothing is
there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def is_file(path: str | Path) -> bool:
    """Whether the path is a file.

    >>> is_file("x" * 5000)
    False
    """
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Whether the path is a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_path(source: str) -> bool:
    """Whether a source is a path, rather than standard input (`-`) or a database address."""
    return source != "-" and "://" not in source


def exists(path: str | Path) -> bool:
    """Whether the path exists."""
    return os.path.exists(path)  # noqa: PTH110
