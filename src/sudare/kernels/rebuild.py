"""Large steps: take some near groups apart and form groups anew by schemes, cheapest first; keep what is better.

Moves of single records cannot bring together records that are each a small part of their groups; this can. The
order of the schemes is perturbed by random column weights, so that every attempt is another one.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.costs import cost_of
from sudare.kernels.covers import SET, column_cost
from sudare.kernels.jit import inlined, kernel
from sudare.kernels.partition import put_in
from sudare.kernels.random_words import next_index, next_uniform
from sudare.kernels.refine import improve, settle
from sudare.kernels.rules import satisfied
from sudare.kernels.schemes import label_taken

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 11
_TINY = 1e-12
_TOURNAMENT = 8
_HOPE = 1.1
"""How much dearer than before the new groups may be before they are improved by moves."""
_SWEEPS = 3
_SAME_ORDER = 32
"""Attempts between two new orders of the schemes."""


@kernel
def rebuild_slice(
    model,
    part,
    limits,
    rules,
    scratch,
    neighbors,
    ladder,
    starts,
    level_costs,
    schemes,
    words,
    attempts,
    region,
    spread,
):
    """`attempts` regions of about `region` rows, each rebuilt if that costs less. Returns the change of cost.

    `ladder[starts[c, level] + code]`: the share of a value in the key of its block; `level_costs[c, level]`: mean
    cost of a level; `spread`: how far column weights vary when schemes are ordered.
    """
    label, size, cost, members = part.label, part.size, part.cost, part.members
    most = region + members.shape[1]
    rows, left = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    fresh, places = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    gathered, sizes = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    new_costs, new_sizes = np.empty(most), np.empty(most, dtype=np.int64)
    order_rows = np.empty(most, dtype=np.int64)
    keys = np.empty(most, dtype=np.uint64)
    slots, stamps = np.empty(1 << _TABLE_BITS, dtype=np.int64), np.zeros(1 << _TABLE_BITS, dtype=np.int64)
    old_labels = np.empty(most, dtype=np.int64)
    order = np.arange(len(schemes))
    weights = np.empty(schemes.shape[1])
    stamp = 0
    total = 0.0
    for attempt in range(attempts):
        if attempt % _SAME_ORDER == 0:
            order = _perturbed(schemes, level_costs, weights, words, spread)
        seed = _costly(label, size, cost, words)
        if cost[label[seed]] <= 0.0:
            continue
        part.counters[4] += 1
        number = part.counters[4]
        count, groups = _gather(part, neighbors, seed, region, number, rows, gathered, words)
        if groups < 2:
            continue
        before = 0.0
        for index in range(groups):
            before += cost[gathered[index]]
        limit = before * _HOPE
        made, reached, remaining = 0, 0.0, count
        for index in range(count):
            left[index] = index
        for place in range(len(order)):
            if remaining < limits.smallest:
                break
            stamp += 1
            blocks = _blocks(
                model,
                ladder,
                starts,
                schemes,
                order[place],
                rows,
                left,
                remaining,
                keys,
                sizes,
                places,
                slots,
                stamps,
                stamp,
            )
            taken = False
            for block in range(blocks):
                if sizes[block] < limits.smallest:
                    continue
                members_found = 0
                for index in range(remaining):
                    if places[index] == block:
                        order_rows[members_found] = rows[left[index]]
                        members_found += 1
                if limits.has_rules and not satisfied(rules, scratch, order_rows, 0, members_found):
                    continue
                new_costs[made] = _cover_cost(model, order_rows, members_found) * members_found
                new_sizes[made] = members_found
                reached += new_costs[made]
                sizes[block] = -1 - made
                made += 1
                taken = True
            if taken:
                remaining = label_taken(left, remaining, fresh, sizes, places)
                if reached >= limit:
                    break
        if reached >= limit or made == 0:
            continue
        for index in range(remaining):
            reached += _place(
                model,
                limits,
                rules,
                scratch,
                rows,
                fresh,
                count,
                left,
                index,
                remaining,
                made,
                new_costs,
                order_rows,
            )
            if reached >= limit:
                break
        if reached >= limit:
            continue
        for index in range(count):
            old_labels[index] = label[rows[index]]
        after = reached + _replaced(
            model, part, limits, rules, scratch, rows, fresh, count, gathered, groups, made, number
        )
        for _ in range(_SWEEPS):
            gained = 0.0
            for index in range(count):
                gained += improve(model, part, limits, rules, scratch, neighbors, rows[index], number)
            after += gained
            if gained > -_TINY:
                break
        if after < before - _TINY * (1.0 + before):
            total += after - before
            part.counters[1] += 1
        else:
            _restore(model, part, rows, old_labels, count)
    return total


@inlined
def _costly(label, size, cost, words):
    """Of a few random records the one that loses most: a tenth of the records carries most of the cost."""
    best, chosen = -1.0, 0
    for _ in range(_TOURNAMENT):
        record = next_index(words, len(label))
        share = cost[label[record]] / size[label[record]]
        if share > best:
            best, chosen = share, record
    return chosen


@kernel
def _perturbed(schemes, level_costs, weights, words, spread):
    for column in range(len(weights)):
        weights[column] = np.exp(spread * (2.0 * next_uniform(words) - 1.0))
    costs = np.zeros(len(schemes))
    for scheme in range(len(schemes)):
        for column in range(len(weights)):
            costs[scheme] += weights[column] * level_costs[column, schemes[scheme, column]]
    return np.argsort(costs)


@kernel
def _gather(part, neighbors, seed, region, number, rows, gathered, words):
    """Rows of the seed's group and of groups near to it, up to about `region` rows."""
    label, size, members, marked = part.label, part.size, part.members, part.region
    count, groups = 0, 0
    record = seed
    for trial in range(4 * region):
        group = label[record]
        if marked[group] != number and count + size[group] <= len(rows):
            marked[group] = number
            for index in range(size[group]):
                rows[count] = members[group, index]
                count += 1
            gathered[groups] = group
            groups += 1
            if count >= region:
                break
        start = seed if trial % 2 == 0 else rows[next_index(words, count)]
        record = neighbors[start, next_index(words, neighbors.shape[1])]
    return count, groups


@inlined
def _blocks(
    model, ladder, starts, schemes, scheme, rows, left, remaining, keys, sizes, places, slots, stamps, stamp
):
    """Number the blocks of the remaining rows under a scheme; fills `places` and `sizes`."""
    codes = model.codes
    mask = (1 << _TABLE_BITS) - 1
    blocks = 0
    for index in range(remaining):
        row = rows[left[index]]
        key = np.uint64(0)
        for column in range(codes.shape[1]):
            key += ladder[starts[column, schemes[scheme, column]] + codes[row, column]]
        slot = np.int64((key * _MULTIPLIER) >> np.uint64(64 - _TABLE_BITS))
        while stamps[slot] == stamp and keys[slots[slot]] != key:
            slot = (slot + 1) & mask
        if stamps[slot] != stamp:
            stamps[slot] = stamp
            slots[slot] = blocks
            keys[blocks] = key
            sizes[blocks] = 0
            blocks += 1
        places[index] = slots[slot]
        sizes[slots[slot]] += 1
    return blocks


@kernel
def _cover_cost(model, rows, count):
    """Cost for one record of covering these rows."""
    codes, modes = model.codes, model.mode
    total = 0.0
    for column in range(codes.shape[1]):
        low = high = codes[rows[0], column]
        distinct = np.int32(1)
        for index in range(1, count):
            code = codes[rows[index], column]
            low, high = min(low, code), max(high, code)
            if modes[column] == SET:
                seen = False
                for earlier in range(index):
                    seen = seen or codes[rows[earlier], column] == code
                distinct += not seen
        if modes[column] == SET:
            low = high = distinct
        total += column_cost(model, column, low, high)
    return total


@kernel
def _place(model, limits, rules, scratch, rows, fresh, count, left, index, remaining, made, new_costs, work):
    """Give one of the rows that no scheme took to the new group where it costs least; the added cost, or inf."""
    mine = left[index]
    for later in range(index, remaining):
        fresh[left[later]] = -1
    best, chosen = np.inf, -1
    for group in range(made):
        found = 0
        for other in range(count):
            if fresh[other] == group:
                work[found] = rows[other]
                found += 1
        work[found] = rows[mine]
        found += 1
        cost = _cover_cost(model, work, found) * found - new_costs[group]
        if cost < best and not (limits.has_rules and not satisfied(rules, scratch, work, 0, found)):
            best, chosen = cost, group
    if chosen >= 0:
        fresh[mine] = chosen
        new_costs[chosen] += best
    return best


@kernel
def _replaced(model, part, limits, rules, scratch, rows, fresh, count, gathered, groups, made, number):
    """Put the new groups into the place of the old ones and split those that can be; the change by splitting."""
    for index in range(groups):
        part.size[gathered[index]] = 0
        part.cost[gathered[index]] = 0.0
        part.counters[2] = min(part.counters[2], gathered[index])
    slot = 0
    for group in range(made):
        if group < groups:
            slot = gathered[group]
        else:
            slot = part.counters[2]
            while part.size[slot] > 0:
                slot += 1
            part.counters[2] = slot
        part.region[slot] = number
        for index in range(count):
            if fresh[index] == group:
                put_in(model, part, rows[index], slot)
        part.cost[slot] = cost_of(model, part.size, slot)
    change = 0.0
    for index in range(count):
        group = part.label[rows[index]]
        if part.size[group] >= limits.split_at and part.cost[group] > 0.0:
            change += settle(model, part, limits, rules, scratch, group)
    return change


@kernel
def _restore(model, part, rows, old_labels, count):
    """Put every row of the region back to where it was."""
    for index in range(count):
        group = part.label[rows[index]]
        part.size[group] = 0
        part.cost[group] = 0.0
        part.counters[2] = min(part.counters[2], group)
    for index in range(count):
        put_in(model, part, rows[index], old_labels[index])
    for index in range(count):
        group = old_labels[index]
        part.cost[group] = cost_of(model, part.size, group)
