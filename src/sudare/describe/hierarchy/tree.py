"""The generalization hierarchy of one column (DGH/VGH) as parent and level arrays.

Nodes are numbered leaves first (the missing leaf, if any, is the last leaf), then inner nodes by level, the root
last; so a parent always has a larger number than its children. Leaves are at level 0, a parent's level is higher
than its child's, and the root's level is the height |DGH|: the number of steps of a full generalization.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.describe.hierarchy import makers as files
from sudare.describe.hierarchy import makers as stored
from sudare.describe.text import as_text
from sudare.display import shown_words
from sudare.errors import DescriptionError, ErrorSentence, OutputError

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

    def uncovered(self, values: pl.Series) -> list[str]:
        """The distinct values without a leaf, as texts, in their order; missing values are left to `build`.

        >>> Hierarchy.from_levels([["Lyon", "*"], ["Oslo", "*"]], "city").uncovered(pl.Series(["Bari", "Oslo", "Bari"]))
        ['Bari']
        """
        texts = as_text(values).drop_nulls().unique(maintain_order=True)
        covered = set(self.labels[: self.leaves])
        return [text for text in texts.to_list() if text not in covered]

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
        words = shown_words()
        return f"Hierarchy({words('hierarchy', leaves=self.leaves, nodes=self.nodes, height=self.height)})"

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
    def labels_differ(self) -> bool:
        """Whether no two nodes have the same label."""
        return len(set(self.labels)) == len(self.labels)

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


What = Literal["value", "label"]
"""What a text is in a hierarchy: a value of the original, or the label of any node."""


def check_tree(
    parent: npt.NDArray[np.int32],
    level: npt.NDArray[np.int32],
    labels: tuple[str | None, ...],
    lower: npt.NDArray[np.float64] | None,
    upper: npt.NDArray[np.float64] | None,
) -> None:
    """Raise a `DescriptionError` unless the arrays form such a tree and no two leaves share a label."""
    if not (_sizes_agree(parent, level, labels, lower, upper) and _is_tree(parent, level, labels)):
        raise DescriptionError("describe.hierarchy.not_a_tree")
    leaf_labels = labels[: np.count_nonzero(level == 0)]
    if len(set(leaf_labels)) < len(leaf_labels):
        ordered = sorted(label for label in leaf_labels if label is not None)
        label = next(one for one, other in pairwise(ordered) if one == other)
        raise DescriptionError("describe.hierarchy.leaf_twice", label=label)


def some_of(values: pl.Series, what: What = "value") -> str:
    """A few distinct values for a sentence: at most three, and how many more there are.

    >>> import polars as pl
    >>> some_of(pl.Series(["a", "b", "c", "d", "a"]))
    "'a', 'b', 'c' and 1 other value"
    """
    different = values.unique(maintain_order=True)
    listed = ", ".join(f"'{value}'" for value in different.head(3))
    more = len(different) - 3
    if more <= 0:
        return listed
    return ErrorSentence(f"describe.some.{what}.{'one' if more == 1 else 'many'}", listed=listed, more=more)


def _sizes_agree(
    parent: npt.NDArray[np.int32],
    level: npt.NDArray[np.int32],
    labels: tuple[str | None, ...],
    lower: npt.NDArray[np.float64] | None,
    upper: npt.NDArray[np.float64] | None,
) -> bool:
    given = [array for array in (parent, level, lower, upper) if array is not None]
    return (
        len(labels) > 0
        and (lower is None) == (upper is None)
        and all(array.shape == (len(labels),) for array in given)
    )


def _is_tree(
    parent: npt.NDArray[np.int32], level: npt.NDArray[np.int32], labels: tuple[str | None, ...]
) -> bool:
    root = len(labels) - 1
    leaves = int(np.count_nonzero(level == 0))
    below = parent[:-1]
    if parent[-1] != root or level[-1] < 1 or level[0] < 0 or (np.diff(level) < 0).any():
        return False
    if ((below <= np.arange(root)) | (below > root)).any() or (level[below] <= level[:-1]).any():
        return False
    if root > 0 and len(np.unique(below)) != root + 1 - leaves:  # an inner node without children
        return False
    unlabeled = [node for node, label in enumerate(labels) if label is None]
    return not unlabeled or (unlabeled == [leaves - 1] and parent[leaves - 1] == root)


class LabelIndex:
    """Node numbers by label; if two nodes share a label, it refers to the lower one; None is missing."""

    def __init__(self, labels: Sequence[str | None]) -> None:
        lowest: dict[str, int] = {}
        self._missing = -1
        for node, label in enumerate(labels):
            if label is None:
                self._missing = node
            else:
                lowest.setdefault(label, node)
        self._names = pl.Enum(list(lowest))
        # Missing values map to the position after the last name.
        self._nodes = np.array([*lowest.values(), self._missing], dtype=np.int32)

    def knows(self, given: pl.Series) -> bool:
        """Whether every text of a column is a label."""
        texts = as_text(given).drop_nulls().unique()
        return not texts.cast(self._names, strict=False).null_count()

    def places(self, given: pl.Series, what: What) -> npt.NDArray[np.int32]:
        """The node of each text; a text without a node is a `DescriptionError` about values or labels."""
        text = as_text(given)
        places = text.cast(self._names, strict=False).to_physical().cast(pl.Int32)
        if given.dtype.is_decimal():  # as people write prices: 1.50
            written = given.cast(pl.String).cast(self._names, strict=False).to_physical().cast(pl.Int32)
            places = places.fill_null(written)
        unknown = text.filter(places.is_null() & text.is_not_null())
        if len(unknown):
            raise DescriptionError(
                f"describe.hierarchy.uncovered.{what}", column=given.name, values=some_of(unknown, what)
            )
        if text.null_count() and self._missing < 0:
            raise DescriptionError("describe.hierarchy.uncovered.missing", column=given.name)
        nodes: npt.NDArray[np.int32] = self._nodes[places.fill_null(len(self._nodes) - 1).to_numpy()]
        return nodes


class Assembled(NamedTuple):
    """The arrays of a tree, and the node that every row of the table of levels reaches at every level."""

    parent: Ints
    level: Ints
    labels: tuple[str, ...]
    node_at: list[Ints]
    """One array per level: the node of each row at that level."""


def columns_of(rows: Sequence[Sequence[str]], column: str) -> list[pl.Series]:
    """The rows of a table of levels as one text series per level; rows must be equally long."""
    if not rows:
        raise DescriptionError("describe.levels.empty", column=column)
    width = len(rows[0])
    for row in rows:
        if len(row) != width:
            raise DescriptionError(
                f"describe.levels.uneven.{'one' if len(row) == 1 else 'many'}",
                column=column,
                value=row[0] if row else "",
                levels=len(row),
                first=rows[0][0] if rows[0] else "",
                width=width,
            )
    return [
        pl.Series(f"level {j}", cells, dtype=pl.String) for j, cells in enumerate(zip(*rows, strict=True))
    ]


def assemble(columns: Sequence[pl.Series], column: str, *, collapse: bool = True) -> Assembled:
    """The tree of a table of levels given as one text series per level.

    A node is a (level, label). With `collapse`, an inner node whose only child has the same label is merged with that
    child: repeating a label pads a ragged tree without adding edges, and the node keeps the lower level. The root is
    never a leaf.
    """
    if len(columns) < 2:
        raise DescriptionError("describe.levels.only_values", column=column)
    coded = [_codes(series) for series in columns]
    roots = coded[-1][1]
    if len(roots) != 1:
        raise DescriptionError(
            "describe.levels.roots", column=column, count=len(roots), one=roots[0], other=roots[1]
        )
    parents = [_parents(coded, j, column) for j in range(len(coded) - 1)]
    return _join(coded, parents, collapse=collapse)


def _codes(series: pl.Series) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Codes of the labels of one level, numbered by first appearance, and the labels."""
    labels = series.unique(maintain_order=True)
    return series.cast(pl.Enum(labels)).to_physical().to_numpy().astype(np.int64), labels.to_list()


def _parents(
    coded: Sequence[tuple[npt.NDArray[np.int64], list[str]]], j: int, column: str
) -> npt.NDArray[np.int64]:
    """The code at level j+1 above every code of level j; a code with two parents is the user's mistake."""
    (child, labels), (above, above_labels) = coded[j], coded[j + 1]
    parents = np.zeros(len(labels), dtype=np.int64)
    parents[child] = above
    breaches = np.flatnonzero(parents[child] != above)
    if len(breaches):
        row = breaches[0]
        one, other = above_labels[above[row]], above_labels[parents[child[row]]]
        raise DescriptionError(
            "describe.levels.two_parents",
            column=column,
            value=labels[child[row]],
            level=j,
            one=one,
            other=other,
        )
    return parents


def _join(
    coded: Sequence[tuple[npt.NDArray[np.int64], list[str]]],
    parents: Sequence[npt.NDArray[np.int64]],
    *,
    collapse: bool,
) -> Assembled:
    top = len(coded) - 1
    leaves = len(coded[0][1])
    labels = list(coded[0][1])
    level = [np.zeros(leaves, dtype=np.int32)]
    ids = [np.arange(leaves, dtype=np.int32)]  # for each level: the node of every code
    for j in range(1, top + 1):
        here = coded[j][1]
        above = parents[j - 1]
        below = ids[j - 1]
        only_child = np.zeros(len(here), dtype=np.int64)
        only_child[above] = np.arange(len(above))
        same = np.zeros(len(here), dtype=bool)
        if collapse:
            single = np.flatnonzero(np.bincount(above, minlength=len(here)) == 1)
            below_labels = coded[j - 1][1]
            same[single] = [here[code] == below_labels[only_child[code]] for code in single]
            if j == top and below[only_child[0]] < leaves:
                same[:] = False
        made = np.flatnonzero(~same)
        at = np.empty(len(here), dtype=np.int32)
        at[same] = below[only_child[same]]
        at[made] = np.arange(len(labels), len(labels) + len(made))
        labels.extend(here[code] for code in made)
        level.append(np.full(len(made), j, dtype=np.int32))
        ids.append(at)
    parent = np.arange(len(labels), dtype=np.int32)
    for j in range(top):
        above_id = ids[j + 1][parents[j]]
        moved = above_id != ids[j]
        parent[ids[j][moved]] = above_id[moved]
    node_at = [at[codes] for at, (codes, _) in zip(ids, coded, strict=True)]
    return Assembled(parent, np.concatenate(level), tuple(labels), node_at)


Objective = Literal["loss", "dis", "ncp"]
"""Iyengar's loss, distortion, or the certainty penalty."""
MEASURE_NAMES: dict[Objective, str] = {"loss": "loss", "dis": "dis", "ncp": "gcp"}
"""The measure under which an objective is reported: the penalty as a mean, not as a sum."""


def node_shares(tree: Hierarchy, objective: Objective) -> npt.NDArray[np.float64]:
    """Share in [0, 1] of each node, 0 for a leaf.

    dis: level / height; loss: (leaves - 1) / (leaves of the root - 1); ncp: leaves / leaves of the root.
    """
    leaves = tree.leaf_counts.astype(np.float64)
    whole = max(float(leaves[tree.root]), 1.0)
    if objective == "dis":
        shares = tree.level / max(tree.height, 1)
    elif objective == "loss":
        shares = (leaves - 1) / max(whole - 1, 1.0)
    else:
        shares = leaves / whole
    return np.where(tree.level == 0, 0.0, shares)
