"""Disk errors, reported in one way wherever a file is written."""

from __future__ import annotations

import errno
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars as pl

from sudare.errors import ErrorSentence, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn disk errors in the block into one sentence about `path` that says what to do next."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise OutputError(_sentence(path, error)) from None


def _sentence(path: Path, error: Exception) -> ErrorSentence:
    """What went wrong on the disk; polars gives the error number only inside its message."""
    in_message = re.search(r"os error ([0-9]+)", str(error))
    number = int(in_message[1]) if in_message else getattr(error, "errno", None)
    if number in {errno.ENOSPC, errno.EDQUOT}:
        return ErrorSentence("formats.disk.no_space", path=path)
    if number in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return ErrorSentence("formats.disk.not_permitted", path=path)
    if number == errno.ENOENT:
        return ErrorSentence("formats.disk.no_folder", path=path)
    reason = os.strerror(number) if number else " ".join(str(error).split())
    return ErrorSentence("formats.disk.other", path=path, why=reason)
