"""Generalize: local recoding with low loss under any requirement on blocks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudare.anonymize.generalize.groups import Pricing, Search, grouped, mended
from sudare.anonymize.generalize.leaving import total_cost
from sudare.anonymize.generalize.prices import FEW_SEARCHES, MORE_SEARCHES, MOST_VISITS, SEARCHES
from sudare.anonymize.generalize.records import Cells, covers_of, with_slots
from sudare.anonymize.grouping.recode import (
    allowed_rows,
    axes_of,
    block_rules,
    blocks_formed,
    by_size,
    column_weights,
    recode,
    smallest_group,
)
from sudare.anonymize.grouping.refine import Effort
from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, same_rows
from sudare.assess.requirement import compile_rules, require_feasible, whole_table_obstacles
from sudare.describe.hierarchy.tree import MEASURE_NAMES, Objective
from sudare.errors import ParameterError
from sudare.parameters import Annotated, Field, ShareOrRows, parameters

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.grouping.recode import Axis
    from sudare.assess.requirement import Rule
    from sudare.describe.table import Table

_SEARCHES = {
    "fast": Search(
        moves=0,
        rings=10,
        openings=0,
        attempts=0,
        most=0,
        prices=Pricing(
            FEW_SEARCHES,
            exchanges=0.15,
            fewest=100,
            region=80,
            heat=1.0,
            most_visits=3e8,
            few=5.0,
            descent=10_000,
        ),
    ),
    "default": Search(
        moves=600,
        rings=60,
        openings=2,
        attempts=0.3,
        most=12_000,
        prices=Pricing(SEARCHES, exchanges=0.7, fewest=1000, region=100, heat=1.0, most_visits=MOST_VISITS),
    ),
    "thorough": Search(
        moves=6000,
        rings=400,
        openings=6,
        attempts=5.0,
        most=200_000,
        prices=Pricing(
            MORE_SEARCHES,
            exchanges=8.0,
            fewest=10_000,
            region=120,
            heat=2.0,
            most_visits=MOST_VISITS,
            few=50.0,
        ),
    ),
}

BOUND_VISITS: dict[Effort, float] = {"fast": 3e7, "default": 1.5e8, "thorough": MOST_VISITS}
"""How many rows each search for the lower bound may look at."""


@parameters
class Generalize:
    """Form groups that comply and publish each quasi-identifier as the most specific value that covers its group.

    Groups are found in three steps. *Start*: cheapest scheme first, where a scheme is a level for every column.
    Schemes are taken in ascending order of mean cost; rows that agree under a scheme and comply form a group. Each
    group is then cut along a sorted order by dynamic programming. If there are too many schemes to list, the table is
    clustered (k-member) or, if more than k-anonymity is required, cut as a whole. Under k-anonymity alone, groups are
    then chosen by *prices* and exchanged region by region (see `prices` and `exchange`). *Refine*: regions of near
    groups are taken apart and rebuilt, and records move between groups and, if there are too many schemes, around
    rings of groups; the loss never increases. *Split*: until no group can be split into two that comply and lose
    less. So the result is minimal: no block can be generalized less.

    If rows may be left out, the search goes on with one more group, which may have any size and values but at most so
    many rows, and whose rows cost 1 each: they count as fully generalized (see `leaving` and `exchange`).

    `objective` defines the loss of a cell: dis, (levels climbed) / height; ncp, leaves / leaves of the root (0 for a
    leaf); loss, (leaves - 1) / (leaves of the root - 1). Numbers, dates and ordinal columns without a hierarchy become
    intervals, which lose width / total width under each. MinDIS (k-anonymity) and DiverDIS (l-diversity) from the
    paper on suitability are this method with objective dis: the paper gives their aim, not their steps.
    """

    objective: Objective = "loss"
    """The loss to minimize: loss, dis or ncp."""
    cells: Cells = "hierarchy"
    """hierarchy: values of the hierarchy; sets: any set of values of a nominal column, such as {Oslo; Rome}."""
    effort: Effort = "default"
    """How long to search: fast, default or thorough."""
    suppression: ShareOrRows = 0.0
    """How many rows may be left out if they cost the other rows more than themselves: a share below 1, or a number of
    rows."""
    weights: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Importance of columns; 1 if left out."""

    phases: ClassVar[Mapping[str, float]] = MappingProxyType(
        # Shares of the time of a default search of a few thousand rows, in the order in which the phases come.
        {
            "first_groups": 1,
            "place_rows": 1,
            "look_for_boxes": 8,
            "exchange_boxes": 10,
            "near_records": 1,
            "refine": 4,
        }
    )

    @property
    def minimizes(self) -> str:
        """The measure that corresponds to its objective."""
        return MEASURE_NAMES[self.objective]

    @property
    def bound_visits(self) -> float:
        """The longer the search for groups, the longer the search for a bound."""
        return BOUND_VISITS[self.effort]

    @property
    def keeps_rows(self) -> bool:
        """Whether no rows may be left out."""
        return self.suppression == 0

    @property
    def generalizes(self) -> bool:
        """Whether cells become hierarchy values; free sets of values are not hierarchy values."""
        return self.cells == "hierarchy"

    def apply(self, table: Table, context: Context) -> Outcome:
        """Group the rows and recode each group."""
        rules = block_rules(table, context.requirements)
        require_feasible(table, context.requirements)
        if not table.names("quasi") or not table.rows:
            return same_rows(table)
        most = allowed_rows(self.suppression, table.rows, kept=1)
        axes = axes_of(table)
        labels = self._grouped(table, axes, rules, most, context)
        kept = np.flatnonzero(labels >= 0)
        gone, labels = table.rows - len(kept), labels[kept]
        if gone:
            table = table.take(kept)
            axes = axes_of(table)
        count = int(labels.max()) + 1
        recoded = recode(table, axes, labels.astype(np.int32), count, sets=self.cells == "sets")
        blocks = blocks_formed(recoded, labels, count)
        note = Note("generalized.groups", rows=len(kept), groups=blocks, size=len(kept) / blocks)
        if most:
            note = Note("generalized.left_out", note=note, rows=gone, allowed=most)
        return Outcome(recoded, kept, (note,))

    def _grouped(
        self, table: Table, axes: list[Axis], rules: list[Rule], most: int, context: Context
    ) -> npt.NDArray[np.int64]:
        """The group of each row, -1 for at most so many rows that are left out."""
        weights = self._weights(axes)
        compiled = None if by_size(rules) else compile_rules(table, rules)
        model = covers_of(axes, weights, self.objective, self.cells)
        effort = _SEARCHES[self.effort]
        smallest = smallest_group(rules)
        found = grouped(
            axes,
            model,
            weights,
            self.objective,
            smallest,
            compiled,
            effort,
            context.progress,
            self.phases,
            most,
        )
        kept = np.flatnonzero(found.fewer >= 0)
        if len(kept) == table.rows or compiled is None:
            return found.fewer
        # What the rest is compared with may have changed with the rows that left: the distribution of t-closeness.
        rest = table.take(kept)
        if whole_table_obstacles(rest, context.requirements):
            return found.labels
        fewer = found.fewer.copy()
        fewer[kept] = mended(
            with_slots(model, kept, 1), fewer[kept], smallest, compile_rules(rest, rules), context.progress
        )
        costs = [total_cost(model, labels, smallest) for labels in (fewer, found.labels)]
        return fewer if costs[0] < costs[1] else found.labels

    def _weights(self, axes: list[Axis]) -> list[float]:
        found = column_weights(self.weights, [axis.name for axis in axes])
        if not sum(found) > 0:
            raise ParameterError("anonymize.all_weights_zero")
        return found
