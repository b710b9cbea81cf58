"""`sudare assess`: risk and possibility before anything is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Json, Require


def command(
    recipe: Annotated[Path, typer.Argument(help="Recipe file; `sudare describe` makes one.")],
    require: Require = None,
    json: Json = False,
) -> int:
    """Say how risky a table is and whether the requirements are possible.

    Exit code 0: some release can comply. 1: none can; the reasons are given.

    Examples:

      sudare assess patients.recipe.yaml

      sudare assess patients.recipe.yaml --require "l-diversity l=3 kind=entropy"
    """
    from sudare.assess.study import study
    from sudare.cli.show import print_json, print_table, print_verdicts, say
    from sudare.release.recipe import Recipe

    asked = Recipe.load(recipe).replaced(requirements=require)
    result = study(asked.describe(asked.source.read()), asked.requirements)
    if json:
        print_json(result.to_dict())
        return 0 if result.feasible else 1
    say("The table as it is:")
    print_verdicts((verdict.holds, verdict.explanation) for verdict in result.verdicts)
    risk = result.risk
    rows = [
        ("rows", f"{risk.rows:,}"),
        ("blocks", f"{risk.blocks:,}"),
        ("unique rows", f"{risk.unique_rows:,} ({risk.unique_share:.1%})"),
        ("risk of being found, largest", f"{risk.prosecutor_largest:.1%}"),
        ("risk of being found, mean", f"{risk.prosecutor_mean:.1%}"),
        (f"rows whose risk is above {risk.threshold:.0%}", f"{risk.rows_above_threshold:.1%}"),
        ("risk for someone in the population, largest", f"{risk.journalist_largest:.1%}"),
        ("share found by linking all rows", f"{risk.marketer:.1%}"),
    ]
    for guess in risk.guesses:
        rows += [
            (f"best guess of {guess.column}, mean", f"{guess.guess_mean:.1%}"),
            (f"rows that give {guess.column} away", f"{guess.homogeneous_share:.1%}"),
            (
                f"best guess of {guess.column} with {guess.background} value ruled out",
                f"{guess.background_mean:.1%}",
            ),
        ]
    print_table("Risk of publishing it unchanged", ["figure", "value"], rows)
    if result.feasible:
        say("The requirements are possible without leaving out a row.")
    for sentence in result.advice:
        say(sentence)
    return 0 if result.feasible else 1
