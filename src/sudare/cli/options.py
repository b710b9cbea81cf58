"""Options that several commands share, written once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sudare.words.sentence import Language as TextLanguage

Json = Annotated[bool, typer.Option("--json")]
Language = Annotated[str, typer.Option("--lang")]
Overwrite = Annotated[bool, typer.Option("--overwrite")]
Delimiter = Annotated[str | None, typer.Option()]
Encoding = Annotated[str | None, typer.Option()]
Missing = Annotated[list[str] | None, typer.Option("--missing")]
Header = Annotated[bool | None, typer.Option("--header/--no-header")]
DatabaseTable = Annotated[str | None, typer.Option("--table")]
Query = Annotated[str | None, typer.Option()]
Sheet = Annotated[str | None, typer.Option()]
Require = Annotated[list[str] | None, typer.Option("--require")]
Method = Annotated[list[str] | None, typer.Option("--method")]
LedgerPath = Annotated[Path | None, typer.Option("--ledger")]


def check_language(given: str) -> TextLanguage:
    """The language, which must be one there is."""
    from sudare.errors import ErrorSentence, ParameterError, language_of

    try:
        return language_of(given)
    except ParameterError:
        raise typer.BadParameter(ErrorSentence("cli.language", given=given)) from None


def refuse_existing(*places: Path | None, overwrite: bool) -> None:
    """Stop where a file to be written is already there: before the work, and once more before it is written."""
    from sudare.errors import OutputError

    for place in places:
        # A pipe or a device, such as /dev/stdout, is written to and not replaced.
        if place is not None and not overwrite and (place.is_file() or place.is_symlink()):
            raise OutputError("cli.exists", path=place)


def comma_list(given: str) -> list[str]:
    """The parts of an option that lists several, such as `age,sex`."""
    return [part.strip() for part in given.split(",") if part.strip()]


def name_and_value(text: str, key: str) -> tuple[str, str]:
    """A name and what it is given, such as `name=levenshtein`; the sentence of the key refuses anything else."""
    from sudare.errors import ErrorSentence

    name, equals, rest = text.rpartition("=")
    if not equals or not name.strip() or not rest.strip():
        raise typer.BadParameter(ErrorSentence(key, given=text))
    return name.strip(), rest.strip()


def given_options(**given: Any) -> dict[str, Any]:
    """Options without those that were not given."""
    return {name: value for name, value in given.items() if value is not None}


def source_options(**given: Any) -> dict[str, Any]:
    """Options of a source, without those that were not given."""
    options = given_options(**given)
    if options.get("missing"):
        options["missing"] = ["", *options["missing"]]
    return options
