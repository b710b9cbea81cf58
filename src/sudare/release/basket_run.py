"""Run, for baskets: from a recipe to a written release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.release.basket_folder import write_basket_folder
from sudare.release.basket_release import BasketRelease, anonymize_baskets
from sudare.release.job import run_recipe

if TYPE_CHECKING:
    from sudare.release.basket_recipe import BasketRecipe
    from sudare.release.folder import Written


def run_baskets(recipe: BasketRecipe, **options: Any) -> Written[BasketRelease]:
    """The whole job of a recipe of baskets; the options are those of `sudare.release.run.run`."""
    return run_recipe(recipe, anonymize_baskets, write_basket_folder, **options)
