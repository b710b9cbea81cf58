"""Domain: what is known of the columns of a whole table, frozen, so that its parts are treated exactly as the whole.

A part of a table has fewer values, narrower ranges and other shares of sensitive values. Coded, generalized and judged by
itself it would get other labels, and its t-closeness would be that to itself. `Table.fixed` makes the domain once, from the
whole table; `Table.take` keeps it, and every code, hierarchy, requirement and measure of the part uses it. That is what
lets one method run in parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from sudare.arrays import read_only
from sudare.describe.hierarchy.makers import suppression_of
from sudare.describe.text import axis_of, is_measured

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy.typing as npt
    import polars as pl

    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.describe.table import Table


@dataclass(frozen=True, eq=False)
class ColumnDomain:
    """One column of the whole table."""

    values: pl.Series
    """The distinct present values in ascending order."""
    counts: npt.NDArray[np.int64]
    """How often each occurs, missing cells last where there are any."""
    hierarchy: Hierarchy | None
    """Built for the values of the whole table; None where the column was given none."""
    suppression: Hierarchy | None
    """The hierarchy of one level over all values, for a column that has neither a hierarchy nor an order."""

    @property
    def has_missing(self) -> bool:
        """Whether the whole table has missing cells in this column."""
        return len(self.counts) > len(self.values)

    @property
    def extent(self) -> float:
        """Length of the axis from the smallest to the largest value; 0 where the values lie on none."""
        if not is_measured(self.values) or not len(self.values):
            return 0.0
        ends = axis_of(self.values[[0, -1]]).to_numpy()
        return float(ends[1] - ends[0])


@dataclass(frozen=True, eq=False)
class Domain:
    """The columns of a whole table that a release protects: quasi-identifiers and sensitive columns."""

    rows: int
    """Of the whole table."""
    columns: Mapping[str, ColumnDomain]

    def without(self, names: Collection[str]) -> Domain:
        """The domain without columns whose values were replaced, of which it says nothing any more."""
        kept = {name: column for name, column in self.columns.items() if name not in names}
        return Domain(self.rows, MappingProxyType(kept))


def domain_of(table: Table) -> Domain:
    """The domain of a whole table."""
    columns = {}
    for name in table.names("quasi", "sensitive"):
        codes, tree = table.codes(name), table.hierarchy(name)
        columns[name] = ColumnDomain(
            codes.values,
            read_only(np.bincount(codes.codes, minlength=codes.count)),
            tree,
            suppression_of(table.frame[name]) if tree is None else None,
        )
    return Domain(table.rows, MappingProxyType(columns))
