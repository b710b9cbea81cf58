"""Information loss by distances (ILD): how well a release preserves the distances between records.

I_p(A) = sum over ordered pairs d(x_i, x_j)^p and ILD = (I(A) - I(A')) / I(A), for any symmetric distance that is
0 if and only if two cells are equal (Akiyama 2018, chapters 2-3). For Euclidean data and group means it equals
SSE/SST. Rows that were left out no longer contribute to I(A').

Visiting all pairs is avoided wherever possible: by closed forms (Euclid, discrete, tree, matrix), distinct
values instead of rows, and, beyond a given number of pairs, an unbiased estimate with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.distance.space import Discrete, Euclid, JointSpace, Product, RowDistance, TreeDistance
from sudare.describe.kinds import MEASURED_KINDS
from sudare.errors import ParameterError, did_you_mean
from sudare.measure.pair import Pair, pair_of
from sudare.parameters import require_made
from sudare.randomness import Randomness
from sudare.words.sentence import Meaning

if TYPE_CHECKING:
    from sudare.describe.distance.space import Codes, ColumnDistance, Space, Way

LARGEST_PAIRS = 10**9
"""Maximum number of pairs of distinct points summed exactly: a few seconds of work."""
SAMPLED_PAIRS = 2_000_000
_NORMAL_975 = 1.959963984540054


@dataclass(frozen=True)
class InformationLoss:
    """ILD of one column or of several together, and how it was computed."""

    value: float
    """(I(A) - I(A')) / I(A); 0 by definition if I(A) = 0."""
    before: float
    """I(A)."""
    after: float
    """I(A')."""
    way: Way
    """How it was computed: closed form, distinct values (both exact), or sampled."""
    interval: tuple[float, float] | None = None
    """95 % interval of the value if it was sampled."""
    columns: dict[str, InformationLoss] = field(default_factory=dict)
    """The loss of each column separately, if several were measured together."""
    note: str | None = None
    """What had to be defined, for example for a constant column."""

    def __float__(self) -> float:
        return self.value


def ild(
    before: Any,
    after: Any,
    distance: ColumnDistance | Mapping[str, ColumnDistance] | RowDistance | None = None,
    *,
    columns: Sequence[str] | None = None,
    p: float = 2.0,
    largest_pairs: float = LARGEST_PAIRS,
    seed: int | None = None,
) -> InformationLoss:
    """ILD of a release, for each column and for all together.

    `distance` is one distance for every column, one for each, a distance between rows (`Product`, `Minkowski`), or
    None: then numbers and dates use the Euclidean distance, columns with a hierarchy the tree distance, and others
    equal or not. The joint distance is sqrt(sum w d^2) with w = 1 / I_2(column), so that every column counts
    the same. `before` and `after` are tables, frames, releases, or plain sequences of values.

    >>> float(ild([1, 2, 3, 4], [1.5, 1.5, 3.5, 3.5]))
    0.2
    """
    require_made(distance)
    if not isinstance(p, (int, float)) or not (p > 0 and math.isfinite(p)):
        raise ParameterError("measure.information.power", p=p)
    pair = pair_of(*(_framed(side) for side in (before, after)))
    names = _columns(pair, columns, distance)
    _check_weights(distance, names)
    rows: RowDistance = (
        distance if isinstance(distance, RowDistance) else Product(_by_column(distance, names))
    )
    # Nothing here is secret, and the same call must give the same estimate.
    sample = _Sample(pair, Randomness(0 if seed is None else seed))
    alone: dict[str, InformationLoss] = {}
    weights: dict[str, float] = {}
    spaces = []
    for name in names:
        space = _space(pair, name, rows)
        alone[name] = _of_space(space, p, largest_pairs, sample)
        if len(names) == 1:
            return alone[name]
        squares = alone[name] if p == 2 else _of_space(space, 2.0, largest_pairs, sample)
        weights[name] = _weight(rows, name, squares)
        # A space has the points of all rows, so that one at a time is kept where columns simply add up.
        if p != rows.order:
            spaces.append(space)
    if p == rows.order:
        return _weighted_sum(
            alone, weights, even=all(rows.weight_of(name) is None for name in names) and p == 2
        )
    joint = JointSpace(spaces, list(weights.values()), rows.order)
    return _of_space(joint, p, largest_pairs, sample, alone)


class _Sample:
    """Random pairs of different rows, drawn once and shared by all columns."""

    def __init__(self, pair: Pair, random: Randomness) -> None:
        self._pair, self._random = pair, random
        self._drawn: tuple[Codes, Codes] | None = None

    def pairs(self) -> tuple[Codes, Codes]:
        """Rows i and j of the original, i != j, uniform."""
        if self._drawn is None:
            rows = self._pair.before.rows
            one = self._random.integers(rows, SAMPLED_PAIRS)
            other = self._random.integers(rows - 1, SAMPLED_PAIRS)
            self._drawn = one, other + (other >= one)
        return self._drawn

    def loss(self, space: Space, power: float) -> InformationLoss:
        """Estimate with a 95 % interval: the ratio of two means over the same pairs, by the delta method.

        A pair with a row that was left out no longer has a distance.
        """
        rows = float(self._pair.before.rows)
        if rows < 2:
            return _constant("sampled")
        one, other = self.pairs()
        place = self._pair.place
        kept = (place[one] >= 0) & (place[other] >= 0)
        was = space.distances(space.before[one], space.before[other]) ** power
        now = np.zeros(len(one))
        after = space.after
        now[kept] = space.distances(after[place[one[kept]]], after[place[other[kept]]]) ** power
        if was.mean() == 0:
            return _constant("sampled")
        ratio = float(now.mean() / was.mean())
        width = _NORMAL_975 * float((now - ratio * was).std() / was.mean() / math.sqrt(len(was)))
        scale = rows * (rows - 1)
        return InformationLoss(
            1 - ratio,
            float(was.mean() * scale),
            float(now.mean() * scale),
            "sampled",
            (1 - ratio - width, 1 - ratio + width),
        )


def _of_space(
    space: Space,
    power: float,
    largest: float,
    sample: _Sample,
    columns: dict[str, InformationLoss] | None = None,
) -> InformationLoss:
    before = space.amount(space.before, power, largest)
    after = None if before is None else space.amount(space.after, power, largest)
    if before is None or after is None:
        estimate = sample.loss(space, power)
        return InformationLoss(**{**estimate.__dict__, "columns": columns or {}})
    way: Way = "closed form" if {before[1], after[1]} == {"closed form"} else "distinct values"
    with np.errstate(over="ignore", under="ignore"):
        scale = float(np.float64(space.unit) ** power)
        if before[0] <= 0:
            return _constant(way, columns, after[0] * scale)
        value = float(np.float64(before[0] - after[0]) / before[0])
    return InformationLoss(value, before[0] * scale, after[0] * scale, way, columns=columns or {})


def _constant(
    way: Way, columns: dict[str, InformationLoss] | None = None, after: float = 0.0
) -> InformationLoss:
    note = Meaning("nothing_to_lose")
    return InformationLoss(0.0, 0.0, after, way, columns=columns or {}, note=note)


def _weighted_sum(
    alone: dict[str, InformationLoss], weights: Mapping[str, float], *, even: bool
) -> InformationLoss:
    """For p = q, d^p is a sum over columns, so amounts add up column by column.

    `even`: every weight is 1 / I(A), so a column adds 1 before and 1 - ILD after, whatever its unit.
    """
    shares = {
        name: float(one.before > 0) if even else weights[name] * one.before for name, one in alone.items()
    }
    before = sum(shares.values())
    after = sum(weights[name] * one.after for name, one in alone.items() if weights[name] > 0)
    if even:
        after = sum(
            one.after / one.before if math.isfinite(one.before) else 1 - one.value
            for one in alone.values()
            if one.before > 0
        )
    ways = {one.way for one in alone.values()}
    way: Way = (
        "sampled"
        if "sampled" in ways
        else ("distinct values" if "distinct values" in ways else "closed form")
    )
    if before <= 0:
        return _constant(way, alone)
    value = (before - after) / before
    interval = None
    if way == "sampled":
        # Column estimates share their pairs; adding half widths is conservative.
        half = sum(
            shares[name] * (one.interval[1] - one.interval[0]) / 2
            for name, one in alone.items()
            if one.interval is not None
        )
        interval = (value - half / before, value + half / before)
    return InformationLoss(value, before, after, way, interval, alone)


def _check_weights(distance: Any, names: Sequence[str]) -> None:
    for name in distance.weights if isinstance(distance, Product) else ():
        if name not in names:
            raise ParameterError("measure.information.weight", name=name, hint=did_you_mean(name, names))


def _weight(rows: RowDistance, name: str, squares: InformationLoss) -> float:
    given = rows.weight_of(name)
    if given is not None:
        return given
    return 1 / squares.before if squares.before > 0 else 0.0


def _space(pair: Pair, name: str, rows: RowDistance) -> Space:
    """The space of a column: built for its distinct cells, then with the point of each row."""
    distinct = pair.distinct(name)
    space = _distance(pair, name, rows).space(distinct.cells)
    space.before, space.after = space.before[distinct.before], space.after[distinct.after]
    return space


def _by_column(distance: Any, names: Sequence[str]) -> dict[str, ColumnDistance]:
    if distance is None:
        return {}
    if isinstance(distance, Mapping):
        return dict(distance)
    return dict.fromkeys(names, distance)


def _distance(pair: Pair, name: str, rows: RowDistance) -> ColumnDistance:
    chosen = rows.of_column(name)
    if chosen is not None:
        return chosen
    tree, after = pair.before.hierarchy(name), pair.distinct(name).cells.after
    if tree is not None and after.dtype != pl.String and not tree.knows(after):
        tree = None  # numbers that were drawn or averaged are not in the tree
    on_a_line = tree is None or tree.lower is not None
    if pair.before.column(name).kind in MEASURED_KINDS and on_a_line:
        return Euclid()
    is_drawn = name in pair.after.frame.columns and pair.after.column(name).mechanism is not None
    is_known = tree is not None and (tree.knows(after) or not is_drawn)
    return TreeDistance() if is_known else Discrete()


def _columns(pair: Pair, columns: Sequence[str] | None, distance: Any) -> list[str]:
    if columns is None and isinstance(distance, Mapping):
        columns = list(distance)
    if columns is None and isinstance(distance, RowDistance):
        columns = distance.named() or None
    names = pair.before.names("quasi") if columns is None else list(columns)
    for name in names:
        pair.before.column(name)
        if columns is not None:
            pair.after.column(name)
    if not names:
        raise ParameterError("measure.information.no_column")
    return names


def _framed(side: Any) -> Any:
    """Plain sequences and arrays become a frame of one or more columns."""
    if isinstance(side, pl.Series):
        return side.alias("value").to_frame()
    if type(side).__module__.partition(".")[0] == "pandas" and side.ndim == 1:
        return side.to_frame("value")
    if isinstance(side, (list, tuple, np.ndarray)):
        values = np.asarray(side) if isinstance(side, np.ndarray) else None
        if values is not None and values.ndim == 2:
            return pl.DataFrame({f"column_{number}": values[:, number] for number in range(values.shape[1])})
        return pl.DataFrame({"value": list(side)}, strict=False)
    return side
