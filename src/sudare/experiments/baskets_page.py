"""The page of the experiment `baskets`: figures 3-7, and the orderings that the paper suggests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from sudare.experiments.result import Check, Compared, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

RULES: tuple[Literal["paper", "exact"], ...] = ("paper", "exact")
"""How many adversaries are drawn: as published, or no more than are needed."""
_LETTERS = {"BMS-WebView-1": "a", "BMS-WebView-2": "b"}
_ACROSS = {
    "rho": "rho",
    "eps": "eps = delta of the samples",
    "share": "the share of items that are sensitive",
}
_DEFAULT = "Sudare's default below the paper's strategy"
_BY_RHO = f"personalized above fixed, and {_DEFAULT}"
_BY_SHARE = "personalized+ below fixed+, most where few items are sensitive"


def figures(by_rho: pl.DataFrame, by_risk: pl.DataFrame, by_share: pl.DataFrame) -> dict[str, Figure]:
    """Altair charts: mean and one standard deviation on either side."""
    found: dict[str, Figure] = {}
    by_rho = by_rho.with_columns((pl.col("kind") + ", " + pl.col("strategy")).alias("kind"))
    by_risk = by_risk.with_columns((pl.col("kind") + ", " + pl.col("rule") + " rule").alias("kind"))
    for dataset, letter in _LETTERS.items():
        for number, table, across, value, title, look in (
            (3, by_rho, "rho", "util1", "share of items suppressed", _BY_RHO),
            (4, by_rho, "rho", "util2", "KL divergence of frequencies", _DEFAULT),
            (
                5,
                by_risk,
                "eps",
                "util1",
                "share of items suppressed",
                "how little less is lost with a larger eps = delta, and how close the two rules of sampling are",
            ),
            (6, by_share, "share", "util1", "share of items suppressed", _BY_SHARE),
            (7, by_share, "share", "rule_distance", "distance of the rules", _BY_SHARE),
        ):
            shown = table.filter(pl.col("dataset") == dataset)
            found[f"figure-{number}{letter}"] = Figure(
                _chart(shown, across, value, title, f"Figure {number}{letter}: {dataset}"),
                f"Figure {number}{letter}, {dataset}: {title} by {_ACROSS[across]}, mean and one standard deviation to either "
                f"side; look for {look}.",
            )
    return found


def _chart(shown: pl.DataFrame, across: str, value: str, title: str, name: str) -> Any:
    import altair as alt

    spread = shown.with_columns(
        (pl.col(value) - pl.col(f"{value}_sd").fill_null(0)).alias("low"),
        (pl.col(value) + pl.col(f"{value}_sd").fill_null(0)).alias("high"),
    )
    base = alt.Chart(spread, title=name).encode(
        x=alt.X(f"{across}:Q", title=_ACROSS[across]), color=alt.Color("kind:N", title=None)
    )
    lines = base.mark_line(point=True).encode(y=alt.Y(f"{value}:Q", title=title))
    bars = base.mark_rule().encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    return (lines + bars).properties(width=360, height=240)


def by_rule(by_risk: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Figure 5 as a table: both rules of sampling next to each other."""
    rows = []
    for dataset in _LETTERS:
        own = by_risk.filter(pl.col("dataset") == dataset).sort("kind", "eps")
        for (kind, eps), lines in own.group_by(["kind", "eps"], maintain_order=True):
            found = {line["rule"]: line for line in lines.iter_rows(named=True)}
            row = {"data": f"{dataset.removeprefix('BMS-')}, {kind}", "eps = delta": f"{eps:g}"}
            row |= {f"lost, {rule}": f"{found[rule]['util1']:.3f}" for rule in RULES}
            row |= {f"in danger, {rule}": f"{found[rule]['dangerous']:.3f}" for rule in RULES}
            rows.append(row)
    return {"Figure 5 by the paper's rule of sampling and by the exact one": pl.DataFrame(rows)}


def checks(by_rho: pl.DataFrame, by_risk: pl.DataFrame, by_share: pl.DataFrame) -> Iterator[Check]:
    """The paper's findings, and what the default strategy promises."""
    for dataset in _LETTERS:
        rho = by_rho.filter(pl.col("dataset") == dataset)
        paper = rho.filter(pl.col("strategy") == "paper")
        wide = paper.pivot("kind", index="rho", values="util1")
        more = int((wide["personalized"] > wide["fixed"]).sum())
        yield Check(
            f"{dataset}: personalized loses more items than fixed for {more} of {wide.height} values of rho (figure 3).",
            more == wide.height,
        )
        # The paper says 70-90 % survive in most cases; its smallest rho are the exceptions.
        kept = 1 - paper.filter(pl.col("kind") == "personalized")["util1"].to_numpy()
        most = int((kept >= 0.7).sum())
        yield Check(
            f"{dataset}: of the items {kept.min():.0%} to {kept.max():.0%} survive, at least 70 % for {most} of {len(kept)} values of rho (expected: for most).",
            2 * most > len(kept),
        )
        for measure in ("util1", "util2"):
            beside = rho.pivot("strategy", index=["kind", "rho"], values=measure)
            wins = int((beside["default"] < beside["paper"]).sum())
            yield Check(
                f"{dataset}: the default has the smaller {measure} in {wins} of {beside.height} settings (it also runs the paper's "
                "strategy with the same seed, and keeps a result that is no worse).",
                wins == beside.height,
                by_construction=True,
            )
        risk = by_risk.filter(pl.col("dataset") == dataset).sort("eps")
        for (kind, rule), line in risk.group_by(["kind", "rule"], maintain_order=True):
            falls = bool((line["util1"].diff().drop_nulls() < 0).all())
            shown = ", ".join(f"{value:.3f}" for value in line["util1"])
            yield Check(
                f"{dataset}, {kind}, {rule} rule: a larger eps = delta suppresses less ({shown}; figure 5).",
                falls,
            )
        for rule in RULES:
            own = risk.filter(pl.col("rule") == rule)
            below = int((own["dangerous"] < own["eps"]).sum())
            yield Check(
                f"{dataset}, {rule} rule: checked with other adversaries, on average a share below eps is in danger in {below} of "
                f"{own.height} settings (figure 5).",
                below == own.height,
            )
        share = by_share.filter(pl.col("dataset") == dataset).sort("share")
        beside = share.pivot("kind", index="share", values="util1")
        gap = beside["fixed+"] - beside["personalized+"]
        yield Check(
            f"{dataset}: personalized+ loses less than fixed+ for {int((gap > 0).sum())} of {len(gap)} shares, by {gap[0]:.3f} at the "
            f"smallest and {gap[-1]:.3f} at the largest (figure 6).",
            bool((gap > 0).all()) and int(gap.arg_max() or 0) == 0,
        )
        mined = share.pivot("kind", index="share", values="rule_distance")
        off = mined["fixed+"].to_numpy()
        yield Check(
            f"{dataset}: the rules of fixed+ are {_between(off)} off (paper: 0.8 and more), "
            f"those of personalized+ {mined['personalized+'][0]:.2f} at the smallest share (figure 7).",
            bool((mined["fixed+"] >= 0.7).all()) and bool((mined["personalized+"] < mined["fixed+"]).all()),
        )


_STRATEGIES = {"paper": "by the paper's strategy", "default": "by Sudare's default"}
_GRAPHS = "The paper prints graphs without numbers; compared is what its text says of them."


def compared(by_rho: pl.DataFrame, by_risk: pl.DataFrame, by_share: pl.DataFrame) -> Iterator[Compared]:
    """The statements of the paper's section 5 next to our results."""
    for dataset in _LETTERS:
        own = by_rho.filter((pl.col("dataset") == dataset) & (pl.col("kind") == "personalized"))
        kept = {
            name: 1 - line["util1"].to_numpy()
            for (name,), line in own.group_by("strategy", maintain_order=True)
        }
        yield Compared(
            f"{dataset}: items that survive (figure 3)",
            "70 to 90 % in most cases",
            ", ".join(
                f"{_STRATEGIES[name]}: {left.min():.0%} to {left.max():.0%}" for name, left in kept.items()
            ),
            f"{_GRAPHS} The least survive at the smallest rho, which the paper counts among the exceptions.",
        )
        risk = by_risk.filter((pl.col("dataset") == dataset) & (pl.col("kind") == "personalized")).sort("eps")
        rules = dict.fromkeys(risk["rule"])
        yield Compared(
            f"{dataset}: items suppressed at eps = delta = {', '.join(f'{eps:g}' for eps in risk['eps'].unique().sort())} (figure 5)",
            "more than with baskets of at most 5 items",
            "; ".join(
                f"{rule} rule: "
                + ", ".join(f"{lost:.1%}" for lost in risk.filter(pl.col("rule") == rule)["util1"])
                for rule in rules
            )
            + " (personalized, baskets of any length)",
            f"{_GRAPHS} The paper's rule draws up to fifty times more adversaries than its proof needs, and repairs for all of "
            "them; it passes as soon as one round finds nobody, so a lucky round counts as proof. The exact rule spreads delta over "
            "the rounds.",
        )
        mined = (
            by_share.filter(pl.col("dataset") == dataset)
            .sort("share")
            .pivot("kind", index="share", values="rule_distance")
        )
        off = mined["fixed+"].to_numpy()
        yield Compared(
            f"{dataset}: distance of the rules, fixed+ (figure 7)",
            "about 0.8 and more",
            _between(off),
            "Which of rules with equal support are among the first hundred is left open by the paper; samples are drawn anew.",
        )


def _between(values: npt.NDArray[np.float64]) -> str:
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return f"{low} throughout" if low == high else f"{low} to {high}"
