"""How much of a column's domain each released cell leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.describe.distance.line import line_ends
from sudare.describe.distance.space import ColumnCells
from sudare.describe.hierarchy.shares import Objective, node_shares
from sudare.describe.kinds import MEASURED_KINDS
from sudare.describe.ranges import ANYTHING, range_ends
from sudare.describe.sets import set_parts
from sudare.describe.text import as_text, places_among

if TYPE_CHECKING:
    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.measure.pair import Pair


Cells = dict[Objective, npt.NDArray[np.float64]]
"""For every objective, the share in [0, 1] of each released cell; 0 for one as specific as the original."""


def cells_of(pair: Pair, name: str) -> Cells:
    """The cells of one column (computed once): along its hierarchy, as ranges, or else as known or unknown."""
    if name not in pair.cells:
        pair.cells[name] = _cells(pair, name)
    return pair.cells[name]


def _cells(pair: Pair, name: str) -> Cells:
    before, after = pair.kept.frame[name], pair.after.frame[name]
    tree = pair.before.hierarchy(name)
    if tree is None and pair.before.column(name).kind in MEASURED_KINDS:
        return _ranges(pair, name, before, after)
    if tree is None and pair.before.column(name).kind == "ordinal":
        return _ranks(pair, name, before, after)
    if tree is None:
        # Of all cells, as the methods do: missing is a value of its own, so that one value and missing are two.
        tree = pair.before.generalization(name)
    return _nodes(tree, before, after)


def _nodes(tree: Hierarchy, before: pl.Series, after: pl.Series) -> Cells:
    texts = as_text(after)
    distinct = texts.drop_nulls().unique()
    known = tree.is_label(distinct)
    # By distinct text: an unknown text is a perturbed value (rounded, coded), as specific as a leaf (-1); an empty
    # cell that was present says nothing, as if the root were published.
    node_of = np.append(np.full(len(distinct), -1, dtype=np.int64), tree.root)
    node_of[:-1][known] = tree.node_of(distinct.filter(known))
    place = places_among(texts, distinct, len(distinct))
    nodes = _meant(tree, node_of[place], before, texts)
    names = frozenset(tree.labels[: tree.leaves])
    sizes = np.append([len(set_parts(text, names)) for text in distinct], 0)[place]
    still_missing = (after.is_null() & before.is_null()).to_numpy()
    in_sets = (nodes < 0) & (sizes > 1)
    says_less = (nodes >= 0) & ~still_missing
    whole = max(int(tree.leaf_counts[tree.root]), 1)
    # A set has no level: its distortion is the share of the values it leaves open, like its loss.
    of_sets: dict[Objective, npt.NDArray[np.float64]] = {
        "dis": (sizes - 1) / max(whole - 1, 1),
        "loss": (sizes - 1) / max(whole - 1, 1),
        "ncp": sizes / whole,
    }
    return {
        objective: np.where(in_sets, shares, np.where(says_less, node_shares(tree, objective)[nodes], 0.0))
        for objective, shares in of_sets.items()
    }


def _meant(
    tree: Hierarchy, nodes: npt.NDArray[np.int64], before: pl.Series, texts: pl.Series
) -> npt.NDArray[np.int64]:
    """The node a cell was released as, if several nodes share its label: the lowest that covers its original.

    A group may have the label of one of its values; an original that the lower node does not cover was generalized.
    """
    if len(set(tree.labels)) == len(tree.labels):
        return nodes
    named = {label: number for number, label in enumerate(dict.fromkeys(tree.labels))}
    names = np.array([named[label] for label in tree.labels])
    found = nodes.copy()
    several = np.bincount(names)[names] > 1
    rows = np.flatnonzero((nodes >= 0) & several[nodes] & texts.is_not_null().to_numpy())
    wanted, node = names[nodes[rows]], tree.leaf_of(before.gather(rows)).astype(np.int64)
    while len(rows):
        met = names[node] == wanted
        found[rows[met]] = node[met]
        # Nothing is above the root; a text that no node above the original has keeps its first reading.
        going = ~met & (node != tree.root)
        rows, wanted, node = rows[going], wanted[going], tree.parent[node[going]]
    return found


def _ranks(pair: Pair, name: str, before: pl.Series, after: pl.Series) -> Cells:
    """Ranges of ordered values: the ranks spanned over the number of ranks."""
    rank = {
        text: float(number) for number, text in enumerate(as_text(pair.before.codes(name).values).to_list())
    }
    texts = as_text(after)
    low, high = (
        ends.replace_strict(rank, default=None, return_dtype=pl.Float64) for ends in range_ends(texts)
    )
    span = ((high - low) / max(len(rank) - 1, 1)).fill_null(0.0)
    unknown = (texts == ANYTHING) | (texts.is_null() & before.is_not_null())
    shares = np.where(
        unknown.fill_null(value=True).to_numpy() & ~(texts.is_null() & before.is_null()).to_numpy(),
        1.0,
        span.to_numpy(),
    )
    return _alike(shares)


def _ranges(pair: Pair, name: str, before: pl.Series, after: pl.Series) -> Cells:
    whole = pair.before.values(name)
    # Of all rows, those left out too: `*` is the range of the whole column.
    low, high = (ends[len(whole) :] for ends in line_ends(ColumnCells(name, whole, after)))
    extent = pair.before.extent(name)
    span = (high - low) / extent if extent > 0 else np.zeros(len(low))
    # A cell that was present and is now missing says nothing; a cell that was already missing lost nothing.
    span = np.where(after.is_null().to_numpy(), np.where(before.is_null().to_numpy(), 0.0, 1.0), span)
    span = np.clip(span, 0.0, 1.0)
    return _alike(span)


def _alike(shares: npt.NDArray[np.float64]) -> Cells:
    """The same shares for all objectives, because ranges have no levels."""
    return dict.fromkeys(get_args(Objective), shares)
