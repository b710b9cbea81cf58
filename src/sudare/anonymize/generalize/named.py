"""The two methods named in the paper on suitability: MinDIS and DiverDIS."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sudare.anonymize.generalize.method import BOUND_VISITS, Generalize
from sudare.anonymize.grouping.refine import Effort
from sudare.parameters import parameters

if TYPE_CHECKING:
    from sudare.anonymize.protocol import Context, Outcome
    from sudare.describe.table import Table


@parameters
class MinDIS:
    """k-anonymity with low distortion, ending in a minimal solution: `Generalize` with objective dis."""

    effort: Effort = "default"
    """How long to search: fast, default or thorough."""

    minimizes: ClassVar[str] = "dis"
    generalizes: ClassVar[bool] = True
    keeps_rows: ClassVar[bool] = True

    @property
    def bound_visits(self) -> float:
        """As for `Generalize`."""
        return BOUND_VISITS[self.effort]

    def apply(self, table: Table, context: Context) -> Outcome:
        """Generalize for any requirements; the name is the paper's for k-anonymity."""
        return Generalize(objective="dis", effort=self.effort).apply(table, context)


@parameters
class DiverDIS:
    """l-diversity with low distortion, ending in a minimal solution: `Generalize` with objective dis."""

    effort: Effort = "default"
    """How long to search: fast, default or thorough."""

    minimizes: ClassVar[str] = "dis"
    generalizes: ClassVar[bool] = True
    keeps_rows: ClassVar[bool] = True

    @property
    def bound_visits(self) -> float:
        """As for `Generalize`."""
        return BOUND_VISITS[self.effort]

    def apply(self, table: Table, context: Context) -> Outcome:
        """Generalize for any requirements; the name is the paper's for l-diversity."""
        return Generalize(objective="dis", effort=self.effort).apply(table, context)
