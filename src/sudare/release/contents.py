"""What a release folder contains: the files that Sudare writes, and no others.

Overwriting deletes a whole folder. Only a folder that this list describes completely is known to contain nothing else.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from sudare.errors import SudareError, shown
from sudare.formats.baskets import ENDINGS
from sudare.formats.data import EXTENSIONS
from sudare.verify.baskets.check import SENSITIVE
from sudare.verify.manifest import NEWEST_FORMAT, ROWS, load_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
