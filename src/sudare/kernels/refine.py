"""Refinement of a partition by moves: relocate, swap, split, dissolve; descent and annealing.

The engine knows groups as lists of members with a cost each; what a cost is, and what a group must satisfy, it
asks of `sudare.kernels.costs` and `sudare.kernels.rules`. A group that reaches twice the smallest size is split,
since two groups never cost more than one; dissolving is the way back.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.costs import (
    cost_exchanged,
    cost_of,
    cost_with,
    cost_without,
    fast_cost_exchanged,
    fast_cost_with,
    fast_cost_without,
    refresh,
)
from sudare.kernels.jit import lean
from sudare.kernels.partition import empty_slot, put_in, swap_places, take_out
from sudare.kernels.random_words import next_index, next_uniform
from sudare.kernels.rules import satisfied

_TINY = 1e-12


@lean
def allowed(limits, rules, scratch, part, group):
    """Whether a group may stand as it is."""
    if part.size[group] < limits.smallest:
        return False
    return not limits.has_rules or satisfied(rules, scratch, part.members[group], 0, part.size[group])


@lean
def _relocate(model, part, limits, rules, scratch, record, target, threshold):
    """Move a record to another group if that changes the cost by no more than `threshold`; the change or inf."""
    source = part.label[record]
    if part.size[source] <= limits.smallest or part.size[target] >= part.members.shape[1]:
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
    if limits.has_rules and not (
        allowed(limits, rules, scratch, part, source) and allowed(limits, rules, scratch, part, target)
    ):
        take_out(model, part, record)
        put_in(model, part, record, source)
        return np.inf
    part.cost[source] = cost_of(model, part.size, source)
    part.cost[target] = cost_of(model, part.size, target)
    if part.size[target] >= limits.split_at:
        change += settle(model, part, limits, rules, scratch, target)
    return change


@lean
def _swap(model, part, limits, rules, scratch, one, other, threshold):
    """Exchange two records of different groups under the same terms."""
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
    if limits.has_rules and not (
        allowed(limits, rules, scratch, part, first) and allowed(limits, rules, scratch, part, second)
    ):
        swap_places(model, part, one, other)
        return np.inf
    part.cost[first] = cost_of(model, part.size, first)
    part.cost[second] = cost_of(model, part.size, second)
    return change


@lean
def settle(model, part, limits, rules, scratch, group):
    """Split a group in two of at least the smallest size, grown around its two most distant members.

    Returns the change of cost, 0 when no allowed split was found or no slot is free.
    """
    fresh = empty_slot(part)
    if fresh >= len(part.size) or part.size[group] < 2 * limits.smallest:
        return 0.0
    part.region[fresh] = part.region[group]
    before, stamp = part.cost[group], part.changed[group]
    # Grow the second group greedily: start with the member whose leaving helps most, then the one that fits best.
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
                if change < -_TINY * (1.0 + abs(before)):
                    swap_places(model, part, one, other)
                    part.cost[group] = cost_of(model, part.size, group)
                    part.cost[fresh] = cost_of(model, part.size, fresh)
                    improved = True
    # Halves that cost as much as the whole stay whole: a larger group can lose members more freely.
    gain = part.cost[group] + part.cost[fresh] - before
    if (
        gain < -_TINY * (1.0 + abs(before))
        and allowed(limits, rules, scratch, part, group)
        and allowed(limits, rules, scratch, part, fresh)
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
    part.counters[2] = min(part.counters[2], fresh)
    return part.cost[group] - before


@lean
def _dissolve(model, part, limits, rules, scratch, neighbors, group, threshold, undo):
    """Give every member of a group to the group of a neighbor, if the total changes by at most `threshold`."""
    count = part.size[group]
    change = -part.cost[group]
    changed, stamps = part.changed, part.stamps
    stamp = changed[group]
    for index in range(count):
        undo[index] = part.members[group, index]
    moved = 0
    for index in range(count):
        record = undo[index]
        best, chosen = np.inf, -1
        for near in range(neighbors.shape[1]):
            target = part.label[neighbors[record, near]]
            if target == group or part.size[target] + 1 >= part.members.shape[1]:
                continue
            value = cost_with(model, part.members, part.size, target, record) - part.cost[target]
            if value < best:
                best, chosen = value, target
        # No record makes a group cheaper by joining it, so the sum can only rise from here.
        if chosen < 0 or change + best > threshold:
            break
        stamps[index] = changed[chosen]
        take_out(model, part, record)
        put_in(model, part, record, chosen)
        part.cost[chosen] = cost_of(model, part.size, chosen)
        change += best
        moved += 1
    holds = moved == count
    if holds and limits.has_rules:
        for index in range(count):
            holds = holds and allowed(limits, rules, scratch, part, part.label[undo[index]])
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
    part.counters[2] = min(part.counters[2], group)
    for index in range(count):
        target = part.label[undo[index]]
        if part.size[target] >= limits.split_at:
            change += settle(model, part, limits, rules, scratch, target)
    return change


@lean
def descend_slice(model, part, limits, rules, scratch, neighbors, start, stop):
    """One pass over records start … stop-1: the best relocation or swap of each that lowers the cost."""
    gained = 0.0
    for record in range(start, stop):
        gained += improve(model, part, limits, rules, scratch, neighbors, record, -1)
    return gained


@lean
def improve(model, part, limits, rules, scratch, neighbors, record, region):
    """The best relocation or swap of a record that lowers the cost, between groups of a region (-1: of any).

    Pairs of groups that have not changed since the record was last looked at are passed over, as are pairs that
    together cost less than the best move found so far saves. Returns the change of cost.
    """
    label, size, cost, members = part.label, part.size, part.cost, part.members
    changed, region_of = part.changed, part.region
    group = label[record]
    slack = -_TINY * (1.0 + abs(cost[group]))
    best, kind, partner = slack, 0, -1
    leave = np.inf
    looked, fresh = part.seen[record], changed[group] > part.seen[record]
    part.seen[record] = part.counters[3]
    for near in range(neighbors.shape[1]):
        target = label[neighbors[record, near]]
        if target == group or not (fresh or changed[target] > looked):
            continue
        if cost[group] + cost[target] <= -best or (region >= 0 and region_of[target] != region):
            continue
        seen = False
        for earlier in range(near):
            seen = seen or label[neighbors[record, earlier]] == target
        if seen:
            continue
        if size[group] > limits.smallest and size[target] < members.shape[1]:
            if leave == np.inf:
                leave = cost_without(model, members, size, group, record) - cost[group]
            change = leave + cost_with(model, members, size, target, record) - cost[target]
            if change < best and (
                not limits.has_rules or _may_relocate(rules, scratch, part, record, target)
            ):
                best, kind, partner = change, 1, target
        for index in range(size[target]):
            other = members[target, index]
            change = (
                cost_exchanged(model, members, size, group, record, other)
                + cost_exchanged(model, members, size, target, other, record)
                - cost[group]
                - cost[target]
            )
            if change < best and (not limits.has_rules or _may_swap(rules, scratch, part, record, other)):
                best, kind, partner = change, 2, other
    part.counters[0] += 1
    change = np.inf
    if kind == 1:
        change = _relocate(model, part, limits, rules, scratch, record, partner, slack)
    elif kind == 2:
        change = _swap(model, part, limits, rules, scratch, record, partner, slack)
    if change == np.inf:
        return 0.0
    part.counters[1] += 1
    return change


@lean
def _may_relocate(rules, scratch, part, record, target):
    """Whether both groups keep the rules if a record moves; nothing is changed."""
    group, place = part.label[record], part.place[record]
    last, end = part.size[group] - 1, part.size[target]
    members = part.members
    members[target, end] = record
    if not satisfied(rules, scratch, members[target], 0, end + 1):
        return False
    members[group, place], members[group, last] = members[group, last], record
    kept = satisfied(rules, scratch, members[group], 0, last)
    members[group, place], members[group, last] = record, members[group, place]
    return kept


@lean
def _may_swap(rules, scratch, part, one, other):
    """Whether both groups keep the rules if two records change places; nothing is changed."""
    first, second = part.label[one], part.label[other]
    members, place, there = part.members, part.place[one], part.place[other]
    members[first, place] = other
    kept = satisfied(rules, scratch, members[first], 0, part.size[first])
    members[first, place] = one
    if kept:
        members[second, there] = one
        kept = satisfied(rules, scratch, members[second], 0, part.size[second])
        members[second, there] = other
    return kept


@lean
def dissolve_all(model, part, limits, rules, scratch, neighbors):
    """Try to dissolve, and to split, every group."""
    undo = part.undo
    gained = 0.0
    for group in range(len(part.size)):
        if part.size[group] >= limits.split_at:
            gained += settle(model, part, limits, rules, scratch, group)
        if part.size[group] > 0:
            slack = -_TINY * (1.0 + abs(part.cost[group]))
            change = _dissolve(model, part, limits, rules, scratch, neighbors, group, slack, undo)
            if change < np.inf:
                gained += change
    return gained


@lean
def anneal_slice(model, part, limits, rules, scratch, neighbors, words, moves, hot, cold, dissolving):
    """Random moves, accepted when cheaper or, by Metropolis, when not too much dearer; T falls from hot to cold."""
    # Taken out of the tuple once: every access to a member of a tuple counts references.
    label, size, cost, members, place_of = part.label, part.size, part.cost, part.members, part.place
    count = len(label)
    undo = part.undo
    temperature = hot
    cooling = (cold / hot) ** (1.0 / max(moves / 64, 1.0))
    total = 0.0
    for move in range(moves):
        if move % 64 == 63:
            temperature *= cooling
        record = next_index(words, count)
        other = neighbors[record, next_index(words, neighbors.shape[1])]
        # Half of the moves bring the neighbor here: nobody has an outlier among the nearest, who needs company too.
        if next_index(words, 2) == 0:
            record, other = other, record
        group, target = label[record], label[other]
        if group == target or cost[group] + cost[target] <= 0.0:
            continue
        part.counters[0] += 1
        threshold = -temperature * np.log(max(next_uniform(words), 1e-300))
        change = np.inf
        # Changes are computed here, and moves called only when they will be made: most are not.
        if size[group] > limits.smallest:
            if size[target] + 1 < members.shape[1]:
                expected = (
                    fast_cost_without(model, members, size, group, record)
                    + fast_cost_with(model, members, size, target, record)
                    - cost[group]
                    - cost[target]
                )
                if expected <= threshold:
                    change = _relocate(model, part, limits, rules, scratch, record, target, threshold)
        elif dissolving > 0.0 and next_uniform(words) < dissolving:
            change = _dissolve(model, part, limits, rules, scratch, neighbors, group, threshold, undo)
        if change == np.inf and size[target] > 1:
            place = next_index(words, size[target] - 1)
            if place >= place_of[other]:
                place += 1
            partner = members[target, place]
            expected = (
                fast_cost_exchanged(model, members, size, group, record, partner)
                + fast_cost_exchanged(model, members, size, target, partner, record)
                - cost[group]
                - cost[target]
            )
            if expected <= threshold:
                change = _swap(model, part, limits, rules, scratch, record, partner, threshold)
        if change < np.inf:
            total += change
            part.counters[1] += 1
    return total
