"""A changing partition: groups as lists of members, each with a cost; the basic operations of every move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.arrays import starts_of
from sudare.kernels.core.jit import lean
from sudare.kernels.core.rules import Rules, Scratch, scratch_for
from sudare.kernels.partition.costs import cost_of, exclude, include, refresh, replace_member

FIRST_EMPTY, CLOCK, REGIONS = range(3)
"""Positions in `Partition.counters`: the first slot that may be empty, changes so far, regions gathered so far."""


class Partition(NamedTuple):
    """Groups 0 … slots-1, some of them empty; every record is a member of exactly one."""

    label: npt.NDArray[np.int64]
    """Group of each record."""
    place: npt.NDArray[np.int64]
    """Position of each record among its group's members."""
    members: npt.NDArray[np.int32]
    """slots x capacity."""
    size: npt.NDArray[np.int64]
    cost: npt.NDArray[np.float64]
    region: npt.NDArray[np.int64]
    """Number of the region into which a group was last gathered (rebuilding)."""
    changed: npt.NDArray[np.int64]
    """When each group last changed."""
    seen: npt.NDArray[np.int64]
    """When descent last examined each record."""
    undo: npt.NDArray[np.int64]
    """Work space: the members of a group that is being dissolved."""
    stamps: npt.NDArray[np.int64]
    """Work space: when the groups that take them last changed. A move that is undone does not count as a change, or
    descent would examine everything again."""
    counters: npt.NDArray[np.int64]
    """One number at each of the positions `FIRST_EMPTY`, `CLOCK`, `REGIONS`."""


class Limits(NamedTuple):
    """What groups must satisfy."""

    smallest: int
    """Minimum number of members (k)."""
    split_at: int
    """Size at which a group is split if possible."""
    rules: Rules
    """Requirements for a group beyond its size; empty if there are none."""
    scratch: Scratch


def limits_of(smallest: int, rules: Rules) -> Limits:
    """Groups of at least the smallest size that satisfy the rules, split when they are large enough for two."""
    return Limits(smallest, 2 * smallest, rules, scratch_for(rules))


def partition_of(labels: npt.NDArray[np.int64], smallest: int, room: int = 0) -> Partition:
    """The arrays of a partition, without the costs."""
    groups = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=groups)
    capacity = max(2 * smallest + 1, int(sizes.max()) + smallest + 1, room)
    slots = max(groups, len(labels) // smallest) + 1
    members = np.zeros((slots, capacity), dtype=np.int32)
    order = np.argsort(labels, kind="stable")
    starts = starts_of(sizes)
    place = np.empty(len(labels), dtype=np.int64)
    place[order] = np.arange(len(labels)) - np.repeat(starts[:-1], sizes)
    members[labels, place] = np.arange(len(labels))
    size = np.zeros(slots, dtype=np.int64)
    size[:groups] = sizes
    return Partition(
        label=labels.astype(np.int64).copy(),
        place=place,
        members=members,
        size=size,
        cost=np.zeros(slots),
        region=np.full(slots, -1, dtype=np.int64),
        changed=np.zeros(slots, dtype=np.int64),
        seen=np.full(len(labels), -1, dtype=np.int64),
        undo=np.empty(capacity, dtype=np.int64),
        stamps=np.empty(capacity, dtype=np.int64),
        counters=np.zeros(3, dtype=np.int64),
    )


@lean
def fill_costs(model, part):
    """Recompute the cost of every group, and the total."""
    total = 0.0
    for group in range(len(part.size)):
        part.cost[group] = 0.0
        if part.size[group] > 0:
            refresh(model, part.members, part.size, group)
            part.cost[group] = cost_of(model, part.size, group)
        total += part.cost[group]
    return total


@lean
def take_out(model, part, record):
    """Remove a record from its group; the cost is not updated."""
    group, place = part.label[record], part.place[record]
    last = part.members[group, part.size[group] - 1]
    part.members[group, place] = last
    part.place[last] = place
    part.size[group] -= 1
    part.counters[CLOCK] += 1
    part.changed[group] = part.counters[CLOCK]
    exclude(model, part.members, part.size, group, record)


@lean
def put_in(model, part, record, group):
    """Add a record to a group; its cost is not updated."""
    part.members[group, part.size[group]] = record
    part.place[record] = part.size[group]
    part.label[record] = group
    part.size[group] += 1
    part.counters[CLOCK] += 1
    part.changed[group] = part.counters[CLOCK]
    include(model, part.members, part.size, group, record)


@lean
def swap_places(model, part, one, other):
    """Exchange two records of different groups; costs are not updated."""
    first, second = part.label[one], part.label[other]
    part.members[first, part.place[one]] = other
    part.members[second, part.place[other]] = one
    part.place[one], part.place[other] = part.place[other], part.place[one]
    part.label[one], part.label[other] = second, first
    part.counters[CLOCK] += 1
    part.changed[first] = part.changed[second] = part.counters[CLOCK]
    replace_member(model, part.members, part.size, first, one, other)
    replace_member(model, part.members, part.size, second, other, one)


@lean
def empty_slot(part):
    """The first slot without members; the number of slots if there is none."""
    slot = part.counters[FIRST_EMPTY]
    while slot < len(part.size) and part.size[slot] > 0:
        slot += 1
    part.counters[FIRST_EMPTY] = slot
    return slot
