"""`sudare measure`: what was lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import (
    Json,
    Language,
    Overwrite,
    Sheet,
    check_language,
    given_options,
    name_and_value,
    refuse_existing,
)
from sudare.errors import ErrorSentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from sudare.words.sentence import Texts

_SHOWN = 30


def command(
    before: Annotated[str, typer.Argument()],
    after: Annotated[str, typer.Argument()],
    recipe: Annotated[Path | None, typer.Option()] = None,
    measure: Annotated[list[str] | None, typer.Option()] = None,
    distance: Annotated[list[str] | None, typer.Option()] = None,
    weight: Annotated[list[str] | None, typer.Option()] = None,
    p: Annotated[float | None, typer.Option("--p")] = None,
    by_column: Annotated[bool, typer.Option("--by-column")] = False,
    table: Annotated[str | None, typer.Option()] = None,
    support: Annotated[float | None, typer.Option()] = None,
    confidence: Annotated[float | None, typer.Option()] = None,
    top: Annotated[int | None, typer.Option()] = None,
    out: Annotated[Path | None, typer.Option()] = None,
    plot: Annotated[Path | None, typer.Option()] = None,
    sheet: Sheet = None,
    baskets: Annotated[bool, typer.Option("--baskets")] = False,
    overwrite: Overwrite = False,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """Measure what was lost between a table and its release."""
    from sudare.cli.show import print_blocks, print_json, progress_bar, say_place
    from sudare.formats.data import write_data
    from sudare.measure.pair import Pair
    from sudare.progress import Plan
    from sudare.release.measure import basket_table, column_table, measure_again
    from sudare.release.plots import save_chart
    from sudare.release.reopen import reopen
    from sudare.release.summary import losses_blocks, words_in

    language = check_language(lang)
    words = words_in(language)
    mining = given_options(support=support, confidence=confidence, top=top)
    if mining and table != "rules":
        raise typer.BadParameter(ErrorSentence("cli.measure.without_rules"))
    if by_column and table is not None:
        raise typer.BadParameter(ErrorSentence("cli.measure.two_tables"))
    shown = "columns" if by_column else table
    if out is not None and shown is None:
        raise typer.BadParameter(ErrorSentence("cli.measure.without_table"))
    refuse_existing(out, plot, overwrite=overwrite)
    instead = _of_ild(measure, distance or [], weight or [], p)
    with progress_bar(quiet=json, language=language) as progress:
        plan = Plan(progress, {"read": 1, "measure": 4})
        with plan.phase("read"):
            pair = reopen(before, after, recipe, baskets=baskets, sheet=sheet)
        with plan.phase("measure") as step:
            found = measure_again(pair, measure, step, instead)
            listed = None if table is None else basket_table(pair, table, **mining)
            if by_column:
                listed = column_table(pair)
        refuse_existing(out, plot, overwrite=overwrite)
        if plot is not None:
            save_chart(found.chart(language), plot)
        if out is not None and listed is not None:
            write_data(listed, out, format="csv")
    if json:
        print_json(found.losses if listed is None else {"losses": found.losses, shown: listed.to_dicts()})
    else:
        print_blocks(losses_blocks(found.losses, found.measures, language, ranges=True), language)
        if listed is not None:
            columns = pair.before.columns if by_column and isinstance(pair, Pair) else ()
            dates = [column.name for column in columns if column.kind == "date"]
            _print_rows(listed, str(shown), words, dates)
        if out is not None:
            say_place(words("measure.table"), out)
        if plot is not None:
            say_place(words("place.plot"), plot)
    return 0


def _print_rows(listed: pl.DataFrame, table: str, words: Texts, dates: Sequence[str]) -> None:
    """The first rows of a table, with heads in words; `dates` are columns whose figures are days.

    Of the figures of columns those that did not change are left out: of many columns they would crowd out the others.
    """
    from sudare.cli.show import print_table, say

    changed = listed
    if table == "columns":
        changed = listed.filter(listed["before"].ne_missing(listed["after"]))
    shown = changed.head(_SHOWN)
    rows = [
        [
            _of_column(row, cell, words, of_dates=row["column"] in dates)
            if table == "columns" and name in {"before", "after"} and cell is not None
            else _cell(name, cell, words)
            for name, cell in row.items()
        ]
        for row in shown.iter_rows(named=True)
    ]
    title = words(f"measure.title.{table}", shown=shown.height, rows=listed.height)
    heads = [words(f"measure.head.{name}") for name in shown.columns]
    wide = words.language == "ja"
    print_table(title, heads, rows, wide=wide)
    if table == "columns":
        unchanged = listed.height - changed.height
        key = "columns" if unchanged == 0 else "unchanged"
        say(words(f"measure.about.{key}", unchanged=unchanged), wide=wide)
    if shown.height < listed.height:
        say(words("measure.more", rows=listed.height), wide=wide)


def _of_column(row: dict[str, Any], value: float, words: Texts, *, of_dates: bool) -> str:
    """A figure of a column: a share in percent, a date as a date, the spread of dates in days."""
    from sudare.describe.text import day_of
    from sudare.display import figure, share

    if row["figure"] in {"unknown", "changed"}:
        return share(value)
    if not of_dates or row["figure"] in {"loss", "sse_ratio", "correlation"}:
        return figure(value)
    if row["figure"] == "std":
        return words("measure.days", value=figure(value))
    return day_of(value).isoformat()


def _cell(name: str, cell: Any, words: Texts) -> str:
    from sudare.display import figure

    if cell is None:
        return "–"
    if name == "figure":
        return words(f"measure.figure.{cell}")
    if name == "status":
        return words(f"measure.status.{cell}")
    return figure(cell) if isinstance(cell, float) else str(cell)


def _of_ild(
    measures: Sequence[str] | None, distances: Sequence[str], weights: Sequence[str], p: float | None
) -> dict[str, str]:
    """The options that are parameters of ild, as its text."""
    given: dict[str, Any] = {
        "distances": dict(name_and_value(text, "cli.measure.distance") for text in distances),
        "weights": dict(name_and_value(text, "cli.measure.weight") for text in weights),
        **given_options(p=p),
    }
    if not distances and not weights and p is None:
        return {}
    if measures is not None and "ild" not in measures:
        raise typer.BadParameter(ErrorSentence("cli.measure.without_ild"))
    from sudare.measure.catalogue import measure_label

    return {"ild": measure_label({"type": "ild", **given})}
