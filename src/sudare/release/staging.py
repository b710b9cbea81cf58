"""Staging: a release folder appears whole or not at all, whatever happens to the process that writes it.

The work goes into a hidden folder beside the target, so that the last step is a rename within one file
system:

    .sudare-<target name>-<random>/
        lock       held (flock) by the living process; holds the name of the target
        content/   what the caller fills; it becomes the target
        old/       the release being overwritten, between the two renames and until it is removed

A process killed at any moment leaves at most such a folder with nobody holding its lock. The next run
sweeps it, and puts `old` back first if the kill fell between the two renames. Overwriting deletes a whole folder: only one
that holds the files that Sudare writes (`FILES`), and no others, is known to contain nothing else.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.errors import ErrorSentence, OutputError, SudareError, shown
from sudare.formats.baskets import ENDINGS
from sudare.formats.data import EXTENSIONS
from sudare.verify.baskets.check import SENSITIVE
from sudare.verify.manifest import NEWEST_FORMAT, ROWS, load_manifest
from sudare.words.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PREFIX = ".sudare-"
_LOCK, _CONTENT, _OLD = "lock", "content", "old"
# What `tempfile.mkdtemp` puts behind the prefix.
_RANDOM = re.compile(r"-[a-z0-9_]{8}")
# The lock of the parent is held for some renames only; who waits longer than this waits for a stranger.
_PATIENCE_SECONDS = 60.0
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
# Writers in other languages report a full disk as an error of their own, with the system's words in it.
_DISK_FULL_WORDS = ("No space left on device", "Disk quota exceeded", "disk is full")


@contextmanager
def staged_folder(
    target: Path, *, overwrite: bool = False, beside: Callable[[], AbstractContextManager[None]] = nullcontext
) -> Iterator[Path]:
    """Yield an empty temporary folder that becomes `target` when the block ends normally.

    On normal exit every file is on the disk (fsync) before the folder is renamed to `target`. On any
    exception, KeyboardInterrupt included, the temporary folder and the parents made for it are removed.
    Missing parents are created; what killed processes left beside the target is swept on entry.

    Args:
        target: the folder to appear; absent, or an empty folder, or with `overwrite` an earlier release.
        overwrite: replace an earlier release (a folder with a manifest of ours and no file that Sudare does not
            write); never any other folder.
        beside: what becomes visible elsewhere together with the folder, such as a table of a database: prepared when it
            is entered, final when it ends normally. Entered once the folder is complete, and ended after the folder
            has its name, which is taken back if the end fails. A process killed between the two leaves the folder alone.

    Raises:
        OutputError: the target is taken or cannot be written, on entry or at the rename, or the disk
            is full; the earlier content of the target is then untouched.
    """
    with ExitStack() as undo:
        with _one_sentence(target):
            place = Path(os.path.realpath(target))
            _is_overwritten(place, overwrite=overwrite)
            _make_parents(place.parent, undo)
            staging = _open_staging(place, undo, overwrite=overwrite)
        with _disk_full_sentence(target), _own_names(staging / _CONTENT, target):
            yield staging / _CONTENT
        with _one_sentence(target):
            _sync_tree(staging)
        with ExitStack() as prepared:
            prepared.enter_context(beside())
            with _one_sentence(target), _moved_in(staging, place, overwrite=overwrite):
                prepared.close()


def check_target(target: Path, *, overwrite: bool = False) -> None:
    """Refuse a target that is taken, before any expensive work is done for it."""
    with _one_sentence(target):
        _is_overwritten(Path(os.path.realpath(target)), overwrite=overwrite)


def _is_overwritten(target: Path, *, overwrite: bool) -> bool:
    """Whether an earlier release has to make way; OutputError when `target` may not be taken at all."""
    try:
        with os.scandir(target) as items:
            occupied = any(items)
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        if not os.path.lexists(target):
            raise
        raise OutputError("release.staging.is_a_file", target=target) from None
    if not occupied:
        return False
    if not overwrite:
        raise OutputError("release.staging.not_empty", target=target)
    if not is_release(target):
        raise OutputError("release.staging.not_a_release", target=target)
    unknown = unknown_file(target)
    if unknown is not None:
        raise OutputError("release.staging.unknown_file", target=target, file=unknown)
    return True


def _make_parents(parent: Path, undo: ExitStack) -> None:
    """Create what is missing of `parent`; on the way out what is empty again goes."""
    missing = []
    while not os.path.lexists(parent):
        missing.append(parent)
        parent = parent.parent
    for folder in reversed(missing):
        undo.callback(_remove_if_empty, folder)
        folder.mkdir(exist_ok=True)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _open_staging(target: Path, undo: ExitStack, *, overwrite: bool) -> Path:
    """Make the temporary folder of `target` and hold its lock until `undo` has cleared the folder."""
    parent = target.parent
    # The parent's lock keeps others from sweeping the folder before its own lock is held.
    with _locked_parent(parent):
        _sweep(parent)
        # Again: the sweep may have put a release back, and a new parent may not take a name of this length.
        _is_overwritten(target, overwrite=overwrite)
        # 50 characters are at most 200 bytes: any name the file system takes leaves room for ours.
        staging = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{target.name[:50]}-", dir=parent))
        undo.callback(_remove_if_empty, staging)
        lock = os.open(staging / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        undo.callback(os.close, lock)
        undo.callback(_clear_quietly, staging, target)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(lock, os.fsencode(target.name))
        (staging / _CONTENT).mkdir()
    return staging


@contextmanager
def _moved_in(staging: Path, target: Path, *, overwrite: bool) -> Iterator[None]:
    """Rename the content to `target`; if this or the block fails, everything is as it was."""
    content, old = staging / _CONTENT, staging / _OLD
    with _locked_parent(target.parent):
        # Another run may have been killed in its own swap meanwhile: its old release counts as the target.
        _sweep(target.parent)
        try:
            if _is_overwritten(target, overwrite=overwrite):
                target.rename(old)
            content.rename(target)
            _sync(target.parent)
            yield
        except BaseException:
            if target.exists() and not content.exists():
                target.rename(content)
            if old.exists():
                old.rename(target)
            raise


def _sync_tree(top: Path) -> None:
    """Bring every file and folder below `top`, and `top` itself, to the disk."""
    for folder, _, names in os.walk(top, topdown=False, onerror=_raise):
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                _sync(path)
        _sync(Path(folder))


def _raise(error: OSError) -> None:
    raise error


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sweep(parent: Path) -> None:
    """Clear what is stale in `parent`, whose lock the caller holds."""
    for staging in parent.glob(f"{_PREFIX}*"):
        # Alive, another user's, or not ours: it stays, and this run is not the one to complain.
        with suppress(OSError):
            _clear_if_stale(staging)


def _clear_if_stale(staging: Path) -> None:
    about = staging.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
        return
    try:
        # Neither a link nor a pipe: what it names would be another file, and reading the pipe would never end.
        lock = os.open(staging / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        # Killed before it had a lock, when it was still empty; a full one is not ours and rmdir refuses.
        staging.rmdir()
        return
    try:
        about_lock = os.fstat(lock)
        if not stat.S_ISREG(about_lock.st_mode) or about_lock.st_uid != os.geteuid():
            return
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        name = os.fsdecode(os.read(lock, 4096))
        linked = any((staging / part).is_symlink() for part in (_CONTENT, _OLD))
        if not linked and _is_name_of(name, staging):
            _clear(staging, staging.parent / name)
        elif not name and [each.name for each in staging.iterdir()] == [
            _LOCK
        ]:  # killed before it was written
            (staging / _LOCK).unlink()
            staging.rmdir()
    finally:
        os.close(lock)


def _is_name_of(name: str, staging: Path) -> bool:
    """Whether a lock names the target that the folder was made for: a plain name, the one in the folder's own name.

    A folder from elsewhere (an unpacked archive) must not choose what is renamed.
    """
    plain = name not in {"", ".", ".."} and "/" not in name and "\0" not in name
    begin = f"{_PREFIX}{name[:50]}"
    return (
        plain and staging.name.startswith(begin) and _RANDOM.fullmatch(staging.name, len(begin)) is not None
    )


def _clear_quietly(staging: Path, target: Path) -> None:
    """Clear on the way out, where an error would hide the one that is told; the next sweep tries again."""
    with suppress(OSError):
        _clear(staging, target)


def _clear(staging: Path, target: Path) -> None:
    """Remove a temporary folder, the lock last so that a kill leaves something the next sweep knows."""
    content, old = staging / _CONTENT, staging / _OLD
    if old.exists() and content.exists():
        # The swap stopped between its two renames: the old release is still the release.
        if os.path.lexists(target):
            return
        old.rename(target)
    for folder in (content, old):
        if folder.exists():
            shutil.rmtree(folder)
    (staging / _LOCK).unlink()
    staging.rmdir()


@contextmanager
def _locked_parent(parent: Path) -> Iterator[None]:
    """Hold the lock of the folder itself, which needs no file that could be left behind."""
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise OutputError("release.staging.locked", folder=parent, seconds=_PATIENCE_SECONDS)
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _own_names(content: Path, target: Path) -> Iterator[None]:
    """Let errors name the place the user knows, not the temporary one."""
    try:
        yield
    except OutputError as error:
        raise OutputError(_renamed(error.sentence, content, target)) from None


def _renamed(said: Any, content: Path, target: Path) -> Any:
    """What an error says, or a value that it quotes, with the target in place of the temporary folder."""
    if isinstance(said, Sentence):
        values = {name: _renamed(value, content, target) for name, value in said.values.items()}
        return type(said)(said.key, **values)
    if isinstance(said, str | Path):
        return type(said)(str(said).replace(str(content), str(target)))
    return said


@contextmanager
def _disk_full_sentence(target: Path) -> Iterator[None]:
    """Tell a full disk in our words; every other error of the caller's block is the caller's."""
    try:
        yield
    except SudareError:
        raise
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in _DISK_FULL
        if full or any(words in str(error) for words in _DISK_FULL_WORDS):
            raise OutputError(_sentence(target, errno.ENOSPC, str(error))) from error
        raise


@contextmanager
def _one_sentence(target: Path) -> Iterator[None]:
    """Tell what the file system refuses in our words."""
    try:
        yield
    except OSError as error:
        raise OutputError(_sentence(target, error.errno, error.strerror or str(error))) from error
    except ValueError as error:
        raise OutputError("release.staging.not_a_path", target=repr(str(target))) from error


def _sentence(target: Path, number: int | None, words: str) -> ErrorSentence:
    if number in _DISK_FULL:
        return ErrorSentence("release.staging.disk_full", target=target)
    if number in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return ErrorSentence("release.staging.not_writable", target=target, why=words)
    if number == errno.ENAMETOOLONG:
        return ErrorSentence("release.staging.too_long", target=target)
    if number in {errno.ENOTEMPTY, errno.EEXIST}:
        return ErrorSentence("release.staging.filled", target=target)
    if number == errno.ENOTDIR:
        return ErrorSentence("release.staging.below_a_file", target=target)
    return ErrorSentence("release.staging.other", target=target, why=words)


MANIFEST, REPORT, RECIPE = "manifest.json", "report.html", "recipe.yaml"
DATA_FILES = frozenset(
    {f"data{ending}" for ending in EXTENSIONS.values()} | {f"baskets{ending}" for ending in ENDINGS.values()}
)
"""The names that a data file may have."""
FILES: dict[str, frozenset[str]] = {
    "public": DATA_FILES | {MANIFEST, REPORT},
    "internal": frozenset({MANIFEST, REPORT, RECIPE, ROWS, SENSITIVE}),
}
"""The files of each part."""
_KINDS = ("table", "baskets")


def is_release(folder: Path) -> bool:
    """Whether a folder has a manifest of ours, and no manifest in the place of ours that is not."""
    found = [folder / part / MANIFEST for part in FILES if os.path.lexists(folder / part / MANIFEST)]
    return bool(found) and all(_is_ours(path) for path in found)


def unknown_file(folder: Path) -> str | None:
    """The first file or folder that Sudare does not write, quoted; None if there is none."""
    return next((shown(name) for name in _unknown(folder)), None)


def _unknown(folder: Path) -> Iterator[str]:
    for part in _entries(folder):
        if part.name not in FILES or not part.is_dir(follow_symlinks=False):
            yield part.name
            continue
        for file in _entries(part):
            regular = stat.S_ISREG(file.stat(follow_symlinks=False).st_mode)
            if file.name not in FILES[part.name] or not regular:
                yield f"{part.name}/{file.name}"


def _entries(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _is_ours(path: Path) -> bool:
    if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
        return False
    try:
        manifest = load_manifest(path)
    except SudareError:
        return False
    return _is_known_format(manifest) and _is_known_kind(manifest)


def _is_known_format(manifest: dict[str, Any]) -> bool:
    number = manifest.get("format")
    return (
        isinstance(number, int)
        and not isinstance(number, bool)
        and 1 <= number <= NEWEST_FORMAT
        and isinstance(manifest.get("sudare"), str)
        and isinstance(manifest.get("data"), dict)
    )


def _is_known_kind(manifest: dict[str, Any]) -> bool:
    """Whether it is of a table or of baskets; the first versions did not name the kind of a table."""
    return manifest.get("kind", "table") in _KINDS
