"""Confine: a recipe from a client may name only what it may use.

A recipe can name files (its source, hierarchies, sensitive items, a key), standard input, variables of the environment,
databases and the folder of its output. On one's own machine that is what it is for; sent to a server it would read any file
that the server can. So the whole recipe is walked, wherever such a name may be, before any of it is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sudare.errors import shown
from sudare.web.problems import forbidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudare.release.recipe.base import AnyRecipe

_FILES = frozenset({"path", "file", "key_file"})
"""Fields of parts of a recipe that name files."""
_NEVER = frozenset({"key_variable"})
"""Fields that no client may give: variables of the server's environment hold secrets."""
_DEEPEST = 100


class Confined(NamedTuple):
    """Where a recipe of a project may find things."""

    label: str
    """What the recipe calls its source: the name of the file that the user sent, or of a connection."""
    place: str
    """The real place of the source, which only the server knows."""
    allowed: Sequence[Path]
    """Folders below which other files may be."""


def confined(raw: Any, to: Confined, folder: Path) -> Any:
    """The recipe with its source at the real place, its files at real paths, and its output in `folder`; else it is refused.

    The given recipe stays as it is.
    """
    if not isinstance(raw, dict):
        return raw  # the reader of recipes says what is wrong with it
    made: dict[str, Any] = {}
    for name, part in raw.items():
        if name in {"source", "baskets"}:
            made[name] = _source(part, to)
        elif name == "output":
            made[name] = _output(part, folder)
        elif name == "columns" and isinstance(part, dict):
            # Columns may have any names: what is confined is inside of each.
            made[name] = {column: _walked(one, to.allowed, 1) for column, one in part.items()}
        else:
            made[name] = _walked({name: part}, to.allowed, 0)[name]
    if "output" not in raw:
        made["output"] = {"folder": str(folder)}
    return made


def confined_part(part: Any, allowed: Sequence[Path]) -> Any:
    """A single part of a recipe, such as a hierarchy, with the files that it names at their real paths."""
    return _walked(part, allowed, 0)


def check_parsed(recipe: AnyRecipe, to: Confined, folder: Path) -> None:
    """Refuse a recipe that still names what it may not, however it was written: entries may also be texts, or JSON in texts.

    Reading a recipe opens nothing that it names, so this is in time.
    """
    tops = [Path(os.path.realpath(root)) for root in to.allowed]
    for name, value in _named(recipe, 0):
        if name in _NEVER:
            raise forbidden("web.confine.never", field=name)
        if str(value) in {to.place, str(folder)}:
            continue
        place = Path(os.path.realpath(value))
        if not Path(value).is_absolute() or not any(place.is_relative_to(top) for top in tops):
            raise forbidden("web.confine.file", given=shown(Path(value).name))


def _named(part: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Whatever a parsed recipe names: fields that are files by their names, and paths by their type."""
    if depth > _DEEPEST:
        raise forbidden("web.confine.deep")
    if isinstance(part, Path):
        yield "path", part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _named(value, depth + 1)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _named(value, depth + 1)
    elif hasattr(part, "__dict__"):
        for name, value in vars(part).items():
            if name in _NEVER | _FILES and isinstance(value, str | Path):
                yield name, value
            elif not isinstance(value, str):
                yield from _named(value, depth + 1)


def real_place(given: str, allowed: Sequence[Path]) -> Path:
    """The real path of a file that a client names, below an allowed folder whatever links are on the way."""
    if "\0" not in given and given != "-" and "://" not in given:
        for root in allowed:
            top = Path(os.path.realpath(root))
            place = Path(os.path.realpath(top / given))
            if place.is_relative_to(top) and place.is_file():
                return place
    # What is not there and what may not be read are told alike.
    raise forbidden("web.confine.file", given=shown(Path(given).name))


def _source(part: Any, to: Confined) -> Any:
    """The source is that of the project; a recipe may call it by its name alone."""
    if not isinstance(part, dict):
        return part
    if part.get("path", to.label) != to.label:
        raise forbidden("web.confine.source", label=to.label)
    for field in ("query", "table"):
        if field in part:
            raise forbidden("web.confine.of_source", field=field)
    return {**{name: value for name, value in part.items() if name != "path"}, "path": to.place}


def _output(part: Any, folder: Path) -> Any:
    """The output goes where the server puts it."""
    if not isinstance(part, dict):
        return part
    for field in ("database", "table"):
        if part.get(field) is not None:
            raise forbidden("web.confine.database")
    return {**part, "folder": str(folder), "overwrite": False}


def _walked(part: Any, allowed: Sequence[Path], depth: int) -> Any:
    """A part with the files that it names at their real paths."""
    if depth > _DEEPEST:
        raise forbidden("web.confine.deep")
    if isinstance(part, list | tuple):
        return [_walked(one, allowed, depth + 1) for one in part]
    if not isinstance(part, dict):
        return part
    made = {}
    for name, value in part.items():
        if name in _NEVER and value is not None:
            raise forbidden("web.confine.never", field=name)
        if name in _FILES and value is not None and not _is_tree(part):
            made[name] = str(real_place(str(value), allowed))
        elif _is_tree(part) and name == "mapping":
            made[name] = value  # its names are values of the data
        else:
            made[name] = _walked(value, allowed, depth + 1)
    return made


def _is_tree(part: dict[Any, Any]) -> bool:
    """Whether a part is a hierarchy whose names are values, of which any may be called `path`."""
    return part.get("type") == "tree"
