"""Earth mover's distances between each block's distribution P and the whole table's Q of a sensitive column.

Li, Li and Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007.
Only the values that occur in a block are visited, so that a column with as many values as rows is no
obstacle; each function says why that suffices. Part of the independent verifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.errors import shown
from sudare.verify.blocks import natural_key, sums
from sudare.verify.finding import CannotCheckError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sudare.verify.blocks import Counts, Values


@dataclass(frozen=True)
class Tree:
    """A hierarchy as arrays; `parent[root] == root`, and a parent's level is above its children's."""

    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    labels: list[str | None]
    root: int


def equal_distances(counts: Counts) -> NDArray[np.float64]:
    """Distance of each block where any two values are 1 apart: `sum |p - q| / 2`.

    P and Q both sum to 1, so this is the sum of `p - q` where it is positive: only where `p > 0`.
    """
    surplus = counts.count / counts.sizes[counts.block] - _shares(counts.totals)[counts.value]
    return sums(counts.block, np.maximum(surplus, 0.0), len(counts.sizes))


def ordered_distances(counts: Counts) -> NDArray[np.float64]:
    """Distance of each block over m ordered values: `sum over i < m of |P_1 + … + P_i - (Q_1 + … + Q_i)| / (m - 1)`.

    The cumulated P of a block is constant between two values that occur in it, while the cumulated Q
    only rises: in such a stretch the differences change their sign once at most, and both sides of the
    crossing are sums of Q, taken from prefix sums.
    """
    values = len(counts.totals)
    blocks = len(counts.sizes)
    if values == 1:
        return np.zeros(blocks)
    rows = counts.totals.sum()
    below = np.cumsum(counts.totals)  # rows of the table up to and with each value
    prefix = np.concatenate([[0], np.cumsum(below)])

    # One stretch from each value that occurs in the block up to the next, and one before the first value.
    starts = np.flatnonzero(np.diff(counts.block, prepend=-1))
    ends = np.append(starts[1:], len(counts.block))
    cumulated = np.cumsum(counts.count)
    before_block = cumulated[starts] - counts.count[starts]
    share = (cumulated - before_block[counts.block]) / counts.sizes[counts.block]
    until = np.append(counts.value[1:], values)
    until[ends - 1] = values

    block = np.concatenate([counts.block, np.arange(blocks)])
    height = np.concatenate([share, np.zeros(blocks)])
    start = np.concatenate([counts.value, np.zeros(blocks, np.int64)])
    stop = np.concatenate([until, counts.value[starts]])

    crossing = np.clip(np.searchsorted(below / rows, height), start, stop)
    under = height * (crossing - start) - (prefix[crossing] - prefix[start]) / rows
    over = (prefix[stop] - prefix[crossing]) / rows - height * (stop - crossing)
    return sums(block, under + over, blocks) / (values - 1)


def hierarchical_distances(counts: Counts, leaf: NDArray[np.int64], tree: Tree) -> NDArray[np.float64]:
    """Distance of each block where two values are `level(lowest common ancestor) / height` apart.

    With `extra(leaf) = p - q` and `extra(node)` the sum over its children, what must move through an inner
    node is the smaller of its children's surplus and lack, and costs `level(node) / height`. The lack is the
    surplus minus `extra(node)`, and a child without rows of the block has no surplus: only the nodes above
    the values of a block are visited. `leaf` is the node of each value. Ragged trees need nothing more, as
    this ground distance is an ultrametric as long as levels rise towards the root.
    """
    distance = np.zeros(len(counts.sizes))
    height = tree.level[tree.root]
    nodes = len(tree.parent)
    goal = tree.level[tree.parent]  # the level at which a node joins its parent
    goal[tree.root] = height + 1
    share = np.zeros(nodes)
    np.add.at(share, leaf, _shares(counts.totals))
    block, node, count = counts.block, leaf[counts.value], counts.count.astype(np.float64)

    for level in np.unique(goal[goal <= height]):
        children = np.flatnonzero(goal == level)
        np.add.at(share, tree.parent[children], share[children])
        due = goal[node] == level
        surplus = np.maximum(count[due] / counts.sizes[block[due]] - share[node[due]], 0.0)
        pair, place = np.unique(block[due] * nodes + tree.parent[node[due]], return_inverse=True)
        joined_block, joined_node = np.divmod(pair, nodes)
        joined_count = sums(place, count[due], len(pair))
        surplus = sums(place, surplus, len(pair))
        lack = surplus - (joined_count / counts.sizes[joined_block] - share[joined_node])
        moved = np.maximum(np.minimum(surplus, lack), 0.0)
        distance += sums(joined_block, moved * (level / height), len(distance))
        block = np.concatenate([block[~due], joined_block])
        node = np.concatenate([node[~due], joined_node])
        count = np.concatenate([count[~due], joined_count])
    return distance


def read_tree(name: str, hierarchy: Mapping[str, Any]) -> Tree:
    """Read the hierarchy of a column from the manifest; a missing leaf is added where there is none."""
    labels = [None if label is None else str(label) for label in hierarchy.get("labels") or ()]
    try:
        parent = np.array(hierarchy.get("parent"), np.int64)
        level = np.array(hierarchy.get("level"), np.int64)
    except (TypeError, ValueError, OverflowError):
        raise CannotCheckError("hierarchy_lists", name=name) from None
    nodes = np.arange(len(labels))
    if not (labels and parent.shape == level.shape == nodes.shape):
        raise CannotCheckError("hierarchy_lengths", name=name)
    roots = np.flatnonzero(parent == nodes)
    if len(roots) != 1 or parent.min() < 0 or parent.max() >= len(nodes):
        raise CannotCheckError("hierarchy_tree", name=name)
    root = int(roots[0])
    if np.any((level[parent] <= level) & (nodes != root)):
        raise CannotCheckError("hierarchy_levels", name=name)
    if None not in labels and level[root] > 0:
        parent, level, labels = np.append(parent, root), np.append(level, 0), [*labels, None]
    return Tree(parent, level, labels, root)


def place_on_leaves(name: str, values: Values, kind: str, tree: Tree) -> NDArray[np.int64]:
    """Find the leaf of each value: by its text, else by the number or date that it means."""
    exact: dict[str | None, int] = {}
    meant: dict[tuple[int, Any], int] = {}
    reading = "date" if kind == "date" else "numeric"
    for node in np.flatnonzero(tree.level == 0).tolist():
        label = tree.labels[node]
        if label in exact:
            raise CannotCheckError("two_leaves", name=name, value=shown(label))
        exact[label] = node
        meant[natural_key(label, reading)] = node
    leaf = np.empty(len(values.texts), np.int64)
    for code, text in enumerate(values.texts):
        found = exact.get(text, meant.get(natural_key(text, reading)))
        if found is None:
            raise CannotCheckError("not_a_leaf", name=name, value=shown(text))
        leaf[code] = found
    return leaf


def place_in_order(name: str, values: Values, order: Any) -> NDArray[np.int64]:
    """The rank of each value in the order that the manifest lists, a missing value last; ranks have no gaps.

    The alphabet is no substitute: it puts "grave" before "mild".
    """
    if order is None:
        raise CannotCheckError("no_order", name=name)
    if not isinstance(order, list) or not all(isinstance(text, str) for text in order):
        raise CannotCheckError("order_list", name=name)
    exact: dict[str | None, int] = {}
    meant: dict[tuple[int, Any], int] = {}
    for rank, text in enumerate(order):
        if text in exact:
            raise CannotCheckError("order_twice", name=name, value=shown(text))
        exact[text] = rank
        meant.update({natural_key(text, reading): rank for reading in ("numeric", "date")})
    exact[None] = len(order)
    place = np.empty(len(values.texts), np.int64)
    for code, text in enumerate(values.texts):
        found = exact.get(text, meant.get(natural_key(text, "numeric"), meant.get(natural_key(text, "date"))))
        if found is None:
            raise CannotCheckError("not_in_order", name=name, value=shown(text))
        place[code] = found
    return np.unique(place, return_inverse=True)[1].astype(np.int64)


def _shares(totals: NDArray[np.int64]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = totals / totals.sum()
    return shares
