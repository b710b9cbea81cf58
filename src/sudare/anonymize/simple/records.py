"""Fewer or reordered records: sampling, suppressing records that do not comply, shuffling."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudare.anonymize.grouping.recode import allowed_rows
from sudare.anonymize.note import Note
from sudare.anonymize.protocol import Context, Outcome, some_rows
from sudare.errors import InfeasibleError
from sudare.parameters import Annotated, Field, WholeShareOrRows, parameters

if TYPE_CHECKING:
    from sudare.describe.table import Table


@parameters
class Sample:
    """Publish a simple random sample of the records, without replacement and in their original order.

    Who is in the sample is secret: it is drawn from the cryptographic generator unless a seed is given.
    """

    share: Annotated[float, Field(gt=0, le=1)]
    """Share of the records to keep; the number is rounded, and at least one record is kept."""

    replaces: ClassVar[tuple[str, ...]] = ()

    def apply(self, table: Table, context: Context) -> Outcome:
        """Draw the sample."""
        count = min(table.rows, max(1, round(self.share * table.rows)))
        rows = np.sort(context.random.permutation(table.rows)[:count])
        return some_rows(table, rows, Note("sampled", count=count, rows=table.rows))


@parameters
class Shuffle:
    """Publish the records in random order, so that their position in the file reveals nothing."""

    reorders: ClassVar[bool] = True
    replaces: ClassVar[tuple[str, ...]] = ()
    keeps_rows: ClassVar[bool] = True

    def apply(self, table: Table, context: Context) -> Outcome:
        """Permute the rows."""
        return some_rows(table, context.random.permutation(table.rows), Note("shuffled"))


@parameters
class CapValues:
    """Leave out random records with frequent values of a column, until no value has more than `most` records.

    Where one disease is so frequent that no table can be diverse, this makes diversity possible: with counts N_i, min(N_i, most)
    of each value remain. Who is left out is secret: it is drawn from the cryptographic generator unless a seed is given.
    """

    column: str
    """The column whose values are counted, usually a sensitive one."""
    most: Annotated[int, Field(ge=1)]
    """Records that may remain of each value."""

    replaces: ClassVar[tuple[str, ...]] = ()

    def apply(self, table: Table, context: Context) -> Outcome:
        """Draw the records that remain."""
        table.column(self.column)
        codes = table.codes(self.column, "alike").codes
        order = context.random.permutation(table.rows)
        sorted_rows = order[np.argsort(codes[order], kind="stable")]
        counts = np.bincount(codes)
        place = np.arange(table.rows) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = np.sort(sorted_rows[place < self.most])
        gone = table.rows - len(rows)
        return some_rows(
            table, rows, Note("capped", gone=gone, rows=table.rows, column=self.column, most=self.most)
        )


@parameters
class SuppressRecords:
    """Leave out the records whose blocks do not comply, as long as they are few.

    This is repeated until all requirements are met, because leaving records out changes the distribution that
    t-closeness compares with. Every round removes at least one record, so the process ends.
    """

    limit: WholeShareOrRows = 0.05
    """How many records may be left out: a share from 0 to 1 (all), or a number of records from 2."""

    replaces: ClassVar[tuple[str, ...]] = ()

    def apply(self, table: Table, context: Context) -> Outcome:
        """Remove the violating records, or refuse if there are too many."""
        allowed = allowed_rows(self.limit, table.rows)
        rows = np.arange(table.rows, dtype=np.int64)
        current = table
        context.progress.start("suppress_records", max(allowed, 1))
        while True:
            violating = [
                verdict.violating_rows for verdict in (one.check(current) for one in context.requirements)
            ]
            worst = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *violating]))
            if not len(worst):
                break
            rows = np.delete(rows, worst)
            if table.rows - len(rows) > allowed:
                raise InfeasibleError(
                    "anonymize.simple.too_many_left_out",
                    gone=table.rows - len(rows),
                    rows=table.rows,
                    limit=self.limit,
                    allowed=allowed,
                )
            current = table.take(rows)
            context.progress.update(table.rows - len(rows))
        return some_rows(
            table, rows, Note("suppressed", gone=table.rows - len(rows), rows=table.rows, allowed=allowed)
        )
