"""Requirements on blocks: k-anonymity, l-diversity and t-closeness.

k-anonymity (Samarati, Sweeney 1998): everyone is hidden among at least k rows. l-diversity (Machanavajjhala et al. 2007): the
sensitive values of a block are well represented. t-closeness (Li, Li, Venkatasubramanian 2007): they are distributed as in the
whole table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from sudare.assess.requirement import BlockRequirement, Rule, sensitive_columns
from sudare.describe.kinds import ORDERED_KINDS, Spelling
from sudare.errors import DescriptionError, ErrorSentence, did_you_mean
from sudare.kernels.core.kinds import DISTINCT, ENTROPY, EQUAL, HIERARCHICAL, ORDERED, RECURSIVE, SIZE
from sudare.parameters import Annotated, Field, Names, model_validator, parameters
from sudare.words.sentence import Sentence, counted, enumerated, joined

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

    @property
    def fewest_rows(self) -> int:
        """A block complies by its rows alone."""
        return self.k

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


_DIVERSITIES = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


@parameters
class LDiversity(BlockRequirement):
    """Every block has l well-represented values of each sensitive column.

    - distinct: at least l different values.
    - entropy: -sum P(s) log P(s) >= log l, where l is any real number >= 1; `reached` is exp of the entropy.
    - recursive (c, l): with counts r1 >= r2 >= … >= rm, r1 < c (r_l + … + r_m); `reached` is the largest
      l that is satisfied for the given c.

    Values that are `exempt` (harmless: nobody minds being known to have them) need no protection and add none: in each block,
    the rows with other values must be diverse among themselves, and a block without such rows complies (Muramoto, Kamidoi,
    Wakabayashi 2011, section 5).

    Each of several sensitive columns is protected separately. A missing sensitive value is a value of its own, as which an
    empty text counts too: values that a reader takes for the same one count once (see `spelling`).
    Guarantees nothing about values that are similar in meaning (see TCloseness).
    """

    l: Annotated[float, Field(ge=1)]  # noqa: E741  # the name in the field
    """How diverse each block must be."""
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    """Which of the three definitions to use."""
    c: Annotated[float, Field(gt=0)] | None = None
    """The constant of recursive (c, l)-diversity."""
    sensitive: Names | None = None
    """Sensitive columns to protect; all of them if left out."""
    spelling: Spelling = "alike"
    """Whether values that differ only in case, width, spaces or unseen characters are one value (alike) or several (exact)."""
    exempt: dict[str, tuple[str | None, ...]] = Field(default_factory=dict)
    """Harmless values of sensitive columns, by column: their rows need no diversity and do not count; null is missing."""

    @model_validator(mode="after")
    def _fits_kind(self) -> Self:
        if (self.kind == "recursive") != (self.c is not None):
            raise ValueError(ErrorSentence("assess.l_diversity.c"))
        if self.kind != "entropy" and self.l != int(self.l):
            raise ValueError(ErrorSentence("assess.l_diversity.not_whole", l=self.l, kind=self.kind))
        return self

    def rules(self, table: Table) -> list[Rule]:
        """One rule for each sensitive column."""
        names = sensitive_columns(table, self.sensitive, "l-diversity")
        other = next((name for name in self.exempt if name not in names), None)
        if other is not None:
            raise DescriptionError(
                "assess.l_diversity.exempt_column", column=other, hint=did_you_mean(other, names)
            )
        from sudare.describe.column import codes_among  # not at the top: checking k needs none of it

        for name, values in self.exempt.items():
            codes = table.codes(name, self.spelling)
            if table.rows and codes_among(codes, values, self.spelling).all():
                raise DescriptionError("assess.l_diversity.all_exempt", column=name)
        kind, spelling = _DIVERSITIES[self.kind], self.spelling
        return [
            Rule(kind, self.l, name, self.c or 0.0, spelling=spelling, exempt=self.exempt.get(name, ()))
            for name in names
        ]

    def explain(self, reached: float, where: str) -> tuple[str, str]:
        """Sentences about the least diverse block."""
        kind = self.kind_in_words
        good = Sentence("l_diversity.holds", kind=kind, reached=reached, l=self.l)
        if self.exempt:
            good = Sentence("l_diversity.exempt", said=good, values=self.exempt_in_words)
        return good, Sentence("l_diversity.fails", where=where, kind=kind, reached=reached, l=self.l)

    @property
    def exempt_in_words(self) -> Sentence:
        """The harmless values with their columns, for people."""
        named = (
            Sentence("l_diversity.exempt_in", column=column, values=enumerated(map(_quoted, values)))
            for column, values in self.exempt.items()
        )
        return joined("between.phrases", named)

    @property
    def kind_in_words(self) -> Sentence:
        """Which of the three definitions is used, for people."""
        if self.c is not None:
            return Sentence("l_diversity.kind.recursive_by", c=self.c)
        return Sentence(f"l_diversity.kind.{self.kind}")


def _quoted(value: str | None) -> Sentence:
    return Sentence("missing") if value is None else Sentence("quoted", value=value)


_DISTANCES = {"equal": EQUAL, "ordered": ORDERED, "hierarchical": HIERARCHICAL}


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
        kind, spelling = _DISTANCES[self.distance], self.spelling
        return [Rule(kind, self.t, name, at_most=True, spelling=spelling) for name in names]

    def explain(self, reached: float, where: str) -> tuple[str, str]:
        """Sentences about the farthest block."""
        return (
            Sentence("t_closeness.holds", reached=reached, t=self.t),
            Sentence("t_closeness.fails", where=where, reached=reached, t=self.t),
        )
