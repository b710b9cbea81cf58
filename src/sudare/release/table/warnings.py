"""What a custodian should look at before handing the release of a table over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from sudare.anonymize.protocol import traits_of
from sudare.assess.pk_anonymity import asked_k
from sudare.describe.ranges import ANYTHING
from sudare.describe.text import as_text
from sudare.release.warnings import ReleaseWarning
from sudare.words.sentence import enumerated

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from sudare.describe.table import Table
    from sudare.release.kind import Checked

_NAMED = 5
"""Labels that a warning names."""


def warnings_of(checked: Checked) -> Iterator[str]:
    """What the custodian should look at before handing the release over."""
    table, applied = checked.original, checked.applied
    if table.undescribed:
        yield ReleaseWarning("table.undescribed", columns=enumerated(table.undescribed))
    if not checked.random.secure:
        yield ReleaseWarning("table.seed")
    noisy = any(column.mechanism is not None for column in applied.data.columns)
    reordered = any(traits_of(one).reorders for one in checked.methods)
    if noisy and not reordered and asked_k(checked.requirements) is not None:
        yield ReleaseWarning("table.in_order")
    for name, labels in labels_like_values(table, applied.data, applied.rows):
        quoted = enumerated(f"'{label}'" for label in labels[:_NAMED])
        yield ReleaseWarning("table.ambiguous", column=name, labels=quoted)


def labels_like_values(
    original: Table, released: Table, rows: npt.NDArray[np.int64] | None
) -> Iterator[tuple[str, list[str]]]:
    """Quasi-identifiers with the labels that other values were generalized to, and that are values themselves.

    A reader of the release cannot tell one from the other.

    `rows` has, for each released row, its row in the original.
    """
    if rows is None:
        return  # what was made up was not generalized
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
