"""Several releases side by side: risk against loss, and which of them no other beats on both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sudare.errors import ParameterError, did_you_mean


@dataclass(frozen=True, eq=False)
class Comparison:
    """Risk and loss of each release; `frame` has the columns release, risk, loss, best."""

    frame: pl.DataFrame
    risk: str
    """The risk figure on the vertical axis."""
    loss: str
    """The measure on the horizontal axis."""

    def chart(self) -> Any:
        """Risk-utility plot (Altair): points, and a line through the Pareto front."""
        import altair as alt

        base = alt.Chart(self.frame).encode(
            x=alt.X("loss:Q", title=self.loss), y=alt.Y("risk:Q", title=self.risk.replace("_", " "))
        )
        front = base.transform_filter("datum.best").mark_line(color="#1f6feb", strokeDash=[4, 3])
        points = base.mark_circle(size=80).encode(
            color=alt.Color(
                "best:N",
                title="not beaten",
                scale=alt.Scale(domain=[False, True], range=["#9aa0a6", "#1f6feb"]),
            ),
            tooltip=["release:N", "risk:Q", "loss:Q"],
        )
        names = base.mark_text(dy=-10, fontSize=11).encode(text="release:N")
        return (front + points + names).properties(width=480, height=320)


def compare(releases: Mapping[str, Any], *, risk: str = "prosecutor_mean", loss: str = "loss") -> Comparison:
    """Compare releases by one risk figure and one measure.

    `releases` maps a name to a Release, or to a mapping with `risk` and `losses` (as in a manifest). A release is
    best when no other has at most its risk and at most its loss, and less of one of them (Pareto front).
    """
    if not releases:
        raise ParameterError("There is nothing to compare; give at least one release.")
    rows = [
        {"release": name, "risk": _risk(one, risk), "loss": _loss(one, loss)}
        for name, one in releases.items()
    ]
    for row in rows:
        row["best"] = not any(_beats(other, row) for other in rows)
    frame = pl.DataFrame(rows).sort(["loss", "risk", "release"])
    return Comparison(frame, risk, loss)


def _beats(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    better = one["risk"] < other["risk"] or one["loss"] < other["loss"]
    return bool(better and one["risk"] <= other["risk"] and one["loss"] <= other["loss"])


def _risk(release: Any, name: str) -> float:
    figures = release.get("risk", {}) if isinstance(release, Mapping) else release.risk_after.to_dict()
    numbers = {key: value for key, value in figures.items() if isinstance(value, (int, float))}
    return _chosen(numbers, name, "risk figure")


def _loss(release: Any, name: str) -> float:
    figures = release.get("losses", {}) if isinstance(release, Mapping) else release.losses
    return _chosen(figures, name, "measured loss")


def _chosen(figures: Mapping[str, Any], name: str, what: str) -> float:
    if name not in figures:
        raise ParameterError(f"'{name}' is not a {what} of the release; {did_you_mean(name, figures)}")
    return float(figures[name])
