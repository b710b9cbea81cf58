"""The study of a table for readers, part by part, in their language."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sudare.display import UNKNOWN, Block, Grid, Line, Marked, at_least, share
from sudare.words.sentence import enumerated, in_language, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudare.assess.noise import NoiseStudy, NoiseWay
    from sudare.assess.risk import Risk
    from sudare.assess.study import Study
    from sudare.words.sentence import Language, Texts


def study_blocks(study: Study, language: Language) -> Iterator[Block]:
    """Verdicts and risk of the table as it is, bounds, noise, notes, advice and compromises."""
    words, shown = texts(language), study.in_language(language)
    heads = [words("page.figure"), words("page.value")]
    for warning in shown.warnings:
        yield Line(words("page.warning", warning=warning))
    yield Line(words("page.as_it_is"))
    yield Marked([(verdict.holds, verdict.explanation) for verdict in shown.verdicts])
    yield Grid(words("page.risk.title"), heads, _risk_rows(study.risk, words))
    if bounds := _bound_rows(study, words):
        yield Grid(words("page.bounds.title"), heads, bounds)
    if shown.noise is not None:
        yield from _noise(shown.noise, words)
    for note in shown.notes:
        yield Line(note)
    if study.suited and study.ratio is not None and not study.costly and not study.protects_nothing:
        yield Line(words("page.suited"))
    if study.feasible and not study.protects_nothing:
        yield Line(words(_possible(study.noise)))
    said = {compromise.sentence for compromise in study.compromises}
    if study.noise is not None and study.noise.asked.feasible:
        said.add(next(iter(study.noise.sentences())))  # the table says it
    for sentence in study.advice:
        if sentence not in said:
            yield Line(in_language(sentence, language))
    if study.compromises:
        columns = ("what", "bound", "distortion", "given_away", "best_guess")
        yield Grid(
            words("page.compromises.title", objective=study.objective),
            ["", *(words(f"page.compromises.{column}") for column in columns)],
            _compromise_rows(shown),
        )


def _possible(noise: NoiseStudy | None) -> str:
    """The key of the sentence about a table that can be released."""
    if noise is None:
        return "page.possible"
    return "page.possible_noise_once" if noise.unranged or noise.gaps else "page.possible_noise"


def _noise(noise: NoiseStudy, words: Texts) -> Iterator[Block]:
    """The noise each column needs, and what is left if one of them stays exact."""
    if noise.asked.columns:
        exact = enumerated(noise.asked.exact).into(words.language)
        title = "page.noise.title_exact" if noise.asked.exact else "page.noise.title"
        yield Grid(
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
        )
    if noise.asked.feasible and noise.if_exact:
        heads = ("column", "smallest", "possible", "rate_left", "epsilon")
        yield Grid(
            words("page.noise.exact_title"),
            [words(f"page.noise.{head}") for head in heads],
            [_exact_row(way, noise.k, words) for way in noise.if_exact],
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
            words("page.bounds.reached", objective=result.objective),
            None if result.reached is None else f"{result.reached:.4f}",
        ),
        (
            words("page.bounds.ratio", threshold=result.threshold),
            None if ratio is None else f"{ratio:.2f}" if math.isfinite(ratio) else unlimited,
        ),
    ]
    return [(name, value) for name, value in rows if value is not None]


def _compromise_rows(result: Study) -> list[tuple[str, ...]]:
    """One line each: description, bound, loss of a quick run, and the worst figures of the columns to protect."""
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
    """The sensitive columns that the requirements name; empty if they mean all of them."""
    asked = [
        requirement.sensitive
        for one in result.compromises
        for requirement in one.requirements
        if hasattr(requirement, "sensitive")
    ]
    return set() if None in asked else {name for names in asked for name in names}


def _count(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"
