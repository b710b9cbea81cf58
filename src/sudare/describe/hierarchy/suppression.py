"""Hierarchy with one level: keep a value or suppress it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.describe.hierarchy.making import ROOT, distinct, grow
from sudare.parameters import parameters

if TYPE_CHECKING:
    import polars as pl

    from sudare.describe.hierarchy.tree import Hierarchy


@parameters
class Suppress:
    """One level: a value is kept as it is or replaced with the label."""

    label: str = ROOT
    """Text that replaces a suppressed value."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """Every value of the column directly below the root."""
        return grow([distinct(values, column)["text"]], values, column, root=self.label)


def suppression_of(column: pl.Series) -> Hierarchy:
    """The hierarchy of an unordered column for which none was given: its values, and `*`."""
    return Suppress().build(column, column.name)
