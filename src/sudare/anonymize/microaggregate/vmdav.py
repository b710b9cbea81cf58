"""V-MDAV: groups around the records farthest from the center, extended where the data cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.anonymize.grouping.labels import numbered
from sudare.anonymize.microaggregate.arrays import checked
from sudare.anonymize.microaggregate.mdav import check_method, few
from sudare.errors import ParameterError, shown
from sudare.kernels.points import kdtree
from sudare.kernels.points.distance import squared_distances
from sudare.kernels.points.scan import pool_of
from sudare.kernels.points.search import scratch_of
from sudare.kernels.points.vmdav import (
    centroid,
    initial_state,
    nearest_each_brute,
    nearest_each_indexed,
    vmdav_brute,
    vmdav_indexed,
)
from sudare.progress import SILENT

if TYPE_CHECKING:
    from sudare.anonymize.grouping.labels import Labels
    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.anonymize.microaggregate.mdav import Method
    from sudare.progress import Progress

_ROUNDS = 128
_MANY_OVER = 100
_LOOKS = 5_000_000


def vmdav(
    X: Any, k: int, gamma: float = 1.0, *, method: Method = "auto", progress: Progress | None = None
) -> Labels:
    """Partition by V-MDAV (variable-size MDAV): groups of k to 2k - 1 records, which the leftover records then join.

    While at least k records are left, the farthest from the centroid c of all data and its k - 1 nearest form a
    group. It is extended, up to 2k - 1 records, by e_min, the record left that is nearest to any member, as long as
    d_in < gamma * d_out, where d_in is its distance to that member and d_out to its nearest other record left (infinite
    if it is the last). Leftover records, fewer than k, join the group of their nearest record among those grouped
    before. Ties go to the lowest row, so the partition is unique.

    gamma 0 never extends; 0.2 is usual for scattered data, about 1 for clustered data. `method` changes the time, not
    the result (see `mdav`). X is used as given: standardize first.
    """
    records = checked(X, k)
    check_method(method)
    factor = _checked_gamma(gamma)
    progress = progress or SILENT
    state = initial_state(len(records), k)
    total = len(records)
    progress.start("v_mdav", total)
    center = centroid(records)
    order = np.argsort(-squared_distances(records, center), kind="stable")
    progress.update(0)
    fewest = max(k, 0 if method == "indexed" else few(records.shape[1]))
    while method != "brute" and state.left[0] >= fewest:
        tree = kdtree.build(records, np.flatnonzero(state.labels < 0))
        if tree is None:
            break
        progress.update(
            total - int(state.left[0])
        )  # also right after a tree, which takes a second at 10^6 records
        scratch = scratch_of(tree)
        built = state.left[0]
        while state.left[0] >= fewest and not kdtree.stale(tree, built):
            vmdav_indexed(records, k, factor, order, tree, scratch, built, state, _ROUNDS)
            progress.update(total - int(state.left[0]))
    pool = pool_of(records, np.flatnonzero(state.labels < 0))
    while state.left[0] >= k:
        looks = int(state.left[0]) * records.shape[1] * k
        vmdav_brute(records, k, factor, center, pool, state, max(1, _LOOKS // looks))
        progress.update(total - int(state.left[0]))
    state.labels[:] = _with_leftovers(records, state.labels, method)
    progress.update(total)
    return numbered(state.labels)


def _with_leftovers(records: Floats, labels: Labels, method: Method) -> Labels:
    grouped, over = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    tree = None
    if method != "brute" and len(over) > _MANY_OVER:
        tree = kdtree.build(records, grouped)
    if tree is None:
        found = nearest_each_brute(records, over, pool_of(records, grouped))
    else:
        found = nearest_each_indexed(records, over, tree, scratch_of(tree))
    complete = labels.copy()
    complete[over] = labels[found]
    return complete


def _checked_gamma(gamma: float) -> float:
    if isinstance(gamma, bool) or not isinstance(gamma, (int, float, np.number)) or not 0 <= gamma < math.inf:
        raise ParameterError("anonymize.microaggregate.gamma", given=shown(gamma))
    return float(gamma)
