"""Microaggregation of tables: numeric, ordinal, nominal and mixed columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from sudare.anonymize.grouping.labels import Labels, numbered
from sudare.anonymize.grouping.recode import block_rules, blocks_formed, by_size, smallest_group
from sudare.anonymize.grouping.refine import Effort
from sudare.anonymize.microaggregate.arrays import centroids, sse
from sudare.anonymize.microaggregate.best import first_partition, search
from sudare.anonymize.microaggregate.certificate import lower_bound
from sudare.anonymize.microaggregate.embed import embedded
from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.mhm import Path, check_options, mhm
from sudare.anonymize.microaggregate.one_column import mil, optimal_1d
from sudare.anonymize.microaggregate.vmdav import vmdav
from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, same_rows
from sudare.assess.requirement import blocks_of, compile_rules, require_feasible
from sudare.describe.kinds import MEASURED_KINDS
from sudare.errors import ErrorSentence, InfeasibleError, ParameterError
from sudare.kernels.core.rules import Rules, complying, rows_by_label, rules_of, scratch_for
from sudare.parameters import Annotated, AnyNames, Field, model_validator, parameters
from sudare.words.sentence import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.describe.table import Table

Algorithm = Literal["best", "mdav", "vmdav", "mhm", "mil", "optimal-1d"]
Start = Literal["fixed", "mdav", "vmdav"]


@parameters
class Microaggregate:
    """Replace quasi-identifiers with the centroid of a group of at least k similar records.

    Numbers and dates become the mean of their group, ordinal values the median, nominal ones the most frequent value.
    Similarity is measured by the product distance: every column is standardized, so that each counts the same;
    different nominal values are equally far apart. Groups are found by `algorithm`: by default, MDAV or a cut of the
    halving path, refined by moves that never raise the sum of squared errors; the published algorithms are not refined.
    Every group meets l-diversity and t-closeness: groups that violate them are merged (before refining), and moves that
    would violate them are refused.

    Missing is a value of its own: missing values attract each other, and a group is published as missing if most of
    its records are missing.
    """

    algorithm: Algorithm = "best"
    """How groups are found. best: a start refined by moves; or a published algorithm as it is: mdav, vmdav, mhm, mil or optimal-1d."""
    effort: Effort = "default"
    """How long to search (best): fast, default or thorough."""
    seconds: Annotated[float, Field(gt=0)] | None = None
    """Time limit for the search (best) instead of a fixed number of moves; results then differ from run to run."""
    gamma: Annotated[float, Field(ge=0)] | None = None
    """How readily groups are extended (vmdav, or mil with that start); 1 if left out, 0.2 is usual for scattered data."""
    path: Path | None = None
    """Order of the records that is cut into groups (mhm); npn if left out."""
    blocks: Annotated[int, Field(ge=1)] | None = None
    """Blocks along each column (mhm with path grid); as many as make n^(2/3) blocks in all if left out."""
    c1: Annotated[int, Field(ge=1)] | None = None
    """Most records of a cell, the paper's C1 (mhm with path flexdice or halving); columns times k times c2 if left out."""
    c2: Annotated[int, Field(ge=1)] | None = None
    """Cells up to which smaller cells are split too, the paper's C2 (mhm with path flexdice or halving); 1 if left out."""
    start: Start | None = None
    """Partition whose borders are moved (mil): fixed (sorted groups of k, if left out), mdav or vmdav."""
    strata: AnyNames = ()
    """Columns whose values are kept and whose combinations are never mixed in a group."""
    integers: bool = True
    """Whether means of integer columns are rounded to integers."""
    weights: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Importance of columns; 1 if left out."""

    certificate: Annotated[float, Field(gt=0)] | None = None
    """Seconds to spend on proving a lower bound, which shows how far the release can be from the optimum."""

    minimizes: ClassVar[str] = "sse_ratio"
    keeps_rows: ClassVar[bool] = True

    @property
    def phases(self) -> Mapping[str, float]:
        """Phases of the search; those of the published algorithms announce themselves."""
        return {"mdav": 2, "refine": 1, "anneal": 12} if self.algorithm == "best" else {}

    @model_validator(mode="after")
    def _parameters_of_the_algorithm(self) -> Self:
        owners = {
            "effort": ("best",),
            "seconds": ("best",),
            "gamma": ("vmdav", "mil"),
            "path": ("mhm",),
            "blocks": ("mhm",),
            "c1": ("mhm",),
            "c2": ("mhm",),
            "start": ("mil",),
        }
        for name, algorithms in owners.items():
            given = getattr(self, name) not in {None, "default"}
            if given and self.algorithm not in algorithms:
                raise ValueError(
                    ErrorSentence(
                        "anonymize.microaggregate.other_algorithm",
                        name=name,
                        algorithm=self.algorithm,
                        algorithms=" | ".join(algorithms),
                    )
                )
        if self.algorithm == "mil" and self.gamma is not None and self.start != "vmdav":
            raise ValueError(ErrorSentence("anonymize.microaggregate.gamma_of_mil"))
        if self.algorithm == "mhm":
            check_options(self.path or "npn", self._path_options)
        return self

    @property
    def _path_options(self) -> dict[str, int]:
        options = {"blocks": self.blocks, "c1": self.c1, "c2": self.c2}
        return {name: value for name, value in options.items() if value is not None}

    def apply(self, table: Table, context: Context) -> Outcome:
        """Group, refine and replace the records."""
        rules = block_rules(table, context.requirements)
        require_feasible(table, context.requirements)
        k = smallest_group(rules)
        names = [name for name in table.names("quasi") if name not in self.strata]
        strata = blocks_of(table, [table.column(name).name for name in self.strata])
        if self.algorithm in {"mil", "optimal-1d"}:
            _require_one_axis(table, names, self.algorithm)
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
        recoded = table.recoded(frame)
        blocks = blocks_formed(recoded, labels, groups)
        note = Note("microaggregated.groups", rows=table.rows, groups=blocks, size=table.rows / blocks)
        if bound > 0:
            note = Note("microaggregated.proof", note=note, percent=100 * (reached / bound - 1))
        return same_rows(recoded, note)

    def _grouped(self, X: Floats, k: int, rules: Rules | None, context: Context, stratum: int) -> Labels:
        if len(X) < k:
            raise InfeasibleError("anonymize.microaggregate.small_stratum", rows=counted("rows", len(X)), k=k)
        if not X.shape[1]:
            return np.zeros(len(X), dtype=np.int64)
        if k == 1:
            # If a group may be one record, every record starts as its own group.
            alone = np.arange(len(X))
            return alone if rules is None else merged_until_allowed(X, alone, rules)
        if self.algorithm != "best":
            published = self._published(X, k, context)
            return published if rules is None else merged_until_allowed(X, published, rules)
        start = None
        if rules is not None:
            start = merged_until_allowed(X, first_partition(X, k, context.progress), rules)
        found = search(
            X, k, self.effort, self.seconds, seed=stratum, progress=context.progress, rules=rules, start=start
        )
        return found.finished()

    def _published(self, X: Floats, k: int, context: Context) -> Labels:
        """The partition of a published algorithm, not refined."""
        gamma = 1.0 if self.gamma is None else self.gamma
        if self.algorithm == "mhm":
            return mhm(X, k, self.path or "npn", progress=context.progress, **self._path_options)
        if self.algorithm == "optimal-1d":
            return optimal_1d(X, k, progress=context.progress)
        labels = None
        if "mdav" in {self.algorithm, self.start}:
            labels = mdav(X, k, progress=context.progress)
        elif "vmdav" in {self.algorithm, self.start}:
            labels = vmdav(X, k, gamma, progress=context.progress)
        return mil(X, k, labels) if self.algorithm == "mil" or labels is None else labels


def _require_one_axis(table: Table, names: Sequence[str], algorithm: str) -> None:
    """Refuse anything but one column of numbers or dates without missing values."""
    kinds = [table.column(name).kind for name in names]
    if len(names) != 1 or kinds[0] not in MEASURED_KINDS:
        shown = ", ".join(f"{name} ({kind})" for name, kind in zip(names, kinds, strict=True))
        raise ParameterError("anonymize.microaggregate.one_axis", algorithm=algorithm, columns=shown or "–")
    if table.frame[names[0]].null_count():
        raise ParameterError("anonymize.microaggregate.missing_on_axis", algorithm=algorithm, column=names[0])


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
