"""MDAV: groups of fixed size k around the records farthest from the center."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sudare.anonymize.grouping.labels import numbered
from sudare.anonymize.microaggregate.arrays import checked
from sudare.errors import ParameterError, shown
from sudare.kernels.points import kdtree
from sudare.kernels.points.drift import queue_of
from sudare.kernels.points.mdav import initial_state, mdav_brute, mdav_indexed
from sudare.kernels.points.scan import pool_of
from sudare.kernels.points.search import scratch_of
from sudare.progress import SILENT

if TYPE_CHECKING:
    from sudare.anonymize.grouping.labels import Labels
    from sudare.progress import Progress

Method = Literal["auto", "indexed", "brute"]
_ROUNDS = 256
_LOOKS = 5_000_000


def mdav(X: Any, k: int, *, method: Method = "auto", progress: Progress | None = None) -> Labels:
    """Partition by MDAV (maximum distance to average vector): groups of k, the last ones of up to 2k - 1.

    While at least 3k records are left: x_r is the farthest from the centroid of the records left, x_s the farthest from
    x_r; x_r and its k - 1 nearest form a group, then x_s and its k - 1 nearest. If 2k to 3k - 1 records are left, the
    farthest from their centroid and its k - 1 nearest form a group and the rest another; fewer form one group. Ties go
    to the lowest row, so the partition is unique.

    `method` changes the time, not the result: "brute" scans all records left for every decision, O(n^2 / k);
    "indexed" uses a kd-tree; "auto" uses the tree from a few thousand records on. X is used as given: standardize
    first.
    """
    records = checked(X, k)
    check_method(method)
    progress = progress or SILENT
    state = initial_state(records, k)
    total = len(records)
    progress.start("mdav", total)
    fewest = max(3 * k, 0 if method == "indexed" else few(records.shape[1]))
    while method != "brute" and state.left[0] >= fewest:
        tree = kdtree.build(records, np.flatnonzero(state.labels < 0))
        if tree is None:
            break
        queue, scratch = queue_of(tree), scratch_of(tree)
        built = state.left[0]
        while state.left[0] >= fewest and not kdtree.stale(tree, built):
            mdav_indexed(records, k, tree, queue, scratch, built, state, _ROUNDS)
            progress.update(total - int(state.left[0]))
    pool = pool_of(records, np.flatnonzero(state.labels < 0))
    while state.left[0] > 0:
        mdav_brute(records, k, pool, state, max(1, _LOOKS // (int(state.left[0]) * records.shape[1])))
        progress.update(total - int(state.left[0]))
    return numbered(state.labels)


def few(columns: int) -> int:
    """Number of records below which a scan beats a tree (measured): the more columns, the less a box rules out."""
    return min(max(2_000, 300 * columns), 10_000)


def check_method(method: str) -> None:
    """Refuse a name that is not one of the three ways to search."""
    if method not in {"auto", "indexed", "brute"}:
        raise ParameterError("anonymize.microaggregate.search_method", given=shown(method))
