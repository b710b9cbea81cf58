"""What a group costs, and how the cost changes when a member comes, goes or is exchanged.

One switch for all kinds of cost: the engine above is written once. SSE is kept by sums: with Q the sum of all
squared norms, which no partition changes, the total is Q - sum |S_g|^2 / n_g.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.kernels.jit import kernel

SQUARES = 0


class Model(NamedTuple):
    """Records and what is kept about groups."""

    kind: int
    """SQUARES."""
    X: npt.NDArray[np.float64]
    """Records, centered (SQUARES)."""
    sums: npt.NDArray[np.float64]
    """slots x p: sum of each group's members (SQUARES)."""


def squares_model(X: npt.NDArray[np.float64], slots: int) -> Model:
    """Sum of squared errors about the group means."""
    return Model(SQUARES, np.ascontiguousarray(X - X.mean(axis=0)), np.zeros((slots, X.shape[1])))


@kernel
def refresh(model, members, size, group):
    """Recompute what is kept about a group from its members: against drift."""
    for column in range(model.X.shape[1]):
        total = 0.0
        for index in range(size[group]):
            total += model.X[members[group, index], column]
        model.sums[group, column] = total


@kernel
def include(model, members, size, group, record):
    """A record has come; `size` counts it already."""
    if size[group] == 1:
        for column in range(model.X.shape[1]):
            model.sums[group, column] = model.X[record, column]
        return
    for column in range(model.X.shape[1]):
        model.sums[group, column] += model.X[record, column]


@kernel
def exclude(model, members, size, group, record):
    """A record has gone; `size` no longer counts it."""
    for column in range(model.X.shape[1]):
        model.sums[group, column] -= model.X[record, column]


@kernel
def exchange(model, members, size, group, gone, come):
    """One member was replaced by another."""
    for column in range(model.X.shape[1]):
        model.sums[group, column] += model.X[come, column] - model.X[gone, column]


@kernel
def cost_of(model, size, group):
    """The cost of a group as kept."""
    if size[group] == 0:
        return 0.0
    total = 0.0
    for column in range(model.X.shape[1]):
        value = model.sums[group, column]
        total += value * value
    return -total / size[group]


@kernel
def cost_alone(model, record):
    """The cost of a record as its own group: no group is made cheaper by more than this when the record comes."""
    total = 0.0
    for column in range(model.X.shape[1]):
        total += model.X[record, column] * model.X[record, column]
    return -total


@kernel
def cost_with(model, members, size, group, record):
    """The cost with one more member."""
    if size[group] == 0:
        return cost_alone(model, record)
    total = 0.0
    for column in range(model.X.shape[1]):
        value = model.sums[group, column] + model.X[record, column]
        total += value * value
    return -total / (size[group] + 1)


@kernel
def cost_without(model, members, size, group, record):
    """The cost with one member less."""
    if size[group] == 1:
        return 0.0
    total = 0.0
    for column in range(model.X.shape[1]):
        value = model.sums[group, column] - model.X[record, column]
        total += value * value
    return -total / (size[group] - 1)


@kernel
def cost_exchanged(model, members, size, group, gone, come):
    """The cost with one member replaced by another."""
    total = 0.0
    for column in range(model.X.shape[1]):
        value = model.sums[group, column] - model.X[gone, column] + model.X[come, column]
        total += value * value
    return -total / size[group]
