"""The kernels that Python calls, with the types of their arguments, and which of them are needed together.

They are listed in `entries.json`, so that they can be compiled before they are called: for a wheel, by `make warm`, and
in a second process while the first compiles another. `benchmarks/record_entries.py` writes the list by running
the commands; a kernel that is not in it is compiled when it is called, as ever.
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numba

if TYPE_CHECKING:
    from collections.abc import Mapping

LISTED = Path(__file__).with_name("entries.json")


class Entry(NamedTuple):
    """A kernel with the types of its arguments."""

    kernel: str
    """Module below `sudare.kernels` and name, such as `core.rules:holding`."""
    arguments: str
    """The types, as `described` gives them, in JSON."""

    @property
    def dispatcher(self) -> Any:
        """Numba's object for the kernel."""
        module, name = self.kernel.split(":")
        return getattr(importlib.import_module(f"sudare.kernels.{module}"), name)

    @property
    def types(self) -> tuple[Any, ...]:
        """Numba's types of the arguments."""
        return tuple(map(_type_of, json.loads(self.arguments)))

    def is_kept(self) -> bool:
        """Whether the machine code is on disk."""
        dispatcher = self.dispatcher
        kept: bool = dispatcher._cache.is_kept(self.types, dispatcher.targetctx.codegen())  # noqa: SLF001
        return kept

    def compile(self) -> None:
        """Compile the kernel, or load it."""
        self.dispatcher.compile(self.types)

    def ship(self, into: Path) -> None:
        """Copy the machine code into the folder that a wheel will contain."""
        dispatcher = self.dispatcher
        dispatcher._cache.ship(self.types, dispatcher.targetctx.codegen(), into)  # noqa: SLF001


class Entries(NamedTuple):
    """The list."""

    seconds: Mapping[Entry, float]
    """How long each took to compile where the list was written, in the order in which they were needed."""
    uses: tuple[tuple[Entry, ...], ...]
    """What each recorded command needed, in its order."""

    def needed_with(self, entry: Entry) -> list[Entry]:
        """What every command needed that needed this one: the entry itself, and others in the order of their use."""
        using = [use for use in self.uses if entry in use]
        return [other for other in using[0] if all(other in use for use in using)] if using else []


@cache
def entries() -> Entries:
    """The list that came with the package."""
    listed = json.loads(LISTED.read_text(encoding="utf-8"))
    known = [Entry(one["kernel"], json.dumps(one["arguments"])) for one in listed["kernels"]]
    seconds = {entry: one["seconds"] for entry, one in zip(known, listed["kernels"], strict=True)}
    return Entries(seconds, tuple(tuple(known[at] for at in use) for use in listed["uses"].values()))


def entry_of(function: Any, arguments: tuple[Any, ...]) -> Entry:
    """The entry of a function that is compiled for these types."""
    module = function.__module__.removeprefix("sudare.kernels.")
    return Entry(f"{module}:{function.__name__}", json.dumps([described(one) for one in arguments]))


def described(kind: Any) -> Any:
    """A type of numba as JSON: its name, or a list that begins with what it is."""
    if isinstance(kind, numba.types.Array):
        access = "" if kind.mutable else "readonly"
        return ["array", described(kind.dtype), kind.ndim, kind.layout, access]
    if isinstance(kind, numba.types.BaseNamedTuple):
        made = kind.instance_class
        return ["named", f"{made.__module__}:{made.__qualname__}", *map(described, kind.types)]
    if isinstance(kind, numba.types.BaseTuple):
        return ["tuple", *map(described, kind.types)]
    return str(kind)


def _type_of(text: Any) -> Any:
    if isinstance(text, str):
        return numba.types.none if text == "none" else getattr(numba.types, text)
    what, *rest = text
    if what == "array":
        dtype, ndim, layout, access = rest
        return numba.types.Array(_type_of(dtype), ndim, layout, readonly=access == "readonly")
    if what == "tuple":
        return numba.types.Tuple(tuple(map(_type_of, rest)))
    module, name = rest[0].split(":")
    made = getattr(importlib.import_module(module), name)
    parts = tuple(map(_type_of, rest[1:]))
    if len(set(parts)) == 1:
        return numba.types.NamedUniTuple(parts[0], len(parts), made)
    return numba.types.NamedTuple(parts, made)
