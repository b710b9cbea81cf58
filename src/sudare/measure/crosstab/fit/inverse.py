"""Matrix inversion: the unbiased estimate, which may be negative, with its exact standard error.

    x = B y,   B = A^-1,   Var x_j = sum_i B[j, i]^2 u_i - x_j

The variance is that of the release given the original table: Cov y = diag(u) - sum_l x_l a_l a_l^T, and B a_l is the
l-th unit vector. B and the squares of its entries are Kronecker products like A, so both are contracted one attribute
at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.measure.crosstab.fit.contract import through, to_original

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.measure.crosstab.fit.contract import Transition

    Floats = npt.NDArray[np.float64]

_WORST_CONDITION = 1e12


def invert(transition: Transition, released: Floats) -> tuple[Floats, Floats] | None:
    """(estimate, standard error) in the layout of original cells; None if a matrix cannot be inverted."""
    if any(
        matrix.shape[0] != matrix.shape[1] or np.linalg.cond(matrix) > _WORST_CONDITION
        for matrix in transition.matrices
    ):
        return None
    inverses: list[Floats] = [np.linalg.inv(matrix).astype(np.float64) for matrix in transition.matrices]
    cells = to_original(released)
    estimate = _apply(inverses, cells)
    variance = _apply([inverse**2 for inverse in inverses], cells) - estimate
    return estimate, np.sqrt(np.maximum(variance, 0.0))


def _apply(matrices: list[Floats], cells: Floats) -> Floats:
    # `through` leaves the axis of exact cells first.
    shape = (cells.shape[-1], *cells.shape[:-1])
    return to_original(through(matrices, cells).reshape(shape))
