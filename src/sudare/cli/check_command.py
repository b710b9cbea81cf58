"""`sudare check`: is the guarantee true?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import Answer, Delimiter, Encoding, Json, Missing, Require, check_language, comma_list

if TYPE_CHECKING:
    from sudare.release.report.texts import About
    from sudare.verify.requirements import Finding


def command(
    place: Annotated[str, typer.Argument(help="Folder of a release, or a data file with --quasi.")],
    quasi: Annotated[str | None, typer.Option(help="Quasi-identifiers of a data file: a,b,c.")] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(help="Sensitive columns of a data file, or items of --original: a,b; a file; re:…"),
    ] = None,
    original: Annotated[
        str | None, typer.Option(help="Original baskets, whose guarantee cannot be recomputed without them.")
    ] = None,
    layout: Annotated[
        str | None, typer.Option(help="Layout of --original: lines, json, long, lists or sets.")
    ] = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The long table of --original has no line of names.")
    ] = False,
    require: Require = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing: Missing = None,
    lang: Answer = "en",
    json: Json = False,
) -> int:
    """Recompute the guarantee of a release from its files alone.

    Recomputes from the data file and the public manifest, with code that
    shares nothing with the anonymizer; an internal manifest beside them must
    agree. Of baskets it also reads the internal part and --original, where
    given. Given a data file instead, checks any requirement on it.

    Exit code 0: everything holds. 1: something does not.

    Examples:

      sudare check release/

      sudare check table.csv --quasi age,sex,zip --require "k-anonymity k=5"

      sudare check released-clicks/ --original clicks.txt
    """
    from sudare.cli.options import source_options
    from sudare.cli.results import verdict_lines
    from sudare.cli.show import print_json, print_verdicts

    language = check_language(lang)
    if quasi is None:
        header = False if no_header else None
        reading = source_options(layout=layout, delimiter=delimiter, encoding=encoding, header=header)
        if reading and original is None and (layout or no_header):
            raise typer.BadParameter("--layout and --no-header say how to read --original; give it too")
        findings, about = _of_release(Path(place), original, sensitive, require, reading)
        details = [finding.__dict__ for finding in findings]
        lines = verdict_lines(findings, language, about)
    else:
        from sudare.api import read
        from sudare.assess.catalogue import REQUIREMENTS

        if not require:
            raise typer.BadParameter("--quasi needs at least one --require, such as 'k-anonymity k=5'")
        options = source_options(delimiter=delimiter, encoding=encoding, missing=missing)
        table = read(place, **options).describe(
            quasi=comma_list(quasi), sensitive=comma_list(sensitive or "")
        )
        verdicts = [REQUIREMENTS.build(text).check(table) for text in require]
        details = [verdict.to_dict() for verdict in verdicts]
        lines = [(verdict.holds, verdict.in_language(language).explanation) for verdict in verdicts]
    holds = all(one for one, _ in lines)
    if json:
        print_json({"holds": holds, "findings": details})
    else:
        print_verdicts(lines, wide=language == "ja")
    return 0 if holds else 1


def _of_release(
    place: Path,
    original: str | None,
    sensitive: str | None,
    require: list[str] | None,
    reading: dict[str, Any],
) -> tuple[list[Finding], About]:
    """Findings about a release of a table, or of baskets, and which it is."""
    from sudare.verify.baskets.check import check_basket_folder, is_basket_folder

    if require:
        raise typer.BadParameter("--require goes with --quasi and a data file")
    if is_basket_folder(place):
        findings = check_basket_folder(
            place, original=original, sensitive=_items(sensitive), options=reading or None
        )
        return findings, "baskets"
    from sudare.verify.manifest import read_manifest
    from sudare.verify.verify import verify_release

    if original is not None:
        read_manifest(place)  # a broken one is the first thing to mend
        raise typer.BadParameter(
            "--original goes with a release of baskets; that of a table is checked alone"
        )
    if sensitive is not None:
        raise typer.BadParameter("--sensitive goes with --quasi and a data file, or with --original")
    return verify_release(place), "table"


def _items(sensitive: str | None) -> str | list[str] | None:
    """A rule or a file as it is, else items."""
    from sudare.read.places import is_file

    if sensitive is None or sensitive.startswith("re:") or is_file(sensitive):
        return sensitive
    return comma_list(sensitive)
