"""Distances given in full: a matrix over values, a weighted graph, or the user's own function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.errors import DescriptionError
from sudare.parameters import model_validator, parameters


@parameters
class Graph:
    """Shortest path in a weighted graph over values: edges as {value: {value: length}}, both directions alike.

    Every cell, original or released, must be a node, and every two nodes connected.
    """

    edges: dict[str, dict[str, float]]
    """Length of each edge."""

    @model_validator(mode="after")
    def _positive(self) -> Self:
        for one, ends in self.edges.items():
            for other, length in ends.items():
                if not length > 0:
                    raise ValueError(
                        f"the edge from '{one}' to '{other}' has length {length:g}; give it more than 0."
                    )
                if self.edges.get(other, {}).get(one, length) != length:
                    raise ValueError(
                        f"'{one}' and '{other}' have two lengths; an edge has one in both directions."
                    )
        if not any(self.edges.values()):
            raise ValueError("there is no edge; give at least one.")
        return self

    def space(self, cells: ColumnCells) -> MatrixSpace:
        """The space of the graph's nodes."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import shortest_path

        names = sorted({*self.edges, *(other for ends in self.edges.values() for other in ends)})
        place = {name: number for number, name in enumerate(names)}
        triples = [
            (place[one], place[other], length)
            for one, ends in self.edges.items()
            for other, length in ends.items()
        ]
        rows, columns, lengths = (np.array(side) for side in zip(*triples, strict=True))
        lengths_of = coo_array((lengths, (rows, columns)), shape=(len(names), len(names))).tocsr()
        matrix = shortest_path(lengths_of, directed=False)
        apart = np.argwhere(np.isinf(matrix))
        if len(apart):
            one, other = (names[number] for number in apart[0])
            raise DescriptionError(
                f"In the graph of column '{cells.name}' no way leads from '{one}' to '{other}'; add one."
            )
        return MatrixSpace(cells, names, matrix)


@parameters
class Matrix:
    """Distances given for every two values: {value: {value: distance}}, symmetric, 0 only on the diagonal."""

    distances: dict[str, dict[str, float]]
    """Distance of each pair; one direction is enough."""

    def space(self, cells: ColumnCells) -> MatrixSpace:
        """The space of the listed values."""
        names = sorted({*self.distances, *(other for ends in self.distances.values() for other in ends)})
        place = {name: number for number, name in enumerate(names)}
        matrix = np.full((len(names), len(names)), np.nan)
        np.fill_diagonal(matrix, 0.0)
        for one, ends in self.distances.items():
            for other, length in ends.items():
                _set(matrix, place[one], place[other], float(length), (one, other, cells.name))
        missing = np.argwhere(np.isnan(matrix))
        if len(missing):
            one, other = (names[number] for number in missing[0])
            raise DescriptionError(
                f"The matrix of column '{cells.name}' has no distance from '{one}' to '{other}'; add it."
            )
        return MatrixSpace(cells, names, matrix)


@parameters
class Custom:
    """A function of two texts that gives their distance: symmetric, 0 if and only if they are equal."""

    function: Callable[[str, str], float]
    """Called once for every two distinct cells."""

    def space(self, cells: ColumnCells) -> MatrixSpace:
        """The space of the cells' texts, all their distances computed."""
        texts, _, _ = cells.texts()
        matrix = np.zeros((len(texts), len(texts)))
        for one, first in enumerate(texts):
            for other in range(one):
                matrix[one, other] = _called(self.function, first, texts[other], cells.name)
                matrix[other, one] = _called(self.function, texts[other], first, cells.name)
        wrong = np.argwhere(~((matrix > 0) & np.isfinite(matrix)) & ~np.eye(len(texts), dtype=bool))
        if len(wrong):
            one_text, other_text = (texts[number] for number in wrong[0])
            raise DescriptionError(
                f"The distance of column '{cells.name}' gives {matrix[tuple(wrong[0])]:g} between '{one_text}' and "
                f"'{other_text}'; different values must be more than 0 and finitely far apart."
            )
        uneven = np.argwhere(matrix != matrix.T)
        if len(uneven):
            one_text, other_text = (texts[number] for number in uneven[0])
            raise DescriptionError(
                f"The distance of column '{cells.name}' is not symmetric: it depends on the order of '{one_text}' and "
                f"'{other_text}'; make it the same both ways."
            )
        return MatrixSpace(cells, texts, matrix)


def _called(function: Callable[[str, str], float], one: str, other: str, column: str) -> float:
    try:
        return float(function(one, other))
    except (TypeError, ValueError):
        raise DescriptionError(
            f"The distance of column '{column}' gives no number for '{one}' and '{other}'; return a number."
        ) from None


class MatrixSpace(Space):
    """Points with a table of distances."""

    def __init__(self, cells: ColumnCells, names: list[str], matrix: Floats) -> None:
        texts, before, after = cells.texts()
        place: Mapping[str, int] = {name: number for number, name in enumerate(names)}
        unknown = next((text for text in texts if text not in place), None)
        if unknown is not None:
            raise DescriptionError(
                f"Column '{cells.name}' holds '{unknown}', which its distance does not know; add it."
            )
        lookup = np.array([*(place[text] for text in texts), -1], dtype=np.int64)
        self.before, self.after = lookup[before], lookup[after]
        self.size = len(names)
        self._matrix = matrix
        original = np.unique(self.before[self.before >= 0])
        self.reach = float(matrix[np.ix_(original, original)].max(initial=0.0)) or 1.0

    def between(self, one: Codes, other: Codes) -> Floats:
        """Look the distances up."""
        distances: Floats = self._matrix[one, other]
        return distances

    def summed(self, counts: Floats, power: float) -> float:
        """Counts' M^p counts."""
        return float(counts @ self._matrix**power @ counts)


def _set(matrix: Floats, one: int, other: int, length: float, names: tuple[Any, ...]) -> None:
    first, second, column = names
    if one == other and length != 0:
        raise DescriptionError(
            f"The matrix of column '{column}' puts '{first}' {length:g} from itself; make it 0."
        )
    if one != other and not length > 0:
        raise DescriptionError(
            f"The matrix of column '{column}' puts '{first}' and '{second}' {length:g} apart; make it more than 0."
        )
    if not np.isnan(matrix[other, one]) and matrix[other, one] != length:
        raise DescriptionError(
            f"The matrix of column '{column}' gives two distances for '{first}' and '{second}'; make it symmetric."
        )
    matrix[one, other] = matrix[other, one] = length
