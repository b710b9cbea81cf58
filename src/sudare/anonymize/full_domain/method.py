"""Full-domain (global) recoding: every column is published at one level of its hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sudare.anonymize.full_domain.best_node import search
from sudare.anonymize.full_domain.count import Counter
from sudare.anonymize.full_domain.lattice import lattice_of
from sudare.anonymize.grouping.recode import allowed_rows, block_rules
from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome
from sudare.assess.requirement import require_feasible
from sudare.describe.hierarchy.tree import MEASURE_NAMES, Objective
from sudare.errors import ErrorSentence, InfeasibleError
from sudare.parameters import Annotated, Field, ShareOrRows, parameters
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from sudare.anonymize.full_domain.best_node import Found
    from sudare.anonymize.full_domain.lattice import Lattice
    from sudare.describe.table import Table


@parameters
class FullDomain:
    """Publish each quasi-identifier at one level of its hierarchy, the same for all rows, at the lowest loss.

    The levels of all columns form a lattice. Its best node is found, with proof, by a greedy descent and the
    elimination of all nodes that could be better. Only if there are too many of these to list (many columns), or more
    than the budget, is the best node found not proven to be the best; the outcome's note then says so. A column
    without a hierarchy is published unchanged or as `*`.

    Rows in blocks that do not comply may be left out up to a limit and then cost 1. The objective is the mean over
    rows and (weighted) columns. Why pruning is exact: the cost of a node without leaving out rows only grows going
    up and never exceeds its objective. If no rows may be left out, every requirement on blocks is monotone: if a node
    fails, all below fail. Otherwise, k-anonymity and distinct l-diversity still are: a block that is too small has
    only smaller parts below. Entropy and recursive diversity and t-closeness are not: a part may comply even if
    the whole does not, so nodes are then excluded by the size and the distinct values they need in any case, and
    by cost. For t-closeness, whose reference is the published table, blocks are left out until all that remain comply.

    Samarati 2001 (full-domain generalization with suppression); El Emam et al. 2009 and Kohlmayer et al. 2012
    (search of the lattice). Time O(G d) for each node counted, with G distinct rows and d columns.
    """

    objective: Objective = "loss"
    """The loss to minimize: loss (share of leaves), dis (share of levels climbed) or ncp (certainty penalty)."""
    suppression: ShareOrRows = 0.0
    """How many rows may be left out: a share below 1, or a number of rows."""
    weights: dict[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Importance of columns in the objective; 1 if left out."""
    budget: Annotated[int, Field(ge=1)] = 50_000
    """Maximum number of lattice nodes to count; each takes about a millisecond for 30,000 rows."""

    generalizes: ClassVar[bool] = True

    @property
    def minimizes(self) -> str:
        """The measure that corresponds to its objective."""
        return MEASURE_NAMES[self.objective]

    @property
    def keeps_rows(self) -> bool:
        """Whether no rows may be left out."""
        return self.suppression == 0

    def apply(self, table: Table, context: Context) -> Outcome:
        """Search the lattice and recode the table."""
        rules = block_rules(table, context.requirements)
        allowed = allowed_rows(self.suppression, table.rows, kept=1)
        if allowed == 0:
            require_feasible(table, context.requirements)
        lattice = lattice_of(table)
        counter = Counter(table, lattice, rules, allowed, self.objective, lattice.weights(self.weights))
        found = search(counter, self.budget, context.progress)
        if not found.best.feasible:
            raise InfeasibleError(_infeasible(found, allowed, table.rows))
        texts = [
            column.texts(level, table.codes(column.name).codes)
            for column, level in zip(lattice.columns, found.best.node, strict=True)
        ]
        changed = [text for text in texts if text is not None]
        recoded = table.recoded(table.frame.with_columns(changed))
        rows = counter.kept_rows(found.best.node)
        return Outcome(recoded.take(rows), rows, tuple(self._notes(lattice, found)))

    def _notes(self, lattice: Lattice, found: Found) -> list[str]:
        levels = enumerated(
            Note(
                "full_domain.level",
                column=column.name,
                level=column.numbers[level],
                height=column.tree.height,
            )
            for column, level in zip(lattice.columns, found.best.node, strict=True)
        )
        recoded = Note("full_domain.recoded", levels=levels)
        allowed = allowed_rows(self.suppression, lattice.rows, kept=1)
        if allowed:
            recoded = Note(
                "full_domain.left_out",
                note=recoded,
                gone=found.best.suppressed,
                rows=lattice.rows,
                allowed=allowed,
            )
        proof = (
            Note("full_domain.proven", nodes=lattice.size)
            if found.proven
            else Note("full_domain.unproven", nodes=_size(lattice.size))
        )
        figures = {"objective": self.objective, "value": found.best.objective, "counted": found.counted}
        return [recoded, Note("full_domain.reached", proof=proof, **figures)]


def _infeasible(found: Found, allowed: int, rows: int) -> ErrorSentence:
    figures = {"allowed": allowed, "rows": rows, "gone": found.best.suppressed}
    if found.proven:
        return ErrorSentence("anonymize.full_domain.infeasible", **figures)
    return ErrorSentence("anonymize.full_domain.infeasible_so_far", **figures)


def _size(nodes: int) -> str:
    return f"{nodes:,}" if nodes < 10**15 else f"{nodes:.1e}"
