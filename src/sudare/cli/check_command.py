"""`sudare check`: is the guarantee true?"""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.options import (
    Delimiter,
    Encoding,
    Json,
    Language,
    Missing,
    Require,
    Sheet,
    check_language,
    comma_list,
)


def command(
    place: Annotated[str, typer.Argument()],
    quasi: Annotated[str | None, typer.Option()] = None,
    sensitive: Annotated[str | None, typer.Option()] = None,
    original: Annotated[str | None, typer.Option()] = None,
    layout: Annotated[str | None, typer.Option()] = None,
    no_header: Annotated[bool, typer.Option("--no-header")] = False,
    require: Require = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing: Missing = None,
    sheet: Sheet = None,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """Recompute the guarantee of a release from its files alone."""
    from sudare.cli.options import source_options
    from sudare.cli.show import print_blocks, print_json, progress_bar
    from sudare.display import Marked
    from sudare.errors import ErrorSentence
    from sudare.words.sentence import in_language

    language = check_language(lang)
    if quasi is not None and not require:
        raise typer.BadParameter(ErrorSentence("cli.check.quasi_alone"))
    if quasi is None and require:
        raise typer.BadParameter(ErrorSentence("cli.check.require_alone"))
    with progress_bar(quiet=json, language=language) as progress:
        if quasi is None:
            header = False if no_header else None
            reading = source_options(
                layout=layout, delimiter=delimiter, encoding=encoding, header=header, sheet=sheet
            )
            if original is None and (layout or no_header or sheet):
                raise typer.BadParameter(ErrorSentence("cli.check.original"))
            from sudare.verify.verify import verify_release

            findings = verify_release(
                place,
                original=original,
                sensitive=_items(sensitive),
                options=reading or None,
                progress=progress,
            )
            details = [finding.__dict__ for finding in findings]
            lines = [(finding.holds, finding.sentence) for finding in findings]
        else:
            from sudare.api import read
            from sudare.assess.catalogue import REQUIREMENTS

            options = source_options(delimiter=delimiter, encoding=encoding, missing=missing, sheet=sheet)
            table = read(place, **options).describe(
                quasi=comma_list(quasi), sensitive=comma_list(sensitive or "")
            )
            verdicts = [REQUIREMENTS.build(text).check(table) for text in require or ()]
            details = [verdict.to_dict() for verdict in verdicts]
            lines = [(verdict.holds, verdict.explanation) for verdict in verdicts]
    holds = all(one for one, _ in lines)
    if json:
        print_json({"holds": holds, "findings": details})
    else:
        spoken = [(one, in_language(sentence, language)) for one, sentence in lines]
        print_blocks([Marked(spoken)], language)
    return 0 if holds else 1


def _items(sensitive: str | None) -> str | list[str] | None:
    """A rule or a file as it is, else items."""
    from sudare.read.source import is_file

    if sensitive is None or sensitive.startswith("re:") or is_file(sensitive):
        return sensitive
    return comma_list(sensitive)
