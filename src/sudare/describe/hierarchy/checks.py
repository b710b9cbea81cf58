"""Whether arrays form a tree with the numbering of hierarchies: leaves first, inner nodes by level, the root last."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from sudare.errors import DescriptionError, ErrorSentence

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl

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
