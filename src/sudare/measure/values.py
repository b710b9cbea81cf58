"""Released cells as numbers: a range counts as its midpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.describe.distance.line import line_ends
from sudare.describe.kinds import MEASURED_KINDS

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.measure.pair import Pair


_LARGEST = 1e100


def numeric_names(pair: Pair) -> list[str]:
    """Numeric and date columns in both tables: quasi-identifiers, sensitive and other published columns."""
    present = set(pair.after.frame.columns)
    return [
        column.name
        for column in pair.before.columns
        if column.kind in MEASURED_KINDS
        and column.role in {"quasi", "sensitive", "insensitive"}
        and column.name in present
    ]


def numbers_of(pair: Pair, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(original numbers of all rows, released midpoints); NaN if missing."""
    if name not in pair.numbers:
        low, high = line_ends(pair.column_cells(name))
        largest = max(np.nanmax(np.abs(low), initial=0.0), np.nanmax(np.abs(high), initial=0.0))
        if largest > _LARGEST:
            # No figure depends on the unit, and the squares of such large numbers would overflow.
            low, high = low / largest, high / largest
        middle = low + (high - low) / 2
        pair.numbers[name] = middle[: pair.before.rows], middle[pair.before.rows :]
    return pair.numbers[name]
