"""Swapping: values change places between records, so margins are kept and links are broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, present_columns, same_rows
from sudare.assess.requirement import blocks_of
from sudare.kernels.core.rules import rows_by_label
from sudare.kernels.records.swap import rank_swap_partners
from sudare.parameters import Annotated, AnyNames, Field, Names, parameters
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.describe.table import Table


@parameters
class RankSwap:
    """Rank swapping (Moore 1996): each value changes places with one whose rank is at most a window away.

    Each column is sorted and its ranks are paired at random within the window; the margins of every column
    stay exactly the same. Missing values stay in place. Gives no guarantee on blocks by itself.
    """

    columns: Names
    """Columns with an order (numbers, dates, texts in alphabetical order); each is swapped separately."""
    window: Annotated[float, Field(gt=0, le=1)] = 0.05
    """Largest distance between ranks as a share of the rows."""

    keeps_rows: ClassVar[bool] = True

    def apply(self, table: Table, context: Context) -> Outcome:
        """Swap every column."""
        names = present_columns(table, self.columns)
        result = table
        context.progress.start("swap", len(names))
        for done, name in enumerate(names, start=1):
            codes = table.codes(name)
            present = np.flatnonzero(codes.ranks >= 0)
            # Ties are put in random order; otherwise equal values would always swap among themselves first.
            mixed = present[context.random.permutation(len(present))]
            order = mixed[np.argsort(codes.codes[mixed], kind="stable")]
            reach = max(1, int(self.window * len(order)))
            partner = rank_swap_partners(context.random.uniform(len(order)), reach)
            swapped = codes.codes.copy()
            swapped[order] = codes.codes[order[partner]]
            result = result.with_values(codes.decode(swapped).rename(name))
            context.progress.update(done)
        return same_rows(result, Note("rank_swapped", columns=enumerated(names), window=self.window))


@parameters
class SwapRecords:
    """Data swapping (Dalenius, Reiss 1982): pairs of records exchange the values of some columns together.

    Partners agree on the `within` columns, so all cross tables of the swapped columns by these columns stay the same.
    """

    columns: Names
    """Columns whose values are exchanged together."""
    share: Annotated[float, Field(gt=0, le=1)] = 0.1
    """Share of the records to swap, as far as their strata have partners."""
    within: AnyNames = ()
    """Columns on which partners must agree; if empty, any two records may be partners."""

    keeps_rows: ClassVar[bool] = True

    def apply(self, table: Table, context: Context) -> Outcome:
        """Draw the records and exchange their values."""
        names = present_columns(table, self.columns)
        mixed = context.random.permutation(table.rows)
        one, other = _pairs(mixed, blocks_of(table, self.within).labels[mixed])
        chosen = context.random.permutation(len(one))[: round(self.share * table.rows) // 2]
        source = np.arange(table.rows)
        source[one[chosen]], source[other[chosen]] = other[chosen], one[chosen]
        result = table
        for name in names:
            result = result.with_values(table.frame[name].gather(source))
        moved = int((source != np.arange(table.rows)).sum())
        note = Note("exchanged", columns=enumerated(names), moved=moved, rows=table.rows)
        return same_rows(result, note)


def _pairs(
    chosen: npt.NDArray[np.int64], labels: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Neighboring records in random order within each stratum; an odd one out stays as it is."""
    order, starts = rows_by_label(labels, int(labels.max(initial=-1)) + 1)
    sizes = np.diff(starts)
    place = np.arange(len(order)) - np.repeat(starts[:-1], sizes)
    first = np.flatnonzero((place % 2 == 0) & (place + 1 < np.repeat(sizes, sizes)))
    return chosen[order[first]], chosen[order[first + 1]]
