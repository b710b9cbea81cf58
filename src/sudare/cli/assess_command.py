"""`sudare assess`: risk, possibility and suitability before anything is changed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import Json, Require

if TYPE_CHECKING:
    from sudare.assess.noise import NoiseStudy
    from sudare.assess.risk import Risk
    from sudare.assess.study import Study
    from sudare.describe.table import Table
    from sudare.release.recipe import Recipe


def command(
    recipe: Annotated[Path, typer.Argument(help="Recipe file; `sudare describe` makes one.")],
    require: Require = None,
    objective: Annotated[str, typer.Option(help="Loss that is bounded: dis, loss or ncp.")] = "dis",
    threshold: Annotated[
        float, typer.Option(help="Ratio to k-anonymity above which the table is poorly suited.")
    ] = 2.0,
    compromises: Annotated[
        bool, typer.Option(help="Compute what could be asked instead where the table is not suited.")
    ] = True,
    json: Json = False,
) -> int:
    """Say how risky a table is and whether the requirements are possible, at what price.

    Exit code 0: some release can comply. 1: none can; the reasons are given.

    Examples:

      sudare assess patients.recipe.yaml

      sudare assess patients.recipe.yaml --require "l-diversity l=3 kind=entropy"
    """
    from sudare.cli.show import print_json, print_table, print_verdicts, progress_bar, say
    from sudare.release.advise import advise
    from sudare.release.recipe import Recipe

    asked = Recipe.load(recipe).replaced(requirements=require)
    options: dict[str, Any] = {"objective": objective, "threshold": threshold, "compromises": compromises}
    with progress_bar(quiet=json) as progress:
        table = asked.describe(asked.source.read())
        result = advise(
            table, asked.requirements, progress=progress, **options, **_noise_options(asked, table)
        )
    if json:
        print_json(result.to_dict())
        return 0 if result.feasible else 1
    say("The table as it is:")
    print_verdicts((verdict.holds, verdict.explanation) for verdict in result.verdicts)
    print_table("Risk of publishing it unchanged", ["figure", "value"], _risk_rows(result.risk))
    if bounds := _bound_rows(result):
        print_table("What any release must accept", ["figure", "value"], bounds)
    if result.noise is not None:
        _show_noise(result.noise)
    for note in result.notes:
        say(note)
    if result.suited and result.ratio is not None:
        say("The table is suited: diversity need not cost much more than k-anonymity does.")
    if result.feasible:
        say(
            "The requirements are possible without leaving out a row."
            if result.noise is None
            else "The requirements are possible: the method 'randomization' finds this noise by itself."
        )
    said = {compromise.sentence for compromise in result.compromises}
    if result.noise is not None and result.noise.asked.feasible:
        said.add(next(iter(result.noise.sentences())))  # the table says it
    for sentence in result.advice:
        if sentence not in said:
            say(sentence)
    if result.compromises:
        headers = ["", "what", "at least", "quick run", "given away", "best guess"]
        print_table(f"Compromises ({result.objective}, and the risk left)", headers, _compromise_rows(result))
    return 0 if result.feasible else 1


def _noise_options(asked: Recipe, table: Table) -> dict[str, Any]:
    """What the recipe's randomization leaves exact, and its weights."""
    from sudare.anonymize.randomize.method import Randomize

    method = next((one for one in asked.method if isinstance(one, Randomize)), None)
    if method is None:
        return {}
    names = method.columns or table.names("quasi", "sensitive")
    exact = [name for name in table.names("quasi", "sensitive") if name in method.exact or name not in names]
    return {"exact": exact, "weights": method.weights}


def _show_noise(noise: NoiseStudy) -> None:
    """What each column needs, and what is left when one of them stays exact."""
    from sudare.cli.show import print_table

    if noise.asked.columns:
        among = f" ({', '.join(noise.asked.exact)} exact)" if noise.asked.exact else ""
        print_table(
            f"Noise that k = {noise.k:g} needs among {noise.asked.records:,} records{among}",
            ["column", "noise", "strength", "rate", "local epsilon"],
            [
                (one.column, one.mechanism, one.strength, f"{one.rate:.4g}", f"{one.epsilon:.3g}")
                for one in noise.asked.columns
            ],
        )
    if noise.asked.feasible and noise.if_exact:
        print_table(
            "If one more column must stay exact",
            ["column", "smallest group", "possible", "rate left for the others", "local epsilon"],
            [
                (
                    way.exact[-1],
                    f"{way.records:,}",
                    "yes" if way.feasible else f"no: below {noise.k:g}",
                    "–" if way.rate is None else f"{way.rate:.4g}" if way.columns else "nothing to randomize",
                    "–" if way.epsilon is None else f"{way.epsilon:.3g}",
                )
                for way in noise.if_exact
            ],
        )


def _risk_rows(risk: Risk) -> list[tuple[str, str]]:
    rows = [
        ("rows", f"{risk.rows:,}"),
        ("blocks", f"{risk.blocks:,}"),
        ("unique rows", f"{risk.unique_rows:,} ({risk.unique_share:.1%})"),
        ("risk of being found, largest", f"{risk.prosecutor_largest:.1%}"),
        ("risk of being found, mean", f"{risk.prosecutor_mean:.1%}"),
        (f"rows whose risk is above {risk.threshold:.0%}", f"{risk.rows_above_threshold:.1%}"),
        ("risk for someone in the population, largest", f"{risk.journalist_largest:.1%}"),
        ("share found by linking all rows", f"{risk.marketer:.1%}"),
    ]
    for guess in risk.guesses:
        rows += [
            (f"best guess of {guess.column}, mean", f"{guess.guess_mean:.1%}"),
            (f"rows that give {guess.column} away", f"{guess.homogeneous_share:.1%}"),
            (
                f"best guess of {guess.column} with {guess.background} value ruled out",
                f"{guess.background_mean:.1%}",
            ),
        ]
    return rows


def _bound_rows(result: Study) -> list[tuple[str, str]]:
    bound, loss = result.lower_bound, result.objective
    ratio = result.ratio
    rows = [
        (f"least loss ({loss})", None if bound is None else f"{bound.value:.4f}"),
        ("most blocks", _count(result.max_blocks)),
        ("rows in the largest block, at least", _count(result.min_largest_block)),
        ("k of a fair comparison", _count(result.fair_k)),
        (
            f"loss of that k-anonymity ({loss})",
            None if result.upper_bound is None else f"{result.upper_bound:.4f}",
        ),
        (
            f"ratio (above {result.threshold:g}: poorly suited)",
            None if ratio is None else f"{ratio:.2f}" if math.isfinite(ratio) else "no limit",
        ),
    ]
    return [(name, value) for name, value in rows if value is not None]


def _compromise_rows(result: Study) -> list[tuple[str, ...]]:
    """One line each: what, bound, loss of a quick run, and the worst sensitive column's figures."""
    rows: list[tuple[str, ...]] = []
    for number, one in enumerate(result.compromises, start=1):
        guesses = one.risk.guesses
        rows.append(
            (
                str(number),
                one.sentence.partition(" Loses at least")[0],
                f"{one.bound.value:.4f}",
                f"{one.distortion:.4f}",
                f"{max((guess.homogeneous_share for guess in guesses), default=0.0):.1%}",
                f"{max((guess.guess_mean for guess in guesses), default=0.0):.1%}",
            )
        )
    return rows


def _count(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"
