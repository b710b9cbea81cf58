"""The transition of a whole table, one attribute after another, without its Kronecker product.

Original cells are an array with axes (randomized attributes …, exact cells), released cells one with axes (exact
cells, randomized attributes …). One matrix product removes the first axis and appends its counterpart, so going
through all attributes turns one layout into the other and no array is ever transposed in memory. Cells of attributes
that were not randomized form their own axis, which no product touches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Transition:
    """A = A_1 x … x A_m x identity: from the expected original cells to the expected released ones."""

    matrices: tuple[Floats, ...]
    """For each randomized attribute, Pr(released bin | original bin), [released, original]."""
    exact: int = 1
    """Number of cells of the attributes that were not randomized."""

    @cached_property
    def original_shape(self) -> tuple[int, ...]:
        """Axes of original cells."""
        return (*(matrix.shape[1] for matrix in self.matrices), self.exact)

    @cached_property
    def released_shape(self) -> tuple[int, ...]:
        """Axes of released cells."""
        return (self.exact, *(matrix.shape[0] for matrix in self.matrices))

    @property
    def cells(self) -> int:
        """Number of original cells."""
        return math.prod(self.original_shape)

    @cached_property
    def work(self) -> float:
        """Number of multiplications in one pass."""
        return float(self.cells * sum(matrix.shape[0] for matrix in self.matrices) + self.cells)

    def forward(self, original: Floats) -> Floats:
        """A x: the expected released counts."""
        return through(self.matrices, original).reshape(self.released_shape)

    def backward(self, released: Floats) -> Floats:
        """A^T r: each released cell's number mapped back to the originals it may come from."""
        array = released
        for matrix in reversed(self.matrices):
            # Removes the last axis and puts its counterpart first: `forward` in the other direction.
            array = matrix.T @ array.reshape(-1, matrix.shape[0]).T
        return np.ascontiguousarray(array).reshape(self.original_shape)


def through(matrices: Sequence[Floats], array: Floats) -> Floats:
    """Apply each matrix to the first axis, which then becomes the last."""
    for matrix in matrices:
        array = array.reshape(matrix.shape[1], -1).T @ matrix.T
    return array


def to_original(released: Floats) -> Floats:
    """Released cells in the layout of original ones: the axis of exact cells becomes the last."""
    return np.ascontiguousarray(np.moveaxis(released, 0, -1))
