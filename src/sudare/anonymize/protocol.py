"""What every method is: parameters with an `apply` that maps a table to another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.assess.requirement import Requirement
    from sudare.describe.table import Table
    from sudare.progress import Progress
    from sudare.randomness import Randomness


@dataclass(frozen=True, eq=False)
class Outcome:
    """A transformed table and where its rows come from."""

    table: Table
    rows: npt.NDArray[np.int64]
    """For each row of the outcome, the row of the input it was made from (never published)."""
    notes: tuple[str, ...] = ()
    """Sentences for the report: what was done, in figures."""


class Anonymizer(Protocol):
    """A method: a frozen parameter class that can be applied.

    `apply` never changes its input, draws randomness only from `random`, calls `progress.update` often on
    anything long, and raises `InfeasibleError` when it cannot reach the requirements it is meant to reach.
    Methods that do not form groups ignore the requirements: the final check is made on the result.
    """

    def apply(
        self, table: Table, requirements: Sequence[Requirement], random: Randomness, progress: Progress
    ) -> Outcome:
        """Transform a table."""


def same_rows(table: Table, *notes: str) -> Outcome:
    """The outcome of a method that keeps every row in its place."""
    return Outcome(table, np.arange(table.rows, dtype=np.int64), notes)


def some_rows(table: Table, rows: npt.NDArray[np.int64], *notes: str) -> Outcome:
    """The outcome of a method that keeps or reorders rows."""
    return Outcome(table.take(rows), rows, notes)
