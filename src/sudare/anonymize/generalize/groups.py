"""Groups of records that lose little if each record takes the cover of its group: start, cut, refine, split."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.anonymize.generalize.exchange import Leaving, Regions, exchanged
from sudare.anonymize.generalize.leaving import leaving_of, left_out, total_cost
from sudare.anonymize.generalize.leftover import attach, merged_to_comply
from sudare.anonymize.generalize.mixed import mixed_groups
from sudare.anonymize.generalize.neighbors import near_rows
from sudare.anonymize.generalize.parts import parts_of
from sudare.anonymize.generalize.prices import FEW, FEW_SCHEMES_HOPE, can_price, losses_of, priced_groups
from sudare.anonymize.generalize.records import with_slots
from sudare.anonymize.generalize.start import (
    cheapest_scheme_first,
    cut_groups,
    ladders_of,
    member_groups,
    schemes_of,
    shortened,
    spread_order,
    with_words,
)
from sudare.anonymize.grouping.labels import ranked
from sudare.anonymize.grouping.reassign import reassigned
from sudare.anonymize.grouping.recode import TreeAxis
from sudare.anonymize.grouping.refine import Budget, Rebuilding, refine
from sudare.kernels.core.rules import no_rules, rows_by_label, rules_of, scratch_for
from sudare.kernels.partition.covers import LINE, SET
from sudare.kernels.partition.finish import split_all
from sudare.randomness import repeatable, words_from
from sudare.threads import side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from sudare.anonymize.generalize.prices import Priced, Searches
    from sudare.anonymize.generalize.start import Ladder
    from sudare.anonymize.grouping.recode import Axis
    from sudare.describe.hierarchy.tree import Objective
    from sudare.kernels.core.rules import Rules
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]

NEAR = 20
"""Number of near records whose groups a record may move to."""
_LONGEST = 40
"""Maximum rows per group when groups are cut; larger ones are formed only if nothing smaller complies."""
_LARGEST = 400
"""Groups larger than this are not refined: their records are all equal, or a rule binds them."""
_LARGEST_REGION = 150
_SMALL_TABLE = 7000
_FEW_MOVES = 100
"""Annealing moves for each row before prices are formed from what each record loses."""
WHOLE, PART = 50_000, 30_000
"""Tables of more rows than the first are searched in parts of at most the second."""
_MANY = 250_000
"""Openings are tried around at most as many records as in a table of this size: the more rows, the narrower the groups."""
_LEAVING_SHARE, _LEAVING_HEAT, _LEAVING_OPENINGS = 0.7, 0.4, 0.75
"""Share of the exchanges, of their heat, and passes of openings that follow if rows may be left out."""
_REGION, _SMALL_REGION = 6, 4
"""The largest regions in which boxes are exchanged have at least 6 k rows, but at most half of the table if that
has 4 k rows: what is left outside makes the regions differ."""


@dataclass(frozen=True, eq=False)
class Pricing:
    """How hard to search for groups by prices."""

    searches: Searches
    exchanges: float
    """Number of regions in which boxes are exchanged, for each row; twice as many for the first
    `_SMALL_TABLE` rows if schemes cannot be listed."""
    fewest: int
    """Minimum number of regions, however small the table."""
    region: int
    """Approximate size of the largest region, in rows."""
    heat: float
    """Initial temperature of the exchange."""
    most_visits: float
    """Maximum number of times that a search for boxes looks at a row."""
    few: float = FEW
    """If a record is in fewer boxes than this on average, poorer boxes are listed too."""
    descent: float = np.inf
    """Largest table in which single records are moved afterwards."""


@dataclass(frozen=True, eq=False)
class Search:
    """How hard to search for better groups."""

    moves: float
    """Annealing moves for each row, if there are too many schemes to list."""
    rings: int
    """Assignments of records to groups, in the same case."""
    openings: float
    """Passes that open new groups, if groups are not chosen by prices; the last may be for a share of the records."""
    attempts: float
    """Regions rebuilt for each row, in the same case."""
    most: int
    """Maximum number of regions (and a thousandth of the maximum number of moves)."""
    prices: Pricing
    """Used if schemes can be listed and only the size of a group matters."""
    seed: int = 0

    def of_part(self, rows: int, of: int) -> Search:
        """The search in a part with its share of the effort that a table of `of` rows gets."""
        share = rows / of
        prices = replace(
            self.prices,
            most_visits=self.prices.most_visits * min(rows / WHOLE, 1.0),
            descent=np.inf if of <= self.prices.descent else 0,
        )
        return replace(
            self,
            rings=math.ceil(self.rings * share),
            openings=self.openings * min(_MANY / of, 1.0),
            most=max(int(self.most * share), 1),
            prices=prices,
        )


_ONLY_DESCENT = Search(0, 0, 0, 0, 0, Pricing((), 0, 0, 0, 0, 0))


def grouped(
    axes: Sequence[Axis],
    model: Covers,
    weights: Sequence[float],
    objective: Objective,
    smallest: int,
    rules: Rules | None,
    search: Search,
    progress: Progress,
    phases: Mapping[str, float] | None = None,
    most: int = 0,
) -> Grouped:
    """Labels of compliant groups with low cost, none of which can be split (see `split_group`).

    A table of more than `WHOLE` rows is searched in parts, as many at a time as there are processors; the result does not
    depend on how many. `phases` are the weights of the phases of a search. If up to `most` rows may be left out, there
    are labels both with and without leaving rows out. Each part may leave out its share of these rows.
    """
    table = _Table(axes, model, weights, objective, no_rules() if rules is None else rules)
    if len(model.codes) <= WHOLE:
        return _grouped_whole(table, smallest, search, progress, most)
    parts = parts_of(model, table.rules, smallest, PART)
    if len(parts) == 1:
        return _grouped_whole(table, smallest, search, progress, most)
    shares = _shares(most, [len(rows) for rows in parts])
    tasks = [
        partial(_grouped_part, table, rows, smallest, search, share)
        for rows, share in zip(parts, shares, strict=True)
    ]
    found = side_by_side(tasks, [len(rows) for rows in parts], progress, "search_parts", inner=phases)
    return Grouped(
        _joined(parts, [one.labels for one in found], len(model.codes)),
        _joined(parts, [one.fewer for one in found], len(model.codes)),
    )


def _shares(most: int, sizes: Sequence[int]) -> list[int]:
    """What each part gets of a number of rows, in proportion to its size."""
    ends = np.cumsum(sizes) * most // sum(sizes)
    return np.diff(ends, prepend=0).tolist()  # type: ignore[no-any-return]  # of whole numbers, a list of them


def _joined(parts: Sequence[Ints], found: Sequence[Ints], rows: int) -> Ints:
    """The labels of all parts; -1 for rows that are left out."""
    labels, groups = np.empty(rows, dtype=np.int64), 0
    for own_rows, own in zip(parts, found, strict=True):
        labels[own_rows] = np.where(own < 0, -1, own + groups)
        groups += int(own.max()) + 1
    return labels


class Grouped(NamedTuple):
    """Labels of compliant groups."""

    labels: Ints
    fewer: Ints
    """The same, or labels that cost less with -1 for rows that are left out."""


def mended(model: Covers, labels: Ints, smallest: int, rules: Rules, progress: Progress) -> Ints:
    """Labels of groups that comply: where the rules have changed, groups are merged, and records move afterward.

    The union of all rows must comply.
    """
    merged = merged_to_comply(model, labels, smallest, rules)
    if merged is labels:
        return labels
    work = _Grouping(model, (), smallest, rules, _ONLY_DESCENT, progress)
    return work.split(work.refined(merged, None))


class _Table(NamedTuple):
    """What groups are formed of."""

    axes: Sequence[Axis]
    model: Covers
    weights: Sequence[float]
    objective: Objective
    rules: Rules
    """Requirements on a group beyond its size; empty if there are none."""

    def part(self, rows: Ints) -> _Table:
        """Some of the rows; distributions that a rule refers to remain those of the whole table."""
        axes = [
            replace(axis, leaves=axis.leaves[rows]) if isinstance(axis, TreeAxis) else axis
            for axis in self.axes
        ]
        rules = rules_of(self.rules, rows) if len(self.rules.kind) else self.rules
        return self._replace(axes=axes, model=with_slots(self.model, rows, 1), rules=rules)


def _grouped_part(
    table: _Table, rows: Ints, smallest: int, search: Search, most: int, progress: Progress
) -> Grouped:
    """Labels of the groups of a part, found with its share of the effort for the table."""
    # Sorted, so that near records are near in memory.
    order = spread_order(with_slots(table.model, rows, 1), no_rules())
    part, effort = table.part(rows[order]), search.of_part(len(rows), len(table.model.codes))
    found = Grouped(np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64))
    sorted_labels = _grouped_whole(part, smallest, effort, progress, most, is_part=True)
    for own, in_order in zip(found, sorted_labels, strict=True):
        own[order] = in_order
    return found


def _grouped_whole(
    table: _Table, smallest: int, search: Search, progress: Progress, most: int, *, is_part: bool = False
) -> Grouped:
    """Labels of the groups of a table that is searched as one, or of a part of one."""
    model = table.model
    ladders = ladders_of(table.axes, model, table.weights, table.objective)
    if is_part:
        ladders = shortened(ladders, model)
    work = _Grouping(model, ladders, smallest, table.rules, search, progress, is_part)
    first = work.first()
    labels = work.cut(first.labels)
    if first.priced is None:
        labels = work.refined(labels, first.schemes)
    elif len(labels) <= search.prices.descent:
        # Regions were already rebuilt at their prices: only the descent remains.
        labels = work._replace(search=replace(search, moves=0)).descended(labels)
    labels = work.split(labels)
    return Grouped(labels, work.fewer(labels, first.priced, most) if most else labels)


class _First(NamedTuple):
    """The start of the search."""

    labels: Ints
    schemes: Ints | None
    """Combinations of levels that took rows; None if there are too many to list."""
    priced: Priced | None = None
    """What the groups were chosen from, if they were chosen by prices."""


class _Grouping(NamedTuple):
    """The steps of a grouping, in order, and the data they share."""

    model: Covers
    ladders: Sequence[Ladder]
    smallest: int
    rules: Rules
    """Requirements on a group beyond its size; empty if there are none."""
    search: Search
    progress: Progress
    is_part: bool = False
    """Whether it is a part of a large table: then a start that promises little is given up early."""

    @property
    def has_rules(self) -> bool:
        """Whether a group must meet more than a minimum size."""
        return len(self.rules.kind) > 0

    @property
    def has_sets(self) -> bool:
        """Whether cells may become free sets."""
        return bool(np.any(self.model.mode == SET))

    def first(self) -> _First:
        """First groups: by prices if boxes can be listed, else cheapest scheme first, else clusters or a single group."""
        model, smallest, progress = self.model, self.smallest, self.progress
        schemes = schemes_of(self.ladders)
        # Free sets lose less than the boxes of any hierarchy, so prices of boxes would mislead.
        by_size = not self.has_rules and not self.has_sets
        if schemes is not None:
            labels, taken = cheapest_scheme_first(
                model, self.ladders, schemes, smallest, self.rules, progress
            )
            labels = attach(model, labels, smallest, self.rules, progress)
            schemes = schemes[taken > 0]
        elif by_size:
            labels = member_groups(model, smallest, progress)
        else:
            return _First(np.zeros(len(model.codes), dtype=np.int64), None)
        # Intervals with free ends lose less than boxes, too: annealing is better if most columns have them.
        mostly_free = schemes is None and 2 * np.count_nonzero(model.mode == LINE) >= len(model.mode)
        if not by_size or mostly_free or not can_price(self.ladders, len(labels), smallest):
            return _First(labels, schemes)
        listed = schemes is not None
        better = self.priced(labels if listed else self.descended(labels), listed)
        return _First(labels, schemes) if better is None else _First(better[0], schemes, better[1])

    def descended(self, labels: Ints) -> Ints:
        """Groups after moves of single records only."""
        few = replace(self.search, moves=min(self.search.moves, _FEW_MOVES), rings=0, openings=0, attempts=0)
        return self._replace(search=few).refined(labels, None)

    def priced(self, labels: Ints, listed: bool) -> tuple[Ints, Priced] | None:
        """Groups by prices, or the given ones if they lose less, with boxes exchanged region by region.

        None if there are too many boxes to search.
        """
        model, smallest, progress, asked = self.model, self.smallest, self.progress, self.search.prices
        found = priced_groups(
            model,
            self.ladders,
            labels,
            smallest,
            progress,
            asked.searches,
            asked.few,
            asked.most_visits,
            FEW_SCHEMES_HOPE if listed else 1.0,
        )
        if found is None:
            return None
        chosen = attach(model, found.labels, smallest, self.rules, progress)
        labels = self.cheaper(chosen, labels)
        return exchanged(model, found, labels, smallest, self._regions(len(labels), listed), progress), found

    def _regions(self, rows: int, listed: bool, share: float = 1.0, heat: float = 1.0) -> Regions:
        """How many regions are formed anew."""
        asked = self.search.prices
        wanted = asked.exchanges * (rows + (0 if listed else min(rows, _SMALL_TABLE)))
        largest = min(
            max(asked.region, _REGION * self.smallest), max(rows // 2, _SMALL_REGION * self.smallest)
        )
        attempts = int(share * max(wanted, asked.fewest))
        return Regions(attempts, largest, heat * asked.heat, words_from(self.search.seed))

    def fewer(self, labels: Ints, priced: Priced | None, most: int) -> Ints:
        """Labels that cost no more, with -1 for at most so many rows."""
        leaving = leaving_of(self.model, labels, most, self.smallest)
        found = labels
        if priced is not None:
            regions = self._regions(len(labels), True, _LEAVING_SHARE, _LEAVING_HEAT)
            found = exchanged(self.model, priced, labels, self.smallest, regions, self.progress, leaving)
        if priced is None or len(labels) <= self.search.prices.descent:
            found = self._moved_out(found, leaving, self.search.openings if priced is None else 0)
        kept = np.flatnonzero(found >= 0)
        found[kept] = self.of_rows(kept).split(ranked(found[kept]))
        costs = [total_cost(self.model, one, self.smallest) for one in (found, labels)]
        return found if costs[0] < costs[1] else labels

    def of_rows(self, rows: Ints) -> _Grouping:
        """The same search among some of the rows; distributions that a rule refers to stay."""
        rules = rules_of(self.rules, rows) if self.has_rules else self.rules
        return self._replace(model=with_slots(self.model, rows, 1), rules=rules)

    def _moved_out(self, labels: Ints, leaving: Leaving, openings: float) -> Ints:
        """The labels after moves of records, also out and back; rows of very large groups stay."""
        sizes = np.bincount(labels[labels >= 0])
        rows = np.flatnonzero((labels < 0) | (sizes[labels] <= _LARGEST))
        if len(rows) <= self.smallest:
            return labels
        numbers = np.full(len(rows), -1, dtype=np.int64)
        grouped_rows = labels[rows] >= 0
        if not grouped_rows.any():
            return labels
        numbers[grouped_rows] = ranked(labels[rows][grouped_rows])
        work = self.of_rows(rows)
        sensitive = work.rules.sensitive[0] if self.has_rules else None
        near = near_rows(work.model, NEAR, repeatable(self.search.seed), self.progress, sensitive)
        found = left_out(
            work.model,
            near,
            numbers,
            self.smallest,
            work.rules,
            leaving,
            min(openings, _LEAVING_OPENINGS),
            self.search.seed,
            self.progress,
        )
        result = labels + len(labels)
        result[rows] = found
        kept = result >= 0
        result[kept] = ranked(result[kept])
        return result

    def cut(self, labels: Ints) -> Ints:
        """Groups cut wherever possible; under rules, groups of mixed values, cut in the same way, if they lose less."""
        cut = self._along_an_order(labels)
        if not self.has_rules or self.has_sets:
            return cut
        rival = losses_of(self.model, cut, self.smallest)[0][cut] if self.is_part else None
        mixed = mixed_groups(self.model, self.smallest, self.rules, self.progress, rival)
        return cut if mixed is None else self.cheaper(self._along_an_order(mixed), cut)

    def _along_an_order(self, labels: Ints) -> Ints:
        longest = max(_LONGEST, 2 * self.smallest)
        return cut_groups(self.model, labels, self.smallest, longest, self.rules)

    def cheaper(self, one: Ints, other: Ints) -> Ints:
        """The labels that lose less."""
        return min(
            one, other, key=lambda labels: losses_of(self.model, labels, self.smallest)[0][labels].sum()
        )

    def refined(self, labels: Ints, schemes: Ints | None) -> Ints:
        """Groups after moves of records and large steps, except for groups too large to gain from them."""
        smallest, search, progress = self.smallest, self.search, self.progress
        sizes = np.bincount(labels)
        rows = np.flatnonzero(sizes[labels] <= _LARGEST)
        if len(rows) <= smallest:
            return labels
        own, numbers = np.unique(labels[rows], return_inverse=True)
        model = with_slots(self.model, rows, max(len(own), len(rows) // smallest) + 1)
        rules = rules_of(self.rules, rows) if self.has_rules else self.rules
        sensitive = rules.sensitive[0] if self.has_rules else None
        near = near_rows(model, NEAR, repeatable(search.seed), progress, sensitive)
        moves, rings = 0, 0
        if schemes is None:
            moves, rings = min(int(search.moves * len(rows)), 1000 * search.most), search.rings
        found = refine(
            model,
            near,
            numbers.astype(np.int64),
            smallest,
            budget=Budget(moves, seed=search.seed),
            rebuilding=self._rebuilding(schemes, len(rows)),
            openings=search.openings,
            rules=rules,
            progress=progress,
        )
        if rings and not found.canceled:
            better = reassigned(
                model, near, found.labels, smallest, rings, rules=rules, seed=search.seed, progress=progress
            )
            found = refine(model, near, better, smallest, rules=rules, progress=progress)
        result = labels + len(labels)
        result[rows] = found.finished()
        return ranked(result)

    def _rebuilding(self, schemes: Ints | None, rows: int) -> Rebuilding | None:
        """Large steps, if schemes can be listed."""
        attempts = min(int(self.search.attempts * rows), self.search.most)
        if schemes is None or not attempts:
            return None
        region = min(max(60, 12 * self.smallest), _LARGEST_REGION)
        return Rebuilding(with_words(schemes, self.model, self.ladders), attempts, region)

    def split(self, labels: Ints) -> Ints:
        """Every group split again and again until none can be split."""
        order, starts = rows_by_label(labels, int(labels.max()) + 1)
        result = np.empty(len(labels), dtype=np.int64)
        split_all(self.model, order, starts, self.smallest, self.rules, scratch_for(self.rules), result)
        return result
