"""`sudare measure`: what was lost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Json, Language, Overwrite, check_language, refuse_existing


def command(
    before: Annotated[str, typer.Argument()],
    after: Annotated[str, typer.Argument()],
    recipe: Annotated[Path | None, typer.Option()] = None,
    measure: Annotated[list[str] | None, typer.Option()] = None,
    plot: Annotated[Path | None, typer.Option()] = None,
    baskets: Annotated[bool, typer.Option("--baskets")] = False,
    overwrite: Overwrite = False,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """Measure what was lost between a table and its release."""
    from sudare.cli.show import print_blocks, print_json, progress_bar, say_place
    from sudare.progress import Plan
    from sudare.release.measure import measure_again
    from sudare.release.plots import save_chart
    from sudare.release.reopen import reopen
    from sudare.release.summary import losses_grid, words_in

    language = check_language(lang)
    words = words_in(language)
    refuse_existing(plot, overwrite=overwrite)
    with progress_bar(quiet=json, language=language) as progress:
        plan = Plan(progress, {"read": 1, "measure": 4})
        with plan.phase("read"):
            pair = reopen(before, after, recipe, baskets=baskets)
        with plan.phase("measure") as step:
            found = measure_again(pair, measure, progress=step)
        if plot is not None:
            refuse_existing(plot, overwrite=overwrite)
            save_chart(found.chart(language), plot)
    if json:
        print_json(found.losses)
    else:
        print_blocks([losses_grid(found.losses, found.measures, language, ranges=True)], language)
        if plot is not None:
            say_place(words("place.plot"), plot)
    return 0
