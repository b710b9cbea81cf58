"""Evaluate the release of a table: losses, risk and bounds, with progress, before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sudare.measure.catalogue import chosen_measures, in_turn, measure
from sudare.measure.losses import column_losses
from sudare.progress import Plan

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sudare.measure.pair import Pair
    from sudare.progress import Progress
    from sudare.release.table.release import Release


OF_GENERALIZATION = ("loss", "dis", "gcp", "ncp", "entropy_loss", "dm", "average_block", "cm")
"""Measures that see how coarse values and how large blocks are: noise is neither."""


class Measured(NamedTuple):
    """What was lost."""

    losses: dict[str, float]
    by_column: dict[str, float]
    not_applicable: tuple[str, ...]
    """Measures that were asked for and have nothing to say."""


def measured(pair: Pair, names: Sequence[str] | None, progress: Progress) -> Measured:
    """The losses that were asked for, as far as they apply, and the loss of each quasi-identifier."""
    chosen = chosen_measures(names)
    losses = in_turn(chosen, progress, lambda name: measure(pair.before, pair, [name]))
    if pair.rows is None:
        return Measured(losses, {}, tuple(name for name in chosen if name not in losses))
    by_column = column_losses(pair.before, pair)
    noisy = {column.name for column in pair.after.columns if column.role == "quasi" and column.mechanism}
    if not generalization_tells(noisy, by_column, pair.suppressed / max(pair.before.rows, 1)):
        losses = {name: value for name, value in losses.items() if name not in OF_GENERALIZATION}
    return Measured(losses, by_column, tuple(name for name in chosen if name not in losses))


def generalization_tells(noisy: Collection[str], column_losses: Mapping[str, float], left_out: float) -> bool:
    """Whether measures of generalized detail and blocks say something of a release.

    They do where no quasi-identifier is noise, or where another one is coarser than its rows left out make it.
    """
    return not noisy or any(
        value > left_out + 1e-9 for name, value in column_losses.items() if name not in noisy
    )


def evaluate(release: Release, progress: Progress) -> None:
    """Compute risk before and after and the lower bounds; the release keeps them, and the manifest only writes them down."""
    plan = Plan(progress, {"risk before": 1, "risk after": 1, "bounds": 4})
    with plan.phase("risk before", shown="risk"):
        _ = release.risk_before
    with plan.phase("risk after", shown="risk"):
        _ = release.risk_after
    with plan.phase("bounds") as step:
        release.bound(step)
