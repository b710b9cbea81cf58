"""Lower bounds on the loss of any k-anonymous or l-diverse release (Lemma 1 and its form for k).

CE(u, v) is the cost of row u if u and v get their lowest common generalization on every quasi-identifier. A row's
cost in a release is at least CE(u, v) for every v in its block, so the block lies within that cost of u, and

- k-anonymity: OPT >= sum_u (cost of u with its (k-1)-th nearest other row);
- l-diversity: OPT >= sum_u (the (l-1)-th smallest CES(u, s) over values s other than u's), where CES(u, s) is the
  cost of u with the nearest row that has s. Entropy and recursive diversity need l (rounded up) distinct values too.

Divided by rows and quasi-identifiers (or their weights), the bound is on the scale of the measures. A row that is left
out counts 1 in every cell, which is at least any CE, so the bound also covers releases with suppressed rows.

What the counts of the sensitive values allow: whether l-diversity is possible, with how many blocks of what size.

The counts N_0 >= N_1 >= … >= N_{P-1} > 0 may be given in any order; N = S_0 is their sum, p_i = N_i / N and
S_i = N_i + … + N_{P-1}.

Quasi-identifiers as the kernels of the bounds see them: ranks, and the cost of generalizing two ranks together.

The costs are those of `sudare.measure`, cell by cell, for the most specific text that covers both values: the label of
the lowest common node of a hierarchy, a range if the column is ordered and has no hierarchy, `*` otherwise.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from sudare.arrays import starts_of
from sudare.assess.block_requirements import KAnonymity, LDiversity
from sudare.assess.requirement import sensitive_columns
from sudare.describe.column import codes_among
from sudare.describe.hierarchy.tree import Objective, node_shares
from sudare.describe.kinds import ORDERED_KINDS
from sudare.describe.text import ANYTHING, as_text, places_of
from sudare.display import rounded_down
from sudare.errors import InfeasibleError, ParameterError, did_you_mean, language_of, shown
from sudare.kernels.bounds.neighborhood import (
    LINE,
    TABLE,
    TREE,
    Space,
    Tree,
    build,
    go_on,
    search_for,
    wanted_rows,
    wanted_values,
)
from sudare.kernels.core.rules import TOLERANCE, block_labels, dense_labels
from sudare.progress import SILENT
from sudare.words.sentence import Sentence, in_language, joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sudare.assess.requirement import Requirement
    from sudare.describe.column import Codes
    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.describe.kinds import Spelling
    from sudare.describe.table import Table
    from sudare.kernels.bounds.neighborhood import Wanted
    from sudare.progress import Progress
    from sudare.words.sentence import Language


@dataclass(frozen=True)
class Bound:
    """A lower bound on the loss of any compliant release."""

    value: float
    """Mean over rows and quasi-identifiers, in [0, 1]: on the scale of the measures dis, loss and gcp."""
    exact: bool
    """False if the budget ended the search: the value is valid, but the full search would give a higher one."""
    explanation: str
    """One or two sentences."""

    def __float__(self) -> float:
        return self.value

    def in_language(self, language: Language) -> Self:
        """The same bound, explained in English ('en') or Japanese ('ja')."""
        return replace(self, explanation=in_language(self.explanation, language_of(language)))

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return asdict(self)


DiversityKind = Literal["distinct", "entropy"]


def feasible(counts: Any, l: float, kind: DiversityKind = "distinct") -> bool:  # noqa: E741  # the name in the field
    """Whether any partition into blocks is l-diverse: P >= l (distinct), H >= log l (entropy).

    If the whole table complies, it is a solution as one block; if not, every partition has a block with at most
    the entropy of the whole. An empty table has no blocks, so it is feasible.
    """
    given = _counts(counts)
    _check(l, kind)
    return not len(given) or largest_feasible_l(given, kind) >= l * (1.0 - TOLERANCE)


def largest_feasible_l(counts: Any, kind: DiversityKind = "distinct") -> float:
    """The largest l that some partition reaches: the number of values P (distinct), exp H (entropy).

    >>> largest_feasible_l([50, 25, 25], "distinct"), round(largest_feasible_l([50, 25, 25], "entropy"), 6)
    (3.0, 2.828427)
    """
    given = _counts(counts)
    _check(1, kind)
    if kind == "distinct" or not len(given):
        return float(len(given))
    shares = given / given.sum()
    return math.exp(-math.fsum(shares * np.log(shares)))


def max_blocks(counts: Any, l: float) -> int:  # noqa: E741  # the name in the field
    """MaxNB: the maximum number of blocks with l distinct values each (Lemma 2); 0 if not even one is possible.

    MaxNB = floor(S_I / (l - I)), I = min{i : floor(S_i / (l - i)) >= N_i, 0 <= i < l}: the I most frequent values
    are in every block, and the others fill the remaining l - I places. It is the largest B with
    sum_i min(N_i, B) >= l B. For entropy l-diversity, which needs at least ceil(l) values in a block, it is an upper
    bound; a real l is rounded up.

    >>> max_blocks([10, 8, 7, 3, 2], 3), max_blocks([50, 25, 15, 7, 3], 3)
    (10, 25)
    """
    given = _counts(counts)
    _check(l, "distinct")
    places = values_needed(l)
    if len(given) < places:
        return 0
    rest = int(given.sum())
    for index in range(places):
        blocks = rest // (places - index)
        if blocks >= given[index]:
            return blocks
        rest -= int(given[index])
    raise AssertionError("floor(S_i / 1) >= N_i for i = l - 1")  # pragma: no cover  # S_i includes N_i


def min_largest_block(counts: Any, l: float, kind: DiversityKind = "distinct") -> int:  # noqa: E741  # as above
    """A lower bound on the size of the largest block in any l-diverse partition: the k to compare l-diversity with.

    - distinct: alpha_s = ceil(N / MaxNB).
    - entropy: alpha_e = the least integer a with g(a) >= log l (Theorem 1, Corollary 1), where
      g(a) = sum_i p_i min(log a, log 1/p_i), which never decreases and ends at the entropy H.

    Raises InfeasibleError if no partition is l-diverse.

    >>> min_largest_block([50, 25, 15, 7, 3], 3), min_largest_block([50, 25, 15, 7, 3], 3, "entropy")
    (4, 6)
    """
    given = _counts(counts)
    if not len(given):
        raise InfeasibleError("assess.bounds.no_values")
    if not feasible(given, l, kind):
        raise InfeasibleError(
            "assess.bounds.unreachable",
            kind=kind,
            l=l,
            values=len(given),
            most=largest_feasible_l(given, kind),
        )
    if kind == "distinct":
        return -(-int(given.sum()) // max_blocks(given, l))
    shares = given / given.sum()
    surprise = -np.log(shares)
    wanted = math.log(l) + math.log1p(-TOLERANCE)
    low, high = 0, int(1.0 / shares[-1]) + 1  # from here on g is H, which suffices
    while high - low > 1:
        middle = (low + high) // 2
        reached = math.fsum(shares * np.minimum(math.log(middle), surprise))
        low, high = (low, middle) if reached >= wanted else (middle, high)
    return high


def values_needed(l: float) -> int:  # noqa: E741  # the name in the field
    """Number of distinct values that a block with diversity l needs at least, for every kind: l rounded up.

    Entropy is at most log D with D values, so D >= l; recursive (c, l) has r_l + … + r_m > 0.
    """
    return max(math.ceil(l * (1.0 - TOLERANCE)), 1)


def _counts(counts: Any) -> npt.NDArray[np.int64]:
    """Positive counts in descending order."""
    given = np.asarray(counts)
    whole = given.size == 0 or (
        given.ndim == 1 and given.dtype.kind in "iuf" and bool((given == np.floor(given)).all())
    )
    if not whole or (given < 0).any():
        raise ParameterError("assess.bounds.counts")
    positive = given[given > 0].astype(np.int64)
    return np.sort(positive)[::-1]


def _check(l: float, kind: str) -> None:  # noqa: E741  # the name in the field
    if not (isinstance(l, int | float | np.number) and 1 <= l < math.inf):
        raise ParameterError("assess.bounds.l", given=shown(l))
    if kind not in {"distinct", "entropy"}:
        raise ParameterError("assess.bounds.kind", given=shown(kind))


Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FAR = 3.0
"""Position of missing values on an axis of length 1: farther from any value than the whole axis."""


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """One quasi-identifier."""

    ranks: npt.NDArray[np.int32]
    """Rank of each row."""
    beside: Floats
    """Cost of joining each rank with the next."""
    positions: Floats = field(default_factory=lambda: np.zeros(0))
    """Position of each rank if the column is ordered; otherwise it is a tree."""
    parent: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Parent of each node: ranks first, then inner nodes; the root is last and its own parent."""
    first: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    last: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    cost: Floats = field(default_factory=lambda: np.zeros(0))
    cap: float = 1.0

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.beside) + 1

    @property
    def is_tree(self) -> bool:
        """Whether it is generalized along the nodes of a tree."""
        return len(self.parent) > 0

    def costs(self, lower: npt.NDArray[np.int32], higher: npt.NDArray[np.int32]) -> Floats:
        """Costs of pairs of ranks, lower <= higher."""
        if not self.is_tree:
            return np.minimum(self.positions[higher] - self.positions[lower], self.cap)
        nodes = lower.astype(np.int64)
        while (beyond := higher >= self.last[nodes]).any():
            nodes = np.where(beyond, self.parent[nodes], nodes)
        return self.cost[nodes]


def check_objective(objective: str) -> None:
    """Refuse a name that is not an objective."""
    if objective not in get_args(Objective):
        raise ParameterError(
            "assess.bounds.objective",
            objective=objective,
            hint=did_you_mean(str(objective), get_args(Objective)),
        )


def weights_of(names: Sequence[str], weights: Mapping[str, float] | None) -> dict[str, float]:
    """The weight of each of these quasi-identifiers: 1 unless given."""
    for name, weight in (weights or {}).items():
        if name not in names or not 0 <= weight < np.inf:
            raise ParameterError("assess.bounds.weight", name=name, given=shown(weight))
    return {name: float((weights or {}).get(name, 1.0)) for name in names}


def ranked_column(table: Table, name: str, objective: Objective, weight: float) -> RankedColumn:
    """How one quasi-identifier is generalized, and at what cost."""
    codes, tree = table.codes(name), table.hierarchy(name)
    if tree is not None:
        return _along(tree, table.leaves(name, tree), objective, weight)
    if table.column(name).kind in ORDERED_KINDS:
        return _ordered(codes, weight)
    # A value is kept or becomes `*`. The measures count the leaves of present values only, and treat `*` as a leaf
    # if it is a value: a bound must not exceed what they compute.
    free = ANYTHING in as_text(codes.values) or (objective == "loss" and len(codes.values) <= 1)
    price = 0.0 if free else weight
    count = codes.count
    return RankedColumn(
        ranks=codes.codes,
        beside=np.full(max(count - 1, 0), price),
        parent=np.full(count + 1, count, dtype=np.int64),
        first=np.append(np.arange(count), 0),
        last=np.append(np.arange(count) + 1, count),
        cost=np.append(np.zeros(count), price),
        cap=weight,
    )


def _along(
    tree: Hierarchy, leaves: npt.NDArray[np.int32], objective: Objective, weight: float
) -> RankedColumn:
    depth_first = tree.first[leaves]
    occurs = np.zeros(tree.leaves, dtype=np.bool_)
    occurs[depth_first] = True
    before = starts_of(occurs.astype(np.int64))
    size = int(before[-1])
    inner = np.arange(tree.leaves, tree.nodes)
    leaf_at = np.empty(tree.leaves, dtype=np.int64)
    leaf_at[tree.leaf_order] = np.arange(tree.leaves)
    kept = np.concatenate([leaf_at[occurs], inner])
    number = np.full(tree.nodes, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    first, last = before[tree.first[kept]], before[tree.last[kept]]
    cost = weight * _node_costs(tree, objective)[kept]
    beside = np.zeros(max(size - 1, 0))
    for node in range(len(kept) - 1, size - 1, -1):  # from the root down: what is lower overwrites
        if last[node] > first[node]:  # there are branches without any value of the column
            beside[first[node] : last[node] - 1] = cost[node]
    return RankedColumn(
        ranks=before[depth_first].astype(np.int32),
        beside=beside,
        parent=number[tree.parent[kept]],
        first=first,
        last=last,
        cost=cost,
        cap=weight,
    )


def _node_costs(tree: Hierarchy, objective: Objective) -> Floats:
    """The cost of a cell released as each node, never more than that of its parent."""
    cost = node_shares(tree, objective)
    # The measures read labels: if two nodes share one, the lower counts, and a bound must not exceed that.
    read = cost[tree.node_of(tree.labels_of(np.arange(tree.nodes)))]
    if (read < cost).any():
        cost = read
        for node in range(tree.nodes - 2, -1, -1):
            cost[node] = min(cost[node], cost[tree.parent[node]])
    return cost


def _ordered(codes: Codes, weight: float) -> RankedColumn:
    values = codes.values
    halves = places_of(values) / 2  # the width of the axis itself may not fit a float
    extent = float(halves[-1] - halves[0]) if len(halves) else 0.0
    scaled = (halves - halves[0]) / extent if extent > 0 else np.zeros(len(halves))
    if codes.missing is not None:
        # A number and a missing value become `*`; if all numbers are equal, the measure finds no width in it.
        ranked = not (values.dtype.is_numeric() or values.dtype.is_temporal())
        scaled = np.append(scaled, _FAR if extent > 0 or ranked else 0.0)
    positions = weight * scaled
    return RankedColumn(
        ranks=codes.codes,
        beside=np.minimum(np.diff(positions), weight),
        positions=positions,
        cap=weight,
    )


_LARGEST_TABLE = 1500
"""Columns with at most this many values get a table of all pairs …"""
_LARGEST_TABLES = 8_000_000
"""… those with the fewest values first, as long as the tables have no more cells than this (64 MB)."""
_SAMPLE = 2000
"""Number of row pairs sampled to order the columns."""


def _order_of(axes: Sequence[RankedColumn]) -> tuple[list[int], int]:
    """Wide columns, then tables, each with the most discriminating columns first; and how many are wide.

    Sums that are compared with a limit can then stop early.
    """
    tabled: set[int] = set()
    cells = 0
    for column in sorted(range(len(axes)), key=lambda column: axes[column].size):
        cells += axes[column].size ** 2
        if axes[column].size <= _LARGEST_TABLE and cells <= _LARGEST_TABLES:
            tabled.add(column)
    telling = [_telling(axis) for axis in axes]
    order = sorted(range(len(axes)), key=lambda column: (column in tabled, -telling[column]))
    return order, len(axes) - len(tabled)


def _telling(axis: RankedColumn) -> float:
    """Mean cost of pairs of rows that are far apart in the table."""
    rows = len(axis.ranks)
    pairs = np.arange(min(_SAMPLE, rows))
    one, other = axis.ranks[pairs * 7919 % rows], axis.ranks[(pairs * 104_729 + rows // 2) % rows]
    return float(axis.costs(np.minimum(one, other), np.maximum(one, other)).mean())


def _assembled(axes: Sequence[RankedColumn], wide: int) -> Space:
    trees = [axis for axis in axes[:wide] if axis.is_tree]
    kinds, starts = [], []
    values: list[Floats] = []
    length = nodes = 0
    floor = np.zeros((len(axes), max(axis.size for axis in axes)))
    for column, axis in enumerate(axes):
        if axis.size > 1:
            floor[column, : axis.size] = np.minimum(
                np.append(np.inf, axis.beside), np.append(axis.beside, np.inf)
            )
        if column < wide and axis.is_tree:
            kinds.append(TREE)
            starts.append(nodes)
            nodes += len(axis.parent)
            continue
        kinds.append(LINE if column < wide else TABLE)
        starts.append(length)
        values.append(axis.positions if column < wide else _table(axis).ravel())
        length += len(values[-1])
    return Space(
        wide=wide,
        kind=np.array(kinds, dtype=np.int64),
        size=np.array([axis.size for axis in axes], dtype=np.int64),
        start=np.array(starts, dtype=np.int64),
        cap=np.array([axis.cap for axis in axes], dtype=np.float64),
        values=np.concatenate(values) if values else np.zeros(0),
        parent=_joined([axis.parent for axis in trees]),
        first=_joined([axis.first for axis in trees]),
        last=_joined([axis.last for axis in trees]),
        cost=np.concatenate([axis.cost for axis in trees]) if trees else np.zeros(0),
        height=max([_height(axis) for axis in trees], default=1),
        floor=floor,
    )


def _table(axis: RankedColumn) -> Floats:
    """Costs of all pairs of ranks."""
    if not axis.is_tree:
        return np.minimum(np.abs(axis.positions[:, None] - axis.positions[None, :]), axis.cap)
    table = np.zeros((axis.size, axis.size))
    for rank in range(axis.size - 1):
        # the lowest node over a run of leaves is the most expensive of those over neighbors
        table[rank, rank + 1 :] = np.maximum.accumulate(axis.beside[rank:])
    return np.maximum(table, table.T)


def _height(axis: RankedColumn) -> int:
    above, nodes = np.arange(axis.size), 1
    while (above != len(axis.parent) - 1).any():
        above, nodes = axis.parent[above], nodes + 1
    return nodes


def _joined(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays).astype(np.int64) if arrays else np.zeros(0, dtype=np.int64)


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
    grounds: Grounds | None = None,
    progress: Progress | None = None,
) -> Bound:
    """A lower bound on the loss of any release that satisfies all requirements.

    Each row costs at least the largest of its individual bounds, so this is at least the largest bound of any single
    requirement and column. Requirements other than k-anonymity and l-diversity give no bound and are ignored.
    `budget` limits the number of comparisons for all requirements together; `grounds`, those of the same table and
    weights, save building the tree of its rows again for another objective.
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
    ground = (grounds or Grounds(table, weights)).of(objective)
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
    spelling: Spelling = "alike"
    exempt: tuple[str | None, ...] = ()

    def protected(self, table: Table) -> npt.NDArray[np.bool_]:
        """Rows that need these values in their block: all but those with exempt ones."""
        if self.column is None or not self.exempt:
            return np.ones(table.rows, dtype=np.bool_)
        codes = table.codes(self.column, self.spelling)
        found: npt.NDArray[np.bool_] = ~codes_among(codes, self.exempt, self.spelling)[codes.codes]
        return found

    @property
    def obstacle(self) -> Sentence:
        figures = {"asked": self.name, "target": self.target, "available": self.available}
        if self.column is None:
            return Sentence("bound.needs_rows", **figures)
        return Sentence("bound.needs_values", column=self.column, **figures)


class Grounds:
    """The grounds of one table: ranks are the same for every objective, so the tree of the first serves the others."""

    def __init__(self, table: Table, weights: Mapping[str, float] | None = None) -> None:
        self._table = table
        self._chosen = {
            name: weight for name, weight in weights_of(table.names("quasi"), weights).items() if weight > 0
        }
        self._first: tuple[Ground, list[int], int] | None = None

    def of(self, objective: Objective) -> Ground:
        """Distinct rows of the columns that count, and their tree; there must be such a column, and a row."""
        axes = [ranked_column(self._table, name, objective, weight) for name, weight in self._chosen.items()]
        if self._first is None:
            order, wide = _order_of(axes)
            self._first = self._built([axes[column] for column in order], wide), order, wide
            return self._first[0]
        ground, order, wide = self._first
        return replace(ground, space=_assembled([axes[column] for column in order], wide))

    def _built(self, axes: Sequence[RankedColumn], wide: int) -> Ground:
        rows = self._table.rows
        labels, count = block_labels([axis.ranks for axis in axes], [axis.size for axis in axes], rows)
        space = _assembled(axes, wide)
        distinct = np.empty((count, len(axes)), dtype=np.int32)
        for column, axis in enumerate(axes):
            distinct[labels, column] = axis.ranks
        return Ground(
            space=space,
            tree=build(space, distinct),
            labels=labels,
            weight=np.bincount(labels, minlength=count).astype(np.int64),
            total=sum(self._chosen.values()),
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
                codes, exempt = table.codes(name, requirement.spelling), requirement.exempt.get(name, ())
                available = int((~codes_among(codes, exempt, requirement.spelling)).sum())
                asked.append(_Count(named, target, available, name, requirement.spelling, exempt))
    return asked


def _wanted(table: Table, ground: Ground, count: _Count) -> Wanted:
    if count.column is None:
        return wanted_rows(ground.tree, count.target, ground.weight)
    codes = table.codes(count.column, count.spelling)
    together = ground.labels.astype(np.int64) * codes.count + codes.codes
    together = together[count.protected(table)]
    _, first = np.unique(dense_labels(together)[0], return_index=True)
    pairs = np.sort(together[first])
    start = np.searchsorted(pairs, np.arange(len(ground.weight) + 1) * codes.count)
    return wanted_values(ground.tree, count.target, start, pairs % codes.count)


def row_costs(
    table: Table, ground: Ground, asked: Sequence[_Count], budget: int, progress: Progress
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """A lower bound on the cost of each row, on the scale of the measures, and whether the budget sufficed for it."""
    distinct = len(ground.weight)
    costs, exact, spent = np.zeros(table.rows), np.ones(table.rows, dtype=np.bool_), 0
    place = np.empty(distinct, dtype=np.int64)
    place[ground.tree.order] = np.arange(distinct)
    pause = max(_PAUSE // ground.tree.codes.shape[1], 1)
    for number, count in enumerate(asked, start=1):
        share = (budget - spent) // (len(asked) + 1 - number)
        progress.start("lower_bound", distinct)
        wanted = _wanted(table, ground, count)
        search = search_for(ground.tree, wanted)
        while go_on(ground.space, ground.tree, wanted, search, share, pause):
            progress.update(int(search.state[0]))
        progress.update(distinct)
        # Rows with exempt values may be in a block of their own.
        own = np.where(count.protected(table), (search.radius / ground.total)[place][ground.labels], 0.0)
        costs, exact = np.maximum(costs, own), exact & search.exact[place][ground.labels]
        spent = min(spent + int(search.state[1]), budget)
    return costs, exact
