"""The interface of every method for baskets: parameters with an `apply` that maps baskets to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sudare.anonymize.protocol import Context
    from sudare.describe.baskets.baskets import Baskets


@dataclass(frozen=True, eq=False)
class BasketOutcome:
    """Transformed baskets, one for each input basket, in order."""

    baskets: Baskets
    notes: tuple[str, ...] = ()
    """Sentences for the report: what was done, in figures."""


class BasketAnonymizer(Protocol):
    """A method for baskets; the counterpart of `sudare.anonymize.protocol.Anonymizer`."""

    def apply(self, baskets: Baskets, context: Context) -> BasketOutcome:
        """Transform baskets."""
