"""Refinement of a partition by the moves of `sudare.kernels.partition.moves`: descent and annealing."""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import lean
from sudare.kernels.core.random_words import next_index, next_uniform
from sudare.kernels.partition.costs import (
    cost_exchanged,
    cost_with,
    cost_without,
    fast_cost_exchanged,
    fast_cost_with,
    fast_cost_without,
    out_of,
)
from sudare.kernels.partition.moves import (
    TINY,
    dissolve,
    may_join,
    may_relocate,
    may_swap,
    relocate,
    settle,
    swap,
)
from sudare.kernels.partition.partition import CLOCK


@lean
def descend_slice(model, part, limits, neighbors, start, stop):
    """One pass over records start … stop-1: for each, the best relocation or swap that lowers the cost."""
    for record in range(start, stop):
        improve(model, part, limits, neighbors, record, -1)


@lean
def improve(model, part, limits, neighbors, record, region):
    """Make the best relocation or swap of a record that lowers the cost, between groups of a region (-1: of any).

    Pairs of groups that have not changed since the record was last examined are skipped, as are pairs that
    together cost less than the best move found so far saves. Returns the change of cost.
    """
    label, size, cost, members = part.label, part.size, part.cost, part.members
    changed, region_of = part.changed, part.region
    group = label[record]
    slack = -TINY * (1.0 + abs(cost[group]))
    best, kind, partner = slack, 0, -1
    leave = np.inf
    looked, fresh = part.seen[record], changed[group] > part.seen[record]
    part.seen[record] = part.counters[CLOCK]
    out = out_of(model)
    # Leaving the record out comes first, at -1; each neighbor that is left out may come back in its place.
    for near in range(-1 if out >= 0 else 0, neighbors.shape[1]):
        target = out if near < 0 else label[neighbors[record, near]]
        if target == group or not (fresh or changed[target] > looked):
            continue
        if cost[group] + cost[target] <= -best or (region >= 0 and region_of[target] != region):
            continue
        first, last = 0, size[target]
        if target == out:
            first = part.place[neighbors[record, near]] if near >= 0 else 0
            last = first + 1 if near >= 0 else 0
        else:
            seen = False
            for earlier in range(near):
                seen = seen or label[neighbors[record, earlier]] == target
            if seen:
                continue
        spared = size[group] > limits.smallest or group == out
        if spared and (near < 0 or target != out) and may_join(model, part, target):
            if leave == np.inf:
                leave = cost_without(model, members, size, group, record) - cost[group]
            change = leave + cost_with(model, members, size, target, record) - cost[target]
            if change < best and (
                len(limits.rules.kind) == 0 or may_relocate(model, limits, part, record, target)
            ):
                best, kind, partner = change, 1, target
        for index in range(first, last):
            other = members[target, index]
            change = (
                cost_exchanged(model, members, size, group, record, other)
                + cost_exchanged(model, members, size, target, other, record)
                - cost[group]
                - cost[target]
            )
            if change < best and (
                len(limits.rules.kind) == 0 or may_swap(model, limits, part, record, other)
            ):
                best, kind, partner = change, 2, other
    change = np.inf
    if kind == 1:
        change = relocate(model, part, limits, record, partner, slack)
    elif kind == 2:
        change = swap(model, part, limits, record, partner, slack)
    return 0.0 if change == np.inf else change


@lean
def dissolve_all(model, part, limits, neighbors):
    """Try to dissolve, and to split, every group."""
    undo = part.undo
    for group in range(len(part.size)):
        if part.size[group] >= limits.split_at:
            settle(model, part, limits, group)
        if part.size[group] > 0:
            slack = -TINY * (1.0 + abs(part.cost[group]))
            dissolve(model, part, limits, neighbors, group, slack, undo)


@lean
def anneal_slice(model, part, limits, neighbors, words, moves, hot, cold, dissolving):
    """Random moves, accepted if cheaper or, by Metropolis, if not much more expensive; T falls from hot to cold."""
    # Read from the tuple once: every access to a member of a tuple counts references.
    label, size, cost, members, place_of = part.label, part.size, part.cost, part.members, part.place
    count = len(label)
    undo = part.undo
    temperature = hot
    cooling = (cold / hot) ** (1.0 / max(moves / 64, 1.0))
    for move in range(moves):
        if move % 64 == 63:
            temperature *= cooling
        record = next_index(words, count)
        other = neighbors[record, next_index(words, neighbors.shape[1])]
        # Half of the moves bring the neighbor here: an outlier is not among anyone's nearest, but needs company too.
        if next_index(words, 2) == 0:
            record, other = other, record
        group, target = label[record], label[other]
        if group == target or cost[group] + cost[target] <= 0.0:
            continue
        threshold = -temperature * np.log(max(next_uniform(words), 1e-300))
        change = np.inf
        # Changes are computed here, and moves called only if they will be made: most are not.
        if size[group] > limits.smallest:
            if size[target] + 1 < members.shape[1]:
                expected = (
                    fast_cost_without(model, members, size, group, record)
                    + fast_cost_with(model, members, size, target, record)
                    - cost[group]
                    - cost[target]
                )
                if expected <= threshold:
                    change = relocate(model, part, limits, record, target, threshold)
        elif dissolving > 0.0 and next_uniform(words) < dissolving:
            change = dissolve(model, part, limits, neighbors, group, threshold, undo)
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
                swap(model, part, limits, record, partner, threshold)
