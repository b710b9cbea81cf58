"""`sudare assess`: risk, possibility and suitability before anything is changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import Json, Language, Require, check_language, given_options

if TYPE_CHECKING:
    from sudare.release.recipe.base import AnyRecipe
    from sudare.words.sentence import Language as TextLanguage


def command(
    recipe: Annotated[Path, typer.Argument()],
    require: Require = None,
    objective: Annotated[str | None, typer.Option()] = None,
    threshold: Annotated[float | None, typer.Option()] = None,
    compromises: Annotated[bool | None, typer.Option("--compromises/--no-compromises")] = None,
    most: Annotated[float | None, typer.Option()] = None,
    apply: Annotated[int | None, typer.Option()] = None,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """Say how risky a table is and whether the requirements are possible, at what price."""
    language = check_language(lang)
    from sudare.api import assess
    from sudare.cli.show import print_blocks, print_json, progress_bar
    from sudare.progress import Plan
    from sudare.release.recipe.load import load_recipe

    options = given_options(objective=objective, threshold=threshold, compromises=compromises, most=most)
    with progress_bar(quiet=json, language=language) as progress:
        plan = Plan(progress, {"read": 1, "assess": 9})
        with plan.phase("read"):
            asked = load_recipe(recipe).replaced(requirements=require)
            data = asked.read()
        with plan.phase("assess") as step:
            options = {**asked.assess_options(data), **options}
            result = assess(data, *asked.requirements, progress=step, **options)
    if apply is not None:
        print(_applied(recipe, asked, data, result, apply, language), end="")
        return 0
    if json:
        print_json(result.to_dict())
    else:
        print_blocks(result.blocks(language), language)
    return 0 if result.feasible else 1


def _applied(
    recipe: Path, asked: AnyRecipe, data: Any, study: Any, number: int, language: TextLanguage
) -> str:
    """The recipe, as YAML, that takes a compromise."""
    from sudare.errors import ParameterError
    from sudare.release.recipe.parts import parse_yaml, read_text
    from sudare.release.recipe.table import Recipe, taking
    from sudare.release.recipe.yaml import edited

    offered = getattr(study, "compromises", ())
    if not isinstance(asked, Recipe):
        raise ParameterError("cli.compromises_of_tables")
    if not offered:
        raise ParameterError("cli.no_compromises")
    if not 1 <= number <= len(offered):
        raise ParameterError("cli.no_such_compromise", number=number, most=len(offered))
    text = read_text(recipe)
    changed = taking(parse_yaml(text, str(recipe)), asked, offered[number - 1], data, language)
    return edited(text, changed)
