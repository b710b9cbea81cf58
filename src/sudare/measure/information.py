"""Information loss by distances (ILD): how much of the distances between records a release keeps.

I_p(A) = sum over ordered pairs d(x_i, x_j)^p and ILD = (I(A) - I(A')) / I(A), for any symmetric distance that is
0 if and only if two cells are equal (seed paper 001, chapters 2-3). For Euclidean data and group means it equals
SSE/SST. Rows that were left out no longer contribute to I(A').

All pairs are never visited where it can be avoided: closed forms (Euclid, discrete, tree, matrix), distinct
values instead of rows, and, beyond a stated number of pairs, an unbiased estimate with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from sudare.describe.distance.labels import Discrete
from sudare.describe.distance.line import Euclid
from sudare.describe.distance.product import Product, RowDistance
from sudare.describe.distance.space import Codes, ColumnCells, ColumnDistance, Floats, Space, Way
from sudare.describe.distance.trees import TreeDistance
from sudare.errors import ParameterError
from sudare.kernels.blocks import block_labels
from sudare.measure.pair import Pair, pair_of
from sudare.randomness import Randomness

LARGEST_PAIRS = 10**9
"""Pairs of distinct points that are still summed exactly: some seconds of work."""
SAMPLED_PAIRS = 2_000_000
_NORMAL_975 = 1.959963984540054


@dataclass(frozen=True)
class InformationLoss:
    """ILD of one column or of several together, and how it was computed."""

    value: float
    """(I(A) - I(A')) / I(A); 0 by definition where I(A) = 0."""
    before: float
    """I(A)."""
    after: float
    """I(A')."""
    way: Way
    """closed form, distinct values (both exact), or sampled."""
    interval: tuple[float, float] | None = None
    """95 % interval of the value when it was sampled."""
    columns: dict[str, InformationLoss] = field(default_factory=dict)
    """The loss of each column by itself, where several were measured together."""
    note: str | None = None
    """What had to be defined: a constant column, for instance."""

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

    `distance` is one distance for every column, one for each, a distance of rows (`Product`, `Minkowski`), or
    nothing: then numbers and dates are measured by Euclid, columns with a hierarchy along the tree, others as
    equal or not. The joint distance is sqrt(sum w d^2) with w = 1 / I_2(column), so that every column counts
    the same. `before` and `after` are tables, frames, releases, or plain sequences of values.

    >>> float(ild([1, 2, 3, 4], [1.5, 1.5, 3.5, 3.5]))
    0.2
    """
    if not (p > 0 and math.isfinite(p)):
        raise ParameterError(f"p is {p!r}, but distances are raised to a finite power above 0; give 1 or 2.")
    pair = pair_of(*(_framed(side) for side in (before, after)))
    names = _columns(pair, columns, distance)
    rows: RowDistance = (
        distance if isinstance(distance, RowDistance) else Product(_by_column(distance, names))
    )
    spaces = {name: _distance(pair, name, rows).space(_cells(pair, name)) for name in names}
    sample = _Sample(pair, Randomness(seed))
    alone = {name: _of_space(space, p, largest_pairs, sample) for name, space in spaces.items()}
    if len(names) == 1:
        return alone[names[0]]
    weights = {name: _weight(rows, name, space, largest_pairs, sample) for name, space in spaces.items()}
    if p == rows.order:
        return _weighted_sum(alone, weights)
    joint = _JointSpace(list(spaces.values()), list(weights.values()), rows.order)
    return _of_space(joint, p, largest_pairs, sample, alone)


class _JointSpace(Space):
    """Rows as points, at the distance (sum w d^q)^(1/q) of their columns."""

    def __init__(self, spaces: Sequence[Space], weights: Sequence[float], order: float) -> None:
        self._spaces, self._weights, self._order = spaces, weights, order
        rows = len(spaces[0].before) + len(spaces[0].after)
        codes = [np.concatenate([space.before, space.after]) for space in spaces]
        labels, count = block_labels(
            [(code + 1).astype(np.int32) for code in codes], [space.size + 1 for space in spaces], rows
        )
        first = np.zeros(count, dtype=np.int64)
        first[labels[::-1]] = np.arange(rows)[::-1]
        self._points = [code[first] for code in codes]
        self.before, self.after = np.split(labels.astype(np.int64), [len(spaces[0].before)])
        self.size, self.reach = count, 0.0

    def between(self, one: Codes, other: Codes) -> Floats:
        first, second = np.broadcast_arrays(one, other)
        total = np.zeros(first.shape)
        for space, weight, points in zip(self._spaces, self._weights, self._points, strict=True):
            if weight > 0:
                apart = space.distances(points[first], points[second])
                if math.isinf(self._order):
                    np.maximum(total, weight * apart, out=total)
                else:
                    total += weight * apart**self._order
        return total if math.isinf(self._order) else total ** (1 / self._order)


class _Sample:
    """Random pairs of different rows, drawn once and shared by all columns."""

    def __init__(self, pair: Pair, random: Randomness) -> None:
        self._pair, self._random = pair, random
        self._drawn: tuple[Codes, Codes] | None = None

    def pairs(self) -> tuple[Codes, Codes]:
        """Rows i and j of the release, i != j, uniform."""
        if self._drawn is None:
            rows = self._pair.after.rows
            one = self._random.integers(rows, SAMPLED_PAIRS)
            other = self._random.integers(rows - 1, SAMPLED_PAIRS)
            self._drawn = one, other + (other >= one)
        return self._drawn

    def loss(self, space: Space, power: float) -> InformationLoss:
        """Estimate with a 95 % interval: the ratio of two means over the same pairs, by the delta method.

        Rows left out are estimated as if they were like the others: I(A) is scaled from kept to all rows.
        """
        one, other = self.pairs()
        kept = space.before[self._pair.rows]
        was = space.distances(kept[one], kept[other]) ** power
        now = space.distances(space.after[one], space.after[other]) ** power
        rows, released = float(self._pair.before.rows), float(self._pair.after.rows)
        before, after = was.mean() * rows * (rows - 1), now.mean() * released * (released - 1)
        if before == 0:
            return _constant("sampled")
        ratio = after / before
        spread = (now - now.mean() / was.mean() * was).std() / was.mean() / math.sqrt(len(was))
        width = _NORMAL_975 * spread * (released * (released - 1)) / (rows * (rows - 1))
        value = 1 - ratio
        return InformationLoss(
            float(value), float(before), float(after), "sampled", (float(value - width), float(value + width))
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
    if before[0] <= 0:
        return _constant(way, columns)
    return InformationLoss(
        (before[0] - after[0]) / before[0], before[0], after[0], way, columns=columns or {}
    )


def _constant(way: Way, columns: dict[str, InformationLoss] | None = None) -> InformationLoss:
    return InformationLoss(
        0.0, 0.0, 0.0, way, columns=columns or {}, note="All values are equal, so there was nothing to lose."
    )


def _weighted_sum(alone: dict[str, InformationLoss], weights: Mapping[str, float]) -> InformationLoss:
    """P = q: d^p is a sum over columns, so amounts add up column by column."""
    before = sum(weights[name] * one.before for name, one in alone.items())
    after = sum(weights[name] * one.after for name, one in alone.items())
    ways = {one.way for one in alone.values()}
    way: Way = (
        "sampled"
        if "sampled" in ways
        else ("distinct values" if "distinct values" in ways else "closed form")
    )
    if before <= 0:
        return _constant(way, alone)
    interval = None
    if way == "sampled":
        # Column estimates share their pairs; adding half widths is on the safe side.
        half = sum(
            weights[name] * one.before * (one.interval[1] - one.interval[0]) / 2
            for name, one in alone.items()
            if one.interval is not None
        )
        value = (before - after) / before
        interval = (value - half / before, value + half / before)
    return InformationLoss((before - after) / before, before, after, way, interval, alone)


def _weight(rows: RowDistance, name: str, space: Space, largest: float, sample: _Sample) -> float:
    given = rows.weight_of(name)
    if given is not None:
        return given
    amount = _of_space(space, 2.0, largest, sample).before
    return 1 / amount if amount > 0 else 0.0


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
    if pair.before.column(name).kind in {"numeric", "date"}:
        return Euclid()
    return Discrete() if pair.before.column(name).hierarchy is None else TreeDistance()


def _columns(pair: Pair, columns: Sequence[str] | None, distance: Any) -> list[str]:
    if columns is None and isinstance(distance, Mapping):
        columns = list(distance)
    if columns is None and isinstance(distance, RowDistance):
        columns = distance.named() or None
    names = pair.quasi if columns is None else list(columns)
    for name in names:
        pair.before.column(name)
        pair.after.column(name)
    if not names:
        raise ParameterError("No column is measured; name some with columns=[…].")
    return names


def _cells(pair: Pair, name: str) -> ColumnCells:
    return ColumnCells(name, pair.before.frame[name], pair.after.frame[name], pair.before.hierarchy(name))


def _framed(side: Any) -> Any:
    """Plain sequences and arrays become a frame of one or more columns."""
    if isinstance(side, pl.Series):
        return side.alias("value").to_frame()
    if isinstance(side, (list, tuple, np.ndarray)):
        values = np.asarray(side) if isinstance(side, np.ndarray) else None
        if values is not None and values.ndim == 2:
            return pl.DataFrame({f"column_{number}": values[:, number] for number in range(values.shape[1])})
        return pl.DataFrame({"value": list(side)}, strict=False)
    return side
