"""Plain twins of what groups lose: small random tables whose hierarchies are of any shape, and exhaustive search.

Nothing here uses the library's code for covers, levels or boxes: a value is a chain of nodes, a cover is the lowest
node that all chains share.
"""

import itertools
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import sudare as sd
from sudare.describe.hierarchy.tree import Hierarchy


@dataclass
class Column:
    """A column as leaves of a tree, or as numbers (None: missing) where there is no tree."""

    tree: Hierarchy | None
    values: list[Any]

    def chain(self, leaf):
        """A leaf and all nodes above it."""
        assert self.tree is not None
        nodes = [leaf]
        while self.tree.parent[nodes[-1]] != nodes[-1]:
            nodes.append(int(self.tree.parent[nodes[-1]]))
        return nodes

    def below(self, node):
        """The leaves that a node covers."""
        assert self.tree is not None
        return {leaf for leaf in range(self.tree.leaves) if node in self.chain(leaf)}

    def cover(self, rows):
        """The lowest node over the values of these rows."""
        chains = [self.chain(self.values[row]) for row in rows]
        return next(node for node in chains[0] if all(node in chain for chain in chains))

    def share(self, node, objective):
        """What a cell loses that is published as this node."""
        assert self.tree is not None
        leaves, whole = len(self.below(node)), self.tree.leaves
        if node < self.tree.leaves:
            return 0.0
        if objective == "dis":
            return float(self.tree.level[node]) / float(self.tree.level[-1])
        return leaves / whole if objective == "ncp" else (leaves - 1) / max(whole - 1, 1)

    def lost(self, rows, objective):
        """What each of these rows loses in this column if they are a group."""
        if self.tree is not None:
            return self.share(self.cover(rows), objective)
        own = {self.values[row] for row in rows}
        if len(own) == 1:
            return 0.0
        every = [value for value in self.values if value is not None]
        return 1.0 if None in own else (max(own) - min(own)) / (max(every) - min(every))


@dataclass
class Example:
    """A table and its columns in plain form."""

    table: sd.Table
    columns: list[Column]

    @property
    def rows(self):
        return len(self.columns[0].values)

    def cost(self, rows, objective="loss"):
        """Total loss of a group: rows times the mean over columns."""
        rows = list(rows)
        return len(rows) * sum(column.lost(rows, objective) for column in self.columns) / len(self.columns)

    def cost_of_labels(self, labels, objective="loss"):
        return sum(self.cost(group, objective) for group in groups_of(labels))


def groups_of(labels):
    """Rows of each label in the order of labels; rows of label -1 are in no group."""
    return [
        [row for row, own in enumerate(labels) if own == label]
        for label in sorted({*map(int, labels)} - {-1})
    ]


def hierarchy(random, leaves):
    """A tree of any shape over these leaves: uneven depth, skipped levels, inner nodes with a single child."""
    parents: dict[int, int] = {}
    levels = [0] * leaves
    tops = list(range(leaves))
    while len(tops) > 1 or levels[tops[0]] == 0:
        some = random.choice(tops, size=random.integers(1, min(len(tops), 3) + 1), replace=False).tolist()
        parents |= dict.fromkeys(some, len(levels))
        tops = [node for node in tops if node not in some] + [len(levels)]
        levels.append(max(levels[node] for node in some) + int(random.integers(1, 3)))
    order = sorted(range(len(levels)), key=lambda node: levels[node])
    number = {node: place for place, node in enumerate(order)}
    return Hierarchy(
        np.array([number[parents.get(node, node)] for node in order], dtype=np.int32),
        np.array([levels[node] for node in order], dtype=np.int32),
        tuple(f"n{place}" for place in range(len(order))),
    )


def example(random, rows, columns, *, kind="mixed", ordered=False):
    """A random table; `kind`: mixed, constant (first column), equal (all rows), duplicates (few different rows)."""
    made: list[Column] = []
    template = random.integers(0, max(rows // 3, 1), size=rows) if kind == "duplicates" else range(rows)
    for number in range(columns):
        leaves = int(random.integers(1, 6))
        values = random.integers(0, leaves, size=rows).tolist()
        if kind == "equal" or (kind == "constant" and number == 0):
            values = [values[0]] * rows
        made.append(Column(hierarchy(random, leaves), [values[row] for row in template]))
    if ordered:
        numbers = [int(value) if value else None for value in random.integers(0, 9, size=rows)]
        made[-1] = Column(None, [*numbers[:-1], 1])
    names = [f"c{number}" for number in range(columns)]
    data = {
        name: column.values if column.tree is None else [column.tree.labels[leaf] for leaf in column.values]
        for name, column in zip(names, made, strict=True)
    }
    data["s"] = [f"s{value}" for value in random.integers(0, 3, size=rows)]
    trees = {name: column.tree for name, column in zip(names, made, strict=True) if column.tree is not None}
    kinds: Any = {name: "numeric" for name in names if name not in trees}
    table = sd.read(pl.DataFrame(data, strict=False)).describe(
        quasi=names, sensitive=["s"], kinds=kinds, hierarchies=trees
    )
    return Example(table, made)


def optimum(given, k, objective="loss", left_out=float("inf"), most=10**9):
    """Least total loss over all partitions into groups of at least k; at most so many rows may be left out at this loss."""
    cost = cache(lambda rows: given.cost(rows, objective))

    @cache
    def least(left, room):
        if not left:
            return 0.0
        grouped = [
            cost((left[0], *others)) + least(tuple(row for row in left[1:] if row not in others), room)
            for size in range(k - 1, len(left))
            for others in itertools.combinations(left[1:], size)
        ]
        return min([*grouped, left_out + least(left[1:], room - 1) if room else float("inf")])

    return least(tuple(range(given.rows)), min(most, given.rows))
