"""Groups of records that lose little when each takes the cover of its group: start, cut, refine, split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.anonymize.generalize.exchange import exchanged
from sudare.anonymize.generalize.leftover import attach
from sudare.anonymize.generalize.mixed import mixed_groups
from sudare.anonymize.generalize.near import near_rows
from sudare.anonymize.generalize.prices import FEW, can_price, losses_of, priced_groups
from sudare.anonymize.generalize.space import with_slots
from sudare.anonymize.generalize.start import (
    cheapest_scheme_first,
    cut_groups,
    ladders_of,
    member_groups,
    schemes_of,
    words_of,
)
from sudare.anonymize.reassign import reassigned
from sudare.anonymize.search import Budget, Rebuilding, refine
from sudare.errors import CancelledError
from sudare.kernels.blocks import rows_by_label
from sudare.kernels.covers import SET
from sudare.kernels.finish import split_all
from sudare.kernels.rules import no_rules, rules_of, scratch_for
from sudare.randomness import repeatable, words_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.anonymize.generalize.prices import Searches
    from sudare.anonymize.generalize.start import Ladder
    from sudare.anonymize.recode import Axis
    from sudare.describe.hierarchy.shares import Objective
    from sudare.kernels.covers import Covers
    from sudare.kernels.rules import Rules
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

NEAR = 20
"""Near records whose groups a record may move to."""
_LONGEST = 40
"""Most rows of a group when groups are cut; larger ones only where nothing smaller complies."""
_LARGEST = 400
"""Groups larger than this are not refined: all of them equal, or bound by a rule."""
_LARGEST_REGION = 150
_REGION, _SMALL_REGION = 6, 4
"""The largest regions in which boxes are exchanged hold at least 6 k rows, but not more than half of the table if that
has 4 k: what is left outside makes them differ."""


@dataclass(frozen=True, eq=False)
class Pricing:
    """How hard to look for groups by prices."""

    searches: Searches
    exchanges: float
    """Regions of boxes exchanged for each row."""
    fewest: int
    """At least this many regions, however small the table."""
    region: int
    """The largest of them, about, in rows."""
    heat: float
    """First temperature of the exchange."""
    most_work: float
    """Largest product of rows and schemes."""
    few: float = FEW
    """Where a record is in fewer boxes in the mean, poorer ones are listed too."""
    descent: float = np.inf
    """Largest table in which single records are moved afterwards."""


@dataclass(frozen=True, eq=False)
class Search:
    """How hard to look for better groups."""

    moves: float
    """Annealing moves for each row, where schemes are too many to list."""
    rings: int
    """Assignments of records to groups, in the same case."""
    openings: int
    """Passes that open new groups, where groups are not chosen by prices."""
    attempts: float
    """Regions rebuilt for each row, in the same case."""
    most: int
    """At most this many regions (and a thousand times as many moves)."""
    prices: Pricing
    """Where schemes can be listed and only the size of a group matters."""
    seed: int = 0


def grouped(
    axes: Sequence[Axis],
    model: Covers,
    weights: Sequence[float],
    objective: Objective,
    smallest: int,
    rules: Rules | None,
    search: Search,
    progress: Progress,
) -> Ints:
    """Labels of groups that comply, of low cost, none of which can be split (see `split_group`)."""
    asked = rules if rules is not None else no_rules()
    random = repeatable(search.seed)
    ladders = ladders_of(axes, model, weights, objective)
    first = _first(model, ladders, smallest, rules, search, progress)
    labels = _cut(model, first.labels, smallest, rules, progress)
    if not first.priced:
        labels = _refined(model, ladders, first.schemes, labels, smallest, rules, search, random, progress)
    elif len(labels) <= search.prices.descent:
        # Regions were rebuilt at their prices already: what is left is to descend.
        descent = replace(search, openings=0, attempts=0)
        labels = _refined(model, ladders, first.schemes, labels, smallest, rules, descent, random, progress)
    return _split(model, labels, smallest, asked)


class _First(NamedTuple):
    """Where the search begins."""

    labels: Ints
    schemes: Ints | None
    """Combinations of levels that took rows; None where there are too many to list."""
    priced: bool
    """Whether the groups were chosen by prices."""


def _first(
    model: Covers,
    ladders: Sequence[Ladder],
    smallest: int,
    rules: Rules | None,
    search: Search,
    progress: Progress,
) -> _First:
    """First groups: by prices where they can be listed, else cheapest scheme first, else clusters or one group of all."""
    schemes = schemes_of(ladders)
    free_sets = _has_sets(model)
    if schemes is None:
        if rules is None and not free_sets:
            return _First(member_groups(model, smallest, progress)[0], None, False)
        return _First(np.zeros(len(model.codes), dtype=np.int64), None, False)
    asked = rules if rules is not None else no_rules()
    labels, count, left, taken = cheapest_scheme_first(model, ladders, schemes, smallest, asked, progress)
    labels, _ = attach(model, labels, count, left, smallest, asked, progress)
    # Free sets lose less than the boxes of any hierarchy, so their prices would mislead.
    priced = (
        rules is None
        and not free_sets
        and can_price(ladders, len(schemes), len(labels), smallest, search.prices.most_work)
    )
    if priced:
        labels = _priced(model, ladders, labels, smallest, asked, search, progress)
    return _First(labels, schemes[taken > 0], priced)


def _cut(model: Covers, labels: Ints, smallest: int, rules: Rules | None, progress: Progress) -> Ints:
    """Groups cut where they can be; under rules those of mixed values, cut likewise, where they lose less."""
    asked = rules if rules is not None else no_rules()
    longest = max(_LONGEST, 2 * smallest)
    labels, _ = cut_groups(model, labels, int(labels.max()) + 1, smallest, longest, asked)
    mixed = None if rules is None or _has_sets(model) else mixed_groups(model, smallest, rules, progress)
    if mixed is None:
        return labels
    mixed, _ = cut_groups(model, mixed, int(mixed.max()) + 1, smallest, longest, asked)
    return _cheaper(model, mixed, labels, smallest)


def _has_sets(model: Covers) -> bool:
    return bool(np.any(model.mode == SET))


def _priced(
    model: Covers,
    ladders: Sequence[Ladder],
    labels: Ints,
    smallest: int,
    no_more: Rules,
    search: Search,
    progress: Progress,
) -> Ints:
    """Groups by prices, or the given ones where they lose less; then boxes exchanged region by region."""
    asked = search.prices
    found = priced_groups(model, ladders, labels, smallest, progress, asked.searches, asked.few)
    chosen, _ = attach(model, found.labels, found.groups, found.left, smallest, no_more, progress)
    labels = _cheaper(model, chosen, labels, smallest)
    rows = len(labels)
    attempts = max(int(asked.exchanges * rows), asked.fewest)
    largest = min(max(asked.region, _REGION * smallest), max(rows // 2, _SMALL_REGION * smallest))
    return exchanged(
        *(model, found.boxes, found.prices, found.hope, labels, smallest, attempts, largest),
        *(asked.heat, words_from(search.seed), progress),
    )


def _cheaper(model: Covers, one: Ints, other: Ints, smallest: int) -> Ints:
    """The labels that lose less."""
    return min(one, other, key=lambda labels: losses_of(model, labels, smallest)[0][labels].sum())


def _refined(
    model: Covers,
    ladders: Sequence[Ladder],
    schemes: Ints | None,
    labels: Ints,
    smallest: int,
    rules: Rules | None,
    search: Search,
    random: np.random.Generator,
    progress: Progress,
) -> Ints:
    sizes = np.bincount(labels)
    rows = np.flatnonzero(sizes[labels] <= _LARGEST)
    if len(rows) <= smallest:
        return labels
    own, numbers = np.unique(labels[rows], return_inverse=True)
    part = with_slots(model, rows, max(len(own), len(rows) // smallest) + 1)
    some = None if rules is None else rules_of(rules, rows)
    near = near_rows(part, NEAR, random, progress, None if some is None else some.sensitive[0])
    attempts = min(int(search.attempts * len(rows)), search.most)
    rebuilding = None
    if schemes is not None and attempts:
        table, starts = words_of(model, ladders)
        costs = np.zeros((len(ladders), starts.shape[1]))
        for column, ladder in enumerate(ladders):
            costs[column, : len(ladder.costs)] = ladder.costs
        region = min(max(60, 12 * smallest), _LARGEST_REGION)
        rebuilding = Rebuilding(table, starts, costs, schemes, attempts, region)
    moves, rings = 0, 0
    if schemes is None:
        moves, rings = min(int(search.moves * len(rows)), 1000 * search.most), search.rings
    found = refine(
        part,
        near,
        numbers.astype(np.int64),
        smallest,
        budget=Budget(moves, seed=search.seed),
        rebuilding=rebuilding,
        openings=search.openings,
        rules=some,
        progress=progress,
    )
    if rings and not found.canceled:
        better = reassigned(
            part, near, found.labels, smallest, rings, rules=some, seed=search.seed, progress=progress
        )
        found = refine(part, near, better, smallest, rules=some, progress=progress)
    if found.canceled:
        raise CancelledError("Canceled while searching for groups.")
    result = labels + len(labels)
    result[rows] = found.labels
    return np.unique(result, return_inverse=True)[1].astype(np.int64)


def _split(model: Covers, labels: Ints, smallest: int, rules: Rules) -> Ints:
    order, starts = rows_by_label(labels, int(labels.max()) + 1)
    result = np.empty(len(labels), dtype=np.int64)
    split_all(model, order, starts, smallest, rules, scratch_for(rules), result)
    return result
