"""`sudare check`: is the guarantee true?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Delimiter, Encoding, Json, Missing, Require


def command(
    place: Annotated[str, typer.Argument(help="Folder of a release, or a data file with --quasi.")],
    quasi: Annotated[str | None, typer.Option(help="Quasi-identifiers of a data file: a,b,c.")] = None,
    sensitive: Annotated[str | None, typer.Option(help="Sensitive columns of a data file: a,b.")] = None,
    require: Require = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing: Missing = None,
    json: Json = False,
) -> int:
    """Recompute the guarantee of a release from its files alone.

    Reads the data file and the public manifest, nothing else, with code that shares nothing with the
    anonymizer. Given a data file instead, checks any requirement on it.

    Exit code 0: everything holds. 1: something does not.

    Examples:

      sudare check release/

      sudare check table.csv --quasi age,sex,zip --require "k-anonymity k=5"
    """
    from sudare.cli.options import source_options
    from sudare.cli.show import print_json, print_verdicts

    if quasi is None:
        from sudare.release.verify import verify_release

        if sensitive is not None or require:
            raise typer.BadParameter("--sensitive and --require go with --quasi and a data file")
        found = [
            (finding.holds, finding.sentence, finding.__dict__) for finding in verify_release(Path(place))
        ]
    else:
        from sudare.assess.catalogue import REQUIREMENTS
        from sudare.flow import read

        if not require:
            raise typer.BadParameter("--quasi needs at least one --require, such as 'k-anonymity k=5'")
        options = source_options(delimiter=delimiter, encoding=encoding, missing=missing)
        table = read(place, **options).describe(quasi=_names(quasi), sensitive=_names(sensitive or ""))
        verdicts = [REQUIREMENTS.build(text).check(table) for text in require]
        found = [(verdict.holds, verdict.explanation, verdict.to_dict()) for verdict in verdicts]
    holds = all(one for one, _, _ in found)
    if json:
        print_json({"holds": holds, "findings": [details for _, _, details in found]})
    else:
        print_verdicts((one, sentence) for one, sentence, _ in found)
    return 0 if holds else 1


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]
