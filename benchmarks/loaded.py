"""Which files a command depends on, noted while it runs: what must not change for its result to stay true.

Reading import lines instead would name nearly the whole package for every script, since methods are found by name in
catalogues; what is loaded is what counts, as sudare loads its parts when they are first used.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_NOTING = Path(__file__).resolve().parent / "noting"


class Loaded:
    """Files of the project that processes import, as they are noted."""

    def __init__(self, root: Path, place: Path) -> None:
        self._root, self._place = root, place
        paths = [str(_NOTING), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "SUDARE_NOTE_BELOW": str(root),
            "SUDARE_NOTE_INTO": str(place),
        }
        """For the process to be watched; its children inherit it."""

    def files(self, command: Sequence[str]) -> list[str]:
        """What was imported so far, and the scripts named in the command, relative to the root, in order."""
        noted = self._place.read_text(encoding="utf-8").splitlines() if self._place.exists() else []
        scripts = [word for word in command if word.endswith(".py")]
        inside = {Path(name).relative_to(self._root) for name in {*noted, *scripts}}
        return sorted(path.as_posix() for path in inside)


@contextmanager
def watched(root: Path) -> Iterator[Loaded]:
    """Note imports of files below the root, by whatever is run in the environment given."""
    with tempfile.TemporaryDirectory() as folder:
        yield Loaded(root, Path(folder) / "imports.txt")


def fingerprint(root: Path, files: Iterable[str], *others: str) -> str | None:
    """One word for the contents of files below the root and whatever else decides; None when a file is gone.

    The root itself does not count: a checkout elsewhere has the same fingerprint.
    """
    digest = hashlib.sha256()
    try:
        for name in files:
            digest.update(name.encode() + b"\0" + hashlib.sha256((root / name).read_bytes()).digest())
    except OSError:
        return None
    for other in others:
        digest.update(b"\0" + other.replace(str(root), "").encode())
    return digest.hexdigest()
