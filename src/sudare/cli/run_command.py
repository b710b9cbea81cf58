"""`sudare run`: the release of a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Json, LedgerPath, Method, Overwrite, Require, check_language


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
    from sudare.cli.show import print_json, progress_bar
    from sudare.release.basket_recipe import is_basket_recipe
    from sudare.release.ledger import Ledger
    from sudare.release.recipe import Recipe
    from sudare.release.run import run

    if json and stdout:
        raise typer.BadParameter("--json and --stdout both claim standard output; keep one")
    if is_basket_recipe(recipe):
        if stdout:
            raise typer.BadParameter("--stdout goes with recipes of tables; leave it out for baskets")
        return _run_baskets(
            recipe, out, require, method, overwrite=overwrite, lang=lang, seed=seed, ledger=ledger, json=json
        )
    asked = Recipe.load(recipe).replaced(requirements=require, method=method)
    with progress_bar(quiet=json) as progress:
        written = run(
            asked,
            folder=out,
            overwrite=overwrite or None,
            language=None if lang is None else check_language(lang),
            seed=seed,
            ledger=Ledger(ledger),
            progress=progress,
        )
    if json:
        print_json({"folder": str(written.folder), "manifest": written.manifest})
    elif stdout:
        from sudare.release.data_files import csv_text

        escape = written.manifest["data"]["escape_formulas"]
        print(csv_text(written.release.table.frame, escape_formulas=escape), end="")
    else:
        from sudare.cli.results import show_written

        show_written(written)
    return 0


def _run_baskets(
    recipe: Path,
    out: Path | None,
    require: list[str] | None,
    method: list[str] | None,
    *,
    overwrite: bool,
    lang: str | None,
    seed: int | None,
    ledger: Path | None,
    json: bool,
) -> int:
    """The release of a recipe of baskets."""
    from sudare.cli.show import figure, print_json, print_table, print_verdicts, progress_bar, say, say_place
    from sudare.measure.itemsets import BASKET_MEASURES
    from sudare.release.basket_recipe import BasketRecipe
    from sudare.release.basket_run import run_baskets
    from sudare.release.ledger import Ledger

    asked = BasketRecipe.load(recipe).replaced(requirements=require, method=method)
    with progress_bar(quiet=json) as progress:
        written, release = run_baskets(
            asked,
            folder=out,
            overwrite=overwrite or None,
            language=None if lang is None else check_language(lang),
            seed=seed,
            ledger=Ledger(ledger),
            progress=progress,
        )
    if json:
        print_json({"folder": str(written.folder), "manifest": written.manifest})
        return 0
    print_verdicts((finding.holds, finding.sentence) for finding in written.findings)
    losses = [(name, figure(value), BASKET_MEASURES[name].meaning) for name, value in release.losses.items()]
    print_table("Loss", ["measure", "value", "meaning"], losses)
    for line in (*release.notes, *(f"! {warning}" for warning in release.warnings)):
        say(line)
    say_place("Hand over:     ", written.folder / "public")
    say_place("Keep private:  ", written.folder / "internal")
    for report in written.reports:
        say_place("Report:        ", report)
    return 0
