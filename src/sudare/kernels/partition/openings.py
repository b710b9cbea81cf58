"""New groups: a record with a high loss gets its own group, with members from groups that can spare them.

Moves of single records never create a group; splitting creates one only from another. Here a record leaves its group
and attracts the records that cost least to add, near ones from groups that are larger than required; what is left of
its own group, if that has become too small, goes to the groups of its neighbors.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, lean
from sudare.kernels.core.random_words import next_index
from sudare.kernels.partition.costs import cost_of, cost_with, cost_without, out_of
from sudare.kernels.partition.moves import TINY, allowed, cheapest_near
from sudare.kernels.partition.partition import FIRST_EMPTY, empty_slot, put_in, take_out


@lean
def open_slice(model, part, limits, neighbors, records, tries, words, moved, origin, stamps):
    """Try to open a group around each of the records, `tries` times with different first companions.

    `moved`, `origin` and `stamps` are work space.
    """
    for index in range(len(records)):
        record = records[index]
        for _ in range(tries):
            if part.cost[part.label[record]] <= 0.0:
                break
            companion = neighbors[record, next_index(words, neighbors.shape[1])]
            _open(model, part, limits, neighbors, record, companion, moved, origin, stamps)


@lean
def _open(model, part, limits, neighbors, record, companion, moved, origin, stamps):
    """Open a group around two records if that lowers the cost."""
    fresh = empty_slot(part)
    source = part.label[record]
    out = out_of(model)
    alike = part.label[companion] == source and source != out
    if fresh >= len(part.size) or alike or record == companion:
        return
    breaking = part.size[source] <= limits.smallest and source != out
    if not _spared(model, part, limits, companion, source, breaking):
        return
    slack = TINY * (1.0 + abs(part.cost[source]))
    most = min(part.members.shape[1], len(moved)) - 1
    change = _shift(model, part, record, fresh, moved, origin, stamps, 0)
    change += _shift(model, part, companion, fresh, moved, origin, stamps, 1)
    count = 2
    while count < most:
        best, chosen = np.inf, -1
        for center in range(2):
            around = moved[center]
            for near in range(neighbors.shape[1]):
                other = neighbors[around, near]
                if part.label[other] == fresh or not _spared(model, part, limits, other, source, breaking):
                    continue
                value = _rise(model, part, fresh, other, best)
                if value < best:
                    best, chosen = value, other
        if breaking:
            for index in range(part.size[source]):
                other = part.members[source, index]
                value = _rise(model, part, fresh, other, best)
                if value < best:
                    best, chosen = value, other
        if chosen < 0 or (part.size[fresh] >= limits.smallest and best >= -TINY):
            break
        change += _shift(model, part, chosen, fresh, moved, origin, stamps, count)
        count += 1
    holds = part.size[fresh] >= limits.smallest
    while holds and breaking and part.size[source] > 0:
        other = part.members[source, part.size[source] - 1]
        target, _ = cheapest_near(model, part, neighbors, other, fresh)
        holds = target >= 0 and count < len(moved)
        if holds:
            change += _shift(model, part, other, target, moved, origin, stamps, count)
            count += 1
    holds = holds and change < -slack
    if holds and len(limits.rules.kind) > 0:
        for index in range(count):
            holds = holds and allowed(model, limits, part, part.label[moved[index]])
            holds = holds and (part.size[origin[index]] == 0 or allowed(model, limits, part, origin[index]))
    if holds:
        if part.size[source] == 0 and source != out:
            part.counters[FIRST_EMPTY] = min(part.counters[FIRST_EMPTY], source)
        return
    for index in range(count - 1, -1, -1):
        target = part.label[moved[index]]
        _shift(model, part, moved[index], origin[index], moved, origin, stamps, -1)
        part.changed[origin[index]], part.changed[target] = stamps[2 * index], stamps[2 * index + 1]
    part.counters[FIRST_EMPTY] = min(part.counters[FIRST_EMPTY], fresh)


@inlined
def _spared(model, part, limits, record, source, breaking):
    """Whether a record may leave its group: the group is large enough, is being broken up, or has no size to keep."""
    group = part.label[record]
    return part.size[group] > limits.smallest or (breaking and group == source) or group == out_of(model)


@inlined
def _rise(model, part, fresh, record, best):
    """Change of cost if a record joins the fresh group; not fully computed if it cannot beat the best."""
    group = part.label[record]
    value = cost_with(model, part.members, part.size, fresh, record) - part.cost[fresh] - part.cost[group]
    if value >= best:
        return value
    return value + cost_without(model, part.members, part.size, group, record)


@lean
def _shift(model, part, record, target, moved, origin, stamps, place):
    """Move a record, note where it came from (place -1: do not), and return the change of cost.

    `stamps` gets the times when the two groups last changed: a move that is undone does not count as a change.
    """
    source = part.label[record]
    before = part.cost[source] + part.cost[target]
    if place >= 0:
        moved[place], origin[place] = record, source
        stamps[2 * place], stamps[2 * place + 1] = part.changed[source], part.changed[target]
    take_out(model, part, record)
    put_in(model, part, record, target)
    part.cost[source] = cost_of(model, part.size, source)
    part.cost[target] = cost_of(model, part.size, target)
    return part.cost[source] + part.cost[target] - before
