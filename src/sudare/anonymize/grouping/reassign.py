"""Rings of exchanges: many groups give up one record each, and an assignment redistributes them at the lowest cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.anonymize.grouping.labels import numbered
from sudare.kernels.core.rules import Rules, no_rules
from sudare.kernels.partition.covers import LARGEST_TABLE
from sudare.kernels.partition.partition import Limits, Partition, fill_costs, limits_of, partition_of
from sudare.kernels.partition.reassign import fill_matrix, gather_near, hand_over
from sudare.progress import SILENT
from sudare.randomness import repeatable, words_from

if TYPE_CHECKING:
    import numpy.typing as npt

    from sudare.anonymize.grouping.labels import Labels
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

_MOST_GROUPS = 1500
"""Maximum number of groups in one assignment: time grows with its cube."""
_GIVING = 0.9
"""Share of the groups that give up a record; the others may only take one, so that sizes can change."""
_TINY = 1e-12


def reassigned(
    model: Covers,
    neighbors: npt.NDArray[np.int64],
    labels: Labels,
    smallest: int,
    times: int,
    *,
    rules: Rules | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Labels:
    """The partition after `times` assignments, each over all groups or, if there are many, over near ones.

    Groups g_1 … g_m give up records r_1 … r_m, chosen at random; the permutation pi with the least sum of
    cost(g_i - r_i + r_pi(i)) is kept if it is cheaper. A group may also only take, or, if it is large enough, only
    give. Every group keeps the smallest size and the rules; the cost never rises. O(m^3) and O(m^2 columns) each.
    """
    part = partition_of(labels, smallest)
    limits = limits_of(smallest, rules or no_rules())
    fill_costs(model, part)
    random, words = repeatable(seed), words_from(seed)
    room = np.empty(_MOST_GROUPS, dtype=np.int64)
    progress.start("exchange_in_rings", times)
    for number in range(times):
        groups = np.flatnonzero(part.size)
        if len(groups) > _MOST_GROUPS:
            groups = room[: gather_near(part, neighbors, _MOST_GROUPS, words, room)]
        _reassign(model, part, limits, groups, random)
        progress.update(number + 1)
    return numbered(part.label)


def _reassign(
    model: Covers,
    part: Partition,
    limits: Limits,
    groups: Labels,
    random: np.random.Generator,
) -> None:
    from scipy.optimize import linear_sum_assignment

    places = (random.random(len(groups)) * part.size[groups]).astype(np.int64)
    gives = random.random(len(groups)) < _GIVING
    given = np.where(gives, part.members[groups, places], -1).astype(np.int64)
    codes = np.ascontiguousarray(model.codes[given].T)
    kinds = np.zeros(len(given), dtype=np.int64)
    if len(limits.rules.kind):
        kinds = np.unique(limits.rules.sensitive[:, given], axis=1, return_inverse=True)[1]
    verdicts, by_code = np.empty(len(given), dtype=np.int64), np.empty(LARGEST_TABLE)
    costs = np.empty((len(groups), len(groups)))
    fill_matrix(model, part, limits, groups, given, codes, kinds, verdicts, by_code, costs)
    # Every group may keep its own record: always possible, whatever rounding does to a rule met with equality.
    np.fill_diagonal(costs, part.cost[groups])
    rows, columns = linear_sum_assignment(costs)
    before = part.cost[groups].sum()
    if costs[rows, columns].sum() < before - _TINY * (1.0 + before):
        hand_over(model, part, groups, given, given[columns])
