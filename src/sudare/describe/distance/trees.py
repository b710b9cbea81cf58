"""Tree distance: the number of edges between two nodes of a hierarchy, inner nodes included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.describe.distance.space import Codes, ColumnCells, Floats, Space
from sudare.describe.sets import set_parts
from sudare.describe.text import as_text
from sudare.errors import DescriptionError
from sudare.kernels.figures.pairs import tree_histogram
from sudare.parameters import parameters

if TYPE_CHECKING:
    import polars as pl

    from sudare.describe.hierarchy.tree import Hierarchy


@parameters
class TreeDistance:
    """Number of edges on the path between two nodes of the column's hierarchy.

    Original cells are leaves, released ones may be any node. Missing is a leaf below the root.
    """

    def space(self, cells: ColumnCells) -> TreeSpace:
        """The space of the hierarchy's nodes."""
        if cells.hierarchy is None:
            raise DescriptionError("describe.distance.no_hierarchy", column=cells.name)
        return TreeSpace(cells, cells.hierarchy.with_missing())


class TreeSpace(Space):
    """Nodes of a tree; missing is a node, so no point is -1."""

    def __init__(self, cells: ColumnCells, tree: Hierarchy) -> None:
        self._tree = tree
        self.before = tree.leaf_of(cells.before).astype(np.int64)
        self.after = _nodes(tree, cells.after)
        self.size = tree.nodes
        self._depth = np.zeros(tree.nodes, dtype=np.int64)
        for node in range(tree.nodes - 2, -1, -1):
            self._depth[node] = self._depth[tree.parent[node]] + 1
        self.reach = 2.0 * float(self._depth.max(initial=0))

    def between(self, one: Codes, other: Codes) -> Floats:
        """The number of edges climbed until the two nodes meet."""
        first, second = (np.array(side, dtype=np.int64) for side in np.broadcast_arrays(one, other))
        edges = np.zeros(first.shape)
        while True:
            apart = first != second
            if not apart.any():
                return edges
            # A parent has a larger number than its children, so the smaller number climbs.
            lower = apart & (first < second)
            upper = apart & ~lower
            first[lower] = self._tree.parent[first[lower]]
            second[upper] = self._tree.parent[second[upper]]
            edges += apart

    def summed(self, counts: Floats, power: float) -> float:
        """Sum over the pairs at each distance, from the counts of depths in every subtree: O(nodes * depth^2)."""
        pairs = tree_histogram(self._tree.parent, self._depth, counts)
        lengths = np.arange(len(pairs), dtype=np.float64)
        return float(pairs[1:] @ lengths[1:] ** power)


def _nodes(tree: Hierarchy, after: pl.Series) -> Codes:
    """The node of each released text; a set of values is placed at the lowest common ancestor of its values."""
    texts = as_text(after).alias(after.name)
    leaves = {label: node for node, label in enumerate(tree.labels[: tree.leaves]) if label is not None}
    covers = {}
    for text in texts.unique().drop_nulls():
        parts = set_parts(text, leaves)
        if len(parts) > 1 and text not in tree.labels:
            covers[text] = tree.labels[tree.lowest_common([leaves[part] for part in parts])]
    return tree.node_of(texts.replace(covers) if covers else texts).astype(np.int64)
