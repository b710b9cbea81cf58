"""How much of a column its noise leaves for tables, and how exactly a share can then be rebuilt.

The signal of a mechanism is the determinant of its two-way table: the chance to be released in a half of the values for
originals in that half, minus the chance for the others (retention keeps exactly `keep`). Rebuilding a table divides by
it, once for each column. Of columns cut in two halves, the share of one among n records has a standard error of about

    1 / (2 sqrt(n) s_1)

and that of a cell of two, which is 1/4 + (a_1 + a_2) / 2 + a_1 a_2 for the columns' deviations a from one half,

    sqrt(1 / s_1^2 + 1 / s_2^2 + 1 / (s_1 s_2)^2) / (4 sqrt(n))

if the released records are spread evenly, as strong noise spreads them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.mechanism.protocol import NumberMechanism
from sudare.mechanism.retention import Retention

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudare.mechanism.protocol import Mechanism

MOST = 0.1
"""Half width from which a share is not told: ten percentage points either way."""
_NORMAL = 1.959963984540054
_ORIGINALS = 64


class Rebuilt(NamedTuple):
    """How exactly shares of rebuilt tables are known, in the best case."""

    column: str
    one: float
    """Half width of the 95 % interval of a share in the table of the column alone."""
    other: str
    two: float
    """The same in the table of both columns."""

    @property
    def useless(self) -> bool:
        """Whether not even the best table of two columns tells a share."""
        return self.two > MOST


def rebuilt(mechanisms: Mapping[str, Mechanism], rows: int) -> Rebuilt | None:
    """How exactly the two columns with the strongest signals are known; None if fewer than two are randomized."""
    signals = sorted(((signal_of(one), name) for name, one in mechanisms.items()), key=lambda one: -one[0])
    if len(signals) < 2 or rows == 0:
        return None
    (first, column), (second, other) = signals[:2]
    half = _NORMAL / (2 * math.sqrt(rows))
    return Rebuilt(column, _over(half, first), other, _over(half / 2, _of_both(first, second)))


def signal_of(mechanism: Mechanism) -> float:
    """The signal of a mechanism: 1 for no noise, 0 if nothing is left.

    >>> signal_of(Retention(keep=0.25, values=("a", "b", "c")))
    0.25
    """
    if isinstance(mechanism, Retention):
        return mechanism.keep
    if not isinstance(mechanism, NumberMechanism):
        return 1.0
    low, width = mechanism.low, mechanism.high - mechanism.low
    originals = low + width * (np.arange(_ORIGINALS) + 0.5) / _ORIGINALS
    below = mechanism.cumulative(originals, low + width / 2)
    half = _ORIGINALS // 2
    return float(below[:half].mean() - below[half:].mean()) * (1 - (mechanism.flip or 0.0))


def _of_both(first: float, second: float) -> float:
    """What the square root over the signals of two columns is divided by; 0 if one of them leaves nothing."""
    product = first * second
    return product / math.sqrt(first**2 + second**2 + 1) if product > 0 else 0.0


def _over(half: float, signal: float) -> float:
    """A share is never known worse than between 0 and 1."""
    return min(half / signal, 1.0) if signal > half else 1.0
