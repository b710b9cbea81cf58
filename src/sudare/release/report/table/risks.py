"""One row of the tables of risk: its name, what it means, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sudare.display import figure, share

if TYPE_CHECKING:
    from sudare.assess.risk import GuessRisk, Risk
    from sudare.release.report.texts import Texts


def risk_row(
    name: str,
    before: Risk | GuessRisk | None,
    after: Risk | GuessRisk,
    texts: Texts,
    *,
    words: str = "risk",
    **values: str,
) -> dict[str, Any]:
    """The figure `name` of both risks, with the texts below `words`; `values` are for its meaning."""
    for figure_name, written in (("threshold", share), ("background", figure)):
        if hasattr(after, figure_name):
            values[figure_name] = written(getattr(after, figure_name))
    old = None if before is None else float(getattr(before, name))
    new = float(getattr(after, name))
    return {
        "name": texts(f"{words}.{name}.name"),
        "meaning": texts(f"{words}.{name}.meaning", **values),
        "before": old,
        "after": new,
        "before_text": None if old is None else share(old),
        "after_text": share(new),
    }
