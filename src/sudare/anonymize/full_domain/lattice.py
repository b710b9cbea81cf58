"""The lattice of a table: each quasi-identifier with the levels at which it may be published, and their costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sudare.anonymize.grouping.labels import ranked
from sudare.anonymize.grouping.recode import column_weights
from sudare.describe.hierarchy.tree import Objective, node_shares
from sudare.kernels.core.rules import block_labels
from sudare.kernels.recoding.lattice import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    import polars as pl

    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.describe.table import Table

OBJECTIVES: tuple[Objective, ...] = ("loss", "dis", "ncp")
_LARGEST_KEY = 2**62

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Levels:
    """One column: value v at the i-th usable level is tree node `nodes[i, v]`."""

    name: str
    tree: Hierarchy
    numbers: tuple[int, ...]
    """The usable levels of the hierarchy, ascending; see `usable`."""
    nodes: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    """Number of rows with each value."""

    def shares(self, objective: Objective) -> npt.NDArray[np.float64]:
        """Cost in [0, 1] of each value at each usable level; a leaf that is kept costs nothing."""
        return node_shares(self.tree, objective)[self.nodes]

    def means(self, objective: Objective) -> npt.NDArray[np.float64]:
        """Mean cost over the rows at each usable level."""
        return self.shares(objective) @ self.counts / max(int(self.counts.sum()), 1)

    def usable(self) -> Levels:
        """Without levels that have the same classes as a lower one: those cost more and merge nothing.

        Neither an optimum nor a minimal solution can use them: the node with the lower level has the same blocks.
        """
        # At level 0 every value is published unchanged, even two that share a text.
        classes = [self.nodes.shape[1], *(len(np.unique(row)) for row in self.nodes[1:])]
        # Classes are nested, so equal numbers of classes mean the same classes.
        chosen = [at for at in range(len(classes)) if at == 0 or classes[at] < classes[at - 1]]
        return Levels(
            self.name, self.tree, tuple(self.numbers[at] for at in chosen), self.nodes[chosen], self.counts
        )

    def texts(self, at: int, codes: npt.NDArray[np.int32]) -> pl.Series | None:
        """The released column at the at-th usable level; None if it is unchanged, including its type."""
        if at == 0:
            return None
        return self.tree.labels_of(self.nodes[at]).gather(codes).rename(self.name)


@dataclass(frozen=True, eq=False)
class Lattice:
    """Every combination of usable levels is a node; distinct combinations of values are counted once."""

    columns: tuple[Levels, ...]
    space: Space
    combination: npt.NDArray[np.int32]
    """Each row's combination of values."""
    sizes: npt.NDArray[np.int64]
    """Number of rows with each combination."""

    @property
    def size(self) -> int:
        """Number of nodes."""
        return math.prod(len(column.numbers) for column in self.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.combination)

    @property
    def top(self) -> tuple[int, ...]:
        """The most general node."""
        return tuple(len(column.numbers) - 1 for column in self.columns)

    def weights(self, given: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Weight of each column, 1 if not given, normalized to a sum of 1."""
        weights = np.array(column_weights(given, [column.name for column in self.columns]))
        return weights / weights.sum() if len(weights) else weights

    def shares(self, objective: Objective, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Weighted cost of every value at every level, flat as in `Space`."""
        weighted = zip(self.columns, weights, strict=True)
        return _flat([weight * column.shares(objective) for column, weight in weighted], np.float64)

    def costs(self, objective: Objective, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Weighted mean cost of each column (row) at each level; never decreases along a row."""
        costs = np.zeros((len(self.columns), max([1, *(len(column.numbers) for column in self.columns)])))
        for index, (column, weight) in enumerate(zip(self.columns, weights, strict=True)):
            # Sums in different orders may differ in the last digit; the search relies on the order of levels.
            costs[index, : len(column.numbers)] = np.maximum.accumulate(weight * column.means(objective))
        return costs

    def gains(self, costs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What lowering a column from each level saves per unit of entropy it reveals."""
        gains = np.zeros(costs.shape)
        for index, column in enumerate(self.columns):
            entropy = np.array([_entropy(column.counts, nodes) for nodes in column.nodes])
            finer = np.maximum(entropy[:-1] - entropy[1:], 1e-12)
            gains[index, 1 : len(entropy)] = np.diff(costs[index, : len(entropy)]) / finer
        return gains


def all_levels(table: Table) -> list[Levels]:
    """Every level of every quasi-identifier; a column without a hierarchy has two: its values and `*`."""
    found = []
    for name in table.names("quasi"):
        codes = table.codes(name)
        tree = table.generalization(name)
        leaf = np.zeros(codes.count, dtype=np.int32)
        leaf[codes.codes] = table.leaves(name, tree)
        levels = range(tree.height + 1)
        nodes = np.stack([tree.ancestors(level)[leaf] for level in levels])
        counts = np.bincount(codes.codes, minlength=codes.count)
        found.append(Levels(name, tree, tuple(levels), nodes, counts))
    return found


def lattice_of(table: Table) -> Lattice:
    """The lattice of the quasi-identifiers' usable levels."""
    columns = tuple(column.usable() for column in all_levels(table))
    codes = [table.codes(column.name) for column in columns]
    combination, count = block_labels(
        [each.codes for each in codes], [each.count for each in codes], table.rows
    )
    first = np.full(count, table.rows, dtype=np.int64)
    np.minimum.at(first, combination, np.arange(table.rows))
    classes = [_classes(column.nodes) for column in columns]
    widths = np.array([column.nodes.shape[1] for column in columns], dtype=np.int64)
    lengths = np.array([column.nodes.size for column in columns], dtype=np.int64)
    space = Space(
        codes=np.stack([each.codes[first] for each in codes])
        if codes
        else np.zeros((0, count), dtype=np.int32),
        classes=_flat(classes, np.int64).astype(np.int32),
        marks=_marks(classes),
        offset=np.cumsum(lengths) - lengths,
        width=widths,
        exact=math.prod(map(int, widths)) <= _LARGEST_KEY,
    )
    return Lattice(columns, space, combination, np.bincount(combination, minlength=count))


def _classes(nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Classes of values at each level, numbered from 0. At level 0 every value is a class of its own."""
    classes = np.empty(nodes.shape, dtype=np.int64)
    classes[0] = np.arange(nodes.shape[1])
    for at in range(1, len(nodes)):
        classes[at] = ranked(nodes[at])
    return classes


def _entropy(counts: npt.NDArray[np.int64], nodes: npt.NDArray[np.int32]) -> float:
    shares = np.bincount(nodes, weights=counts)
    shares = shares[shares > 0] / shares.sum()
    return float(-(shares * np.log(shares)).sum())


def _marks(classes: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.uint64]:
    """Digits of a mixed-radix number if it fits in 62 bits, otherwise hashes of column and class."""
    exact = math.prod(each.shape[1] for each in classes) <= _LARGEST_KEY
    marks, radix = [], 1
    for index, each in enumerate(classes):
        digits = each.astype(np.uint64)
        if exact:
            marks.append(digits * np.uint64(radix))
            radix *= each.shape[1]
        else:
            marks.append(_mixed(digits + (np.uint64(index + 1) << np.uint64(32))))
    return _flat(marks, np.uint64)


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finalizer of splitmix64: spreads every bit over the word."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _flat(parts: list[npt.NDArray[T]], kind: type[T]) -> npt.NDArray[T]:
    return np.concatenate([np.zeros(0, dtype=kind), *(part.ravel() for part in parts)])
