"""`sudare describe`: from a table to a recipe one can edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.options import (
    DatabaseTable,
    Delimiter,
    Encoding,
    Header,
    Json,
    Language,
    Method,
    Missing,
    Overwrite,
    Query,
    Require,
    Sheet,
    check_language,
    source_options,
)

if TYPE_CHECKING:
    from sudare.describe.table import Table
    from sudare.words.sentence import Texts

_BETWEEN_ITEMS = r"\S[\s,;|]+\S"


def command(
    data: Annotated[str, typer.Argument(help="Data file, '-' for standard input, or database address.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Recipe to write; NAME.recipe.yaml when left out.")
    ] = None,
    require: Require = None,
    method: Method = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing: Missing = None,
    header: Header = None,
    table: DatabaseTable = None,
    query: Query = None,
    sheet: Sheet = None,
    lang: Language = "en",
    overwrite: Overwrite = False,
    json: Json = False,
) -> int:
    """Guess roles and hierarchies of a table, with reasons, into a recipe to edit.

    The guesses are cautious. Read the reasons, correct the recipe, then `sudare run` it.

    Examples:

      sudare describe patients.csv

      sudare describe postgresql://localhost/clinic --table patients -o a.yaml
    """
    from sudare.api import read
    from sudare.cli.show import print_json, print_table, progress_bar, say, say_place
    from sudare.describe.guess.guess import guess_roles
    from sudare.errors import InputError
    from sudare.progress import Plan
    from sudare.release.recipe.draft import draft_recipe, ranges_needed, stem_of, write_draft
    from sudare.release.summary import words_in
    from sudare.words.sentence import enumerated

    language = check_language(lang)
    options = source_options(
        delimiter=delimiter,
        encoding=encoding,
        missing=missing,
        header=header,
        table=table,
        query=query,
        sheet=sheet,
    )
    with progress_bar(quiet=json, language=language) as progress:
        plan = Plan(progress, {"read": 3, "guess": 2})
        with plan.phase("read"):
            given = read(data, **options)
        if given.rows == 0:
            number = "one" if len(given.columns) == 1 else "many"
            raise InputError(f"cli.describe.no_rows.{number}", source=data, columns=len(given.columns))
        with plan.phase("guess"):
            guesses = guess_roles(given)
    target = out or Path(f"{stem_of(data)}.recipe.yaml")
    draft = draft_recipe(
        data, options, guesses, requirements=require, methods=method, language=language, folder=target.parent
    )
    if json:
        told = [{**guess.__dict__, "reason_ja": guess.reason.into("ja")} for guess in guesses]
        print_json({"rows": given.rows, "guesses": told, "recipe": draft})
        if out is None:
            return 0
    write_draft(draft, guesses, target, language=language, overwrite=overwrite)
    if not json:
        reasons = [guess.reason.into(language) for guess in guesses]
        words = words_in(language)
        sizes = {"rows": given.rows, "columns": len(guesses)}
        print_table(
            words("describe.title", **{name: _counted(name, count, words) for name, count in sizes.items()}),
            [words(f"describe.{head}") for head in ("column", "role", "kind", "why")],
            [
                (guess.column, guess.role, guess.kind, reason)
                for guess, reason in zip(guesses, reasons, strict=True)
            ],
        )
        if _may_be_baskets(given):
            say(words("warning", warning=words("describe.baskets")), wide=language == "ja")
        if ranges := ranges_needed(draft):
            named = words("describe.ranges", columns=enumerated(ranges).into(language))
            say(words("warning", warning=named), wide=language == "ja")
        say_place(words("describe.written"), target)
        say_place(words("describe.next") + "sudare run ", target)
    return 0


def _counted(what: str, count: int, words: Texts) -> str:
    return words(f"describe.{what}.{'one' if count == 1 else 'many'}", count=count)


def _may_be_baskets(given: Table) -> bool:
    """Whether a table is one column of lists: lines of items have no columns, so they are read as one."""
    if len(given.columns) != 1:
        return False
    values = given.frame.to_series().cast(str).drop_nulls()
    return bool(values.str.contains(_BETWEEN_ITEMS).any())
