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
        bool,
        typer.Option("--stdout", help="Print the released rows as CSV, or baskets as JSON, a line each."),
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
    from sudare.cli.language import SPOKEN
    from sudare.cli.show import print_blocks, print_json, progress_bar
    from sudare.errors import ErrorSentence
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.recipe.load import load_recipe
    from sudare.release.run import run
    from sudare.release.summary import summary_of

    if json and stdout:
        raise typer.BadParameter(ErrorSentence("cli.json_and_stdout"))
    asked = load_recipe(recipe)
    language = asked.output.language if lang is None else check_language(lang)
    SPOKEN.set(language)
    with progress_bar(quiet=json, language=language) as progress:
        written = run(
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
        print(written.release.kind.text(written), end="")
    else:
        print_blocks(summary_of(written, language), language)
    return 0
