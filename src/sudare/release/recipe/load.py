"""Load a recipe, which says itself whether it is about a table or about baskets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.errors import InputError
from sudare.read.source import FORMATS, JSON
from sudare.release.recipe.parts import parse_yaml, read_text

if TYPE_CHECKING:
    from sudare.release.recipe.base import AnyRecipe


def load_recipe(path: str | Path) -> AnyRecipe:
    """Read and validate a recipe file, of a table (`source:`) or of baskets (`baskets:`)."""
    place = Path(path)
    # A recipe may also be written as JSON.
    if place.suffix.lower() in FORMATS.keys() - JSON and place.is_file():
        raise InputError("release.recipe.is_data", path=path)
    text = read_text(place)
    return class_of(parse_yaml(text, str(path))).parse(text, name=str(path), folder=place.parent)


def class_of(raw: Any) -> type[AnyRecipe]:
    """Whether the content of a recipe is one of a table or of baskets."""
    if isinstance(raw, dict) and "baskets" in raw:
        from sudare.release.recipe.baskets import BasketRecipe

        return BasketRecipe
    from sudare.release.recipe.table import Recipe

    return Recipe
