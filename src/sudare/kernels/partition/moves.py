"""Moves on a partition: relocate a record, swap two, split a group, dissolve one; each is undone if a rule forbids it.

The cost of a group comes from `sudare.kernels.partition.costs`, the rules from `sudare.kernels.core.rules`. A group
that reaches twice the smallest size is split, since two groups never cost more than one; dissolving is the way back.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, lean
from sudare.kernels.core.rules import satisfied
from sudare.kernels.partition.costs import (
    cost_exchanged,
    cost_of,
    cost_with,
    cost_without,
    has_room,
    out_of,
    refresh,
)
from sudare.kernels.partition.partition import FIRST_EMPTY, empty_slot, put_in, swap_places, take_out

TINY = 1e-12
"""The share of a cost by which a move must change it to count: less is rounding."""


@lean
def relocate(model, part, limits, record, target, threshold):
    """Move a record to another group if that changes the cost by at most `threshold`; returns the change, or inf."""
    source = part.label[record]
    spared = part.size[source] > limits.smallest or source == out_of(model)
    if not spared or not may_join(model, part, target):
        return np.inf
    change = (
        cost_without(model, part.members, part.size, source, record)
        + cost_with(model, part.members, part.size, target, record)
        - part.cost[source]
        - part.cost[target]
    )
    if change > threshold:
        return np.inf
    take_out(model, part, record)
    put_in(model, part, record, target)
    if len(limits.rules.kind) > 0 and not (
        allowed(model, limits, part, source) and allowed(model, limits, part, target)
    ):
        take_out(model, part, record)
        put_in(model, part, record, source)
        return np.inf
    part.cost[source] = cost_of(model, part.size, source)
    part.cost[target] = cost_of(model, part.size, target)
    if part.size[target] >= limits.split_at:
        change += settle(model, part, limits, target)
    return change


@lean
def may_relocate(model, limits, part, record, target):
    """Whether both groups satisfy the rules if a record moves; nothing is changed."""
    group, place = part.label[record], part.place[record]
    last, end = part.size[group] - 1, part.size[target]
    members, out = part.members, out_of(model)
    members[target, end] = record
    if target != out and not satisfied(limits.rules, limits.scratch, members[target], 0, end + 1):
        return False
    if group == out:
        return True
    members[group, place], members[group, last] = members[group, last], record
    kept = satisfied(limits.rules, limits.scratch, members[group], 0, last)
    members[group, place], members[group, last] = record, members[group, place]
    return kept


@lean
def swap(model, part, limits, one, other, threshold):
    """Exchange two records of different groups under the same conditions."""
    first, second = part.label[one], part.label[other]
    change = (
        cost_exchanged(model, part.members, part.size, first, one, other)
        + cost_exchanged(model, part.members, part.size, second, other, one)
        - part.cost[first]
        - part.cost[second]
    )
    if change > threshold:
        return np.inf
    swap_places(model, part, one, other)
    if len(limits.rules.kind) > 0 and not (
        allowed(model, limits, part, first) and allowed(model, limits, part, second)
    ):
        swap_places(model, part, one, other)
        return np.inf
    part.cost[first] = cost_of(model, part.size, first)
    part.cost[second] = cost_of(model, part.size, second)
    return change


@lean
def may_swap(model, limits, part, one, other):
    """Whether both groups satisfy the rules if two records are exchanged; nothing is changed."""
    first, second = part.label[one], part.label[other]
    members, place, there = part.members, part.place[one], part.place[other]
    out = out_of(model)
    members[first, place] = other
    kept = first == out or satisfied(limits.rules, limits.scratch, members[first], 0, part.size[first])
    members[first, place] = one
    if kept and second != out:
        members[second, there] = one
        kept = satisfied(limits.rules, limits.scratch, members[second], 0, part.size[second])
        members[second, there] = other
    return kept


@lean
def settle(model, part, limits, group):
    """Split a group into two of at least the smallest size; the second grows from the member whose leaving helps most.

    Returns the change of cost, 0 if no allowed split was found or no slot is free.
    """
    fresh = empty_slot(part)
    if fresh >= len(part.size) or part.size[group] < limits.split_at or group == out_of(model):
        return 0.0
    part.region[fresh] = part.region[group]
    before, stamp = part.cost[group], part.changed[group]
    # Grow the second group greedily: start with the member whose leaving helps most, then add the one that fits best.
    for step in range(limits.smallest):
        best, chosen = np.inf, -1
        for index in range(part.size[group]):
            record = part.members[group, index]
            value = cost_without(model, part.members, part.size, group, record)
            if step > 0:
                value += cost_with(model, part.members, part.size, fresh, record)
            if value < best:
                best, chosen = value, record
        take_out(model, part, chosen)
        put_in(model, part, chosen, fresh)
        part.cost[group] = cost_of(model, part.size, group)
        part.cost[fresh] = cost_of(model, part.size, fresh)
    # A few exchanges between the halves.
    improved = True
    while improved:
        improved = False
        for index in range(part.size[fresh]):
            for against in range(part.size[group]):
                one, other = part.members[fresh, index], part.members[group, against]
                change = (
                    cost_exchanged(model, part.members, part.size, fresh, one, other)
                    + cost_exchanged(model, part.members, part.size, group, other, one)
                    - part.cost[fresh]
                    - part.cost[group]
                )
                if change < -TINY * (1.0 + abs(before)):
                    swap_places(model, part, one, other)
                    part.cost[group] = cost_of(model, part.size, group)
                    part.cost[fresh] = cost_of(model, part.size, fresh)
                    improved = True
    # Keep the group if its halves cost as much: a larger group can lose members more freely.
    gain = part.cost[group] + part.cost[fresh] - before
    if (
        gain < -TINY * (1.0 + abs(before))
        and allowed(model, limits, part, group)
        and allowed(model, limits, part, fresh)
    ):
        return gain
    while part.size[fresh] > 0:
        record = part.members[fresh, part.size[fresh] - 1]
        take_out(model, part, record)
        put_in(model, part, record, group)
    part.changed[group] = stamp
    refresh(model, part.members, part.size, group)
    part.cost[fresh] = 0.0
    part.cost[group] = cost_of(model, part.size, group)
    part.counters[FIRST_EMPTY] = min(part.counters[FIRST_EMPTY], fresh)
    return part.cost[group] - before


@lean
def dissolve(model, part, limits, neighbors, group, threshold, undo):
    """Move every member of a group to that of a neighbor, or out, if the total changes by at most `threshold`."""
    if group == out_of(model):
        return np.inf
    count = part.size[group]
    change = -part.cost[group]
    changed, stamps = part.changed, part.stamps
    stamp = changed[group]
    for index in range(count):
        undo[index] = part.members[group, index]
    moved = 0
    for index in range(count):
        record = undo[index]
        chosen, best = cheapest_near(model, part, neighbors, record, -1)
        # Joining a group never makes it cheaper, so the sum can only rise from here.
        if chosen < 0 or change + best > threshold:
            break
        stamps[index] = changed[chosen]
        take_out(model, part, record)
        put_in(model, part, record, chosen)
        part.cost[chosen] = cost_of(model, part.size, chosen)
        change += best
        moved += 1
    holds = moved == count
    if holds and len(limits.rules.kind) > 0:
        for index in range(count):
            holds = holds and allowed(model, limits, part, part.label[undo[index]])
    if not holds:
        for index in range(moved - 1, -1, -1):
            record = undo[index]
            target = part.label[record]
            take_out(model, part, record)
            part.cost[target] = cost_of(model, part.size, target)
            put_in(model, part, record, group)
            changed[target] = stamps[index]
        changed[group] = stamp
        refresh(model, part.members, part.size, group)
        part.cost[group] = cost_of(model, part.size, group)
        return np.inf
    part.cost[group] = 0.0
    part.counters[FIRST_EMPTY] = min(part.counters[FIRST_EMPTY], group)
    for index in range(count):
        target = part.label[undo[index]]
        if part.size[target] >= limits.split_at:
            change += settle(model, part, limits, target)
    return change


@inlined
def cheapest_near(model, part, neighbors, record, first):
    """The group near a record whose cost rises least if the record joins, and the rise; -1 and inf if there is none.

    The group `first` (-1: none) is tried before those of the neighbors, and leaving the record out after them: on a
    tie, the first one is chosen.
    """
    best, chosen = np.inf, -1
    out = out_of(model)
    for near in range(-1 if first >= 0 else 0, neighbors.shape[1]):
        target = first if near < 0 else part.label[neighbors[record, near]]
        if target == part.label[record] or part.size[target] + 1 >= part.members.shape[1] or target == out:
            continue
        value = cost_with(model, part.members, part.size, target, record) - part.cost[target]
        if value < best:
            best, chosen = value, target
    if out >= 0 and part.label[record] != out and may_join(model, part, out):
        value = cost_with(model, part.members, part.size, out, record) - part.cost[out]
        if value < best:
            best, chosen = value, out
    return chosen, best


@inlined
def may_join(model, part, group):
    """Whether a group has room for another member."""
    if group == out_of(model) and not has_room(model, part.size):
        return False
    return part.size[group] < part.members.shape[1]


@lean
def allowed(model, limits, part, group):
    """Whether a group satisfies the rules as it is; records that are left out need not."""
    if group == out_of(model):
        return True
    if part.size[group] < limits.smallest:
        return False
    return len(limits.rules.kind) == 0 or satisfied(
        limits.rules, limits.scratch, part.members[group], 0, part.size[group]
    )
