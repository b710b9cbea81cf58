"""Which cells of a rebuilt table can be used: a verdict on each, by the width of its interval.

Half the width of the 95 % interval is compared with a third and two thirds of the estimate: a convention of our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Trust = Literal["usable", "rough", "unknown", "exact", "released"]
"""By the interval: usable, rough, or the count cannot be told; counted exactly; counted in data that nothing describes
as randomized."""
USABLE, ROUGH = 1 / 3, 2 / 3
"""Largest half width of the interval over the estimate."""


def trust_of(estimate: Floats, low: Floats, high: Floats) -> npt.NDArray[np.str_]:
    """The verdict on each cell; the estimate of a cell that is not shown is nan.

    >>> trust_of(np.array([100.0, 100.0, 5.0, np.nan]), np.array([80.0, 50.0, 0, 0]), np.array([120.0, 150, 40, 9])).tolist()
    ['usable', 'rough', 'unknown', 'unknown']
    """
    half = (high - low) / 2
    return np.select([half <= USABLE * estimate, half <= ROUGH * estimate], ["usable", "rough"], "unknown")
