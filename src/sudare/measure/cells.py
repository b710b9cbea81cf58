"""How much of a column's domain each released cell leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.describe.hierarchy.suppression import Suppress
from sudare.describe.ranges import range_ends
from sudare.describe.text import as_text
from sudare.errors import DescriptionError

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.describe.hierarchy.tree import Hierarchy
    from sudare.measure.pair import Pair


@dataclass(frozen=True, eq=False)
class Cells:
    """Three shares in [0, 1] for each released cell, 0 for a cell that says as much as the original."""

    steps: npt.NDArray[np.float64]
    """Levels climbed over the height of the hierarchy (distortion)."""
    leaves: npt.NDArray[np.float64]
    """(leaves - 1) / (leaves of root - 1) (Iyengar's loss)."""
    penalty: npt.NDArray[np.float64]
    """leaves / leaves of root, 0 for a leaf (normalized certainty penalty)."""


def cells_of(pair: Pair, name: str) -> Cells:
    """The cells of one column (computed once): along its hierarchy, as ranges, or else known or not known."""
    if name not in pair.cells:
        pair.cells[name] = _cells(pair, name)
    return pair.cells[name]


def _cells(pair: Pair, name: str) -> Cells:
    before, after = pair.kept.frame[name], pair.after.frame[name]
    tree = pair.before.hierarchy(name)
    if tree is None and pair.before.column(name).kind in {"numeric", "date"}:
        return _ranges(pair, name, before, after)
    if tree is None:
        tree = Suppress().build(pair.before.codes(name).values, name)
    return _nodes(tree, before, after)


def _nodes(tree: Hierarchy, before: pl.Series, after: pl.Series) -> Cells:
    texts = as_text(after)
    empty = texts.is_null().to_numpy()
    # Perturbed values (rounded, coded) may not occur in the original: they are as specific as a leaf.
    specific = (
        ~texts.is_in([label for label in tree.labels if label is not None]).fill_null(value=True).to_numpy()
    )
    # A cell that was present and is now empty says nothing: it is as if the root were published.
    nodes = np.full(len(after), tree.root, dtype=np.int64)
    known = ~empty & ~specific
    nodes[known] = tree.node_of(texts.filter(known))
    unchanged = (tree.level[nodes] == 0) | specific | (empty & before.is_null().to_numpy())
    leaves = tree.leaf_counts[nodes].astype(np.float64)
    whole = max(int(tree.leaf_counts[tree.root]), 1)
    return Cells(
        steps=np.where(unchanged, 0.0, tree.level[nodes] / max(tree.height, 1)),
        leaves=np.where(unchanged, 0.0, (leaves - 1) / max(whole - 1, 1)),
        penalty=np.where(unchanged, 0.0, leaves / whole),
    )


def _ranges(pair: Pair, name: str, before: pl.Series, after: pl.Series) -> Cells:
    low, high = (_numbers(ends, after, name) for ends in _ends(after, before.dtype))
    domain = pair.before.frame[name].drop_nulls().to_physical().cast(pl.Float64)
    largest, smallest = domain.max(), domain.min()
    extent = (
        float(largest) - float(smallest)
        if isinstance(largest, float) and isinstance(smallest, float)
        else 0.0
    )
    span = np.where(np.isnan(low), 1.0, (high - low) / extent if extent > 0 else 0.0)
    gone = after.is_null().to_numpy()
    missing = before.is_null().to_numpy()
    span = np.clip(np.where(gone & missing, 0.0, span), 0.0, 1.0)
    return Cells(span, span, span)


def _ends(after: pl.Series, dtype: pl.DataType) -> tuple[pl.Series, pl.Series]:
    if after.dtype != pl.String:
        plain = after.to_physical()
        return plain, plain
    low, high = range_ends(after)
    if dtype.is_temporal():
        low, high = (ends.cast(dtype, strict=False).to_physical() for ends in (low, high))
    return low, high


def _numbers(ends: pl.Series, after: pl.Series, name: str) -> npt.NDArray[np.float64]:
    numbers = ends.cast(pl.Float64, strict=False)
    unread = (numbers.is_null() & after.is_not_null() & (as_text(after) != "*")).arg_true()
    if len(unread):
        raise DescriptionError(
            f"Column '{name}': '{after[int(unread[0])]}' is neither a number nor a range like [20, 29]; "
            "describe the column with the hierarchy it was generalized by."
        )
    return numbers.fill_null(float("nan")).to_numpy()
