"""Microaggregation of tables: numeric, ordinal, nominal and mixed columns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudare.anonymize.grouping.labels import Labels, numbered
from sudare.anonymize.grouping.recode import block_rules, by_size, smallest_group
from sudare.anonymize.grouping.refine import Effort
from sudare.anonymize.microaggregate.arrays import centroids, sse
from sudare.anonymize.microaggregate.best import first_partition, search
from sudare.anonymize.microaggregate.certificate import lower_bound
from sudare.anonymize.microaggregate.embed import embedded
from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, same_rows
from sudare.assess.requirement import blocks_of, compile_rules, require_feasible
from sudare.errors import InfeasibleError
from sudare.kernels.core.rules import Rules, complying, rows_by_label, rules_of, scratch_for
from sudare.parameters import Annotated, AnyNames, Field, parameters
from sudare.words.sentence import counted

if TYPE_CHECKING:
    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.describe.table import Table


@parameters
class Microaggregate:
    """Replace quasi-identifiers with the centroid of a group of at least k similar records.

    Numbers and dates become the mean of their group, ordinal values the median, nominal ones the most frequent value.
    Similarity is measured by the product distance: every column is standardized, so that each counts the same;
    different nominal values are equally far apart. Groups are found by MDAV or a cut of the FlexDice path and
    refined by moves that never raise the sum of squared errors. Every group meets l-diversity and t-closeness:
    groups that violate them are merged before refining, and moves that would violate them are refused.

    Missing is a value of its own: missing values attract each other, and a group is published as missing if most of
    its records are missing.
    """

    effort: Effort = "default"
    """How long to search: fast, default or thorough."""
    seconds: Annotated[float, Field(gt=0)] | None = None
    """Time limit for the search instead of a fixed number of moves; results then differ from run to run."""
    strata: AnyNames = ()
    """Columns whose values are kept and whose combinations are never mixed in a group."""
    integers: bool = True
    """Whether means of integer columns are rounded to integers."""
    weights: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Importance of columns; 1 if left out."""

    certificate: Annotated[float, Field(gt=0)] | None = None
    """Seconds to spend on proving a lower bound, which shows how far the release can be from the optimum."""

    minimizes: ClassVar[str] = "sse_ratio"
    phases: ClassVar[Mapping[str, float]] = MappingProxyType({"mdav": 2, "refine": 1, "anneal": 12})
    keeps_rows: ClassVar[bool] = True

    def apply(self, table: Table, context: Context) -> Outcome:
        """Group, refine and replace the records."""
        rules = block_rules(table, context.requirements)
        require_feasible(table, context.requirements)
        k = smallest_group(rules)
        names = [name for name in table.names("quasi") if name not in self.strata]
        strata = blocks_of(table, [table.column(name).name for name in self.strata])
        records = embedded(table, names, self.weights)
        compiled = compile_rules(table, rules)
        labels = np.zeros(table.rows, dtype=np.int64)
        order, starts = strata.grouped
        groups = 0
        reached = bound = 0.0
        for stratum in range(strata.count):
            rows = order[starts[stratum] : starts[stratum + 1]]
            own = None if by_size(rules) else rules_of(compiled, rows)
            found = self._grouped(records.X[rows], k, own, context, stratum)
            labels[rows] = found + groups
            groups += int(found.max()) + 1
            if self.certificate is not None and k > 1 and names:
                X = records.X[rows]
                seconds = self.certificate * len(rows) / table.rows
                proof = lower_bound(X, k, labels=found, seconds=seconds, progress=context.progress)
                reached, bound = reached + sse(X, found), bound + proof.bound
        frame = table.frame.with_columns(
            [records.representative(name, labels, groups, integers=self.integers) for name in names]
        )
        note = Note("microaggregated.groups", rows=table.rows, groups=groups, size=table.rows / groups)
        if bound > 0:
            note = Note("microaggregated.proof", note=note, percent=100 * (reached / bound - 1))
        return same_rows(table.recoded(frame), note)

    def _grouped(self, X: Floats, k: int, rules: Rules | None, context: Context, stratum: int) -> Labels:
        if len(X) < k:
            raise InfeasibleError("anonymize.microaggregate.small_stratum", rows=counted("rows", len(X)), k=k)
        if not X.shape[1]:
            return np.zeros(len(X), dtype=np.int64)
        if k == 1:
            # If a group may be one record, every record starts as its own group.
            alone = np.arange(len(X))
            return alone if rules is None else merged_until_allowed(X, alone, rules)
        start = None
        if rules is not None:
            start = merged_until_allowed(X, first_partition(X, k, context.progress), rules)
        found = search(
            X, k, self.effort, self.seconds, seed=stratum, progress=context.progress, rules=rules, start=start
        )
        return found.finished()


def merged_until_allowed(X: Floats, labels: Labels, rules: Rules) -> Labels:
    """Merge every group that breaks a rule with the group of the nearest centroid, until no group does.

    All rules are monotone, so if the union of all groups, the last resort, is not allowed, nothing is: a stratum that
    cannot comply stays whole, for a later method to leave out.
    """
    from scipy.spatial import KDTree

    scratch = scratch_for(rules)
    current = numbered(labels)
    while True:
        groups = int(current.max()) + 1
        order, starts = rows_by_label(current, groups)
        broken = np.flatnonzero(~complying(rules, scratch, order, starts))
        if not len(broken) or groups == 1:
            return current
        means = centroids(X, current)
        _, near = KDTree(means).query(means[broken], 2)
        target = np.arange(groups)
        for group, (first, second) in zip(broken, near, strict=True):
            other = second if first == group else first
            target[target == target[group]] = target[other]
        current = numbered(target[current])
