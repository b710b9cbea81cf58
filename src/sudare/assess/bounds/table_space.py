"""Quasi-identifiers combined for the kernels: small columns as tables of costs, wide ones as trees and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.kernels.bounds.pair_costs import LINE, TABLE, TREE, Space

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.assess.bounds.columns import Floats, Ints, RankedColumn

_LARGEST_TABLE = 1500
"""Columns with at most this many values get a table of all pairs …"""
_LARGEST_TABLES = 8_000_000
"""… those with the fewest values first, as long as the tables have no more cells than this (64 MB)."""
_SAMPLE = 2000
"""Number of row pairs sampled to order the columns."""


def space_of(axes: Sequence[RankedColumn]) -> tuple[Space, npt.NDArray[np.int32]]:
    """Costs and ranks (rows x columns): wide columns, then tables, each with the most discriminating columns first.

    Sums that are compared with a limit can then stop early.
    """
    tabled: set[int] = set()
    cells = 0
    for column in sorted(range(len(axes)), key=lambda column: axes[column].size):
        cells += axes[column].size ** 2
        if axes[column].size <= _LARGEST_TABLE and cells <= _LARGEST_TABLES:
            tabled.add(column)
    telling = [_telling(axis) for axis in axes]
    order = sorted(range(len(axes)), key=lambda column: (column in tabled, -telling[column]))
    codes = np.stack([axes[column].ranks for column in order], axis=1).astype(np.int32)
    return _assembled([axes[column] for column in order], len(axes) - len(tabled)), codes


def _telling(axis: RankedColumn) -> float:
    """Mean cost of pairs of rows that are far apart in the table."""
    rows = len(axis.ranks)
    pairs = np.arange(min(_SAMPLE, rows))
    one, other = axis.ranks[pairs * 7919 % rows], axis.ranks[(pairs * 104_729 + rows // 2) % rows]
    return float(axis.costs(np.minimum(one, other), np.maximum(one, other)).mean())


def _assembled(axes: Sequence[RankedColumn], wide: int) -> Space:
    trees = [axis for axis in axes[:wide] if axis.is_tree]
    kinds, starts = [], []
    values: list[Floats] = []
    length = nodes = 0
    floor = np.zeros((len(axes), max(axis.size for axis in axes)))
    for column, axis in enumerate(axes):
        if axis.size > 1:
            floor[column, : axis.size] = np.minimum(
                np.append(np.inf, axis.beside), np.append(axis.beside, np.inf)
            )
        if column < wide and axis.is_tree:
            kinds.append(TREE)
            starts.append(nodes)
            nodes += len(axis.parent)
            continue
        kinds.append(LINE if column < wide else TABLE)
        starts.append(length)
        values.append(axis.positions if column < wide else _table(axis).ravel())
        length += len(values[-1])
    return Space(
        wide=wide,
        kind=np.array(kinds, dtype=np.int64),
        size=np.array([axis.size for axis in axes], dtype=np.int64),
        start=np.array(starts, dtype=np.int64),
        cap=np.array([axis.cap for axis in axes], dtype=np.float64),
        values=np.concatenate(values) if values else np.zeros(0),
        parent=_joined([axis.parent for axis in trees]),
        first=_joined([axis.first for axis in trees]),
        last=_joined([axis.last for axis in trees]),
        cost=np.concatenate([axis.cost for axis in trees]) if trees else np.zeros(0),
        height=max([_height(axis) for axis in trees], default=1),
        floor=floor,
    )


def _table(axis: RankedColumn) -> Floats:
    """Costs of all pairs of ranks."""
    if not axis.is_tree:
        return np.minimum(np.abs(axis.positions[:, None] - axis.positions[None, :]), axis.cap)
    table = np.zeros((axis.size, axis.size))
    for rank in range(axis.size - 1):
        # the lowest node over a run of leaves is the most expensive of those over neighbors
        table[rank, rank + 1 :] = np.maximum.accumulate(axis.beside[rank:])
    return np.maximum(table, table.T)


def _height(axis: RankedColumn) -> int:
    above, nodes = np.arange(axis.size), 1
    while (above != len(axis.parent) - 1).any():
        above, nodes = axis.parent[above], nodes + 1
    return nodes


def _joined(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays).astype(np.int64) if arrays else np.zeros(0, dtype=np.int64)
