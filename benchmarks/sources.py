"""Which files a script depends on, read off its import lines: what must not change for its result to stay true."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#]*))|import[ \t]+([\w.]+))",
    re.MULTILINE,
)
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)+", re.MULTILINE)
_HOME = re.compile(r'"(\w+)": "([\w.]+)"')
_USED = re.compile(r"\b(?:sd|sudare)\.(\w+)")


def reached_from(script: Path, package: Path) -> list[Path]:
    """The script, what it imports beside it, and what it uses of the package (the folder of `sudare`), in order.

    Imports within functions count, imports for types alone do not. `sd.Name` counts as the module that Name lives in,
    so a change of what a script never touches does not make its result old.
    """
    found: set[Path] = set()
    waiting = [script]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        waiting.extend(_imported(file, package))
    return sorted(found)


def fingerprint(files: Iterable[Path], *others: str) -> str:
    """One word for the contents of files and whatever else decides."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    for other in others:
        digest.update(b"\0" + other.encode())
    return digest.hexdigest()


@cache
def _imported(file: Path, package: Path) -> frozenset[Path]:
    text = _FOR_TYPES.sub("", file.read_text(encoding="utf-8"))
    inside = file.is_relative_to(package)
    found: set[Path] = set()
    for module, several, line, plain in _IMPORT.findall(text):
        named = module or plain
        if named == package.name or named.startswith(f"{package.name}."):
            names = re.findall(r"\w+", several or line)
            found.update(_files(package, named.split(".")[1:], names))
        elif not inside and (beside := file.with_name(f"{named}.py")).is_file():
            found.add(beside)
    if not inside:
        homes = dict(_HOME.findall((package / "__init__.py").read_text(encoding="utf-8")))
        verbs = {"read", "assess", "anonymize"}
        for name in _USED.findall(text):
            where = "flow" if name in verbs else homes.get(name)
            if where is not None:
                found.update(_files(package, where.split("."), []))
    return frozenset(found)


def _files(package: Path, module: list[str], names: list[str]) -> set[Path]:
    """The file of a module, of those names that are modules themselves, and of the folders they lie in."""
    found: set[Path] = set()
    for parts in (module, *([*module, name] for name in names)):
        for count in range(
            1, len(parts) + 1
        ):  # the package's own __init__ names everything, and so says nothing
            place = package.joinpath(*parts[:count])
            found.update(path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file())
    return found
