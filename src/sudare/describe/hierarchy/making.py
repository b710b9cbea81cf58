"""What the hierarchy makers share: the distinct values of a column, and the tree built from their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sudare.describe.hierarchy.checks import some_of
from sudare.describe.hierarchy.levels import assemble
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.describe.ranges import ANYTHING
from sudare.describe.text import as_text
from sudare.errors import DescriptionError, ErrorSentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Range = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]

ROOT = ANYTHING
"""The label of the most general node: that of a cell about which nothing is published."""


def distinct(values: pl.Series, column: str) -> pl.DataFrame:
    """The distinct values of a column in their own order (`value`) with their text (`text`), without missing values."""
    ordered = values.alias("value").unique().sort()
    frame = pl.DataFrame({"value": ordered, "text": as_text(ordered.alias(column))})
    return frame.filter(pl.col("text").is_not_null()).unique("text", keep="first", maintain_order=True)


def grow(
    columns: Sequence[pl.Series],
    values: pl.Series,
    column: str,
    *,
    ranges: Sequence[Range] | None = None,
    root: str = ROOT,
    collapse: bool = True,
) -> Hierarchy:
    """The tree over distinct values whose labels at each level below the root are `columns`, leaves first.

    `ranges` are the (lower, upper) numbers of every value at each of these levels; a missing leaf is added
    if `values`, the whole column, contains missing values.
    """
    leaves = columns[0]
    if len(leaves):
        made = assemble(
            [*columns, pl.repeat(root, len(leaves), dtype=pl.String, eager=True)], column, collapse=collapse
        )
        bounds = (None, None) if ranges is None else _bounds(ranges, made.node_at, len(made.labels))
        tree = Hierarchy(made.parent, made.level, made.labels, *bounds)
    else:
        tree = Hierarchy.bare(root)
    return tree.with_missing() if as_text(values).null_count() else tree


def refuse(values: pl.Series, column: str, rule: ErrorSentence) -> DescriptionError:
    """The error for values that a maker cannot place: the values, the rule they break, and what to do."""
    return DescriptionError("describe.hierarchy.refused", column=column, values=some_of(values), rule=rule)


def _bounds(ranges: Sequence[Range], node_at: Sequence[npt.NDArray[np.int32]], nodes: int) -> Range:
    """The range of every node, computed from the top down, so that a collapsed node keeps that of its lowest level."""
    lower, upper = np.empty(nodes), np.empty(nodes)
    lower[-1] = ranges[-1][0].min()
    upper[-1] = ranges[-1][1].max()
    for (low, high), node in zip(reversed(ranges), reversed(node_at[:-1]), strict=True):
        lower[node] = low
        upper[node] = high
    return lower, upper
