"""What a disk refuses, told in one way wherever a file is written."""

from __future__ import annotations

import errno
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars as pl

from sudare.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the disk refuses within the block into one sentence about `path`, with what to do next."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise OutputError(_sentence(path, error)) from None


def _sentence(path: Path, error: Exception) -> str:
    """What went wrong with the disk; polars gives the number of the error only within its message."""
    in_message = re.search(r"os error ([0-9]+)", str(error))
    number = int(in_message[1]) if in_message else getattr(error, "errno", None)
    if number in {errno.ENOSPC, errno.EDQUOT}:
        return f"There is no space left on the disk for '{path}'; free some, or choose another folder."
    if number in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"You are not permitted to write '{path}'; choose another folder, or ask for permission."
    if number == errno.ENOENT:
        return f"The folder of '{path}' does not exist; create it, or choose another one."
    reason = os.strerror(number) if number else " ".join(str(error).split())
    return f"'{path}' cannot be written ({reason}); choose another path."
