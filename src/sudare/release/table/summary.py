"""The figures of a finished release of a table at a terminal: risk before and after, losses, bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sudare.display import Block, Grid, Line, figure, rounded_down, share
from sudare.measure.catalogue import MEASURES
from sudare.release.summary import losses_blocks, words_in
from sudare.words.sentence import enumerated, texts

if TYPE_CHECKING:
    from sudare.advise.advise import Suitability
    from sudare.assess.risk import Linking, Risk
    from sudare.release.table.release import Release
    from sudare.words.sentence import Language


def summary(release: Release, language: Language) -> list[Block]:
    """Risk, what hides people in noise, losses and the least there could be."""
    words, report = words_in(language), texts(language, "report")
    before, after = release.risk_before, release.risk_after
    heads = ["", report("page.before"), report("page.after")]
    blocks: list[Block] = [Grid(report("risk.title"), heads, _risk_rows(before, after, language))]
    if after.linking is not None:
        blocks += _linking(after.linking, language)
    blocks += losses_blocks(release.losses, MEASURES, language)
    for name, bound in release.lower_bounds.items():
        if name in release.losses:
            key, least = "loss.bound" if bound.exact else "loss.bound_weak", rounded_down(bound.value, 4)
            blocks.append(Line(words(key, measure=name, value=figure(release.losses[name]), bound=least)))
    if release.bound_is_missing:
        blocks.append(Line(words("loss.no_bound", rows=release.original.rows)))
    if release.suitability is not None and not release.suitability.suited:
        poor = suitability_sentence(release.suitability, language, release.original.rows)
        blocks.append(Line(words("warning", warning=words("loss.poorly_suited", poor=poor))))
    return blocks


def suitability_sentence(found: Suitability, language: Language, rows: int) -> str:
    """Ratio, bound and what it is compared with; and if the table has more rows, that they are of a sample."""
    from sudare.advise.advise import FEW_ROWS  # loaded with the figures that are told

    words = words_in(language)
    key = "loss.suitability" if math.isfinite(found.ratio) else "loss.suitability_unlimited"
    told = words(
        key,
        ratio=found.ratio,
        lower=rounded_down(found.lower_bound, 4),
        upper=found.upper_bound,
        k=found.fair_k,
        threshold=found.threshold,
    )
    return told + words("loss.sampled", rows=found.rows) if rows > found.rows >= FEW_ROWS else told


def _risk_rows(before: Risk, after: Risk, language: Language) -> list[tuple[str, str, str]]:
    """Figures of blocks, or bounds from k where blocks would be blocks of noise."""
    words, study = words_in(language), texts(language)
    rows = [(study("page.risk.rows"), f"{before.rows:,}", f"{after.rows:,}")]
    chances = ["prosecutor_largest"]
    if not after.blocks_are_noise:
        # Of noise only the bound 1/k is known, for everybody: beside a mean it would look like a rise.
        chances.append("prosecutor_mean")
        rows += [
            (study("page.risk.unique"), f"{before.unique_rows:,}", f"{after.unique_rows:,}"),
            (words("risk.smallest_block"), f"{before.smallest_block:,}", f"{after.smallest_block:,}"),
        ]
    for key in chances:
        rows.append((study(f"page.risk.{key}"), share(getattr(before, key)), share(getattr(after, key))))
    earlier = {guess.column: guess for guess in before.guesses}
    for other in after.guesses:
        one = earlier[other.column]
        rows += [
            (
                study("page.risk.homogeneous", column=one.column),
                share(one.homogeneous_share),
                share(other.homogeneous_share),
            ),
            (
                study("page.risk.guess_mean", column=one.column),
                share(one.guess_mean),
                share(other.guess_mean),
            ),
            (
                words("risk.background_mean", column=one.column, background=one.background),
                share(one.background_mean),
                share(other.background_mean),
            ),
        ]
    return rows


def _linking(linking: Linking, language: Language) -> list[Block]:
    """Where the bound 1/k comes from."""
    words, names = words_in(language), texts(language)
    figures = {
        "largest": linking.largest,
        "others": linking.records - 1,
        "rate": linking.rate,
        "k": linking.k,
        "records": linking.records,
        "epsilon": linking.epsilon,
    }
    exact = enumerated(linking.exact).into(language)
    rows = [
        (
            one.column,
            names.or_else(f"noise.mechanism.{one.mechanism}", one.mechanism),
            f"{one.rate:.4g}",
            f"{one.epsilon:.3g}",
        )
        for one in linking.columns
    ]
    heads = [words(f"linking.{head}") for head in ("column", "mechanism", "rate", "epsilon")]
    return [
        Line(words("linking.bound_among" if linking.exact else "linking.bound", exact=exact, **figures)),
        Grid(words("linking.title"), heads, rows),
    ]
