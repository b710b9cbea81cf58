"""Hierarchy from a nested mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BeforeValidator

from sudare.describe.hierarchy.making import ROOT
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.describe.text import scalar_text
from sudare.errors import DescriptionError, ErrorSentence, shown
from sudare.parameters import Annotated, parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl


def _plain(given: Any, above: tuple[int, ...] = ()) -> Any:
    """The same nesting as dictionaries of texts; a list is a dictionary of its items, a leaf is an empty one."""
    if id(given) in above:
        raise ValueError(ErrorSentence("describe.tree.contains_itself"))
    inside = (*above, id(given))
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {_name(name): _plain(below, inside) for name, below in given.items()}
    if isinstance(given, list | tuple):
        items: dict[str, Any] = {}
        for item in given:
            below = _plain(item, inside) if isinstance(item, Mapping) else {_name(item): {}}
            for name in below:
                if name in items:
                    raise ValueError(ErrorSentence("describe.tree.repeated", name=name))
            items.update(below)
        return items
    raise ValueError(ErrorSentence("describe.tree.not_nested", given=shown(given)))


def _name(given: Any) -> str:
    if not isinstance(given, str | int | float):
        raise ValueError(ErrorSentence("describe.tree.not_a_value", given=shown(given)))  # noqa: TRY004  # pydantic tells it
    return scalar_text(given)


Nesting = Annotated[dict[str, Any], BeforeValidator(_plain)]


@parameters
class Tree:
    """A nested mapping from general to specific, for example {"Europe": {"West": ["France", "Spain"]}}.

    Branches may differ in depth. Values are listed, or are keys with nothing below them. Levels are
    counted from the deepest value.
    """

    mapping: Nesting
    """The nested mapping; its outermost names are directly below the root."""
    root: str = ROOT
    """Label of the root."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The mapping's tree, which must cover the values."""
        paths = list(_paths(self.mapping, (self.root,), column))
        depth = max(map(len, paths), default=0)
        rows = [[path[-1]] * (depth - len(path)) + list(reversed(path)) for path in paths]
        _refuse_second_places(paths, column)
        return Hierarchy.from_levels(rows, column).build(values, column)


def _paths(mapping: Mapping[str, Any], above: tuple[str, ...], column: str) -> Iterator[tuple[str, ...]]:
    for name, below in mapping.items():
        if name in above and below:
            raise DescriptionError("describe.tree.below_itself", column=column, name=name)
        if below:
            yield from _paths(below, (*above, name), column)
        else:
            yield (*above, name)


def _refuse_second_places(paths: list[tuple[str, ...]], column: str) -> None:
    """Refuse a name with two places in the tree, whatever their depth (a value may repeat the name above it)."""
    place: dict[str, tuple[str, ...]] = {}
    for path in paths:
        for depth in range(1, len(path)):
            name, here = path[depth], path[:depth]
            there = place.setdefault(name, here)
            if there != here and name != path[depth - 1]:
                raise DescriptionError(
                    "describe.tree.two_parents", column=column, name=name, one=there[-1], other=here[-1]
                )
