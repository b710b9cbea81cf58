"""Paths: orders of the records that keep similar records close together, for the optimal cut to work on.

Every function takes a matrix (n, p) of finite numbers and returns a permutation of its rows, always the same one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sudare.anonymize.grouping.labels import numbered, ranked
from sudare.anonymize.microaggregate.arrays import centroids
from sudare.kernels.core.rules import rows_by_label
from sudare.kernels.points import flexdice, halving
from sudare.kernels.points.curves import hilbert_index, kd_slice, new_descent
from sudare.kernels.points.distance import squared_distances
from sudare.kernels.points.paths import Cells, chain, grid_slice, linked_slice, new_walk
from sudare.kernels.points.tour import Tour, shorten_slice
from sudare.kernels.points.unvisited import build_tree, nearest_next_slice, nearest_unvisited
from sudare.progress import SILENT
from sudare.randomness import repeatable

if TYPE_CHECKING:
    from sudare.anonymize.microaggregate.arrays import Floats
    from sudare.progress import Progress

Order = npt.NDArray[np.int64]

_SLICE = 4096  # rows between two reports
_CHEAP = 1 << 18  # where a row costs little
_GRID_AXES = 3  # a block touches 3^axes - 1 others
_LARGEST_TABLE = 1 << 24  # places of a grid
_HILBERT_BITS = 60
_NEIGHBORS = 10
_SMALLEST_TOUR = 8


def npn_path(X: Floats, progress: Progress = SILENT) -> Order:
    """Nearest point next: start at the record farthest from the centroid, then always go to the nearest unvisited one.

    Exact; ties go to the lowest row. The tree is rebuilt whenever half of its records have been visited.
    """
    n = len(X)
    progress.start("path", n)
    order = np.empty(n, dtype=np.int64)
    order[0] = farthest_from_centroid(X)
    done = 1
    while done < n:
        unvisited = np.ones(n, dtype=np.bool_)
        unvisited[order[:done]] = False
        rows = np.flatnonzero(unvisited)
        tree = build_tree(X, rows)
        rebuild = done + (len(rows) + 1) // 2
        while done < rebuild:
            done = int(nearest_next_slice(tree, X, order, done, min(_SLICE, rebuild - done)))
            progress.update(done)
    return order


def grid_path(X: Floats, progress: Progress = SILENT, *, blocks: int | None = None) -> Order:
    """Block by block of a grid of equal width: to the nearest unvisited record in the block, then in the nearest ring.

    Procedure A' of Suzaki, Hashimoto, Kamidoi and Wakabayashi (undated): the space is cut into `blocks` parts along each
    column; the next record is the nearest unvisited one in the same block. If the block is exhausted, it is the nearest
    one in the adjacent blocks, and while these are empty the search widens ring by ring. The paper leaves the number of
    blocks open. If left out, it is the largest with at most n^(2/3) blocks in all, so that the search for blocks (the
    square of their number) stays below n^(4/3); with many columns that is one block, and the path is `npn_path`.
    """
    n, p = X.shape
    low = X.min(axis=0)
    width = X.max(axis=0) - low
    slices = _most_slices(n, p) if blocks is None else blocks
    share = (X - low) / np.where(width > 0, width, 1.0)
    return _by_blocks(X, np.minimum(share * slices, slices - 1).astype(np.int64), progress)


def quantiles_path(X: Floats, progress: Progress = SILENT) -> Order:
    """Block by block of a grid cut at quantiles, along the columns or the first three principal axes.

    Like `grid_path`, but the slices of an axis contain equal numbers of records, so blocks do as well: faster on skewed
    columns, but the outer slices of these are so wide that their records differ much.
    """
    axes = X if X.shape[1] <= _GRID_AXES else principal_scores(X, _GRID_AXES)
    slices = max(1, round(len(X) ** (2 / 3 / axes.shape[1])))
    return _by_blocks(X, np.stack([_equal_slices(axis, slices) for axis in axes.T], axis=1), progress)


def _most_slices(n: int, p: int) -> int:
    """The largest s with s^p <= n^(2/3), exactly."""
    slices: int = max(1, round(n ** (2 / 3 / p)))
    while slices > 1 and slices ** (3 * p) > n**2:
        slices -= 1
    return slices


def _by_blocks(X: Floats, places: Order, progress: Progress) -> Order:
    """The path through the blocks of a grid; `places` are the blocks' positions on the axes, for each record."""
    places, labels = np.unique(places, axis=0, return_inverse=True)
    labels = labels.reshape(-1).astype(np.int64)
    rows, starts = rows_by_label(labels, len(places))
    cells = Cells(rows, starts, labels)
    widths = places.max(axis=0) + 1
    # Adjacent blocks are looked up in a table if there is room for one; otherwise all unvisited blocks are compared.
    table = np.empty(0, dtype=np.int64)
    if len(widths) <= _GRID_AXES and math.prod(widths.tolist()) <= _LARGEST_TABLE:
        table = np.full(int(np.prod(widths)), -1, dtype=np.int64)
        table[np.ravel_multi_index(tuple(places.T), tuple(widths))] = np.arange(len(places))
    walk = new_walk(cells, farthest_from_centroid(X))
    progress.start("path", len(X))
    while walk.counters[1] >= 0:
        grid_slice(X, cells, places, table, widths, walk, _SLICE)
        progress.update(int(walk.counters[0]))
    return walk.order


def flexdice_path(
    X: Floats, k: int, progress: Progress = SILENT, *, c1: int | None = None, c2: int | None = None
) -> Order:
    """Cell by cell of FlexDice, the variable grid of the paper: all sides of a cell are halved at once.

    Suzaki, Hashimoto, Kamidoi and Wakabayashi (undated), after Nakamura, Kamidoi, Wakabayashi and Yoshida (2005). The
    space is one cell. A cell with more than C1 records is cut into 2^p cells of half the width, of which the empty ones
    are never made; a smaller cell is cut as well if no more than C2 cells exist afterwards. C2 is 1 and C1 is p k C2 if
    left out. Each cell has at most 2p links, one across each face (see `link_slice` in `kernels.points.flexdice`).
    The next record is the nearest unvisited one in the cell, then in the unvisited cells that are the fewest links
    away. The paper does not say what follows if no link leads to an unvisited cell: here it is the nearest record of
    all unvisited ones.
    """
    n, p = X.shape
    fewest = 1 if c2 is None else c2
    largest = p * k * fewest if c1 is None else c1
    low = X.min(axis=0)
    width = X.max(axis=0) - low
    dice = flexdice.new_dice(n)
    share = (X - low) / np.where(width > 0, width, 1.0)
    Q = np.minimum(share * 2.0**flexdice.BITS, 2.0**flexdice.BITS - 1).astype(np.int64)
    progress.start("cells", n)
    while not flexdice.split_slice(Q, dice, largest, fewest, _CHEAP):
        progress.update(int(dice.counters[3]))
    rows, starts, of_row, number = flexdice.cells_of(dice)
    links = np.full((len(starts) - 1, 2 * p), -1, dtype=np.int64)
    progress.start("links", len(number))
    for start in range(0, len(number), _SLICE):
        stop = min(start + _SLICE, len(number))
        flexdice.link_slice(Q, width, dice, number, links, start, stop)
        progress.update(stop)
    return _by_links(X, Cells(rows, starts, of_row), links, progress)


def halving_path(
    X: Floats, k: int, progress: Progress = SILENT, *, c1: int | None = None, c2: int | None = None
) -> Order:
    """Cell by cell of a variable grid whose cells are halved along their widest side only.

    Like `flexdice_path`, with two differences. Halving all sides at once makes up to 2^p cells, which with ten
    columns leaves almost every record alone; here only the widest side of the cell's records is halved at a time. And
    every link leads to a cell: the one next to the middle of the face.
    """
    n, p = X.shape
    fewest = 1 if c2 is None else c2
    dice = halving.new_dice(n)
    progress.start("cells", n)
    while not halving.halve_slice(X, dice, p * k * fewest if c1 is None else c1, fewest, _CHEAP):
        progress.update(int(dice.counters[3]))
    rows, starts, of_row, number = halving.cells_of(dice)
    links = np.full((len(starts) - 1, 2 * p), -1, dtype=np.int64)
    progress.start("links", len(number))
    for start in range(0, len(number), _SLICE):
        stop = min(start + _SLICE, len(number))
        halving.link_slice(X, dice, number, links, start, stop)
        progress.update(stop)
    return _by_links(X, Cells(rows, starts, of_row), links, progress)


def _by_links(X: Floats, cells: Cells, links: Order, progress: Progress) -> Order:
    """The path through linked cells, going on at the nearest unvisited record where no link leads to one."""
    walk = new_walk(cells, farthest_from_centroid(X))
    counters = walk.counters
    seen, queue = np.zeros(len(links), dtype=np.int64), np.empty(len(links), dtype=np.int64)
    tree, built = None, 0
    progress.start("path", len(X))
    while counters[0] < len(X):
        if counters[1] < 0:
            done = int(counters[0])
            if tree is None or len(X) - done < (len(X) - built) // 2:
                unvisited = np.ones(len(X), dtype=np.bool_)
                unvisited[walk.order[:done]] = False
                tree, built, deleted = build_tree(X, np.flatnonzero(unvisited)), done, done
            counters[1] = nearest_unvisited(tree, X, walk.order, deleted, done)
            deleted = done
        linked_slice(X, cells, links, walk, seen, queue, _SLICE)
        progress.update(int(counters[0]))
    return walk.order


def mdav_path(X: Floats, labels: npt.ArrayLike, progress: Progress = SILENT) -> Order:
    """Group by group of a given partition: centroids nearest next, and within each group records nearest next.

    Each group stays together, so the cut is at least as good as the partition if its groups have k … 2k - 1
    records.
    """
    groups = numbered(np.asarray(labels))
    rows, starts = rows_by_label(groups, int(groups.max()) + 1)
    order = np.empty(len(X), dtype=np.int64)
    farthest = farthest_from_centroid(X)
    visits = npn_path(centroids(X, groups), progress)
    progress.start("path_in_groups", len(X))
    done = 0
    for visit, group in enumerate(visits):
        members = rows[starts[group] : starts[group + 1]]
        if done > 0:
            entry = members[squared_distances(X[members], X[order[done - 1]]).argmin()]
        else:
            entry = farthest if groups[farthest] == group else members[0]
        chain(X, members, entry, order[done : done + len(members)])
        done += len(members)
        if visit % _SLICE == 0:
            progress.update(done)
    return order


def kd_path(X: Floats, progress: Progress = SILENT) -> Order:
    """Order of the leaves of a kd-tree, reversing direction at every cut."""
    progress.start("path", len(X))
    descent = new_descent(len(X))
    while descent.counters[0] > 0:
        kd_slice(X, descent, _CHEAP)
        progress.update(int(descent.counters[1]))
    return descent.result


def hilbert_path(X: Floats, progress: Progress = SILENT) -> Order:
    """Order along the Hilbert curve through the first (at most four) principal axes, all on one scale."""
    progress.start("path", len(X))
    scores = principal_scores(X, min(X.shape[1], 4))
    bits = min(_HILBERT_BITS // scores.shape[1], 30)
    scores = scores - scores.min(axis=0)
    extent = float(scores.max())
    index = np.zeros(len(X), dtype=np.int64)
    for start in range(0, len(X) if extent > 0 else 0, _CHEAP):
        part = scores[start : start + _CHEAP]
        places = np.minimum(part / extent * 2.0**bits, 2.0**bits - 1).astype(np.int64)
        index[start : start + _CHEAP] = hilbert_index(places, bits)
        progress.update(min(start + _CHEAP, len(X)))
    return np.argsort(index, kind="stable").astype(np.int64)


def tour_path(X: Floats, progress: Progress = SILENT) -> Order:
    """A short tour: nearest point next, then 2-opt and Or-opt over neighbor lists, opened at its longest edge.

    The search ends when no such move shortens the tour. Equal records are one city.
    """
    from scipy.spatial import KDTree

    distinct, city_of = np.unique(X, axis=0, return_inverse=True)
    points = np.ascontiguousarray(distinct)
    cities = npn_path(points, progress)
    if len(points) >= _SMALLEST_TOUR:
        count = len(points)
        tree, near = KDTree(points), np.empty((count, min(_NEIGHBORS, count - 1) + 1), dtype=np.int64)
        progress.start("neighbors", count)
        for start in range(0, count, _SLICE):
            part = slice(start, min(start + _SLICE, count))
            near[part] = tree.query(points[part], k=near.shape[1])[1]
            progress.update(part.stop)
        place = np.empty(count, dtype=np.int64)
        place[cities] = np.arange(count)
        tour = Tour(
            points=points,
            near=_without_self(near),
            city=cities,
            place=place,
            queue=np.argsort(repeatable(0).bit_generator.random_raw(count), kind="stable"),
            queued=np.ones(count, dtype=np.bool_),
            counters=np.array([0, count], dtype=np.int64),
        )
        progress.start("tour", count)
        while tour.counters[1] > 0:
            shorten_slice(tour, _SLICE)
            progress.update(count - int(tour.counters[1]))
        edges = ((points[cities] - points[np.roll(cities, -1)]) ** 2).sum(axis=1)
        cities = np.roll(cities, -1 - int(edges.argmax()))
    rank = np.empty(len(points), dtype=np.int64)
    rank[cities] = np.arange(len(points))
    return np.argsort(rank[city_of.reshape(-1)], kind="stable").astype(np.int64)


def farthest_from_centroid(X: Floats) -> int:
    """Row of the record farthest from the mean; the lowest row in case of a tie."""
    center = X.mean(axis=0)
    center += (X - center).mean(axis=0)
    return int(squared_distances(X, center).argmax())


def principal_scores(X: Floats, axes: int) -> Floats:
    """Coordinates on the principal axes of largest variance, with the largest loading of each axis positive."""
    centered = X - X.mean(axis=0)
    _, vectors = np.linalg.eigh(centered.T @ centered)
    vectors = vectors[:, ::-1][:, :axes]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    return np.ascontiguousarray(centered @ (vectors * signs))


def _equal_slices(values: Floats, slices: int) -> Order:
    """Slice of each value if an axis is cut at quantiles; equal values share a slice, and empty slices are left out."""
    inner = np.arange(1, slices) * len(values) // slices
    edges = np.unique(np.sort(values)[inner])
    return ranked(np.searchsorted(edges, values, side="right"))


def _without_self(near: Order) -> Order:
    """Neighbor lists without the city itself (which rounding may put behind another one)."""
    own = near == np.arange(len(near))[:, None]
    own[~own.any(axis=1), -1] = True
    return np.asarray(near[~own].reshape(len(near), -1), dtype=np.int64)
