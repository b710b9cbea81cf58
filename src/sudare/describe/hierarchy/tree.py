"""The generalization hierarchy of one column (DGH/VGH) as parent and level arrays.

Nodes are numbered leaves first (the missing leaf, if any, is the last leaf), then inner nodes by level, the root
last; so a parent always has a larger number than its children. Leaves are at level 0, a parent's level is higher
than its child's, and the root's level is the height |DGH|: the number of steps of a full generalization.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.describe.hierarchy import files, stored
from sudare.describe.hierarchy.checks import check_tree
from sudare.describe.hierarchy.label_index import LabelIndex
from sudare.describe.hierarchy.levels import assemble, columns_of
from sudare.describe.text import as_text
from sudare.errors import DescriptionError, OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """An immutable value generalization hierarchy; its arrays are read-only."""

    parent: Ints
    """Parent of each node; the root is its own parent."""
    level: Ints
    """Level of each node: 0 for leaves, the height for the root."""
    labels: tuple[str | None, ...]
    """Released text of each node; None only for the missing leaf."""
    lower: Floats | None = None
    """Smallest number that a node covers (NaN for the missing leaf), if nodes are intervals."""
    upper: Floats | None = None
    """Largest number that a node covers, or its excluded upper end."""

    def __post_init__(self) -> None:
        for name, dtype in (
            ("parent", np.int32),
            ("level", np.int32),
            ("lower", np.float64),
            ("upper", np.float64),
        ):
            given = getattr(self, name)
            if given is not None:
                array = np.array(given, dtype=dtype)
                array.setflags(write=False)
                object.__setattr__(self, name, array)
        object.__setattr__(self, "labels", tuple(self.labels))
        check_tree(self.parent, self.level, self.labels, self.lower, self.upper)

    @classmethod
    def from_levels(cls, rows: Sequence[Sequence[str]], column: str) -> Hierarchy:
        """The tree of a table of levels: one row per value, leaf first, most general last (ARX's format).

        >>> Hierarchy.from_levels([["Lyon", "France", "*"], ["Oslo", "Norway", "*"]], "city")
        Hierarchy(2 leaves, 5 nodes, height 2)
        """
        return cls(*assemble(columns_of(rows, column), column)[:3])

    @classmethod
    def bare(cls, label: str) -> Hierarchy:
        """A root without any value below it: the hierarchy of a column that contains only missing values."""
        return cls(np.zeros(1, np.int32), np.ones(1, np.int32), (label,))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @cached_property
    def leaves(self) -> int:
        """Number of leaves, including the missing leaf."""
        return int(np.count_nonzero(self.level == 0))

    @property
    def root(self) -> int:
        """The most general node."""
        return self.nodes - 1

    @property
    def height(self) -> int:
        """|DGH|: the level of the root."""
        return int(self.level[-1])

    @property
    def missing(self) -> int | None:
        """The node of missing values, if there is one."""
        last = self.leaves - 1
        return last if last >= 0 and self.labels[last] is None else None

    @cached_property
    def leaf_counts(self) -> Ints:
        """Number of leaves under each node (a leaf counts itself)."""
        counts = (self.level == 0).astype(np.int32)
        for nodes in self._by_level:
            np.add.at(counts, self.parent[nodes], counts[nodes])
        return _frozen(counts)

    @cached_property
    def first(self) -> Ints:
        """Rank of the first leaf under each node; leaves are ranked depth first, siblings by their earliest leaf."""
        earliest = np.full(self.nodes, self.nodes, dtype=np.int64)
        earliest[: self.leaves] = np.arange(self.leaves)
        for nodes in self._by_level:
            np.minimum.at(earliest, self.parent[nodes], earliest[nodes])
        order = np.lexsort((earliest[:-1], self.parent[:-1]))  # siblings side by side
        family = self.parent[order]
        before = np.cumsum(self.leaf_counts[order]) - self.leaf_counts[order]
        start = np.searchsorted(family, family)  # position of the first sibling
        first = np.zeros(self.nodes, dtype=np.int32)
        first[order] = before - before[start]
        for nodes in reversed(self._by_level):
            first[nodes] += first[self.parent[nodes]]
        return _frozen(first)

    @cached_property
    def last(self) -> Ints:
        """One past the rank of the last leaf under each node: a node covers the ranks first … last-1."""
        return _frozen(self.first + self.leaf_counts)

    @cached_property
    def leaf_order(self) -> Ints:
        """Rank of each leaf in depth-first order."""
        return self.first[: self.leaves]

    def ancestors(self, level: int) -> Ints:
        """The most general ancestor (or self) of each leaf whose level is at most `level`."""
        nodes = np.arange(self.leaves, dtype=np.int32)
        while True:
            above = self.parent[nodes]
            moved = (self.level[above] <= level) & (above != nodes)
            if not moved.any():
                return nodes
            nodes = np.where(moved, above, nodes)

    def lowest_common(self, nodes: npt.ArrayLike) -> int:
        """The lowest node that is an ancestor of (or is) every given node.

        A node is above another exactly if its leaf interval contains the other's and its level is not lower.
        """
        given = np.asarray(nodes, dtype=np.int64)
        if given.size == 0:
            raise DescriptionError("describe.hierarchy.no_nodes")
        start = int(given[np.argmin(self.first[given])])
        end, level = self.last[given].max(), self.level[given].max()
        while self.last[start] < end or self.level[start] < level:
            start = int(self.parent[start])
        return start

    def leaves_of(self, values: pl.Series, *, missing: bool) -> npt.NDArray[np.int32]:
        """The leaf of each value, and after them that of missing cells where asked for."""
        leaf = self.leaf_of(values)
        if missing:
            leaf = np.append(leaf, self.leaf_of(pl.Series([None], dtype=pl.String)))
        return leaf.astype(np.int32)

    def leaf_of(self, values: pl.Series) -> Ints:
        """The leaf of every value of a column; a value that is not covered is a `DescriptionError`."""
        return self._leaf_labels.places(values, "value")

    def node_of(self, labels: pl.Series) -> Ints:
        """The node of every released label; if two nodes share a label, the lower one."""
        return self._node_labels.places(labels, "label")

    def is_label(self, texts: pl.Series) -> npt.NDArray[np.bool_]:
        """For each text, whether it is the label of a node."""
        return texts.is_in(self._label_series.drop_nulls().implode()).to_numpy()

    def knows(self, labels: pl.Series) -> bool:
        """Whether every text of a column is a label of this tree."""
        return self._node_labels.knows(labels)

    def labels_of(self, nodes: npt.ArrayLike) -> pl.Series:
        """The released text of every given node; null for the missing leaf."""
        return self._label_series.gather(np.asarray(nodes, dtype=np.int64))

    def with_missing(self) -> Hierarchy:
        """The same tree with a leaf for missing values directly below the root, distinct from every other value."""
        if self.missing is not None:
            return self
        at = self.leaves
        shifted = self.parent + (self.parent >= at)
        return Hierarchy(
            np.insert(shifted, at, self.root + 1),
            np.insert(self.level, at, 0),
            (*self.labels[:at], None, *self.labels[at:]),
            None if self.lower is None else np.insert(self.lower, at, np.nan),
            None if self.upper is None else np.insert(self.upper, at, np.nan),
        )

    def pruned(self, values: pl.Series) -> Hierarchy:
        """The part of the tree above these values: their leaves and all ancestors, at their original levels."""
        needed = np.zeros(self.nodes, dtype=np.bool_)
        needed[self.leaf_of(values.unique())] = True
        needed[self.root] = True
        for node in np.flatnonzero(needed):
            above = int(node)
            while not needed[self.parent[above]]:
                above = int(self.parent[above])
                needed[above] = True
        number = np.cumsum(needed) - 1
        return Hierarchy(
            number[self.parent[needed]],
            self.level[needed],
            tuple(label for label, kept in zip(self.labels, needed, strict=True) if kept),
            None if self.lower is None else self.lower[needed],
            None if self.upper is None else self.upper[needed],
        )

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """This hierarchy for a column: every value must be covered; a missing leaf is added if needed."""
        made = self.with_missing() if as_text(values).null_count() else self
        made.leaf_of(values.alias(column).unique())
        return made

    def to_levels(self) -> list[list[str]]:
        """The tree as a table of levels, without the missing leaf: one row per leaf, labels repeated where ragged."""
        columns = [self.labels_of(self.ancestors(level)).to_list() for level in range(self.height + 1)]
        return [list(row) for row in zip(*columns, strict=True) if row[0] is not None]

    def to_dict(self) -> dict[str, Any]:
        """The hierarchy as plain lists, for JSON; `from_dict` restores an equal hierarchy."""
        return stored.lists_of(self.parent, self.level, self.labels, self.lower, self.upper)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Hierarchy:
        """The hierarchy that `to_dict` wrote."""
        return cls(*stored.arrays_of(given))

    def save(self, path: str | Path) -> None:
        """Write the hierarchy: completely as `.json`, or as a table of levels in `.csv` (separated by ';')."""
        target = Path(path)
        if target.suffix.lower() == ".json":
            files.write_json(target, self.to_dict())
        elif target.suffix.lower() == ".csv":
            files.write_levels(target, self.to_levels())
        else:
            raise OutputError("describe.hierarchy.ending", path=target)

    @classmethod
    def load(cls, path: str | Path) -> Hierarchy:
        """The hierarchy from a file that `save` wrote (for other tables of levels use `hierarchy.csv`)."""
        source = Path(path)
        if source.suffix.lower() == ".csv":
            return cls.from_levels(files.read_levels(source, ";", "utf-8"), source.stem)
        return cls.from_dict(files.read_json(source))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            self.labels == other.labels
            and np.array_equal(self.parent, other.parent)
            and np.array_equal(self.level, other.level)
            and _same(self.lower, other.lower)
            and _same(self.upper, other.upper)
        )

    def __hash__(self) -> int:
        return hash((self.labels, self.parent.tobytes(), self.level.tobytes()))

    def __repr__(self) -> str:
        return f"Hierarchy({self.leaves} leaves, {self.nodes} nodes, height {self.height})"

    @cached_property
    def _by_level(self) -> list[npt.NDArray[np.int64]]:
        """Every node but the root, grouped by level from the leaves up (the order of their numbers)."""
        below = self.level[:-1]
        edges = np.flatnonzero(np.diff(below)) + 1
        return [group for group in np.split(np.arange(len(below)), edges) if len(group)]

    @cached_property
    def _label_series(self) -> pl.Series:
        return pl.Series(self.labels, dtype=pl.String)

    @cached_property
    def _leaf_labels(self) -> LabelIndex:
        return LabelIndex(self.labels[: self.leaves])

    @cached_property
    def _node_labels(self) -> LabelIndex:
        return LabelIndex(self.labels)


def _frozen(array: Ints) -> Ints:
    array.setflags(write=False)
    return array


def _same(one: Floats | None, other: Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)
