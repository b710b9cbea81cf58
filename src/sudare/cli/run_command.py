"""`sudare run`: the release of a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.options import Json, LedgerPath, Method, Overwrite, Require, check_language, given_options

if TYPE_CHECKING:
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.recipe.base import AnyOutput
    from sudare.words.sentence import Language as TextLanguage


def command(
    recipe: Annotated[Path | None, typer.Argument()] = None,
    out: Annotated[Path | None, typer.Option()] = None,
    require: Require = None,
    method: Method = None,
    format: Annotated[str | None, typer.Option("--format")] = None,  # noqa: A002  # the word of the recipe
    encoding: Annotated[str | None, typer.Option()] = None,
    database: Annotated[str | None, typer.Option()] = None,
    table: Annotated[str | None, typer.Option()] = None,
    overwrite: Overwrite = False,
    lang: Annotated[str | None, typer.Option("--lang")] = None,
    seed: Annotated[int | None, typer.Option()] = None,
    ledger: LedgerPath = None,
    retry: Annotated[Path | None, typer.Option()] = None,
    stdout: Annotated[bool, typer.Option("--stdout")] = False,
    json: Json = False,
) -> int:
    """Anonymize, verify, measure and write the release of a recipe."""
    from sudare.cli.language import SPOKEN, recipe_language
    from sudare.cli.show import print_blocks, print_json, progress_bar, say
    from sudare.errors import ErrorSentence
    from sudare.release.ledger.ledger import Ledger
    from sudare.release.recipe.load import load_recipe
    from sudare.release.run import run
    from sudare.release.summary import summary_of, words_in
    from sudare.words.sentence import enumerated

    if json and stdout:
        raise typer.BadParameter(ErrorSentence("cli.json_and_stdout"))
    if recipe is None and retry is None:
        raise typer.BadParameter(ErrorSentence("cli.no_recipe"))
    if recipe is not None and retry is not None:
        raise typer.BadParameter(ErrorSentence("cli.recipe_or_retry"))
    if recipe is None:
        return _tried_again(Path(str(retry)), lang, seed, Ledger(ledger), json=json)
    # What is wrong with a recipe is said in its language too.
    SPOKEN.set(recipe_language(recipe) if lang is None else check_language(lang))
    asked = load_recipe(recipe)
    language = _recipe_language(asked.output) if lang is None else check_language(lang)
    SPOKEN.set(language)
    with progress_bar(quiet=json, language=language) as progress:
        written = run(
            asked.replaced(requirements=require, method=method),
            folder=out,
            overwrite=overwrite or None,
            language=language,
            output=given_options(format=format, encoding=encoding, database=database, table=table),
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
        if require and asked.requirements:
            catalogue = written.release.kind.requirements
            replaced = enumerated(f"`{catalogue.text(one)}`" for one in asked.requirements).into(language)
            say(words_in(language)("run.replaced", requirements=replaced))
    return 0


def _recipe_language(output: AnyOutput) -> TextLanguage:
    """What the recipe says, else what the environment says."""
    from sudare.words.sentence import shown_language

    return output.language if "language" in output.model_fields_set else shown_language()


def _tried_again(folder: Path, lang: str | None, seed: int | None, ledger: Ledger, *, json: bool) -> int:
    """Run a release again with more effort, and say which of the two was kept."""
    from sudare.cli.language import SPOKEN, recipe_language
    from sudare.cli.show import print_blocks, print_json, progress_bar, say
    from sudare.release.recipe.load import load_recipe
    from sudare.release.retry import retry_folder
    from sudare.release.summary import summary_of, words_in
    from sudare.words.sentence import shown_language

    kept = folder / "internal" / "recipe.yaml"
    SPOKEN.set(recipe_language(kept) if lang is None else check_language(lang))
    if lang is not None:
        language = check_language(lang)
    else:
        language = _recipe_language(load_recipe(kept).output) if kept.is_file() else shown_language()
    SPOKEN.set(language)
    with progress_bar(quiet=json, language=language) as progress:
        found = retry_folder(folder, seed=seed, ledger=ledger, progress=progress)
    figures = {"measure": found.measure, "first": found.before, "second": found.after}
    if json:
        kept_one = "first" if found.written is None else "second"
        risen = [one.into(language) for one in found.risen]
        print_json({"folder": str(folder), "kept": kept_one, **figures, "risk_rose": risen})
        return 0
    if found.written is not None:
        print_blocks(summary_of(found.written, language), language)
    which = "kept" if found.written is None else "replaced"
    say(words_in(language)(f"run.retry_{which}", folder=folder, **figures))
    return 0
