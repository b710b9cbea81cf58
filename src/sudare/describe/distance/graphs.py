"""Distances given explicitly: a matrix over values, a weighted graph, or the user's own function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.errors import DescriptionError, ErrorSentence
from sudare.parameters import model_validator, parameters


@parameters
class Graph:
    """Shortest path in a weighted, undirected graph over values, with edges as {value: {value: length}}.

    Every cell, original or released, must be a node, and every two nodes must be connected.
    """

    edges: dict[str, dict[str, float]]
    """Length of each edge."""

    @model_validator(mode="after")
    def _positive(self) -> Self:
        for one, ends in self.edges.items():
            for other, length in ends.items():
                if not length > 0:
                    raise ValueError(
                        ErrorSentence("describe.graph.length", one=one, other=other, length=length)
                    )
                if self.edges.get(other, {}).get(one, length) != length:
                    raise ValueError(ErrorSentence("describe.graph.two_lengths", one=one, other=other))
        if not any(self.edges.values()):
            raise ValueError(ErrorSentence("describe.graph.no_edge"))
        return self

    def space(self, cells: ColumnCells) -> MatrixSpace:
        """The space of the graph's nodes."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import shortest_path

        names, place = _numbered(self.edges)
        triples = [
            (place[one], place[other], length)
            for one, ends in self.edges.items()
            for other, length in ends.items()
        ]
        rows, columns, lengths = (np.array(side) for side in zip(*triples, strict=True))
        lengths_of = coo_array((lengths, (rows, columns)), shape=(len(names), len(names))).tocsr()
        matrix = shortest_path(lengths_of, directed=False)
        if apart := _first_pair(names, np.isinf(matrix)):
            raise DescriptionError("describe.graph.apart", column=cells.name, one=apart[0], other=apart[1])
        return MatrixSpace(cells, names, matrix)


@parameters
class Matrix:
    """Distances given for every pair of values: {value: {value: distance}}, symmetric, 0 only on the diagonal."""

    distances: dict[str, dict[str, float]]
    """Distance of each pair; one direction is enough."""

    def space(self, cells: ColumnCells) -> MatrixSpace:
        """The space of the listed values."""
        names, place = _numbered(self.distances)
        matrix = np.full((len(names), len(names)), np.nan)
        np.fill_diagonal(matrix, 0.0)
        for one, ends in self.distances.items():
            for other, length in ends.items():
                _set(matrix, place[one], place[other], float(length), (one, other, cells.name))
        if missing := _first_pair(names, np.isnan(matrix)):
            raise DescriptionError(
                "describe.matrix.missing", column=cells.name, one=missing[0], other=missing[1]
            )
        return MatrixSpace(cells, names, matrix)


@parameters
class Custom:
    """A function that returns the distance of two texts: symmetric, and 0 if and only if they are equal."""

    function: Callable[[str, str], float]
    """Called once for every pair of distinct cells."""

    def space(self, cells: ColumnCells) -> MatrixSpace:
        """The space of the cells' texts, with all distances computed."""
        texts, _, _ = cells.texts()
        matrix = np.zeros((len(texts), len(texts)))
        for one, first in enumerate(texts):
            for other in range(one):
                matrix[one, other] = _called(self.function, first, texts[other], cells.name)
                matrix[other, one] = _called(self.function, texts[other], first, cells.name)
        sound = (matrix > 0) & np.isfinite(matrix) | np.eye(len(texts), dtype=bool)
        if wrong := _first_pair(texts, ~sound):
            length = matrix[texts.index(wrong[0]), texts.index(wrong[1])]
            raise DescriptionError(
                "describe.custom.not_positive",
                column=cells.name,
                one=wrong[0],
                other=wrong[1],
                length=length,
            )
        if uneven := _first_pair(texts, matrix != matrix.T):
            raise DescriptionError(
                "describe.custom.not_symmetric", column=cells.name, one=uneven[0], other=uneven[1]
            )
        return MatrixSpace(cells, texts, matrix)


def _numbered(pairs: Mapping[str, Mapping[str, float]]) -> tuple[list[str], dict[str, int]]:
    """All values of either side in order, and the position of each."""
    names = sorted({*pairs, *(other for ends in pairs.values() for other in ends)})
    return names, {name: number for number, name in enumerate(names)}


def _first_pair(names: list[str], where: npt.NDArray[np.bool_]) -> tuple[str, str] | None:
    """The first two values whose entry in a matrix is true."""
    found = np.argwhere(where)
    return (names[found[0, 0]], names[found[0, 1]]) if len(found) else None


def _called(function: Callable[[str, str], float], one: str, other: str, column: str) -> float:
    try:
        return float(function(one, other))
    except (TypeError, ValueError):
        raise DescriptionError("describe.custom.not_a_number", column=column, one=one, other=other) from None


class MatrixSpace(Space):
    """Points with a matrix of distances."""

    def __init__(self, cells: ColumnCells, names: list[str], matrix: Floats) -> None:
        texts, before, after = cells.texts()
        place: Mapping[str, int] = {name: number for number, name in enumerate(names)}
        unknown = next((text for text in texts if text not in place), None)
        if unknown is not None:
            raise DescriptionError("describe.distance.unknown", column=cells.name, value=unknown)
        lookup = np.array([*(place[text] for text in texts), -1], dtype=np.int64)
        self.before, self.after = lookup[before], lookup[after]
        self.size = len(names)
        self._matrix = matrix
        original = np.unique(self.before[self.before >= 0])
        self.reach = float(matrix[np.ix_(original, original)].max(initial=0.0)) or 1.0

    def between(self, one: Codes, other: Codes) -> Floats:
        """Look up the distances."""
        distances: Floats = self._matrix[one, other]
        return distances

    def summed(self, counts: Floats, power: float) -> float:
        """Counts' M^p counts."""
        return float(counts @ self._matrix**power @ counts)


def _set(matrix: Floats, one: int, other: int, length: float, names: tuple[Any, ...]) -> None:
    first, second, column = names
    if one == other and length != 0:
        raise DescriptionError("describe.matrix.from_itself", column=column, value=first, length=length)
    if one != other and not length > 0:
        raise DescriptionError(
            "describe.matrix.not_positive", column=column, one=first, other=second, length=length
        )
    if not np.isnan(matrix[other, one]) and matrix[other, one] != length:
        raise DescriptionError("describe.matrix.two_distances", column=column, one=first, other=second)
    matrix[one, other] = matrix[other, one] = length
