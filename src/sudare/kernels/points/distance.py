"""The distance on which all decisions of microaggregation are based, and the heap of the nearest records."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import kernel


@kernel
def squared_distance(X, row, query):
    """Squared distance of a row to a point, summed in column order: all decisions are based on it."""
    total = 0.0
    for column in range(X.shape[1]):
        difference = X[row, column] - query[column]
        total += difference * difference
    return total


@kernel
def squared_distances(X, query):
    """Squared distance of every row to a point."""
    distances = np.empty(len(X))
    for row in range(len(X)):
        distances[row] = squared_distance(X, row, query)
    return distances


@kernel
def offer(distances, rows, size, distance, row):
    """Replace the worst record in a full heap of the best (squared distance, row) if the given one is better."""
    if distance < distances[0] or (distance == distances[0] and row < rows[0]):
        sink(distances, rows, size, distance, row)


@kernel
def sort_heap(distances, rows, size):
    """Turn the heap into ascending order of (squared distance, row)."""
    for last in range(size - 1, 0, -1):
        distance, row = distances[last], rows[last]
        distances[last], rows[last] = distances[0], rows[0]
        sink(distances, rows, last, distance, row)


@kernel
def sink(distances, rows, size, distance, row):
    """Insert (distance, row) into a max-heap of this size whose top is free."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            distances[other] > distances[child]
            or (distances[other] == distances[child] and rows[other] > rows[child])
        ):
            child = other
        if distances[child] < distance or (distances[child] == distance and rows[child] < row):
            break
        distances[at], rows[at] = distances[child], rows[child]
        at = child
    distances[at], rows[at] = distance, row
