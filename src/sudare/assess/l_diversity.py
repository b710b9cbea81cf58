"""l-diversity (Machanavajjhala et al. 2006): no block gives its sensitive value away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from sudare.assess.requirement import BlockRequirement, Rule, sensitive_columns
from sudare.describe.spelling import Spelling
from sudare.errors import ErrorSentence
from sudare.kernels.core.rules import DISTINCT, ENTROPY, RECURSIVE
from sudare.parameters import Annotated, Field, Names, model_validator, parameters
from sudare.words.sentence import Sentence

if TYPE_CHECKING:
    from sudare.describe.table import Table

_KINDS = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}


@parameters
class LDiversity(BlockRequirement):
    """Every block has l well-represented values of each sensitive column.

    - distinct: at least l different values.
    - entropy: -sum P(s) log P(s) >= log l, where l is any real number >= 1; `reached` is exp of the entropy.
    - recursive (c, l): with counts r1 >= r2 >= … >= rm, r1 < c (r_l + … + r_m); `reached` is the largest
      l that is satisfied for the given c.

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
        kind, spelling = _KINDS[self.kind], self.spelling
        return [Rule(kind, self.l, name, self.c or 0.0, spelling=spelling) for name in names]

    def explain(self, reached: float, where: str) -> tuple[str, str]:
        """Sentences about the least diverse block."""
        kind = self.kind_in_words
        return (
            Sentence("l_diversity.holds", kind=kind, reached=reached, l=self.l),
            Sentence("l_diversity.fails", where=where, kind=kind, reached=reached, l=self.l),
        )

    @property
    def kind_in_words(self) -> Sentence:
        """Which of the three definitions is used, for people."""
        if self.c is not None:
            return Sentence("l_diversity.kind.recursive_by", c=self.c)
        return Sentence(f"l_diversity.kind.{self.kind}")
