"""k-anonymity (Samarati, Sweeney 1998): everyone is hidden among at least k rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.assess.requirement import BlockRequirement, Rule
from sudare.kernels.core.rules import SIZE
from sudare.parameters import Annotated, Field, parameters
from sudare.words.sentence import Sentence, counted

if TYPE_CHECKING:
    from sudare.describe.table import Table


@parameters
class KAnonymity(BlockRequirement):
    """Every block has at least k rows: |B| >= k.

    Guarantees that an outsider who knows the quasi-identifiers of a person in the table finds at least k matching
    rows. Guarantees nothing about the sensitive values of these rows: they may all be the same.

    >>> import polars as pl
    >>> from sudare.describe.table import Table
    >>> table = Table.from_frame(pl.DataFrame({"sex": ["F", "F", "M"]})).describe(quasi=["sex"])
    >>> KAnonymity(2).check(table).explanation
    'The smallest block, the block sex = M, has 1 row where 2 are asked; 1 of 3 rows in 1 block do not comply.'
    """

    k: Annotated[int, Field(ge=1)]
    """Minimum number of rows that share one combination of quasi-identifiers."""

    def rules(self, table: Table) -> list[Rule]:  # noqa: ARG002  # the same on every table
        """One rule: the block size."""
        return [Rule(SIZE, float(self.k))]

    def explain(self, reached: float, where: str) -> tuple[str, str]:
        """Sentences about the smallest block."""
        rows = counted("rows", reached)
        return (
            Sentence("k_anonymity.holds", rows=rows, k=self.k),
            Sentence("k_anonymity.fails", where=where, rows=rows, k=self.k),
        )
