"""From a table of levels (leaf first, most general last) to parent and level arrays; validates the shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from sudare.errors import DescriptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints = npt.NDArray[np.int32]


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
