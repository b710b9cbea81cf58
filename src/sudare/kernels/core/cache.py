"""Where the machine code of kernels is stored: in the user's cache folder, separately for every state of the sources.

numba checks only the file of a kernel to decide whether its machine code is current, not the files of the kernels it
calls. So each kernel file has its own folder, named after a hash of that file and every kernel file it
imports, in any subfolder: after a change a new folder is used, and only what the change affects is compiled again.
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
"""The number of folders kept for one file: that of the current sources, and the most recently used ones."""
_PACKAGE = Path(__file__).parent.parent
"""The folder of the package `sudare.kernels`."""
_NAMED = re.compile(r"\bsudare\.kernels((?:\.\w+)*)(?:\s+import\s+(\([^)]*\)|[^\n]*))?")
"""A kernel module, and the names that are imported from it; a test compares this with Python's own parser."""
_LOCK = threading.Lock()


@contextlib.contextmanager
def kept_for(file: str) -> Iterator[bool]:
    """While this is open, numba stores the machine code of decorated functions in the folder for that source file.

    Yields whether that folder is writable; if it is not (no home, a read-only system), no other place is tried,
    because its contents might be out of date. A folder chosen by the user (NUMBA_CACHE_DIR) is respected. Kernels of
    other packages are not affected: the location of each is decided when it is decorated, and the setting is restored
    immediately.
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
def folder_of(file: Path, home: Path, package: Path = _PACKAGE) -> Path | None:
    """The folder for the current sources, created if absent; None if it is not writable.

    Older folders of the same file are deleted.
    """
    if not file.is_file():
        return None
    digest = hashlib.sha256()
    for source in sorted(reached_from(file, package)):
        place = source.relative_to(package) if source.is_relative_to(package) else Path(source.name)
        digest.update(place.as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    name = (
        ".".join(file.relative_to(package).with_suffix("").parts)
        if file.is_relative_to(package)
        else file.stem
    )
    folder = home / f"{name}-{digest.hexdigest()[:16]}"
    try:
        if folder.is_dir():
            os.utime(folder)  # a folder in use counts as the most recent
        else:
            folder.mkdir(parents=True, exist_ok=True)
            _clear(home, name)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def reached_from(file: Path, package: Path = _PACKAGE) -> set[Path]:
    """The file and every kernel file that it imports, directly or indirectly."""
    found, waiting = {file}, [file]
    while waiting:
        for name in _imported(waiting.pop()):
            module = package.joinpath(*name.split(".")) if name else package
            for source in (module.with_suffix(".py"), module / "__init__.py"):
                if source not in found and source.is_file() and source != Path(__file__):
                    found.add(source)
                    waiting.append(source)
    return found


@cache
def _imported(file: Path) -> frozenset[str]:
    """Dotted names below `sudare.kernels` in the text of a file; names that are not modules do no harm."""
    names: set[str] = set()
    for module, imported in _NAMED.findall(file.read_text(encoding="utf-8")):
        steps = module.strip(".").split(".") if module else []
        names.update(".".join(steps[:depth]) for depth in range(len(steps) + 1))
        names.update(".".join([*steps, name]) for name in re.findall(r"\w+", imported))
    return frozenset(names)


def _clear(home: Path, name: str) -> None:
    pattern = re.compile(rf"{re.escape(name)}-[0-9a-f]{{16}}")
    own = [folder for folder in home.glob(f"{name}-*") if pattern.fullmatch(folder.name)]
    own.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in own[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _home() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("sudare") / "kernels"
