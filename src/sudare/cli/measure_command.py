"""`sudare measure`: what was lost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Answer, Json, Overwrite, check_language, refuse_existing


def command(
    before: Annotated[str, typer.Argument(help="The original table.")],
    after: Annotated[str, typer.Argument(help="The released table, or the folder of a release.")],
    recipe: Annotated[
        Path | None, typer.Option(help="Recipe with roles and hierarchies; found in a release's folder.")
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option(help="Measure to compute; repeatable. The usual ones when left out.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a bar chart: .svg, .png or .html.")] = None,
    baskets: Annotated[
        bool,
        typer.Option(
            "--baskets", help="Plain files are baskets; a release and most files show it themselves."
        ),
    ] = False,
    overwrite: Overwrite = False,
    lang: Answer = "en",
    json: Json = False,
) -> int:
    """Measure what was lost between a table and its release.

    Rows must correspond: the same rows in the same order. Of baskets the plot shows the items' frequencies.

    Examples:

      sudare measure patients.csv release/

      sudare measure before.csv after.csv --measure loss --plot loss.svg

      sudare measure clicks.txt released.txt
    """
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
            save_chart(found.chart((words("loss.measures"), words("loss.columns"))), plot)
    if json:
        print_json(found.losses)
    else:
        print_blocks([losses_grid(found.losses, found.measures, language, ranges=True)], language)
        if plot is not None:
            say_place(words("place.plot"), plot)
    return 0
