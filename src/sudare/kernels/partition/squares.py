"""The cost of a group as the sum of squared errors about its mean: Q - |S|^2 / n, with Q the sum of squared norms.

Records are centered first, so that the difference keeps its digits for data far from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.core.jit import inlined


class Squares(NamedTuple):
    """Records, and the data kept about groups."""

    X: npt.NDArray[np.float64]
    """Records, centered."""
    norms: npt.NDArray[np.float64]
    """Squared norm of each record."""
    sums: npt.NDArray[np.float64]
    """slots x p: sum of each group's members."""
    squares: npt.NDArray[np.float64]
    """Sum of the squared norms of each group's members."""


def squares_model(X: npt.NDArray[np.float64], slots: int) -> Squares:
    """Sum of squared errors about the group means."""
    centered = np.ascontiguousarray(X - X.mean(axis=0))
    norms = np.einsum("ij,ij->i", centered, centered)
    return Squares(centered, norms, np.zeros((slots, X.shape[1])), np.zeros(slots))


@inlined
def out_of(model):
    """No records are left out."""
    return np.int64(-1)


@inlined
def has_room(model, size):
    """No record may be left out."""
    return False


@inlined
def refresh(model, members, size, group):
    """Recompute the data kept about a group from its members, against numerical drift."""
    X, sums = model.X, model.sums
    for column in range(X.shape[1]):
        sums[group, column] = 0.0
    model.squares[group] = 0.0
    for index in range(size[group]):
        record = members[group, index]
        model.squares[group] += model.norms[record]
        for column in range(X.shape[1]):
            sums[group, column] += X[record, column]


@inlined
def include(model, members, size, group, record):
    """Update the group after a record has joined; `size` already counts it."""
    X, norms, sums = model.X, model.norms, model.sums
    if size[group] == 1:
        model.squares[group] = norms[record]
        for column in range(X.shape[1]):
            sums[group, column] = X[record, column]
    else:
        model.squares[group] += norms[record]
        for column in range(X.shape[1]):
            sums[group, column] += X[record, column]


@inlined
def exclude(model, members, size, group, record):
    """Update the group after a record has left; `size` no longer counts it."""
    X, sums = model.X, model.sums
    model.squares[group] -= model.norms[record]
    for column in range(X.shape[1]):
        sums[group, column] -= X[record, column]


@inlined
def replace_member(model, members, size, group, gone, come):
    """Update the group after one member was replaced by another."""
    X, norms, sums = model.X, model.norms, model.sums
    model.squares[group] += norms[come] - norms[gone]
    for column in range(X.shape[1]):
        sums[group, column] += X[come, column] - X[gone, column]


@inlined
def cost_of(model, size, group):
    """The cost of a group, from the data kept."""
    X, sums = model.X, model.sums
    if size[group] == 0:
        return 0.0
    total = 0.0
    for column in range(X.shape[1]):
        value = sums[group, column]
        total += value * value
    return model.squares[group] - total / size[group]


@inlined
def cost_with(model, members, size, group, record):
    """The cost with one more member."""
    X, sums = model.X, model.sums
    if size[group] == 0:
        return 0.0
    total = 0.0
    for column in range(X.shape[1]):
        value = sums[group, column] + X[record, column]
        total += value * value
    return model.squares[group] + model.norms[record] - total / (size[group] + 1)


@inlined
def cost_without(model, members, size, group, record):
    """The cost with one member fewer."""
    X, sums = model.X, model.sums
    if size[group] == 1:
        return 0.0
    total = 0.0
    for column in range(X.shape[1]):
        value = sums[group, column] - X[record, column]
        total += value * value
    return model.squares[group] - model.norms[record] - total / (size[group] - 1)


@inlined
def cost_exchanged(model, members, size, group, gone, come):
    """The cost with one member replaced by another."""
    X, norms, sums = model.X, model.norms, model.sums
    total = 0.0
    for column in range(X.shape[1]):
        value = sums[group, column] - X[gone, column] + X[come, column]
        total += value * value
    return model.squares[group] - norms[gone] + norms[come] - total / size[group]
