"""Lower bounds on the loss of any k-anonymous or l-diverse release (Lemma 1 and its form for k).

CE(u, v) is the cost of row u if u and v get their lowest common generalization on every quasi-identifier. A row's
cost in a release is at least CE(u, v) for every v in its block, so the block lies within that cost of u, and

- k-anonymity: OPT >= sum_u (cost of u with its (k-1)-th nearest other row);
- l-diversity: OPT >= sum_u (the (l-1)-th smallest CES(u, s) over values s other than u's), where CES(u, s) is the
  cost of u with the nearest row that has s. Entropy and recursive diversity need l (rounded up) distinct values too.

Divided by rows and quasi-identifiers (or their weights), the bound is on the scale of the measures. A row that is left
out counts 1 in every cell, which is at least any CE, so the bound also covers releases with suppressed rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.assess.bounds.bound import Bound
from sudare.assess.bounds.columns import check_objective, ranked_column, space_of, weights_of
from sudare.assess.bounds.diversity import values_needed
from sudare.assess.k_anonymity import KAnonymity
from sudare.assess.l_diversity import LDiversity
from sudare.assess.requirement import sensitive_columns
from sudare.display import rounded_down
from sudare.errors import ParameterError, shown
from sudare.kernels.bounds.neighborhood import Tree, build, go_on, search_for, wanted_rows, wanted_values
from sudare.kernels.core.blocks import block_labels, dense_labels
from sudare.progress import SILENT
from sudare.words.sentence import Sentence, joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.assess.requirement import Requirement
    from sudare.describe.hierarchy.tree import Objective
    from sudare.describe.table import Table
    from sudare.kernels.bounds.neighborhood import Space, Wanted
    from sudare.progress import Progress

BUDGET = 1_000_000_000
"""Comparisons of a row with a row or a box of rows: about a minute on a table with few columns."""
_PAUSE = 4_000_000
"""Cells compared between two progress reports: a few hundredths of a second."""


def k_bound(
    table: Table,
    k: int,
    *,
    objective: Objective = "dis",
    weights: Mapping[str, float] | None = None,
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> Bound:
    """A lower bound on the loss of any k-anonymous release; 1 if the table has fewer than k rows.

    >>> import polars as pl
    >>> from sudare.describe.table import Table
    >>> table = Table.from_frame(pl.DataFrame({"age": [20, 30, 60]})).describe(quasi=["age"])
    >>> round(k_bound(table, 2).value, 4)  # 10, 10 and 30 years of 40, over three rows
    0.4167
    """
    return lower_bound(
        table, [KAnonymity(k)], objective=objective, weights=weights, budget=budget, progress=progress
    )


def l_bound(
    table: Table,
    l: float,  # noqa: E741  # the name in the field
    sensitive: str,
    *,
    objective: Objective = "dis",
    weights: Mapping[str, float] | None = None,
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> Bound:
    """A lower bound on the loss of any release in which every block has l values of a sensitive column.

    Valid for distinct, entropy and recursive (c, l)-diversity; 1 if the column has fewer than l values.
    """
    asked = LDiversity(l, kind="entropy", sensitive=(sensitive,))
    return lower_bound(table, [asked], objective=objective, weights=weights, budget=budget, progress=progress)


def lower_bound(
    table: Table,
    requirements: Sequence[Requirement],
    *,
    objective: Objective = "dis",
    weights: Mapping[str, float] | None = None,
    budget: int = BUDGET,
    progress: Progress | None = None,
) -> Bound:
    """A lower bound on the loss of any release that satisfies all requirements.

    Each row costs at least the largest of its individual bounds, so this is at least the largest bound of any single
    requirement and column. Requirements other than k-anonymity and l-diversity give no bound and are ignored.
    `budget` limits the number of comparisons for all requirements together.
    """
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise ParameterError("assess.bounds.budget", given=shown(budget))
    check_objective(objective)
    asked = counts_asked(table, requirements)
    if not asked or not table.rows:
        return Bound(
            0.0, True, Sentence("bound.no_rows") if not table.rows else Sentence("bound.no_requirement")
        )
    if not any(weights_of(table.names("quasi"), weights).values()):
        return Bound(0.0, True, Sentence("bound.no_column"))
    for count in asked:
        if count.available < count.target:
            return Bound(1.0, True, Sentence("bound.all_out", obstacle=count.obstacle))
    ground = ground_of(table, objective, weights)
    costs, exact = row_costs(table, ground, asked, budget, progress or SILENT)
    value = min(float(costs.mean()), 1.0)
    named = joined("between.requirements", (count.name for count in asked))
    said = Sentence("bound.least", asked=named, value=rounded_down(value, 4), objective=objective)
    if not exact.all():
        early = int((~exact).sum())
        said = Sentence("bound.weaker", bound=said, budget=budget, early=early, rows=table.rows)
    return Bound(value, bool(exact.all()), said)


@dataclass(frozen=True, eq=False)
class Ground:
    """The table as distinct rows in a tree."""

    space: Space
    tree: Tree
    codes: npt.NDArray[np.int32]
    """Codes of all rows."""
    labels: npt.NDArray[np.int32]
    """Index of the distinct row for each row."""
    weight: npt.NDArray[np.int64]
    """Number of rows equal to each distinct row."""
    total: float
    """Sum of the column weights."""


@dataclass(frozen=True)
class _Count:
    """Rows, or values of a column, that every block must have."""

    name: Sentence
    target: int
    available: int
    column: str | None = None

    @property
    def obstacle(self) -> Sentence:
        figures = {"asked": self.name, "target": self.target, "available": self.available}
        if self.column is None:
            return Sentence("bound.needs_rows", **figures)
        return Sentence("bound.needs_values", column=self.column, **figures)


def ground_of(table: Table, objective: Objective, weights: Mapping[str, float] | None) -> Ground:
    """Distinct rows of the columns that count, and their tree; there must be such a column, and a row."""
    chosen = {
        name: weight for name, weight in weights_of(table.names("quasi"), weights).items() if weight > 0
    }
    axes = [ranked_column(table, name, objective, weight) for name, weight in chosen.items()]
    labels, count = block_labels([axis.ranks for axis in axes], [axis.size for axis in axes], table.rows)
    space, codes = space_of(axes)
    distinct = np.empty((count, codes.shape[1]), dtype=np.int32)
    distinct[labels] = codes
    return Ground(
        space=space,
        tree=build(space, distinct),
        codes=codes,
        labels=labels,
        weight=np.bincount(labels, minlength=count).astype(np.int64),
        total=sum(chosen.values()),
    )


def counts_asked(table: Table, requirements: Sequence[Requirement]) -> list[_Count]:
    """How many rows, or values of which column, a block must contain."""
    asked: list[_Count] = []
    for requirement in requirements:
        if isinstance(requirement, KAnonymity):
            named = Sentence("bound.k_anonymity", k=requirement.k)
            asked.append(_Count(named, requirement.k, table.rows))
        elif isinstance(requirement, LDiversity):
            for name in sensitive_columns(table, requirement.sensitive, "l-diversity"):
                target = values_needed(requirement.l)
                named = Sentence("bound.l_diversity", l=requirement.l, column=name)
                asked.append(_Count(named, target, table.codes(name).count, name))
    return asked


def _wanted(table: Table, ground: Ground, count: _Count) -> Wanted:
    if count.column is None:
        return wanted_rows(ground.tree, count.target, ground.weight)
    codes = table.codes(count.column)
    together = ground.labels.astype(np.int64) * codes.count + codes.codes
    _, first = np.unique(dense_labels(together)[0], return_index=True)
    pairs = np.sort(together[first])
    start = np.searchsorted(pairs, np.arange(len(ground.weight) + 1) * codes.count)
    return wanted_values(ground.tree, count.target, start, pairs % codes.count)


def row_costs(
    table: Table, ground: Ground, asked: Sequence[_Count], budget: int, progress: Progress
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """A lower bound on the cost of each row, on the scale of the measures, and whether the budget sufficed for it."""
    distinct = len(ground.weight)
    radius, exact, spent = np.zeros(distinct), np.ones(distinct, dtype=np.bool_), 0
    pause = max(_PAUSE // ground.codes.shape[1], 1)
    for number, count in enumerate(asked, start=1):
        share = (budget - spent) // (len(asked) + 1 - number)
        progress.start("lower_bound", distinct)
        wanted = _wanted(table, ground, count)
        search = search_for(ground.tree, wanted)
        while go_on(ground.space, ground.tree, wanted, search, share, pause):
            progress.update(int(search.state[0]))
        progress.update(distinct)
        radius, exact = np.maximum(radius, search.radius), exact & search.exact
        spent = min(spent + int(search.state[1]), budget)
    place = np.empty(distinct, dtype=np.int64)
    place[ground.tree.order] = np.arange(distinct)
    return (radius / ground.total)[place][ground.labels], exact[place][ground.labels]
