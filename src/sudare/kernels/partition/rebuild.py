"""Large steps: take a few nearby groups apart and form new groups by schemes; keep the result if it is better.

Moves of single records cannot bring together records that are each a small part of their groups; this can. The
order of the schemes is perturbed by random column weights, so that every attempt is different.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, kernel
from sudare.kernels.core.random_words import next_index, next_uniform
from sudare.kernels.core.sort import sort_order
from sudare.kernels.partition.costs import cost_of
from sudare.kernels.partition.moves import TINY, settle
from sudare.kernels.partition.partition import FIRST_EMPTY, REGIONS, empty_slot, put_in
from sudare.kernels.partition.refine import improve
from sudare.kernels.partition.regroup import regrouped, room_for_regrouping

_TOURNAMENT = 8
_HOPE = 1.1
"""How much more expensive than before the new groups may be before they are improved by moves."""
_SWEEPS = 3
_SAME_ORDER = 32
"""The number of attempts between two new orders of the schemes."""


@kernel
def rebuild_slice(model, part, limits, neighbors, schemes, words, attempts, size, spread):
    """`attempts` regions of about `size` rows, each rebuilt if that costs less.

    `spread`: how far column weights vary when schemes are ordered.
    """
    most = size + part.members.shape[1]
    regrouping = room_for_regrouping(most, model.codes.shape[1])
    gathered, old_labels = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    order = np.arange(len(schemes.levels))
    for attempt in range(attempts):
        if attempt % _SAME_ORDER == 0:
            order = _perturbed(schemes.levels, schemes.costs, words, spread)
        seed = _costly(part, words)
        if part.cost[part.label[seed]] <= 0.0:
            continue
        part.counters[REGIONS] += 1
        number = part.counters[REGIONS]
        count, groups = _gather(part, neighbors, seed, size, number, regrouping.rows, gathered, words)
        if groups < 2:
            continue
        before = 0.0
        for index in range(groups):
            before += part.cost[gathered[index]]
        largest = part.members.shape[1]
        made, after = regrouped(model, limits, schemes, order, regrouping, count, before * _HOPE, largest)
        if made == 0:
            continue
        for index in range(count):
            old_labels[index] = part.label[regrouping.rows[index]]
        after += _replaced(model, part, limits, regrouping, count, gathered, groups, made, number)
        for _ in range(_SWEEPS):
            gained = 0.0
            for index in range(count):
                gained += improve(model, part, limits, neighbors, regrouping.rows[index], number)
            after += gained
            if gained > -TINY:
                break
        if after >= before - TINY * (1.0 + before):
            _restore(model, part, regrouping.rows, old_labels, count)


@inlined
def _costly(part, words):
    """The record with the highest loss among a few random ones: a tenth of the records causes most of the cost."""
    label, size, cost = part.label, part.size, part.cost
    best, chosen = -1.0, 0
    for _ in range(_TOURNAMENT):
        record = next_index(words, len(label))
        share = cost[label[record]] / size[label[record]]
        if share > best:
            best, chosen = share, record
    return chosen


@kernel
def _perturbed(levels, level_costs, words, spread):
    """The schemes in the order of their cost under random column weights."""
    weights = np.empty(levels.shape[1])
    for column in range(len(weights)):
        weights[column] = np.exp(spread * (2.0 * next_uniform(words) - 1.0))
    costs, order = np.zeros(len(levels)), np.empty(len(levels), dtype=np.int64)
    for scheme in range(len(levels)):
        order[scheme] = scheme
        for column in range(len(weights)):
            costs[scheme] += weights[column] * level_costs[column, levels[scheme, column]]
    sort_order(costs, order)
    return order


@kernel
def _gather(part, neighbors, seed, most, number, rows, gathered, words):
    """Rows of the seed's group and of nearby groups, up to about `most` rows."""
    label, size, members, marked = part.label, part.size, part.members, part.region
    count, groups = 0, 0
    record = seed
    for trial in range(4 * most):
        group = label[record]
        if marked[group] != number and count + size[group] <= len(rows):
            marked[group] = number
            for index in range(size[group]):
                rows[count] = members[group, index]
                count += 1
            gathered[groups] = group
            groups += 1
            if count >= most:
                break
        start = seed if trial % 2 == 0 else rows[next_index(words, count)]
        record = neighbors[start, next_index(words, neighbors.shape[1])]
    return count, groups


@kernel
def _replaced(model, part, limits, regrouping, count, gathered, groups, made, number):
    """Replace the old groups with the new ones, and split them if possible; returns the change due to splitting."""
    rows = regrouping.rows
    for index in range(groups):
        part.size[gathered[index]] = 0
        part.cost[gathered[index]] = 0.0
        part.counters[FIRST_EMPTY] = min(part.counters[FIRST_EMPTY], gathered[index])
    slot = 0
    for group in range(made):
        if group < groups:
            slot = gathered[group]
        else:
            slot = empty_slot(part)
        part.region[slot] = number
        for index in range(count):
            if regrouping.fresh[index] == group:
                put_in(model, part, rows[index], slot)
        part.cost[slot] = cost_of(model, part.size, slot)
    change = 0.0
    for index in range(count):
        group = part.label[rows[index]]
        if part.size[group] >= limits.split_at and part.cost[group] > 0.0:
            change += settle(model, part, limits, group)
    return change


@kernel
def _restore(model, part, rows, old_labels, count):
    """Return every row of the region to its old group."""
    for index in range(count):
        group = part.label[rows[index]]
        part.size[group] = 0
        part.cost[group] = 0.0
        part.counters[FIRST_EMPTY] = min(part.counters[FIRST_EMPTY], group)
    for index in range(count):
        put_in(model, part, rows[index], old_labels[index])
    for index in range(count):
        group = old_labels[index]
        part.cost[group] = cost_of(model, part.size, group)
