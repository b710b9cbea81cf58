"""`sudare run`: the release of a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import Json, LedgerPath, Method, Overwrite, Require, check_language

if TYPE_CHECKING:
    from sudare.release.folder import Written


def command(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (YAML); `sudare describe` makes one.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the release, instead of the recipe's.")] = None,
    require: Require = None,
    method: Method = None,
    overwrite: Overwrite = False,
    lang: Annotated[str | None, typer.Option("--lang", help="Language of the reports: en or ja.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeat the random choices. For tests only: marks the release unsafe.")
    ] = None,
    ledger: LedgerPath = None,
    stdout: Annotated[
        bool, typer.Option("--stdout", help="Print the released rows as CSV instead of tables.")
    ] = False,
    json: Json = False,
) -> int:
    """Anonymize, verify, measure and write the release of a recipe.

    The folder appears whole and verified, or not at all. `--require` and `--method` replace the recipe's.

    Examples:

      sudare run patients.recipe.yaml

      sudare run patients.recipe.yaml --out release --require "k-anonymity k=10"

      cat patients.csv | sudare run stdin.recipe.yaml --stdout > safe.csv
    """
    from sudare.cli.results import show_baskets, show_written
    from sudare.cli.show import print_json, progress_bar
    from sudare.release.baskets.anonymize import run_baskets
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.recipe.baskets import BasketRecipe, is_basket_recipe
    from sudare.release.recipe.table import Recipe
    from sudare.release.table.anonymize import run

    if json and stdout:
        raise typer.BadParameter("--json and --stdout both claim standard output; keep one")
    of_baskets = is_basket_recipe(recipe)
    if of_baskets and stdout:
        raise typer.BadParameter("--stdout goes with recipes of tables; leave it out for baskets")
    asked: Any = (BasketRecipe if of_baskets else Recipe).load(recipe)
    language = asked.output.language if lang is None else check_language(lang)
    with progress_bar(quiet=json, language=language) as progress:
        written: Written[Any] = (run_baskets if of_baskets else run)(
            asked.replaced(requirements=require, method=method),
            folder=out,
            overwrite=overwrite or None,
            language=language,
            seed=seed,
            ledger=Ledger(ledger),
            progress=progress,
        )
    if json:
        print_json({"folder": str(written.folder), "manifest": written.manifest})
    elif stdout:
        from sudare.formats.data import csv_text

        escape = written.manifest["data"]["escape_formulas"]
        print(csv_text(written.release.table.frame, escape_formulas=escape), end="")
    elif of_baskets:
        show_baskets(written, language)
    else:
        show_written(written, language)
    return 0
