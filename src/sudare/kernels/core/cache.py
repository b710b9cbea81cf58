"""Where the machine code of kernels is stored: in the user's cache folder, separately for every state of the sources.

numba checks only the file of a kernel to decide whether its machine code is current, not the files of the kernels it
calls. So each kernel file has its own folder, named after a hash of that file and every kernel file it
imports, in any subfolder: after a change a new folder is used, and only what the change affects is compiled again.

A wheel contains the same folders, with the machine code of the kernels that Python calls, for any processor with the
features of x86-64-v3. They are read only. Names are relative to the package, so it does not matter where it is installed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite.binding
import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)

from sudare.kernels.core.merged import MERGES, restored

if TYPE_CHECKING:
    from collections.abc import Callable

_KEPT = 4
"""The number of folders kept for one file: that of the current sources, and the most recently used ones."""
_PACKAGE = Path(__file__).parent.parent
"""The folder of the package `sudare.kernels`."""
SHIPPED = _PACKAGE / "compiled"
"""The folders that came with the package; absent in a source checkout."""
SHIPPED_CPU = "x86-64-v3"
"""The processor that shipped machine code is for: nearly every one made for servers and desktops since 2015."""
_FEATURES = (
    "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2",
    "ssse3", "xsave",
)  # fmt: skip
SHIPPED_FEATURES = ",".join(f"+{feature}" for feature in _FEATURES)
"""What this processor has beyond the first ones of 64 bits, as LLVM writes it."""
_NAMED = re.compile(r"\bsudare\.kernels((?:\.\w+)*)(?:\s+import\s+(\([^)]*\)|[^\n]*))?")
"""A kernel module, and the names that are imported from it; a test compares this with Python's own parser."""


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]  # numba has no types
    """Tells numba's caches where a kernel is in its file; the folder is chosen by `KernelCache`."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        """A locator for any function: it creates no folder."""
        return cls(py_func, py_file)

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file, self._lineno, self._cache_path = py_file, py_func.__code__.co_firstlineno, ""


class _Stored(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
    _locator_classes = (_Locator,)


class _StoredInner(_Stored):
    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Files of their own: the same kernel has other machine code for Python."""
        return f"{'merged' if MERGES else 'inner'}.{super().get_filename_base(fullname, abiflags)}"

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """A kernel without machine code."""
        return restored(target_context, payload) if MERGES else super().rebuild(target_context, payload)


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache of one kernel, for calls from Python: what was shipped first, then the user's folder.

    The key of an entry holds the types of the arguments, the processor and the byte code; the name of the file the
    version of Python; the file the version of numba; the folder a hash of the sources.

    What is in neither is compiled by one process only: others that need it wait, and read it from the folder.
    Kernels call one another without circles, so no two processes wait for each other.
    """

    _impl_class = _Stored

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        super().__init__(function)
        base = self._impl.filename_base
        self._folder, self._lock = folder, folder / f"{base}.lock"
        self._cache_path = str(folder)
        self._cache_file = IndexDataCacheFile(str(folder), base, folder.name)
        self._shipped = IndexDataCacheFile(str(SHIPPED / folder.name), base, folder.name)
        self._held: list[int] = []
        """Descriptors of the lock while this process compiles the kernel."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None if this process is to compile it."""
        target_context.refresh()
        codegen = target_context.codegen()
        data = self._read(sig, codegen)
        if data is None:
            self._hold()
            data = self._read(sig, codegen)
            if data is None:
                return None
            self.release()
        return self._impl.rebuild(target_context, data)

    def is_kept(self, sig: Any, codegen: Any) -> bool:
        """Whether the kernel need not be compiled for these arguments."""
        return self._read(sig, codegen) is not None

    def ship(self, sig: Any, codegen: Any, into: Path) -> None:
        """Copy what is kept for these arguments to a folder that a wheel will contain."""
        folder = into / self._folder.name
        folder.mkdir(parents=True, exist_ok=True)
        key = self._index_key(sig, codegen)
        shipped = IndexDataCacheFile(str(folder), self._impl.filename_base, self._folder.name)
        shipped.save(key, self._cache_file.load(key))

    def _read(self, sig: Any, codegen: Any) -> Any:
        key = self._index_key(sig, codegen)
        with suppress(OSError):
            if _fits_shipped():
                target = (key[1][0], SHIPPED_CPU, SHIPPED_FEATURES)
                data = self._shipped.load((key[0], target, key[2]))
                if data is not None:
                    return data
            return self._cache_file.load(key)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel; where nothing can be written, it lasts as long as the process."""
        try:
            with suppress(OSError):
                if self._impl.check_cachable(data):
                    made(self._folder)
                    self._cache_file.save(self._index_key(sig, data.codegen), self._impl.reduce(data))
        finally:
            self.release()

    def _hold(self) -> None:
        with suppress(OSError):  # where nothing can be written nothing can be shared
            made(self._folder)
            held = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            if (
                not self._held
            ):  # the kernel may be compiling for other arguments: numba compiles what it finds
                fcntl.flock(held, fcntl.LOCK_EX)
            self._held.append(held)

    def release(self) -> None:
        """Let other processes go on that wait for this kernel; called after a failure, too."""
        if self._held:
            os.close(self._held.pop())


class InnerCache(KernelCache):
    """The same for calls from kernels, which are merged into what Python calls and not shipped by themselves."""

    _impl_class = _StoredInner


@cache
def _fits_shipped() -> bool:
    """Whether shipped machine code runs here; a processor that the user has chosen (NUMBA_CPU_NAME) is respected."""
    if not SHIPPED.is_dir() or numba.config.CPU_NAME is not None:
        return False
    with suppress(RuntimeError):  # LLVM does not know the features of every processor
        features = llvmlite.binding.get_host_cpu_features()
        return all(features.get(feature, False) for feature in _FEATURES)
    return False


@cache
def folder_of(file: Path, home: Path | None = None, package: Path = _PACKAGE) -> Path | None:
    """The folder for the current sources, in the user's cache folder or in NUMBA_CACHE_DIR; it need not exist.

    None for a file that is not on a disk, whose state is not known.
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
    return (home or _home()) / f"{name}-{digest.hexdigest()[:16]}"


def made(folder: Path) -> None:
    """Create the folder of a kernel file if it is absent; older folders of the same file are deleted then."""
    if folder.is_dir():
        os.utime(folder)  # a folder in use counts as the most recent
    else:
        folder.mkdir(parents=True, exist_ok=True)
        _clear(folder.parent, folder.name.rpartition("-")[0])


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
    if numba.config.CACHE_DIR:
        return Path(numba.config.CACHE_DIR)
    import platformdirs

    return platformdirs.user_cache_path("sudare") / "kernels"
