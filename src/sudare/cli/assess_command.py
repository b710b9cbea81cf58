"""`sudare assess`: risk, possibility and suitability before anything is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Answer, Json, Require, check_language, given_options


def command(
    recipe: Annotated[Path, typer.Argument(help="Recipe file; `sudare describe` makes one.")],
    require: Require = None,
    objective: Annotated[
        str | None, typer.Option(help="Loss that is bounded: dis (the default), loss or ncp. Tables only.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Ratio to k-anonymity above which a table is poorly suited; 2 when left out."),
    ] = None,
    compromises: Annotated[
        bool | None,
        typer.Option(
            "--compromises/--no-compromises",
            help="Compute what could be asked instead where a table is not suited; on when left out.",
        ),
    ] = None,
    most: Annotated[
        float | None,
        typer.Option(help="Share of entries that a release of baskets may lose; 0.05 when left out."),
    ] = None,
    lang: Answer = "en",
    json: Json = False,
) -> int:
    """Say how risky a table is and whether the requirements are possible, at what price.

    Of baskets: which adversaries are dangerous, what suppression must cost at least, and the smallest rho in reach.

    Exit code 0: some release can comply. 1: none can; the reasons are given.

    Examples:

      sudare assess patients.recipe.yaml

      sudare assess patients.recipe.yaml --require "l-diversity l=3 kind=entropy"

      sudare assess clicks.recipe.yaml --most 0.1 --lang ja
    """
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
    if json:
        print_json(result.to_dict())
    else:
        print_blocks(result.blocks(language), language)
    return 0 if result.feasible else 1
