"""Counting one node of the lattice: which blocks comply, which rows are left out, and the cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.grouping.recode import COUNTING, by_size, smallest_group
from sudare.assess.bounds.distortion import values_needed
from sudare.assess.requirement import Rule, compile_rules
from sudare.kernels.core.kinds import DISTINCT, SIZE
from sudare.kernels.core.rules import Rules, complying, rows_by_label, scratch_for
from sudare.kernels.recoding.lattice import left_out, roll_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.anonymize.full_domain.lattice import Lattice
    from sudare.describe.hierarchy.tree import Objective
    from sudare.describe.table import Table

_CACHED = 32
"""Number of nodes whose blocks are kept for rolling up the nodes above them."""

Node = tuple[int, ...]
"""One usable level for each column."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks at a node: a combination of values and the rows of each, and which blocks may be published."""

    members: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]
    kept: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Counted:
    """What is known about a node."""

    node: Node
    cost: float
    """The objective if no rows are left out."""
    suppressed: int
    """Rows in blocks that do not comply."""
    objective: float
    """Cost with these rows left out at 1 each; infinite if there are more than allowed."""
    floor: float
    """A lower bound on the cost of leaving out rows, here and at every node below; infinite if none can comply."""

    @property
    def feasible(self) -> bool:
        """Whether the requirements are met within the limit of rows left out."""
        return math.isfinite(self.objective)


class Counter:
    """Counts nodes for one table, one conjunction of rules and one objective; each node once.

    A violation is *hereditary* if every smaller block violates too: too few rows, too few distinct values (which
    entropy and recursive diversity also need). Rows in such blocks are left out at every node below, so their
    number and cost bound those nodes. If no rows may be left out, any violation is enough: a union of complying
    blocks complies, so if a node fails, all below it fail.
    """

    def __init__(
        self,
        table: Table,
        lattice: Lattice,
        rules: Sequence[Rule],
        allowed: int,
        objective: Objective,
        weights: npt.NDArray[np.float64],
    ) -> None:
        self.table, self.lattice, self.rules, self.allowed = table, lattice, rules, allowed
        self.costs = lattice.costs(objective, weights)
        self.shares = lattice.shares(objective, weights)
        savings, gains = np.diff(self.costs, axis=1, prepend=0.0), lattice.gains(self.costs)
        self.orders = (savings, gains) if allowed else (gains, savings)
        """What lowering a column from each level saves, either in total or per entropy added; the better guide comes
        first: a single rare value spoils a column unless its rows may be left out."""
        self.known: dict[Node, Counted] = {}
        self._least = smallest_group(rules)
        self._by_size = by_size(rules)
        self._compiled = compile_rules(table, rules)
        self._scratch = scratch_for(self._compiled)
        self._hereditary = compile_rules(table, _hereditary(rules, self._least))
        self._moving = any(rule.at_most for rule in rules)
        everything = np.arange(len(lattice.sizes), dtype=np.int32)
        self._base = (everything, lattice.sizes)
        self._cache: dict[Node, tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]] = {}

    @property
    def monotone(self) -> bool:
        """Whether a node above one that complies always complies."""
        return self.allowed == 0 or all(rule.kind in {SIZE, DISTINCT} for rule in self.rules)

    def count(self, node: Node) -> Counted:
        """Count a node, or return the earlier count."""
        if node not in self.known:
            self.known[node] = self._count(node)
        return self.known[node]

    def blocks(self, node: Node) -> Blocks:
        """The blocks at a node, and which of them are kept."""
        members, sizes, labels = self._labeled(node)
        return Blocks(members, sizes, self._kept(labels, sizes))

    def kept_rows(self, node: Node) -> npt.NDArray[np.int64]:
        """Rows that are published at a node."""
        _, sizes, labels = self._labeled(node)
        return np.flatnonzero(self._kept(labels, sizes)[labels])

    def left_out(
        self, node: Node, blocks: Blocks, shares: npt.NDArray[np.float64] | None = None
    ) -> tuple[int, float]:
        """Number of rows not kept, and what leaving them out adds to the objective (or to that of other shares)."""
        chosen = self.shares if shares is None else shares
        space, levels = self.lattice.space, np.array(node, dtype=np.int64)
        rows, cost = left_out(space, chosen, levels, blocks.members, blocks.sizes, blocks.kept)
        return int(rows), float(cost) / max(self.lattice.rows, 1)

    def cost(self, node: Node) -> float:
        """The objective of a node if no row is left out."""
        return float(sum(self.costs[column, level] for column, level in enumerate(node)))

    def _count(self, node: Node) -> Counted:
        cost = self.cost(node)
        members, sizes = self._sizes(node)
        rows, extra = self.left_out(node, Blocks(members, sizes, sizes >= self._least))
        if self._by_size or rows > self.allowed:
            floor = math.inf if rows > self.allowed else extra
            return Counted(node, cost, rows, cost + floor, floor)
        members, sizes, labels = self._labeled(node)
        rows, extra = self.left_out(node, Blocks(members, sizes, self._kept(labels, sizes)))
        objective = math.inf if rows > self.allowed else cost + extra
        if self.allowed == 0:
            return Counted(node, cost, rows, objective, objective - cost)
        hereditary = self._complying(self._hereditary, labels, len(sizes))
        surely, extra = self.left_out(node, Blocks(members, sizes, hereditary))
        return Counted(node, cost, rows, objective, math.inf if surely > self.allowed else extra)

    def _sizes(self, node: Node) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Members and sizes of the blocks, rolled up from the smallest cached node below."""
        below = self._base
        for other, known in self._cache.items():
            if len(known[0]) < len(below[0]) and all(a <= b for a, b in zip(other, node, strict=True)):
                below = known
        members, sizes, _ = roll_up(self.lattice.space, np.array(node, dtype=np.int64), *below)
        if len(members) < len(self._base[0]) // 2:
            self._cache.pop(node, None)
            self._cache[node] = (members, sizes)
            if len(self._cache) > _CACHED:
                self._cache.pop(next(iter(self._cache)))
        return members, sizes

    def _labeled(
        self, node: Node
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        members, sizes, labels = roll_up(self.lattice.space, np.array(node, dtype=np.int64), *self._base)
        return members, sizes, labels[self.lattice.combination]

    def _kept(self, labels: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Blocks that comply. Leaving out rows changes t-closeness's reference, so this repeats until all comply."""
        if self._by_size:
            return sizes >= self._least
        kept = self._complying(self._compiled, labels, len(sizes))
        while self._moving and self.allowed and not kept.all():
            rows = np.flatnonzero(kept[labels])
            if self.lattice.rows - len(rows) > self.allowed:
                break
            compiled = compile_rules(self.table.take(rows), self.rules)
            still = kept & self._complying(compiled, labels[rows], len(sizes))
            if (still == kept).all():
                break
            kept = still
        return kept

    def _complying(self, compiled: Rules, labels: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.bool_]:
        order, starts = rows_by_label(labels, count)
        scratch = self._scratch if compiled is self._compiled else scratch_for(compiled)
        result: npt.NDArray[np.bool_] = complying(compiled, scratch, order, starts)
        return result


def _hereditary(rules: Sequence[Rule], least: int) -> list[Rule]:
    return [
        Rule(SIZE, float(least)),
        *(
            Rule(
                DISTINCT,
                float(values_needed(rule.bound)),
                rule.column,
                spelling=rule.spelling,
                exempt=rule.exempt,
            )
            for rule in rules
            if rule.kind in COUNTING
        ),
    ]
