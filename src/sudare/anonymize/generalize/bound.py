"""A lower bound on the loss of any generalization to groups of k: the dual bound of `prices`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.anonymize.generalize.leftover import attach
from sudare.anonymize.generalize.prices import MOST_VISITS, can_price, least_loss
from sudare.anonymize.generalize.records import covers_of
from sudare.anonymize.generalize.start import cheapest_scheme_first, ladders_of, member_groups, schemes_of
from sudare.anonymize.grouping.recode import Axis, TreeAxis, axes_of
from sudare.anonymize.note import Note
from sudare.assess.bounds import Bound
from sudare.kernels.core.rules import no_rules
from sudare.progress import SILENT

if TYPE_CHECKING:
    from sudare.describe.hierarchy.tree import Objective
    from sudare.describe.table import Table
    from sudare.progress import Progress


def _has_one_meaning(axis: Axis) -> bool:
    return isinstance(axis, TreeAxis) and len(set(axis.tree.labels)) == axis.tree.nodes


def price_bound(
    table: Table,
    k: int,
    objective: Objective = "loss",
    *,
    most_visits: float = MOST_VISITS,
    progress: Progress = SILENT,
) -> Bound | None:
    """A lower bound on the loss of any local recoding with groups of at least k, by Lagrangian relaxation.

    Far higher than the bound from the k - 1 nearest rows, and more expensive: boxes are searched about eight times.
    None if a quasi-identifier has no hierarchy (free intervals may lose less than any box) or one with a repeated label
    (measures read the lower), if a search would look at rows more than `most_visits` times, or if there are fewer rows
    than k.
    """
    axes = axes_of(table)
    if not axes or table.rows < max(k, 2) or not all(map(_has_one_meaning, axes)):
        return None
    weights = [1.0] * len(axes)
    model = covers_of(axes, weights, objective, "hierarchy")
    ladders = ladders_of(axes, model, weights, objective)
    if not can_price(ladders, table.rows, k):
        return None
    schemes = schemes_of(ladders)
    if schemes is None:
        labels = member_groups(model, k, progress)
    else:
        labels, _ = cheapest_scheme_first(model, ladders, schemes, k, no_rules(), progress)
        labels = attach(model, labels, k, no_rules(), progress)
    value = least_loss(model, ladders, labels, k, progress, most_visits)
    return None if value is None else Bound(value, False, Note("bound.prices", k=k))
