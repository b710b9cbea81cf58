"""Evaluate the release of a table: losses, risk and bounds, with progress, before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.measure.catalogue import chosen_measures, measure
from sudare.measure.generalization import column_losses
from sudare.progress import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.measure.pair import Pair
    from sudare.progress import Progress
    from sudare.release.table.release import Release


def measured(
    pair: Pair, names: Sequence[str] | None, progress: Progress
) -> tuple[dict[str, float], dict[str, float]]:
    """The losses that were asked for, and the loss of each quasi-identifier."""
    chosen = chosen_measures(names)
    progress.start("measure", len(chosen) + 1)
    losses: dict[str, float] = {}
    for done, name in enumerate(chosen):
        progress.update(done)
        losses |= measure(pair.before, pair, [name])
    progress.update(len(chosen))
    return losses, column_losses(pair.before, pair)


def evaluate(release: Release, progress: Progress) -> None:
    """Compute risk before and after and the lower bounds; the release keeps them, and the manifest only writes them down."""
    plan = Plan(progress, {"risk before": 1, "risk after": 1, "bounds": 4})
    with plan.phase("risk before", shown="risk"):
        _ = release.risk_before
    with plan.phase("risk after", shown="risk"):
        _ = release.risk_after
    with plan.phase("bounds") as step:
        release.bound(step)
