"""Where the machine code of kernels is kept: in the user's cache folder, apart for every state of the sources.

numba looks only at the file of a kernel to tell whether its machine code is still true, not at the files of the
kernels it calls. So each file of kernels has a folder of its own, named after a hash over that file and all files of
kernels it imports: after any change a new folder is used, and only what the change touches is compiled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numba

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT = 4
"""Folders of one file that stay: that of the sources as they are, and of those used last."""
_NAMED = re.compile(r"\bsudare\.kernels(?:\.(\w+)|\s+import\s+\(?([\w\s,]+))")
_LOCK = threading.Lock()


@contextlib.contextmanager
def kept_for(file: str) -> Iterator[bool]:
    """While this is open, numba places the machine code of what is decorated in the folder for that source file.

    Gives whether that folder can be written; where it cannot (no home, a read-only system) no other place is tried,
    for its contents might be out of date. A folder that the user has named (NUMBA_CACHE_DIR) is respected. Kernels
    of other packages are not touched: the place of each is decided when it is decorated, and the setting is given
    back at once.
    """
    with _LOCK:
        before = numba.config.CACHE_DIR
        folder = folder_of(Path(file), Path(before) if before else _home())
        if folder is None:
            yield False
            return
        try:
            numba.config.CACHE_DIR = str(folder)
            yield True
        finally:
            numba.config.CACHE_DIR = before


@cache
def folder_of(file: Path, home: Path) -> Path | None:
    """The folder for the sources as they are now, made where absent; None where it cannot be written.

    Older ones of the same file are cleared away.
    """
    if not file.is_file():
        return None
    digest = hashlib.sha256()
    for source in sorted(_reached_from(file)):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    folder = home / f"{file.stem}-{digest.hexdigest()[:16]}"
    try:
        if folder.is_dir():
            os.utime(folder)  # what is in use counts as the latest
        else:
            folder.mkdir(parents=True, exist_ok=True)
            _clear(home, file.stem)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def _reached_from(file: Path) -> set[Path]:
    """The file and every file of kernels it imports, over any number of steps."""
    found, waiting = {file}, [file]
    while waiting:
        for name in _imported(waiting.pop()):
            source = file.with_name(f"{name}.py")
            if source not in found and source.is_file() and source != Path(__file__):
                found.add(source)
                waiting.append(source)
    return found


@cache
def _imported(file: Path) -> frozenset[str]:
    """Names of modules of kernels in the text of a file; those that only a comment mentions do no harm."""
    text = file.read_text(encoding="utf-8")
    return frozenset(
        name
        for one, several in _NAMED.findall(text)
        for name in ([one] if one else re.findall(r"\w+", several))
    )


def _clear(home: Path, stem: str) -> None:
    pattern = re.compile(rf"{re.escape(stem)}-[0-9a-f]{{16}}")
    own = [folder for folder in home.glob(f"{stem}-*") if pattern.fullmatch(folder.name)]
    own.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in own[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _home() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("sudare") / "kernels"
