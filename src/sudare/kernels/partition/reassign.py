"""The cost of every group with each of the records that other groups give away: the matrix of an assignment problem.

Moves of one or two records cannot pass records around a ring of many groups; an assignment finds the best of all such
rings at once (a cyclic exchange: Thompson and Psaraftis 1993; Ahuja, Orlin and Sharma 2000).
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.core.jit import inlined, lean
from sudare.kernels.core.random_words import next_index
from sudare.kernels.core.rules import satisfied
from sudare.kernels.partition.costs import cost_of
from sudare.kernels.partition.covers import PAIRS, SET, column_cost
from sudare.kernels.partition.moves import allowed
from sudare.kernels.partition.partition import REGIONS, put_in, take_out

_UNKNOWN = -1


@lean
def gather_near(part, neighbors, most, words, groups):
    """Find at most `most` groups around a random record, breadth first, each at most once; returns how many."""
    label, size, members, region = part.label, part.size, part.members, part.region
    part.counters[REGIONS] += 1
    number = part.counters[REGIONS]
    first = label[next_index(words, len(label))]
    groups[0], count, place = first, 1, 0
    region[first] = number
    while place < count < most:
        group = groups[place]
        for index in range(size[group]):
            for near in range(neighbors.shape[1]):
                target = label[neighbors[members[group, index], near]]
                if region[target] != number and count < most:
                    region[target] = number
                    groups[count] = target
                    count += 1
        place += 1
    return count


@lean
def fill_matrix(model, part, limits, groups, given, codes, kinds, verdicts, by_code, costs):
    """costs[i, j]: cost of groups[i] without given[i] (-1: nothing given) and with given[j] (-1: with nothing).

    Infinite if the group would not be allowed. `codes` are those of the given records, one row per column (any for -1).
    Records of one kind have the same sensitive values, so that a group is checked only once for each kind: `verdicts`
    has room for all kinds, `by_code` for all values of a column. Groups are left unchanged.
    """
    size, members, changed = part.size, part.members, part.changed
    for row in range(len(groups)):
        group, gone = groups[row], given[row]
        stamp = changed[group]
        if gone >= 0:
            take_out(model, part, gone)
        count = size[group]
        found = costs[row]
        _costs_with(model, members, size, group, codes, by_code, found)
        alone = np.inf
        if count > 0 and allowed(model, limits, part, group):
            alone = cost_of(model, size, group)
        fits = limits.smallest <= count + 1 < members.shape[1]
        verdicts[:] = _UNKNOWN
        for column in range(len(given)):
            come = given[column]
            if come < 0:
                found[column] = alone
            elif not fits:
                found[column] = np.inf
            elif len(limits.rules.kind) > 0:
                kind = kinds[column]
                if verdicts[kind] == _UNKNOWN:
                    members[group, count] = come
                    verdicts[kind] = satisfied(limits.rules, limits.scratch, members[group], 0, count + 1)
                if not verdicts[kind]:
                    found[column] = np.inf
        if gone >= 0:
            put_in(model, part, gone, group)
            changed[group] = stamp


@lean
def _costs_with(model, members, size, group, codes, by_code, found):
    """The cost of a group with each of many records: column by column, so that one loop runs over all of them."""
    found[:] = 0.0
    for column in range(codes.shape[0]):
        width, mode = model.width[column], model.mode[column]
        if mode in (PAIRS, SET) and width <= len(by_code):
            for code in range(width):
                by_code[code] = _column_with(model, members, size, group, column, code)
            for index in range(len(found)):
                # Unsigned, so that no access has to check for a negative index.
                found[index] += by_code[np.uint32(codes[column, index])]
        else:
            for index in range(len(found)):
                found[index] += _column_with(model, members, size, group, column, codes[column, index])
    for index in range(len(found)):
        found[index] *= size[group] + 1


@inlined
def _column_with(model, members, size, group, column, code):
    """Cost per record of a column of a group with one more value; the group may be empty."""
    low, high = model.low[group, column], model.high[group, column]
    if size[group] == 0:
        low, high = code, code
    if model.mode[column] == SET:
        known = False
        for place in range(size[group]):
            known = known or model.codes[members[group, place], column] == code
        count = low + (not known) if size[group] > 0 else 1
        return column_cost(model, column, count, count)
    return column_cost(model, column, min(low, code), max(high, code))


@lean
def hand_over(model, part, groups, given, taken):
    """Every group gives away given[i] and takes taken[i] (-1: nothing)."""
    for row in range(len(groups)):
        if given[row] >= 0 and given[row] != taken[row]:
            take_out(model, part, given[row])
    for row in range(len(groups)):
        if taken[row] >= 0 and given[row] != taken[row]:
            put_in(model, part, taken[row], groups[row])
    for row in range(len(groups)):
        part.cost[groups[row]] = cost_of(model, part.size, groups[row])
