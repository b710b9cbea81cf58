"""Lower bounds of the loss by comparing every two rows."""

from __future__ import annotations

import numpy as np

from sudare.assess.bounds.distortion import ground_of
from sudare.kernels.bounds import all_radii


def all_pairs(table, target, sensitive=None, *, objective="dis"):
    """What each row costs at least, with the `target` rows, or values of a column, that its block must have."""
    ground = ground_of(table, objective, None)
    values = None if sensitive is None else table.codes(sensitive).codes.astype(np.int64)
    return all_radii(ground.space, ground.codes, target, values, table.rows) / ground.total
