"""Recipes: one YAML file that says everything about a release of a table or of baskets."""

from sudare.deprecated import moved_names

__getattr__ = moved_names("sudare.release.recipe", {"Recipe": "sudare.release.recipe.table"})
