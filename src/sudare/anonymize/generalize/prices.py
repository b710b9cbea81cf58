"""Groups chosen by prices: the dual of choosing boxes shows which records belong together, and bounds the loss.

Every record has a price: what it would pay to be in a group. A box (a value for each column) is worth the prices of
its records minus what they lose in it. Prices rise for records that are in no worthwhile box and fall for those in
several (subgradient ascent of the Lagrangian dual), and boxes are searched again at the new prices. Groups are then
taken in descending order of worth, for a part of the records at a time; in between, the other prices are adjusted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sudare.anonymize.generalize.records import with_slots
from sudare.anonymize.grouping.labels import ranked
from sudare.arrays import starts_of
from sudare.kernels.partition.partition import fill_costs, partition_of
from sudare.kernels.recoding.boxes import Boxes, Levels, PricedRows, find_boxes
from sudare.kernels.recoding.prices import ascent_of, choose, rise, use, worths_of
from sudare.threads import Team

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sudare.anonymize.generalize.start import Ladder
    from sudare.kernels.partition.covers import Covers
    from sudare.progress import Progress

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

MOST_VISITS = 1e9
"""Largest number of times that a search for boxes looks at a row."""
_MOST_COLUMNS = 62
"""The search for boxes keeps a bit for each column."""
_LARGEST_TABLE = 2**25
"""Maximum number of blocks times values of a column: four bytes each."""
_FIRST_PRICE = 0.7
"""Prices start at this share of what each record loses in a first solution."""
Searches = tuple[tuple[int, float, float], ...]
"""For each search for boxes: the rounds of ascent after it, their first step size, and the hope (see `_MOST_HOPE`)."""
FEW_SEARCHES: Searches = ((40, 0.5, 0.1), (40, 0.5, 0.1), (60, 0.5, 0.1))
SEARCHES: Searches = ((60, 0.5, 0.1), (60, 0.5, 0.1), (100, 0.5, 0.15))
MORE_SEARCHES: Searches = ((60, 0.5, 0.1), (60, 0.5, 0.1), (100, 0.5, 0.1), (100, 0.5, 0.1), (100, 0.5, 0.1))
_BOUND_SEARCHES: Searches = (*SEARCHES, (100, 0.25, 0.1), (100, 0.12, 0.1))
"""For a bound: small steps at the end; otherwise boxes that gain worth in the last steps would never be found."""
_GOAL = 0.9
"""Share of the first solution's loss that is the target of the ascent."""
FEW_SCHEMES_HOPE = 5.0
"""The share is this many times as large if schemes can be listed: then more boxes lose less and cost little time."""
_MOST_HOPE = 20.0
"""Boxes worth more than minus a share of the mean loss of k records are kept: prices will change, and groups are not
divisible as the dual assumes. The share is part of `Searches`; it is doubled, up to this factor, while boxes are few."""
FEW = 10.0
"""Boxes are few if a record is listed in fewer than this on average."""
_KEPT = 1.5
"""After the ascent, boxes stay listed that are worth more than minus this many times the hope."""
_LISTED, _LISTED_MOST, _LISTED_LEAST = 20, 400, 4
"""Records listed for a box: 20 k, but at most 400, and at least 4 k."""
_MOST_LISTED, _ALWAYS_LISTED = 400, 1_000_000
"""The ascent looks at the boxes of greatest worth, until a record is in so many of them on average; in a small table, until
they list so many records."""
_LISTED_EACH = 80_000
"""A thread that helps in the ascent has at least so many listed rows to look at, or waiting would take longer."""
_PATIENCE = 8
_DIVES, _DIVE_ROUNDS, _DIVE_STEP = 6, 12, 0.5
_LEAST_WORTH = 3.0
"""The last boxes may be worth as little as minus this many times the mean loss of k records, because a record without
a group costs more."""


@dataclass(frozen=True, eq=False)
class LevelSpace:
    """The records as combinations of codes, and every level of every column."""

    codes: npt.NDArray[np.int32]
    """Each distinct combination of values."""
    combination: Ints
    """The combination of each record."""
    counts: Ints
    """Records of each combination."""
    levels: Levels

    def boxes(
        self,
        prices: Floats,
        smallest: int,
        hope: float,
        progress: Progress,
        most_visits: float = MOST_VISITS,
        *,
        partly: bool = True,
    ) -> tuple[Boxes, float]:
        """The boxes worth more than minus `hope`, and the dual bound on the total loss at these prices.

        The bound is minus infinity, and boxes are missing (all of them unless `partly`), if the search would look at rows
        more than `most_visits` times.

        Equal records count with the mean of their prices. This never lowers the bound, because it is concave and equal
        records are interchangeable.
        """
        means = np.bincount(self.combination, prices, len(self.counts)) / self.counts
        order = np.argsort(-means, kind="stable")
        rows = PricedRows(np.ascontiguousarray(self.codes[order]), self.counts[order], means[order])
        # The dearest of equal records are listed: prices of those that never are would rise without end.
        records = np.lexsort((-prices, self.combination))
        listed = max(min(_LISTED * smallest, _LISTED_MOST), _LISTED_LEAST * smallest)
        search = partial(find_boxes, rows, self.levels)
        tops = int(self.levels.heights[0])
        progress.start("look_for_boxes", tops)
        tables = (len(prices) // smallest + 1) * int(self.levels.widths.max())
        # The boxes on each level of the first column are independent of the others.
        with Team(min(tops, _LARGEST_TABLE // tables)) as team:
            asked = smallest, hope, listed
            each, left = (
                _one_by_one(search, tops, asked, int(most_visits), progress)
                if team.size == 1
                else _side_by_side(team, search, tops, asked, int(most_visits), progress)
            )
        if left < 0 and not partly:
            return no_boxes(), -np.inf
        if len(each) < tops:
            each, left = _one_by_one(search, tops, asked, int(most_visits), progress)
        found, bound = no_boxes(), float(prices.sum())
        for boxes, gained in each:
            found = united(found, self._of_records(boxes._replace(rows=order[boxes.rows]), records, listed))
            bound -= gained
        return found, bound if left >= 0 else -np.inf

    def _of_records(self, boxes: Boxes, records: Ints, most: int) -> Boxes:
        """The same boxes with records instead of combinations, the first of each, at most `most`."""
        taken = np.minimum(self.counts, most)[boxes.rows]
        first = starts_of(self.counts)[boxes.rows]
        starts = starts_of(taken)
        places = np.arange(starts[-1]) - np.repeat(starts[:-1] - first, taken)
        return boxes._replace(starts=starts[boxes.starts], rows=records[places])


def can_price(ladders: Sequence[Ladder], rows: int, smallest: int) -> bool:
    """Whether a search for boxes takes acceptable memory."""
    widest = max(len(ladder.classes[0]) for ladder in ladders)
    return len(ladders) <= _MOST_COLUMNS and (rows // smallest + 1) * widest <= _LARGEST_TABLE


def levels_of(model: Covers, ladders: Sequence[Ladder]) -> LevelSpace:
    """The levels of all columns in flat arrays; columns are in descending order of levels, then of values."""
    columns = sorted(
        range(len(ladders)),
        key=lambda column: (-len(ladders[column].costs), -len(np.unique(ladders[column].classes[0]))),
    )
    offsets = np.zeros((len(ladders), max(len(ladder.costs) for ladder in ladders)), dtype=np.int64)
    lowest = model.codes.min(axis=0, initial=0)
    classes: list[Ints] = []
    shares: list[Floats] = []
    widths = np.ones(len(ladders), dtype=np.int64)
    filled = 0
    for place, column in enumerate(columns):
        for level, (own, cost) in enumerate(
            zip(ladders[column].classes, ladders[column].shares, strict=True)
        ):
            numbers = ranked(own)
            widths[place] = max(widths[place], int(numbers.max()) + 1)
            classes.append(numbers)
            shares.append(cost)
            offsets[place, level] = filled - int(lowest[column])
            filled += len(own)
    codes, combination, counts = np.unique(
        model.codes[:, columns], axis=0, return_inverse=True, return_counts=True
    )
    combination = combination.reshape(-1)
    return LevelSpace(
        np.ascontiguousarray(codes),
        combination,
        counts,
        Levels(
            np.concatenate(classes),
            np.concatenate(shares),
            offsets,
            widths,
            np.array([len(ladders[column].costs) for column in columns], dtype=np.int64),
        ),
    )


_Search = Callable[..., tuple[Boxes, float]]
_Asked = tuple[int, float, int]


def _one_by_one(
    search: _Search, tops: int, asked: _Asked, most_visits: int, progress: Progress
) -> tuple[list[tuple[Boxes, float]], int]:
    """What is found on each level of the first column until there are no visits left, and how many are left."""
    left, each = np.array([most_visits]), []
    for top in range(tops):
        each.append(search(top, *asked, left))
        progress.update(top + 1)
    return each, int(left[0])


def _side_by_side(
    team: Team, search: _Search, tops: int, asked: _Asked, most_visits: int, progress: Progress
) -> tuple[list[tuple[Boxes, float]], int]:
    """The same by several threads; nothing if the visits do not suffice, since they count in the order of the levels."""
    each_left = np.full((tops, 1), most_visits)
    ended: list[int] = []

    def left() -> int:
        return most_visits - int((most_visits - each_left).sum())

    def stop() -> None:
        each_left[:] = -1

    def watch() -> None:
        if left() < 0:
            stop()
        progress.update(len(ended))

    def on_top(top: int) -> tuple[Boxes, float]:
        found = search(top, *asked, each_left[top])
        ended.append(top)
        return found

    # Coarser levels have larger boxes and take longer: they come first.
    each = team.run([partial(on_top, top) for top in reversed(range(tops))], watch, stop)
    return (each[::-1] if left() >= 0 else []), left()


class Priced(NamedTuple):
    """Groups chosen by their worth, and what they were chosen from."""

    labels: Ints
    """Group of each record; -1 if none."""
    boxes: Boxes
    prices: Floats
    hope: float
    """The search covered every box worth more than minus this."""


def priced_groups(
    model: Covers,
    ladders: Sequence[Ladder],
    first: Ints,
    smallest: int,
    progress: Progress,
    searches: Searches = SEARCHES,
    few: float = FEW,
    most_visits: float = MOST_VISITS,
    larger: float = FEW_SCHEMES_HOPE,
) -> Priced | None:
    """Groups chosen by prices, starting from the prices of a given solution; None if there are too many boxes."""
    space = levels_of(model, ladders)
    prices, mean = _first_prices(model, first, smallest)
    found = _priced(space, prices, mean, smallest, searches, few, most_visits, larger, progress)
    if found is None:
        return None
    prices, boxes, hope = found
    return Priced(_dived(boxes, prices, mean, smallest), boxes, prices, hope)


def _dived(boxes: Boxes, prices: Floats, mean: float, smallest: int) -> Ints:
    """Labels (-1 if in no group): a part of the records at a time, with prices adjusted in between."""
    rows = len(prices)
    labels = np.full(rows, -1, dtype=np.int64)
    free = np.ones(rows, dtype=np.bool_)
    groups = 0
    for dive in range(_DIVES, 0, -1):
        quota = int(np.count_nonzero(free)) // (dive + 1) + 1
        groups = choose(*boxes[:3], prices, free, smallest, 0.0, quota, groups, labels)
        boxes = _of_free(boxes, free, smallest)
        goal = float(prices[free].sum()) * 1.02
        prices = _ascended(boxes, prices, free, smallest, goal, _DIVE_ROUNDS, _DIVE_STEP)
    least = -_LEAST_WORTH * smallest * mean
    choose(*boxes[:3], prices, free, smallest, least, rows, groups, labels)
    return labels


def least_loss(
    model: Covers,
    ladders: Sequence[Ladder],
    first: Ints,
    smallest: int,
    progress: Progress,
    most_visits: float = MOST_VISITS,
) -> float | None:
    """A lower bound on the mean loss of every partition into groups of at least k, each covered by a box.

    None if there are too many boxes.

    Valid for hierarchies (every value is a class of its own level), not for intervals with free ends; also valid if
    rows may be left out and then count as completely lost, because no price exceeds 1.
    """
    space = levels_of(model, ladders)
    prices, mean = _first_prices(model, first, smallest)
    found = _priced(space, prices, mean, smallest, _BOUND_SEARCHES, 0.0, most_visits, 1.0, progress)
    if found is None:
        return None
    bound = space.boxes(np.minimum(found[0], 1.0), smallest, 0.0, progress, most_visits, partly=False)[1]
    return None if bound == -np.inf else max(bound, 0.0) / len(prices)


def _first_prices(model: Covers, labels: Ints, smallest: int) -> tuple[Floats, float]:
    """Prices from what each record loses in a solution, and the mean loss."""
    lost = losses_of(model, labels, smallest)[0][labels]
    return _FIRST_PRICE * lost, float(lost.mean())


def losses_of(model: Covers, labels: Ints, smallest: int) -> tuple[Floats, Ints]:
    """The loss of a record in each group, and the group sizes; there may be more slots than groups."""
    part = partition_of(labels, smallest)
    fill_costs(with_slots(model, slice(None), len(part.size)), part)
    return part.cost / np.maximum(part.size, 1), part.size


def _priced(
    space: LevelSpace,
    prices: Floats,
    mean: float,
    smallest: int,
    searches: Searches,
    few: float,
    most_visits: float,
    larger: float,
    progress: Progress,
) -> tuple[Floats, Boxes, float] | None:
    boxes, hope = no_boxes(), 0.0
    free = np.ones(len(prices), dtype=np.bool_)
    goal, most = _GOAL * mean * len(prices), max(_MOST_LISTED * len(prices), _ALWAYS_LISTED)
    for number, (rounds, step, share) in enumerate(searches):
        hope = larger * share * smallest * mean
        found, bound = space.boxes(prices, smallest, hope, progress, most_visits, partly=number > 0)
        while number == 0 and bound > -np.inf and len(found.rows) < few * len(prices) and larger < _MOST_HOPE:
            larger, hope = 2 * larger, 2 * hope
            found, bound = space.boxes(prices, smallest, hope, progress, most_visits, partly=False)
        if number == 0 and bound == -np.inf:
            return None
        boxes = worthy(united(boxes, found), prices, smallest, np.inf, most)
        prices = _ascended(boxes, prices, free, smallest, goal, rounds, step)
        boxes = worthy(boxes, prices, smallest, _KEPT * hope)
    return prices, boxes, hope


def _ascended(
    boxes: Boxes,
    prices: Floats,
    free: npt.NDArray[np.bool_],
    smallest: int,
    goal: float,
    rounds: int,
    step: float,
) -> Floats:
    """The prices of the best bound after an ascent; the same for any number of threads."""
    listed, no_ceilings = boxes[:3], np.full(len(prices), np.inf)
    with Team(len(boxes.rows) // _LISTED_EACH) as team:
        ascent = ascent_of(prices, len(boxes.costs), team.size, step)
        ends = np.searchsorted(boxes.starts, np.linspace(0, len(boxes.rows), team.size + 1))
        calls = [
            partial(use, *listed, int(first), int(last), free, smallest, ascent, part)
            for part, (first, last) in enumerate(pairwise(ends))
        ]
        for _ in range(rounds):
            team.run(calls)
            if not rise(ascent, no_ceilings, free, goal, _PATIENCE):
                break
    return np.asarray(ascent.best)


def no_boxes() -> Boxes:
    """An empty list of boxes."""
    nothing = np.zeros(0, dtype=np.int64)
    return Boxes(np.zeros(1, dtype=np.int64), nothing, np.zeros(0), np.zeros(0, dtype=np.uint64))


def united(old: Boxes, new: Boxes) -> Boxes:
    """The boxes of both lists; boxes in both have the records of the newer list."""
    kept = ~np.isin(old.names, new.names)
    sizes = np.diff(old.starts)
    lengths = np.concatenate([sizes[kept], np.diff(new.starts)])
    return Boxes(
        starts_of(lengths),
        np.concatenate([old.rows[np.repeat(kept, sizes)], new.rows]),
        np.concatenate([old.costs[kept], new.costs]),
        np.concatenate([old.names[kept], new.names]),
    )


def worthy(boxes: Boxes, prices: Floats, smallest: int, hope: float, most: float = np.inf) -> Boxes:
    """The boxes worth more than minus `hope`, in descending order of worth, as long as they list at most `most` rows."""
    worths = worths_of(*boxes[:3], prices, smallest)
    order = np.argsort(-worths, kind="stable")
    order = order[worths[order] > -hope]
    order = order[np.cumsum(np.diff(boxes.starts)[order]) <= most]
    sizes = np.diff(boxes.starts)[order]
    starts = starts_of(sizes)
    places = np.repeat(boxes.starts[:-1][order] - starts[:-1], sizes) + np.arange(starts[-1])
    return Boxes(starts, boxes.rows[places], boxes.costs[order], boxes.names[order])


def _of_free(boxes: Boxes, free: npt.NDArray[np.bool_], smallest: int) -> Boxes:
    """The boxes that still have k free records, with only these records."""
    if not len(boxes.costs):
        return boxes
    left = np.add.reduceat(free[boxes.rows].astype(np.int64), boxes.starts[:-1])
    kept = left >= smallest
    mask = np.repeat(kept, np.diff(boxes.starts)) & free[boxes.rows]
    starts = starts_of(left[kept])
    return Boxes(starts, boxes.rows[mask], boxes.costs[kept], boxes.names[kept])
