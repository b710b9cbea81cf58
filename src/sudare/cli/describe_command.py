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
    given_options,
    source_options,
)

if TYPE_CHECKING:
    from sudare.describe.kinds import Role


Columns = Annotated[list[str] | None, typer.Option()]
_GUESS = "guess"
_REST: tuple[Role, ...] = ("drop", "insensitive", "quasi", "identifier")
"""Roles that all columns without one may be given."""


def command(
    data: Annotated[str, typer.Argument()],
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None,
    identifier: Columns = None,
    quasi: Columns = None,
    sensitive: Columns = None,
    insensitive: Columns = None,
    weight: Columns = None,
    drop: Columns = None,
    rest: Annotated[str, typer.Option("--rest")] = "guess",
    explain: Annotated[bool, typer.Option("--explain")] = False,
    require: Require = None,
    method: Method = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing: Missing = None,
    header: Header = None,
    table: DatabaseTable = None,
    query: Query = None,
    sheet: Sheet = None,
    baskets: Annotated[bool, typer.Option("--baskets")] = False,
    lang: Language = "en",
    overwrite: Overwrite = False,
    json: Json = False,
) -> int:
    """Guess roles and hierarchies of a table, with reasons, into a recipe to edit."""
    from sudare.cli.show import print_blocks, print_json, progress_bar, say_place
    from sudare.release.recipe.draft import draft_of, stem_of
    from sudare.words.sentence import texts

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
    known = given_options(
        identifier=identifier,
        quasi=quasi,
        sensitive=sensitive,
        insensitive=insensitive,
        weight=weight,
        drop=drop,
    )
    target = out or Path(f"{stem_of(data)}.recipe.yaml")
    with progress_bar(quiet=json, language=language) as progress:
        draft = draft_of(
            data,
            options,
            requirements=require,
            methods=method,
            language=language,
            folder=target.parent,
            baskets=baskets,
            roles=known,
            rest=_rest(rest),
            explain=explain,
            progress=progress,
        )
    if json:
        print_json(draft.to_dict())
        if out is None:
            return 0
    draft.write(target, overwrite=overwrite)
    if not json:
        words = texts(language, "cli")
        print_blocks(draft.blocks(), language)
        say_place(words("describe.written"), target)
        say_place(words(f"describe.next.{draft.kind}") + "sudare run ", target)
    return 0


def _rest(given: str) -> Role | None:
    """The role of the columns that are not named; None where it is to be guessed."""
    from sudare.describe.kinds import role_meant
    from sudare.errors import ErrorSentence

    if given == _GUESS:
        return None
    role = next((role for role in _REST if role == given), None)
    if role is None:
        meant = role_meant(given)
        if meant in _REST:
            raise typer.BadParameter(ErrorSentence("cli.rest_meant", given=given, role=meant))
        names = ", ".join([*_REST, _GUESS])
        raise typer.BadParameter(ErrorSentence("cli.rest", given=given, names=names))
    return role
