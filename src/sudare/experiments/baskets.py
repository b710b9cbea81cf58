"""Item suppression in click streams (undated paper on personalized rho-uncertainty, figures 3-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from sudare.anonymize.baskets.suppress import SuppressItems
from sudare.anonymize.protocol import Context
from sudare.assess.baskets.rho_uncertainty import RhoUncertainty
from sudare.experiments.baskets_data import DATASETS, load_bms, sampled, with_sensitive
from sudare.experiments.baskets_page import RULES, by_rule, checks, compared, figures
from sudare.experiments.result import Experiment
from sudare.measure.baskets import rule_distance, util1, util2
from sudare.progress import SILENT, Progress
from sudare.randomness import Randomness, repeatable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np

    from sudare.describe.baskets.baskets import Baskets

_SHARE = 0.4
_SAMPLE = 0.1
_RHO = 0.5
_KNOWN = 5


def baskets(
    data: Path | None = None,
    progress: Progress = SILENT,
    *,
    repetitions: int = 10,
    sampled_repetitions: int = 10,
    rhos: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    shares: Sequence[float] = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8),
    risks: Sequence[float] = (0.01, 0.05, 0.1),
) -> Experiment:
    """Figures 3-7: items lost, frequencies and rules changed, for fixed and personalized sensitive items."""
    short = {name: load_bms(data, name, short=True) for name in DATASETS}
    whole = {name: load_bms(data, name, short=False) for name in DATASETS}
    progress.start("baskets", len(DATASETS) * (2 * repetitions + sampled_repetitions))
    done = 0
    rho_rows: list[dict[str, Any]] = []
    share_rows: list[dict[str, Any]] = []
    risk_rows: list[dict[str, Any]] = []
    for place, name in enumerate(DATASETS):
        for repetition in range(repetitions):
            rho_rows += _by_rho(name, short[name], repetition, rhos, repeatable(place, 0, repetition))
            done += 1
            progress.update(done)
            share_rows += _by_share(name, short[name], repetition, shares, repeatable(place, 1, repetition))
            done += 1
            progress.update(done)
        for repetition in range(sampled_repetitions):
            risk_rows += _by_risk(name, whole[name], repetition, risks, repeatable(place, 2, repetition))
            done += 1
            progress.update(done)
    by_rho = _summary(rho_rows, ["dataset", "strategy", "kind", "rho"], ["util1", "util2"])
    by_share = _summary(share_rows, ["dataset", "kind", "share"], ["util1", "rule_distance"])
    by_risk = _summary(risk_rows, ["dataset", "kind", "rule", "eps"], ["util1", "dangerous"])
    return Experiment(
        name="baskets",
        title="Suppressing items of click streams: fixed and personalized sensitive items",
        paper="A paper on personalized rho-uncertainty of set-valued data (in Japanese), figures 3-7.",
        tables={"rho": by_rho, "eps": by_risk, "share": by_share},
        printed=by_rule(by_risk),
        figures=figures(by_rho, by_risk, by_share),
        checks=tuple(checks(by_rho, by_risk, by_share)),
        compared=tuple(compared(by_rho, by_risk, by_share)),
        notes=(_note(repetitions, sampled_repetitions),),
    )


def _note(repetitions: int, sampled_repetitions: int) -> str:
    return (
        f"10 % samples, {repetitions} repetitions (figure 5: {sampled_repetitions}), mean and standard deviation. Figures 3, 4, 6 "
        "and 7 on baskets of at most 5 items, figure 5 on all (m = 5). 40 % sensitive items and rho = 0.5 unless varied. The "
        "strategy is the paper's; figures 3 and 4 also show Sudare's default. Figure 5 has both rules of sampling on the same "
        "samples and sensitive items. The paper's: ceil(log(1 / delta) / (2 eps^2)) adversaries of each length in every round, until "
        "none of a round is in danger. Ours (exact): ceil(log(delta_r) / log(1 - eps)) in round r, delta_r = delta / (r (r + 1)), and "
        "rounds of 5,000 adversaries that only repair in between. Each release is then checked with adversaries of its own, at least "
        "2,000 of each length: the share in danger is the upper end of its interval at confidence 1 - delta."
    )


def _by_rho(
    name: str, baskets: Baskets, repetition: int, rhos: Sequence[float], random: np.random.Generator
) -> Iterator[dict[str, Any]]:
    sample = sampled(baskets, _SAMPLE, random)
    for kind in ("fixed", "personalized"):
        described = with_sensitive(sample, kind, _SHARE, random)
        for rho in rhos:
            for strategy in ("paper", "default"):
                released = _suppressed(described, RhoUncertainty(rho), strategy, repetition)
                yield {
                    "dataset": name, "strategy": strategy, "kind": kind, "rho": rho, "repetition": repetition,
                    "util1": util1(described, released), "util2": util2(described, released),
                }  # fmt: skip


def _by_share(
    name: str, baskets: Baskets, repetition: int, shares: Sequence[float], random: np.random.Generator
) -> Iterator[dict[str, Any]]:
    sample = sampled(baskets, _SAMPLE, random)
    for share in shares:
        for kind in ("fixed+", "personalized+"):
            described = with_sensitive(sample, kind, share, random)
            released = _suppressed(described, RhoUncertainty(_RHO), "paper", repetition)
            yield {
                "dataset": name, "kind": kind, "share": share, "repetition": repetition,
                "util1": util1(described, released), "rule_distance": rule_distance(described, released),
            }  # fmt: skip


def _by_risk(
    name: str, baskets: Baskets, repetition: int, risks: Sequence[float], random: np.random.Generator
) -> Iterator[dict[str, Any]]:
    sample = sampled(baskets, _SAMPLE, random)
    for kind in ("fixed", "personalized"):
        described = with_sensitive(sample, kind, _SHARE, random)
        for eps in risks:
            for rule in RULES:
                asked = RhoUncertainty(_RHO, m=_KNOWN, eps=eps, delta=eps, rule=rule)
                released = _suppressed(described, asked, "paper", repetition)
                verdict = asked.check(released, described, random=Randomness(repetition + 1))
                yield {
                    "dataset": name, "kind": kind, "rule": rule, "eps": eps, "repetition": repetition,
                    "util1": util1(described, released), "dangerous": verdict.reached,
                }  # fmt: skip


def _suppressed(baskets: Baskets, asked: RhoUncertainty, strategy: Any, seed: int) -> Baskets:
    return SuppressItems(strategy).apply(baskets, Context((asked,), Randomness(seed))).baskets


def _summary(rows: list[dict[str, Any]], by: list[str], values: list[str]) -> pl.DataFrame:
    return (
        pl.DataFrame(rows)
        .group_by(by, maintain_order=True)
        .agg(
            *(pl.col(value).mean() for value in values),
            *(pl.col(value).std().alias(f"{value}_sd") for value in values),
        )
    )
