"""Evaluate the release of a table: losses, risk and bounds, with progress, before anything is written.

Which losses may be published: a figure that compares the release with the original is an equation about what was removed.
Where one person's income is all that is missing, a change of the mean to three digits gives that income to a thousandth. So
only these are published:

- figures of the release alone and of how many rows were left out;
- where no row was left out, losses by generalization and their bounds, if the release shows the extents they depend on: the
  smallest and the largest value of every column without a hierarchy are ends of released ranges (counts of the leaves of a
  hierarchy tell of no magnitude);
- the squared error of microaggregation, in steps of 0.05, where no row was left out, at least half of the rows changed and
  no row has more than a tenth of it: then it is a sum over many people.

Of randomized data nothing but the share of rows left out: k and epsilon are computed from what is published.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from sudare.describe.text import axis_of, positions, range_ends
from sudare.measure.catalogue import base_name, chosen_measures, in_turn, measure
from sudare.measure.losses import column_errors, column_losses, replaces_values
from sudare.progress import Plan

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from sudare.measure.pair import Pair
    from sudare.progress import Progress
    from sudare.release.table.release import Release

OF_GENERALIZATION = ("loss", "dis", "gcp", "ncp", "entropy_loss", "dm", "average_block", "cm")
"""Measures that see how coarse values and how large blocks are: noise is neither."""


class Measured(NamedTuple):
    """What was lost."""

    losses: dict[str, float]
    by_column: dict[str, float]
    column_errors: dict[str, float]
    not_applicable: tuple[str, ...]
    """Measures that were asked for and have nothing to say."""


def measured(pair: Pair, names: Sequence[Any] | None, progress: Progress) -> Measured:
    """The losses that were asked for, as far as they apply, and the loss of each quasi-identifier."""
    chosen = chosen_measures(names)
    losses = in_turn(chosen, progress, lambda name: measure(pair.before, pair, [name]))
    if pair.rows is None:
        return Measured(losses, {}, {}, tuple(name for name in chosen if name not in losses))
    by_column = column_losses(pair.before, pair)
    noisy = {column.name for column in pair.after.columns if column.role == "quasi" and column.mechanism}
    errors = {name: value for name, value in column_errors(pair.before, pair).items() if name not in noisy}
    if not generalization_tells(noisy, by_column, pair.suppressed / max(pair.before.rows, 1)):
        losses = {name: value for name, value in losses.items() if base_name(name) not in OF_GENERALIZATION}
    if replaces_values(pair):
        by_column = {}  # not 0: nothing was measured
    return Measured(losses, by_column, errors, tuple(name for name in chosen if name not in losses))


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


OF_RELEASE = ("suppressed", "dm", "average_block", "cm")
OF_DOMAIN = ("loss", "dis", "gcp", "ncp")
_STEP = 0.05
_LARGEST = 0.1
"""Largest share of one person in a squared error that is published (the dominance rule of statistical offices)."""


def publishable(release: Release) -> tuple[str, ...]:
    """Names of the losses that the public part may contain, in the order of the release."""
    if any(column.mechanism is not None for column in release.table.columns):
        allowed: tuple[str, ...] = ("suppressed",)
    else:
        allowed = OF_RELEASE
        rows = release.rows_of_original
        # Domains and bounds would depend on people who are not in the release.
        if rows is not None and len(rows) == release.original.rows:
            allowed += OF_DOMAIN if _shows_extents(release) else ()
            allowed += ("sse_ratio",) if _changes_many(release, rows) else ()
    return tuple(name for name in release.losses if base_name(name) in allowed)


def public_figure(name: str, value: float) -> float | None:
    """A loss with as many digits as readers of the public part need; JSON has no infinity."""
    if not math.isfinite(value):
        return None
    return round(round(value / _STEP) * _STEP, 2) if name == "sse_ratio" else float(f"{value:.3g}")


def _shows_extents(release: Release) -> bool:
    """Whether ends of released ranges are the smallest and the largest original value of every column on an axis."""
    for name in release.original.names("quasi"):
        column = release.original.column(name)
        before = release.original.frame[name]
        on_axis = before.dtype.is_numeric() or before.dtype.is_temporal()
        # A column that is gone costs the same whatever it was.
        if column.hierarchy is not None or not on_axis or name not in release.table.frame.columns:
            continue
        after = release.table.frame[name]
        whole = axis_of(before.drop_nulls())
        low, high = range_ends(after) if after.dtype == pl.String else (after, after)
        ends = [
            positions(end.drop_nulls(), before.dtype) if end.dtype == pl.String else axis_of(end)
            for end in (low, high)
        ]
        if (
            len(whole)
            and len(ends[0].drop_nulls())
            and (ends[0].min(), ends[1].max()) != (whole.min(), whole.max())
        ):
            return False
    return True


def _changes_many(release: Release, rows: npt.NDArray[np.int64]) -> bool:
    """Whether the error of every number that was changed is spread over many rows."""
    errors = []
    for name in release.original.names("quasi"):
        before = release.original.frame[name]
        if name not in release.table.frame.columns or not before.dtype.is_numeric():
            continue
        after = release.table.frame[name]
        if not after.dtype.is_numeric():
            return False  # generalized: its loss has another measure
        change = (before[rows].cast(pl.Float64) - after.cast(pl.Float64)).fill_null(0.0).to_numpy()
        largest = np.abs(change).max(initial=0.0)
        if largest:
            errors.append((change / largest) ** 2)  # of the largest change: squares of 1e300 overflow
    return bool(errors) and all(
        2 * np.count_nonzero(error) >= len(error) and error.max() <= _LARGEST * error.sum()
        for error in errors
    )
