"""`sudare measure`: what was lost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.options import Json


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
    json: Json = False,
) -> int:
    """Measure what was lost between a table and its release.

    Rows must correspond: the same rows in the same order.

    Examples:

      sudare measure patients.csv release/

      sudare measure before.csv after.csv --recipe recipe.yaml --measure loss --plot loss.svg
    """
    from sudare.cli.show import figure, print_json, print_table, say_place
    from sudare.measure.catalogue import MEASURES
    from sudare.measure.catalogue import measure as measure_all
    from sudare.release.reopen import reopen_pair

    pair = reopen_pair(before, after, recipe)
    values = measure_all(pair.before, pair, measure)
    if plot is not None:
        from sudare.measure.generalization import column_losses
        from sudare.release.plots import loss_chart, save_chart

        save_chart(loss_chart(values, column_losses(pair.before, pair)), plot)
    if json:
        print_json(values)
    else:
        print_table(
            "Loss",
            ["measure", "value", "range", "meaning"],
            [
                (
                    name,
                    figure(value),
                    f"{figure(MEASURES[name].smallest)} … {figure(MEASURES[name].largest)}",
                    MEASURES[name].meaning,
                )
                for name, value in values.items()
            ],
        )
        if plot is not None:
            say_place("Plot: ", plot)
    return 0
