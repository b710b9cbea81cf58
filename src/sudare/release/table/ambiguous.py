"""Labels of hierarchies that are values as well: whoever reads the release cannot tell one from the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sudare.describe.ranges import ANYTHING
from sudare.describe.text import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from sudare.describe.table import Table


def labels_like_values(
    original: Table, released: Table, rows: npt.NDArray[np.int64]
) -> Iterator[tuple[str, list[str]]]:
    """Quasi-identifiers with the labels that other values were generalized to, and that are values themselves.

    `rows` has, for each released row, its row in the original.
    """
    for name in released.names("quasi"):
        column, texts = released.column(name), released.frame[name]
        # Generalized columns are texts, and have no hierarchy any more.
        if texts.dtype != pl.String or column.hierarchy is not None or column.mechanism is not None:
            continue
        tree = original.hierarchy(name)
        if tree is None:
            labels = _suppressed(original.frame[name][rows], texts)
        else:
            values = {label for label in tree.labels[: tree.leaves] if label is not None}
            labels = [label for label in tree.labels[tree.leaves :] if label in values]
            if labels:
                before = as_text(original.frame[name])[rows]
                changed = texts.filter(before.ne_missing(texts))
                labels = changed.filter(changed.is_in(labels)).unique().sort().to_list()
        if labels:
            yield name, labels


def _suppressed(before: pl.Series, after: pl.Series) -> list[str]:
    """`*` where a column without a hierarchy had it, and has more of it now; exchanged values make no more."""
    if before.dtype.is_numeric() or before.dtype.is_temporal() or before.dtype.is_nested():
        return []
    had = int((as_text(before) == ANYTHING).sum())
    return [ANYTHING] if 0 < had < int((after == ANYTHING).sum()) else []
