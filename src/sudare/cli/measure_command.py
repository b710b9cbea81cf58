"""`sudare measure`: what was lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.options import Answer, Json, check_language

if TYPE_CHECKING:
    from sudare.measure.catalogue import Measure


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
        typer.Option("--baskets", help="The files hold baskets: sets of items, one a line or in a table."),
    ] = False,
    lang: Answer = "en",
    json: Json = False,
) -> int:
    """Measure what was lost between a table and its release.

    Rows must correspond: the same rows in the same order. With --baskets the plot shows the items' frequencies.

    Examples:

      sudare measure patients.csv release/

      sudare measure before.csv after.csv --measure loss --plot loss.svg

      sudare measure clicks.txt released.txt --baskets
    """
    from sudare.cli.results import show_losses, words_in
    from sudare.cli.show import print_json, say_place

    words = words_in(check_language(lang))
    if baskets:
        if recipe is not None:
            raise typer.BadParameter(
                "--recipe says what columns are, which --baskets do not have; leave one out"
            )
        values, known = _of_baskets(before, after, measure, plot)
    else:
        titles = (words("loss.measures"), words("loss.columns"))
        values, known = _of_tables(before, after, recipe, measure, plot, titles)
    if json:
        print_json(values)
    else:
        show_losses(values, known, words, ranges=True)
        if plot is not None:
            say_place(words("place.plot"), plot)
    return 0


def _of_tables(
    before: str,
    after: str,
    recipe: Path | None,
    names: list[str] | None,
    plot: Path | None,
    titles: tuple[str, str],
) -> tuple[dict[str, float], dict[str, Measure]]:
    from sudare.measure.catalogue import MEASURES, measure, nothing_to_tell
    from sudare.release.reopen import reopen_pair
    from sudare.verify.baskets.check import is_basket_folder

    if is_basket_folder(Path(after)):
        raise typer.BadParameter(f"'{after}' is a release of baskets, not of a table; add --baskets")
    pair = reopen_pair(before, after, recipe)
    values = measure(pair.before, pair, names)
    silent = [name for name in values if not MEASURES[name].tells(pair)]
    if names and silent:
        raise typer.BadParameter(f"{nothing_to_tell(MEASURES[silent[0]])} Leave it out")
    values = {name: value for name, value in values.items() if name not in silent}
    if plot is not None:
        from sudare.measure.generalization import column_losses
        from sudare.release.plots import loss_chart, save_chart

        save_chart(loss_chart(values, column_losses(pair.before, pair), titles), plot)
    return values, MEASURES


def _of_baskets(
    before: str, after: str, names: list[str] | None, plot: Path | None
) -> tuple[dict[str, float], dict[str, Measure]]:
    from sudare.measure.baskets import BASKET_MEASURES, basket_pair, frequency_change, measure_baskets
    from sudare.verify.baskets.check import reopen_baskets

    given, released = reopen_baskets(before, after)
    groups = [item for item in released.items if item not in set(given.items)]
    if groups:
        raise typer.BadParameter(
            f"'{after}' holds '{groups[0]}', which '{before}' does not: these measures compare items, and do not apply to "
            "groups of them; the notes of the release tell its NCP"
        )
    pair = basket_pair(given, released)
    values = measure_baskets(pair.before, pair, names)
    if plot is not None:
        from sudare.release.plots import save_chart

        save_chart(frequency_change(pair.before, pair).chart(), plot)
    return values, BASKET_MEASURES
