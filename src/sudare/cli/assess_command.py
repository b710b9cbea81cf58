"""`sudare assess`: risk, possibility and suitability before anything is changed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.options import Answer, Json, Require, check_language
from sudare.display import UNKNOWN, at_least, share

if TYPE_CHECKING:
    from sudare.assess.noise import NoiseStudy, NoiseWay
    from sudare.assess.risk import Risk
    from sudare.assess.study import Study
    from sudare.describe.table import Table
    from sudare.release.recipe.table import Recipe
    from sudare.words.texts import Language as TextLanguage
    from sudare.words.texts import Texts


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
    lang: Answer = "en",
    json: Json = False,
) -> int:
    """Say how risky a table is and whether the requirements are possible, at what price.

    Exit code 0: some release can comply. 1: none can; the reasons are given.

    Examples:

      sudare assess patients.recipe.yaml

      sudare assess patients.recipe.yaml --require "l-diversity l=3 kind=entropy"

      sudare assess patients.recipe.yaml --lang ja
    """
    language = check_language(lang)
    from sudare.advise.advise import advise
    from sudare.cli.show import print_json, progress_bar
    from sudare.errors import ParameterError
    from sudare.release.recipe.baskets import is_basket_recipe
    from sudare.release.recipe.table import Recipe

    if is_basket_recipe(recipe):
        raise ParameterError(
            f"'{recipe}' is a recipe of baskets, but assess studies tables; make the release with `sudare run`, which says "
            "whether the requirements hold and what was lost."
        )
    asked = Recipe.load(recipe).replaced(requirements=require)
    options: dict[str, Any] = {"objective": objective, "threshold": threshold, "compromises": compromises}
    with progress_bar(quiet=json, language=language) as progress:
        table = asked.read()
        result = advise(
            table, asked.requirements, progress=progress, **options, **_noise_options(asked, table)
        )
    if json:
        print_json(result.to_dict())
        return 0 if result.feasible else 1
    _show(result, language)
    return 0 if result.feasible else 1


def _show(result: Study, language: TextLanguage) -> None:
    """The study for people, in a language."""
    from sudare.cli.show import print_table, print_verdicts, say
    from sudare.words.sentence import in_language, texts

    words, shown, wide = texts(language), result.in_language(language), language == "ja"
    heads = [words("page.figure"), words("page.value")]
    say(words("page.as_it_is"))
    print_verdicts(((verdict.holds, verdict.explanation) for verdict in shown.verdicts), wide=wide)
    print_table(words("page.risk.title"), heads, _risk_rows(result.risk, words), wide=wide)
    if bounds := _bound_rows(result, words):
        print_table(words("page.bounds.title"), heads, bounds, wide=wide)
    if shown.noise is not None:
        _show_noise(shown.noise, words)
    for note in shown.notes:
        say(note, wide=wide)
    if result.suited and result.ratio is not None:
        say(words("page.suited"), wide=wide)
    if result.feasible:
        say(words("page.possible" if result.noise is None else "page.possible_noise"), wide=wide)
    said = {compromise.sentence for compromise in result.compromises}
    if result.noise is not None and result.noise.asked.feasible:
        said.add(next(iter(result.noise.sentences())))  # the table says it
    for sentence in result.advice:
        if sentence not in said:
            say(in_language(sentence, language), wide=wide)
    if result.compromises:
        columns = ("what", "bound", "distortion", "given_away", "best_guess")
        print_table(
            words("page.compromises.title", objective=result.objective),
            ["", *(words(f"page.compromises.{column}") for column in columns)],
            _compromise_rows(shown),
            wide=wide,
        )


def _noise_options(asked: Recipe, table: Table) -> dict[str, Any]:
    """What the recipe's randomization leaves exact, and its weights."""
    options = (one.noise_options(table) for one in asked.method if hasattr(one, "noise_options"))
    return next(options, {})


def _show_noise(noise: NoiseStudy, words: Texts) -> None:
    """What each column needs, and what is left when one of them stays exact."""
    from sudare.cli.show import print_table
    from sudare.words.sentence import enumerated

    if noise.asked.columns:
        exact = enumerated(noise.asked.exact).into(words.language)
        title = "page.noise.title_exact" if noise.asked.exact else "page.noise.title"
        print_table(
            words(title, k=noise.k, records=noise.asked.records, exact=exact),
            [words(f"page.noise.{head}") for head in ("column", "mechanism", "strength", "rate", "epsilon")],
            [
                (
                    one.column,
                    words(f"noise.mechanism.{one.mechanism}"),
                    one.strength,
                    f"{one.rate:.4g}",
                    f"{one.epsilon:.3g}",
                )
                for one in noise.asked.columns
            ],
            wide=words.language == "ja",
        )
    if noise.asked.feasible and noise.if_exact:
        heads = ("column", "smallest", "possible", "rate_left", "epsilon")
        print_table(
            words("page.noise.exact_title"),
            [words(f"page.noise.{head}") for head in heads],
            [_exact_row(way, noise.k, words) for way in noise.if_exact],
            wide=words.language == "ja",
        )


def _exact_row(way: NoiseWay, k: float, words: Texts) -> tuple[str, ...]:
    rate = UNKNOWN if way.rate is None else f"{way.rate:.4g}" if way.columns else words("page.noise.nothing")
    return (
        way.exact[-1],
        f"{way.records:,}",
        words("page.noise.yes") if way.feasible else words("page.noise.no", k=k),
        rate,
        UNKNOWN if way.epsilon is None else f"{way.epsilon:.3g}",
    )


def _risk_rows(risk: Risk, words: Texts) -> list[tuple[str, str]]:
    def name(key: str, **values: Any) -> str:
        return words(f"page.risk.{key}", **values)

    rows = [
        (name("rows"), f"{risk.rows:,}"),
        (name("blocks"), f"{risk.blocks:,}"),
        (name("unique"), name("unique_value", rows=risk.unique_rows, share=share(risk.unique_share))),
        (name("prosecutor_largest"), share(risk.prosecutor_largest)),
        (name("prosecutor_mean"), share(risk.prosecutor_mean)),
        (name("above", threshold=risk.threshold), share(risk.rows_above_threshold)),
        (name("journalist_largest"), share(risk.journalist_largest)),
        (name("marketer"), share(risk.marketer)),
    ]
    for guess in risk.guesses:
        rows += [
            (name("guess_mean", column=guess.column), share(guess.guess_mean)),
            (name("homogeneous", column=guess.column), share(guess.homogeneous_share)),
            (
                name("background_mean", column=guess.column, background=guess.background),
                share(guess.background_mean),
            ),
        ]
    return rows


def _bound_rows(result: Study, words: Texts) -> list[tuple[str, str]]:
    bound, upper, ratio = result.lower_bound, result.upper_bound, result.ratio
    unlimited = words("page.bounds.unlimited")
    rows = [
        (
            words("page.bounds.loss", objective=result.objective),
            None if bound is None else at_least(bound.value),
        ),
        (words("page.bounds.blocks"), _count(result.max_blocks)),
        (words("page.bounds.largest_block"), _count(result.min_largest_block)),
        (words("page.bounds.fair_k"), _count(result.fair_k)),
        (words("page.bounds.upper", objective=result.objective), None if upper is None else f"{upper:.4f}"),
        (
            words("page.bounds.ratio", threshold=result.threshold),
            None if ratio is None else f"{ratio:.2f}" if math.isfinite(ratio) else unlimited,
        ),
    ]
    return [(name, value) for name, value in rows if value is not None]


def _compromise_rows(result: Study) -> list[tuple[str, ...]]:
    """One line each: what, bound, loss of a quick run, and the worst figures of the columns that are to be protected."""
    named = _protected(result)
    rows: list[tuple[str, ...]] = []
    for number, one in enumerate(result.compromises, start=1):
        guesses = [guess for guess in one.risk.guesses if not named or guess.column in named]
        rows.append(
            (
                str(number),
                one.what,
                at_least(one.bound.value),
                f"{one.distortion:.4f}",
                share(max((guess.homogeneous_share for guess in guesses), default=0.0)),
                share(max((guess.guess_mean for guess in guesses), default=0.0)),
            )
        )
    return rows


def _protected(result: Study) -> set[str]:
    """Sensitive columns that the requirements name; none where all are meant."""
    asked = [
        requirement.sensitive
        for one in result.compromises
        for requirement in one.requirements
        if hasattr(requirement, "sensitive")
    ]
    return set() if None in asked else {name for names in asked for name in names}


def _count(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"
