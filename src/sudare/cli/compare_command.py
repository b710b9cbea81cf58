"""`sudare compare`: several releases on one plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.options import Json, Language, Overwrite, check_language, refuse_existing

if TYPE_CHECKING:
    from sudare.measure.compare import Comparison
    from sudare.words.sentence import Language as TextLanguage
    from sudare.words.sentence import Texts


def command(
    folders: Annotated[list[Path], typer.Argument()],
    risk: Annotated[str | None, typer.Option()] = None,
    loss: Annotated[str | None, typer.Option()] = None,
    plot: Annotated[Path | None, typer.Option()] = None,
    overwrite: Overwrite = False,
    lang: Language = "en",
    json: Json = False,
) -> int:
    """Put several releases on a risk-utility plot with its Pareto front."""
    from sudare.cli.show import print_json, print_table, say, say_place
    from sudare.display import UNKNOWN, figure
    from sudare.errors import one_line
    from sudare.measure.compare import ChartWords, compare, measure_title
    from sudare.release.plots import save_chart
    from sudare.release.reopen import figures_of
    from sudare.release.summary import words_in

    words = words_in(check_language(lang))
    refuse_existing(plot, overwrite=overwrite)
    same = len({folder.name for folder in folders}) < len(folders)
    named = {str(folder) if same else folder.name: figures_of(folder) for folder in folders}
    compared = compare(named, risk=risk, loss=loss)
    warnings = _warnings(compared, words)
    pick = compared.pick
    why = _why(compared, words)
    if plot is not None:
        said = ChartWords(
            words.or_else(f"compare.risk.{compared.risk}", _of_tables(compared.risk, words.language)),
            measure_title(compared.loss, words.language),
            words("compare.best"),
            words("compare.yes"),
            words("compare.no"),
        )
        save_chart(compared.chart(said), plot)
    if json:
        told = None if pick is None else {"release": pick.release, "reason": pick.reason}
        print_json({"releases": compared.releases.to_dicts(), "pick": told, "warnings": warnings})
        return 0
    wide = words.language == "ja"
    answers = {True: words("compare.yes"), False: ""}
    print_table(
        words("compare.title"),
        [words("compare.release"), compared.risk, compared.loss, words("compare.best")],
        [
            (
                row["release"],
                figure(row["risk"]),
                *((UNKNOWN, UNKNOWN) if row["loss"] is None else (figure(row["loss"]), answers[row["best"]])),
            )
            for row in compared.releases.to_dicts()
        ],
        wide=wide,
    )
    say(one_line(why), wide=wide)
    for warning in warnings:
        say(one_line(words("warning", warning=warning)), wide=wide)
    if plot is not None:
        say_place(words("place.plot"), plot)
    return 0


def _why(compared: Comparison, words: Texts) -> str:
    """Which release is recommended, and why; or why none is."""
    from sudare.display import figure

    named = {"risk": compared.risk, "loss": compared.loss}
    pick = compared.pick
    if pick is not None:
        return words(f"compare.pick.{pick.reason}", release=pick.release, count=pick.among, **named)
    if compared.several_tables:
        return words("compare.pick.none")
    if compared.not_applicable:
        return words("compare.pick.no_measure", loss=compared.loss)
    if (two := compared.opposites) is None:
        return words("compare.pick.alone")
    figures = {
        f"{key}_{place}": figure(one[key])
        for place, one in zip(("safer", "other"), two, strict=True)
        for key in ("risk", "loss")
    }
    releases = {"safer": two[0]["release"], "other": two[1]["release"]}
    return words("compare.pick.opposites", **named, **releases, **figures)


def _of_tables(risk: str, language: TextLanguage) -> str:
    """A risk in words, as the reports of tables have it."""
    from sudare.release.report.common import Texts

    return Texts(language).or_else(f"risk.{risk}.name", risk.replace("_", " "))


def _warnings(compared: Comparison, words: Texts) -> list[str]:
    """Why the figures of some releases, or of all, say less than they seem to."""
    from sudare.words.sentence import enumerated

    found = []
    if compared.not_applicable:
        releases = enumerated(compared.not_applicable).into(words.language)
        found.append(words("compare.not_applicable", measure=compared.loss, releases=releases))
    if compared.several_tables:
        found.append(words("compare.several_tables"))
    if compared.differing_risks:
        risks = enumerated(compared.differing_risks).into(words.language)
        found.append(words("compare.differing_risks", risks=risks))
    if compared.differing_quasi:
        columns = enumerated(compared.differing_quasi).into(words.language)
        found.append(words("compare.differing_quasi", columns=columns))
    return found
