"""`sudare crosstab`: rebuild a cross tabulation from randomized data."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import (
    Json,
    Language,
    Overwrite,
    Sheet,
    check_language,
    comma_list,
    refuse_existing,
)
from sudare.errors import ErrorSentence

if TYPE_CHECKING:
    import polars as pl

    from sudare.measure.crosstab.words import CrosstabSentence
    from sudare.words.sentence import Texts

_SHOWN = 30
_SHOWN_UNKNOWN = 6
"""Rows of a large table of which no cell can be told: enough to see that."""
_DECIMALS = 6
"""Of figures in a file."""
_DRAWN = 2
"""Columns of a heat map."""
_BESIDE_VERDICT = 3
"""Columns, the original counts included, that leave room for a verdict on a line of 80 characters."""


def command(
    data: Annotated[str, typer.Argument()],
    by: Annotated[str, typer.Option()],
    bins: Annotated[list[str] | None, typer.Option()] = None,
    mechanism: Annotated[list[str] | None, typer.Option()] = None,
    stop: Annotated[str, typer.Option()] = "fit",
    start: Annotated[str, typer.Option()] = "margins",
    no_consistent: Annotated[bool, typer.Option("--no-consistent")] = False,
    pieces: Annotated[int | None, typer.Option()] = None,
    draws: Annotated[int | None, typer.Option()] = None,
    seed: Annotated[int | None, typer.Option()] = None,
    original: Annotated[str | None, typer.Option()] = None,
    sheet: Sheet = None,
    out: Annotated[Path | None, typer.Option()] = None,
    plot: Annotated[Path | None, typer.Option()] = None,
    overwrite: Overwrite = False,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """Rebuild a cross tabulation of the original table from randomized data."""
    from sudare.cli.show import print_json, progress_bar, say, say_place
    from sudare.measure.crosstab.input.attribute import PIECES
    from sudare.measure.crosstab.words import CrosstabSentence
    from sudare.release.crosstab import beside, crosstab
    from sudare.release.summary import words_in
    from sudare.words.sentence import enumerated

    words = words_in(check_language(lang))
    refuse_existing(out, plot, overwrite=overwrite)
    with progress_bar(quiet=json, language=words.language) as progress:
        table = crosstab(
            data,
            comma_list(by),
            dict(_bins(text) for text in bins or []),
            mechanisms=dict(_mechanism(text) for text in mechanism or []),
            stop=stop,  # type: ignore[arg-type]  # checked where it is used, as for Python
            start=start,  # type: ignore[arg-type]  # as above
            consistent=not no_consistent,
            pieces=PIECES if pieces is None else pieces,
            draws=draws,
            seed=seed,
            progress=progress,
        )
    truth = None if original is None else beside(table, original, data, sheet=sheet)
    refuse_existing(out, plot, overwrite=overwrite)
    if out is not None:
        from sudare.formats.data import write_data

        write_data(_rounded(table), out, format="csv")
    if plot is not None:
        from sudare.measure.crosstab.heat_map import heat_map
        from sudare.release.plots import save_chart

        parts = ("original", "released", "estimate", "records", "missing")
        save_chart(heat_map(table, truth, {name: words(f"crosstab.{name}") for name in parts}), plot)
    if json:
        fit = asdict(table.fit) | ({} if truth is None else {"error": _errors(table, truth)})
        warnings = [warning.into(words.language) for warning in table.fit.warnings()]
        notes = [note.into(words.language) for note in table.notes]
        print_json(
            {
                "by": table.by,
                "labels": _texts(table),
                "fit": fit,
                "warnings": warnings,
                "notes": notes,
                "counts": _cells(table),
            }
        )
        return 0
    # What advises against using the table comes before its figures.
    warnings = table.fit.warnings()
    for sentence in warnings:
        say(sentence.into(words.language), wide=words.language == "ja")
    _show(table, truth, words)
    sentences = [*table.fit.sentences()[len(warnings) :], *_not_counted(table), *table.notes]
    if truth is not None:
        sentences.append(CrosstabSentence("original", **_errors(table, truth)))
    for sentence in sentences:
        say(sentence.into(words.language), wide=words.language == "ja")
    if plot is not None and len(table.by) > _DRAWN:
        drawn = enumerated(table.by[:_DRAWN]).into(words.language)
        say(words("crosstab.drawn", columns=drawn), wide=words.language == "ja")
    for label, place in ((words("crosstab.cells"), out), (words("place.plot"), plot)):
        if place is not None:
            say_place(label, place)
    return 0


def _show(table: Any, truth: Any, words: Texts) -> None:
    """The largest cells; with the original, the counts of its owner beside them."""
    import polars as pl

    from sudare.cli.show import print_table
    from sudare.measure.crosstab.words import verdict_words

    # The interval says more than the standard error, which assumes a smooth original and is often far smaller.
    wanted: tuple[str, ...] = (
        ("estimate", "low", "high", "verdict") if "low" in table.figures else ("estimate", "stderr")
    )
    if len(table.by) + (truth is not None) > _BESIDE_VERDICT:
        wanted = wanted[:-1]
    # An estimate with an error of 0 beside each count would claim that it is the original's.
    wanted = (*wanted, "released") if table.fit.rebuilt else ("released",)
    frame = table.cells
    # The name of a figure that a column of the data has too ends in underscores.
    named = {name.rstrip("_"): name for name in frame.columns[len(table.by) :]}
    columns = [*table.by, *(named[name] for name in wanted if name in named)]
    shown = frame[columns]
    if "verdict" in wanted and "verdict" in named:
        said = {code: sentence.into(words.language) for code, sentence in verdict_words().items()}
        shown = shown.with_columns(pl.col(named["verdict"]).replace_strict(said, return_dtype=pl.String))
    if truth is not None and truth.size == frame.height:
        columns.append("original" + "_" * (table.by.count("original")))
        shown = shown.with_columns(pl.Series(columns[-1], truth.ravel()))
    title = words("crosstab.title")
    if shown.height > _SHOWN:
        most = _SHOWN_UNKNOWN if table.fit.tells_no_cell and table.fit.cells > _SHOWN else _SHOWN
        # The fit counts the cells that were estimated; the title must count the same ones.
        cells = table.fit.cells
        title = (
            words("crosstab.largest", shown=most, cells=cells)
            if cells > most
            else words("crosstab.counted", counted=cells, cells=shown.height)
        )
        largest = shown.filter(_estimated(table)) if shown.height > cells else shown
        shown = largest.sort(columns[len(table.by)], descending=True, nulls_last=True).head(most)
    rows = [
        [
            *(words("crosstab.missing") if cell is None else cell for cell in row[: len(table.by)]),
            *(_written(cell) for cell in row[len(table.by) :]),
        ]
        for row in shown.iter_rows()
    ]
    figures = [words.or_else(f"crosstab.{name}", name) for name in columns[len(table.by) :]]
    print_table(title, [*table.by, *figures], rows, wide=words.language == "ja")


def _written(cell: Any) -> str:
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else f"{cell:,.0f}"


def _estimated(table: Any) -> Any:
    """Which rows of `counts` are of combinations of exact attributes that occur."""
    import numpy as np
    import polars as pl

    occurs = np.zeros([table.shape[place] for place in table.exact], dtype=bool)
    occurs[tuple(table.exact_cells.T)] = True
    sizes = [size if place in table.exact else 1 for place, size in enumerate(table.shape)]
    return pl.Series(np.broadcast_to(occurs.reshape(sizes), table.shape).ravel())


def _not_counted(table: Any) -> list[CrosstabSentence]:
    """What the fit does not count: `--out` and `--json` list these cells too."""
    from sudare.measure.crosstab.words import not_counted

    cells = math.prod(table.shape)
    empty = cells - table.fit.cells
    return [not_counted(cells, empty, [table.by[place] for place in table.exact])] if empty else []


def _errors(table: Any, truth: Any) -> dict[str, float]:
    return {name: table.total_variation(truth, figure=name) for name in ("estimate", "released")}


def _texts(table: Any) -> dict[str, list[str | None]]:
    return {
        name: [None if label is None else str(label) for label in labels]
        for name, labels in table.labels.items()
    }


def _rounded(table: Any) -> pl.DataFrame:
    """The cells with six decimals of their figures: an estimated number of people has no more to say."""
    import polars as pl

    frame: pl.DataFrame = table.cells
    figures = pl.selectors.float() - pl.selectors.by_name(table.by)
    return frame.with_columns(figures.round(_DECIMALS))


def _cells(table: Any) -> list[dict[str, Any]]:
    import polars as pl

    frame: pl.DataFrame = table.cells
    return frame.with_columns([frame[name].cast(pl.String) for name in table.by]).to_dicts()


def _pair(text: str) -> tuple[str, str] | None:
    """A name and what it is given, where a text says both."""
    name, equals, rest = text.partition("=")
    return (name.strip(), rest.strip()) if equals and name.strip() and rest.strip() else None


def _bins(text: str) -> tuple[str, Any]:
    pair = _pair(text)
    if pair is None:
        raise typer.BadParameter(ErrorSentence("cli.crosstab.bins", given=text))
    name, rule = pair
    way, colon, count = rule.partition(":")
    if colon and way in {"quantile", "uniform"}:
        if not count.isdigit():
            raise typer.BadParameter(ErrorSentence("cli.crosstab.bins_count", given=text, way=way))
        return name, (way, int(count))
    if rule.isdigit():
        return name, int(rule)
    return name, [edge.strip() for edge in rule.split(",")]


def _mechanism(text: str) -> tuple[str, str]:
    pair = _pair(text)
    if pair is None:
        raise typer.BadParameter(ErrorSentence("cli.crosstab.mechanism", given=text))
    return pair
