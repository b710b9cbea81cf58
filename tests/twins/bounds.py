"""Lower bounds of the loss by comparing every two rows."""

from __future__ import annotations

import numpy as np

from sudare.assess.bounds.distortion import ranked_column


def all_pairs(table, target, sensitive=None, *, objective="dis"):
    """What each row costs at least, with the `target` rows, or values of a column, that its block must have."""
    names = table.names("quasi")
    costs = sum(_pair_costs(ranked_column(table, name, objective, 1.0)) for name in names) / len(names)
    if sensitive is not None:
        values = table.codes(sensitive).codes
        costs = np.stack([costs[:, values == value].min(axis=1) for value in np.unique(values)], axis=1)
    return np.sort(costs, axis=1)[:, target - 1]


def _pair_costs(column):
    one, other = np.meshgrid(column.ranks, column.ranks, indexing="ij")
    found = column.costs(np.minimum(one, other).ravel(), np.maximum(one, other).ravel())
    return found.reshape(one.shape)
