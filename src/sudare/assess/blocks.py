"""Blocks (equivalence classes): rows that share one combination of quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sudare.kernels.core.blocks import block_labels, rows_by_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.describe.table import Table


@dataclass(frozen=True, eq=False)
class Blocks:
    """A partition of the rows; block b has `sizes[b]` rows."""

    labels: npt.NDArray[np.int32]
    """Block of each row, numbered in order of first appearance."""
    count: int

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of rows in each block."""
        return np.bincount(self.labels, minlength=self.count)

    @cached_property
    def grouped(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Row indices grouped by block, and where each block starts (count + 1 entries)."""
        order, starts = rows_by_label(self.labels, self.count)
        return order, starts

    def rows_of(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Row indices of the chosen blocks, ascending."""
        return np.flatnonzero(chosen[self.labels])


def blocks_of(table: Table, columns: Sequence[str] | None = None) -> Blocks:
    """Blocks of a table over the given columns (by default its quasi-identifiers).

    Missing is a value of its own: two missing cells are equal, a missing and a present one are not. If there are
    no columns, the whole table is one block.
    """
    coded = [table.codes(name) for name in (table.names("quasi") if columns is None else columns)]
    labels, count = block_labels([each.codes for each in coded], [each.count for each in coded], table.rows)
    return Blocks(labels, count)
