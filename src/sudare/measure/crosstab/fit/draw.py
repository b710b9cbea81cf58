"""Draw a release from a table: the random counterpart of `Transition.forward`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.measure.crosstab.fit.contract import Transition

    Floats = npt.NDArray[np.float64]


def draw(transition: Transition, table: Floats, random: np.random.Generator) -> Floats:
    """Released counts of a table, one attribute after another: the random counterpart of `Transition.forward`."""
    low = np.floor(table)
    counts = (low + (random.random(table.shape) < table - low)).astype(np.int64)
    for matrix in transition.matrices:
        chances = matrix / matrix.sum(axis=0, keepdims=True)
        rows = counts.reshape(matrix.shape[1], -1)
        counts = np.zeros((rows.shape[1], matrix.shape[0]), dtype=np.int64)
        for value, row in enumerate(rows):
            present = np.flatnonzero(row)
            counts[present] += random.multinomial(row[present], chances[:, value])
    return counts.astype(np.float64).reshape(transition.released_shape)
