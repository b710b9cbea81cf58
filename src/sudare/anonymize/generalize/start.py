"""First partitions of coded records: cheapest scheme first, k-member clusters, or the optimal cut of sorted orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.anonymize.grouping.recode import Axis, OrderedAxis, TreeAxis
from sudare.arrays import starts_of
from sudare.describe.hierarchy.tree import Objective, node_shares
from sudare.kernels.core.rules import no_rules, scratch_for
from sudare.kernels.partition.partition import limits_of
from sudare.kernels.recoding.members import grow_groups
from sudare.kernels.recoding.recut import recut
from sudare.kernels.recoding.schemes import Schemes, Taking, room_for_blocks, take_slice
from sudare.randomness import repeatable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.kernels.core.rules import Rules
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

MOST_SCHEMES = 30_000
_SLICE = 64
FEW_ROWS, PART = 6000, 2000
"""Maximum number of rows clustered all together, and the size of parts if there are more: time grows quadratically."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels of one column: for each level, the class of every code, the loss of each code, and the mean loss."""

    classes: tuple[Ints, ...]
    shares: tuple[npt.NDArray[np.float64], ...]
    costs: tuple[float, ...]


def ladders_of(
    axes: Sequence[Axis], model: Covers, weights: Sequence[float], objective: Objective
) -> list[Ladder]:
    """Levels of hierarchies; for ordered columns, runs of values that double in length from level to level."""
    total = sum(weights)
    return [
        _halving(model, column) if isinstance(axis, OrderedAxis) else _levels(axis, weight / total, objective)
        for column, (axis, weight) in enumerate(zip(axes, weights, strict=True))
    ]


def shortened(ladders: Sequence[Ladder], model: Covers) -> list[Ladder]:
    """The ladders of some rows without the levels that tell no more rows apart, nor fewer, than the level below.

    In a part of a table, whose values are near each other, upper levels are often one class.
    """
    return [_shortened(ladder, model.codes[:, column]) for column, ladder in enumerate(ladders)]


def _shortened(ladder: Ladder, codes: npt.NDArray[np.int32]) -> Ladder:
    # The first class is that of the lowest code; a hierarchy begins with code 0, free ranges with the lowest present.
    values = np.unique(codes)
    values = values - min(int(values[0]), 0)
    kept: list[int] = []
    before = -1
    for level, classes in enumerate(ladder.classes):
        # Each level only merges classes of the one below it, so their number tells whether it does.
        count = len(np.unique(classes[values]))
        if count != before:
            kept.append(level)
        before = count
    return Ladder(
        tuple(ladder.classes[level] for level in kept),
        tuple(ladder.shares[level] for level in kept),
        tuple(ladder.costs[level] for level in kept),
    )


def schemes_of(ladders: Sequence[Ladder]) -> npt.NDArray[np.int64] | None:
    """Every combination of levels in ascending order of mean cost; None if there are too many to list."""
    if np.prod([float(len(ladder.costs)) for ladder in ladders]) > MOST_SCHEMES:
        return None
    grids = np.meshgrid(*(np.arange(len(ladder.costs)) for ladder in ladders), indexing="ij")
    schemes = np.stack([grid.reshape(-1) for grid in grids], axis=1).astype(np.int64)
    costs = sum(np.array(ladder.costs)[schemes[:, column]] for column, ladder in enumerate(ladders))
    return np.ascontiguousarray(schemes[np.argsort(costs, kind="stable")])


def with_words(levels: Ints, model: Covers, ladders: Sequence[Ladder]) -> Schemes:
    """Schemes with a random word for each class of each level: the key of a block is the sum of its classes' words."""
    random = repeatable(0)
    starts = np.zeros((len(ladders), max(len(ladder.costs) for ladder in ladders)), dtype=np.int64)
    costs = np.zeros(starts.shape)
    pieces, filled = [], 0
    lowest = model.codes.min(axis=0, initial=0)
    for column, ladder in enumerate(ladders):
        costs[column, : len(ladder.costs)] = ladder.costs
        for level, classes in enumerate(ladder.classes):
            words = random.integers(1, 2**63, size=int(classes.max(initial=0)) + 1, dtype=np.uint64)
            starts[column, level] = filled - int(lowest[column])
            pieces.append(words[classes])
            filled += len(classes)
    return Schemes(levels, costs, np.concatenate(pieces), starts)


def cheapest_scheme_first(
    model: Covers,
    ladders: Sequence[Ladder],
    schemes: npt.NDArray[np.int64],
    smallest: int,
    rules: Rules,
    progress: Progress,
) -> tuple[Ints, Ints]:
    """Labels (-1 if no scheme took the row), and how many rows each scheme took."""
    rows = len(model.codes)
    keyed = with_words(schemes, model, ladders)
    taking = Taking(
        rows=np.arange(rows, dtype=np.int64),
        labels=np.full(rows, -1, dtype=np.int64),
        taken=np.zeros(len(schemes), dtype=np.int64),
    )
    limits, blocks = limits_of(smallest, rules), room_for_blocks(rows)
    count, groups = rows, 0
    progress.start("first_groups", len(schemes))
    for first in range(0, len(schemes), _SLICE):
        last = min(first + _SLICE, len(schemes))
        count, groups = take_slice(model.codes, keyed, first, last, limits, taking, count, groups, blocks)
        progress.update(last)
        if count == 0:
            break
    return taking.labels, taking.taken


def member_groups(model: Covers, smallest: int, progress: Progress) -> Ints:
    """Groups by k-member clustering, within parts of a sorted order if there are many rows."""
    rows = len(model.codes)
    order = spread_order(model, no_rules())
    # No part may be smaller than a group.
    parts = 1 if rows <= FEW_ROWS else min(-(-rows // PART), rows // smallest)
    labels = np.empty(rows, dtype=np.int64)
    span = np.empty((2, model.codes.shape[1]), dtype=np.int32)
    groups = 0
    progress.start("first_groups", parts)
    for number, part in enumerate(np.array_split(order, parts)):
        groups = int(grow_groups(model, np.ascontiguousarray(part), smallest, labels, groups, *span))
        progress.update(number + 1)
    return labels


def cut_groups(model: Covers, labels: Ints, smallest: int, longest: int, rules: Rules) -> Ints:
    """Cut every group along a sorted order of its rows."""
    order = spread_order(model, rules)
    by_label = order[np.argsort(labels[order], kind="stable")]
    starts = starts_of(np.bincount(labels))
    result = np.empty(len(labels), dtype=np.int64)
    recut(model, by_label, starts, smallest, longest, rules, scratch_for(rules), result)
    return result


def spread_order(model: Covers, rules: Rules) -> Ints:
    """Rows sorted by all columns, those with few values first; among equal rows, sensitive values are spread evenly."""
    codes = model.codes
    spans = codes.max(axis=0) - codes.min(axis=0)
    keys: list[npt.NDArray[Any]] = [codes[:, column] for column in np.argsort(-spans, kind="stable")]
    if len(rules.kind) and rules.sensitive.shape[1] == len(codes):
        keys = [_spread_places(keys, rules.sensitive[0]), *keys]
    return np.lexsort(keys)


def _spread_places(
    keys: Sequence[npt.NDArray[Any]], sensitive: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """(occurrence + 1/2) / (occurrences) of a row among the rows that agree with it, including the sensitive value."""
    order = np.lexsort([sensitive, *keys])
    changes = np.zeros(len(order), dtype=bool)
    for key in (sensitive, *keys):
        ordered = key[order]
        changes[1:] |= ordered[1:] != ordered[:-1]
    run = np.cumsum(changes)
    sizes = np.bincount(run)
    firsts = starts_of(sizes)[:-1]
    places = np.empty(len(order))
    places[order] = (np.arange(len(order)) - firsts[run] + 0.5) / sizes[run]
    return places


def _levels(axis: TreeAxis, weight: float, objective: Objective) -> Ladder:
    tree = axis.tree
    costs = node_shares(tree, objective) * weight
    classes: list[Ints] = []
    shares: list[npt.NDArray[np.float64]] = []
    means: list[float] = []
    for level in range(tree.height + 1):
        nodes = tree.ancestors(level)
        by_rank = np.empty(tree.leaves, dtype=np.int64)
        by_rank[tree.first[: tree.leaves]] = nodes
        if classes and np.array_equal(by_rank, classes[-1]):
            continue
        classes.append(by_rank)
        shares.append(costs[by_rank])
        means.append(float(costs[nodes[axis.leaves]].mean()))
    return Ladder(tuple(classes), tuple(shares), tuple(means))


def _halving(model: Covers, column: int) -> Ladder:
    codes = model.codes[:, column]
    values = int(codes.max(initial=0)) + 1
    lowest = int(codes.min(initial=0))
    every = np.arange(lowest, values)
    place = model.table[model.start[column] : model.start[column] + values]
    classes, shares, means = [], [], []
    width = 1
    while True:
        bins = np.where(every < 0, values, every // width)
        ends = np.minimum((every // width + 1) * width, values) - 1
        cost = np.where(every < 0, 0.0, place[ends] - place[np.maximum(every // width * width, 0)])
        classes.append(bins.astype(np.int64))
        shares.append(cost)
        means.append(float(cost[codes - lowest].mean()))
        if width >= values:
            break
        width *= 2
    if lowest < 0:
        classes.append(np.zeros(len(every), dtype=np.int64))
        shares.append(np.full(len(every), model.whole[column]))
        means.append(float(model.whole[column]))
    return Ladder(tuple(classes), tuple(shares), tuple(means))
