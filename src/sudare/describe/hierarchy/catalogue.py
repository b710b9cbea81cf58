"""The hierarchy makers, by the names that recipes and the library use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sudare.describe.hierarchy.makers import Dates, Intervals, LevelsFile, Mask, Order, Suppress, Tree
from sudare.parameters import Catalogue

if TYPE_CHECKING:
    import polars as pl

    from sudare.describe.hierarchy.tree import Hierarchy


@runtime_checkable
class HierarchyMaker(Protocol):
    """Parameters from which the hierarchy of a column is built."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The hierarchy that covers these values."""


CATALOGUE: Catalogue[HierarchyMaker] = Catalogue(
    "hierarchy",
    {
        "csv": LevelsFile,
        "mask": Mask,
        "intervals": Intervals,
        "dates": Dates,
        "tree": Tree,
        "order": Order,
        "suppress": Suppress,
    },
)
