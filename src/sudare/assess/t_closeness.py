"""t-closeness (Li, Li, Venkatasubramanian 2007): a block's sensitive values are distributed like the table's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sudare.assess.requirement import BlockRequirement, Rule, sensitive_columns
from sudare.describe.kinds import ORDERED_KINDS
from sudare.describe.spelling import Spelling
from sudare.errors import DescriptionError
from sudare.kernels.core.rules import EQUAL, HIERARCHICAL, ORDERED
from sudare.parameters import Annotated, Field, Names, parameters
from sudare.words.sentence import Sentence

if TYPE_CHECKING:
    from sudare.describe.table import Table

_KINDS = {"equal": EQUAL, "ordered": ORDERED, "hierarchical": HIERARCHICAL}


@parameters
class TCloseness(BlockRequirement):
    """In every block, the distribution P of a sensitive column is within t of its distribution Q in the table.

    The distance is the earth mover's distance with one of three ground distances:

    - equal: any two values are 1 apart; 1/2 sum |p - q|.
    - ordered: the m values of a numeric, date or ordinal column in ascending order (missing last; ordinal and nominal
      ones in the order of the hierarchy's leaves, if there is one), neighbors 1/(m-1) apart;
      sum_i |sum_{j<=i} (p_j - q_j)| / (m - 1).
    - hierarchical: level of the lowest common node over the height of the column's hierarchy.

    Q is the distribution in the table being checked: for a release, in the released table.
    """

    t: Annotated[float, Field(ge=0, le=1)]
    """Largest distance allowed."""
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    """The ground distance between two sensitive values."""
    sensitive: Names | None = None
    """Sensitive columns to protect; all of them if left out."""
    spelling: Spelling = "alike"
    """Whether values that differ only in case, width, spaces or unseen characters are one value (alike) or several (exact)."""

    def rules(self, table: Table) -> list[Rule]:
        """One rule for each sensitive column."""
        names = sensitive_columns(table, self.sensitive, "t-closeness")
        for name in names:
            column = table.column(name)
            unordered = column.hierarchy is None and column.kind not in ORDERED_KINDS
            # Two values are equally far apart in any order.
            if self.distance == "ordered" and unordered and table.codes(name, self.spelling).count > 2:
                raise DescriptionError("assess.t_closeness.no_order", column=name, kind=column.kind)
            if self.distance == "hierarchical" and column.hierarchy is None:
                raise DescriptionError("assess.t_closeness.no_hierarchy", column=name)
        kind, spelling = _KINDS[self.distance], self.spelling
        return [Rule(kind, self.t, name, at_most=True, spelling=spelling) for name in names]

    def explain(self, reached: float, where: str) -> tuple[str, str]:
        """Sentences about the farthest block."""
        return (
            Sentence("t_closeness.holds", reached=reached, t=self.t),
            Sentence("t_closeness.fails", where=where, reached=reached, t=self.t),
        )
