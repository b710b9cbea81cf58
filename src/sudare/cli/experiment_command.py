"""`sudare experiment`: repeat a table or figure of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Json, Overwrite, refuse_existing


def command(
    name: Annotated[str | None, typer.Argument()] = None,
    data: Annotated[Path | None, typer.Option()] = None,
    out: Annotated[Path, typer.Option()] = Path("experiments"),
    quick: Annotated[bool, typer.Option("--quick")] = False,
    overwrite: Overwrite = False,
    json: Json = False,
) -> int:
    """Repeat a table or figure of the papers, and check what was expected."""
    from sudare.cli.show import print_json, print_table, print_verdicts, progress_bar, say_place
    from sudare.errors import ParameterError, did_you_mean
    from sudare.experiments.catalogue import EXPERIMENTS, repeat
    from sudare.release.summary import words_in

    words = words_in("en")  # the experiments themselves are told in English only
    if name is None:
        rows = [(one, (run.__doc__ or "").split("\n")[0]) for one, run in EXPERIMENTS.items()]
        if json:
            print_json(dict(rows))
        else:
            print_table(
                words("experiment.title"), [words("experiment.name"), words("experiment.about")], rows
            )
        return 0
    if name not in EXPERIMENTS:
        raise ParameterError("cli.experiment.unknown", name=name, hint=did_you_mean(name, EXPERIMENTS))
    refuse_existing(out / f"{name}.md", overwrite=overwrite)
    with progress_bar(quiet=json) as progress:
        outcome = repeat(name, data, progress, quick=quick)
    refuse_existing(*outcome.files(out), overwrite=overwrite)
    page = outcome.write(out, f"sudare experiment {name}{' --quick' if quick else ''} --out {out}")
    if json:
        print_json(
            {
                "page": str(page),
                "holds": outcome.holds,
                "checks": [check.__dict__ for check in outcome.checks],
            }
        )
    else:
        for title, table in outcome.printed.items():
            print_table(title, table.columns, table.rows())
        print_verdicts((check.holds, check.sentence) for check in outcome.checks)
        say_place(words("experiment.page"), page)
    return 0 if outcome.holds else 1
