"""Hierarchy of numeric intervals."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import accumulate, pairwise
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from pydantic import AfterValidator

from sudare.describe.hierarchy.making import ROOT, distinct, grow, refuse
from sudare.errors import ErrorSentence
from sudare.parameters import Annotated, Field, model_validator, parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from sudare.describe.hierarchy.making import Range
    from sudare.describe.hierarchy.tree import Hierarchy

_MOST_NEIGHBORS = 2**62
_EXACT = 2.0**52


Finite = Annotated[float, Field(allow_inf_nan=False)]
CutPoints = Annotated[Sequence[Finite], Field(min_length=1), AfterValidator(tuple)]
Factor = Annotated[int, Field(ge=2)]
Factors = Annotated[Sequence[Factor], AfterValidator(tuple)]


@parameters
class Intervals:
    """Half-open intervals [a, b) of numbers, merged level by level into wider ones; give one of the first three.

    Level 1 has the narrowest intervals. `nested` neighbors become one at the next level, aligned to multiples
    of the merged width from the origin (or to the first bound), as long as one interval is narrower than the
    range of the values; the root is above them. Values outside the given bounds form the open intervals "< a" and
    ">= b", which remain separate up to the root. Quantile intervals are open at both ends so that the smallest and
    the largest value are not published.
    """

    width: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Width of the intervals at level 1."""
    bounds: CutPoints | None = None
    """Cut points of level 1, in increasing order."""
    quantiles: Annotated[int, Field(ge=2)] | None = None
    """Number of intervals at level 1, each with about the same number of the column's rows."""
    nested: Factor | Factors = 2
    """How many intervals become one at the next level: one number for all levels, or one for each."""
    origin: Finite = 0
    """Where an interval begins; used with `width`."""
    levels: Annotated[int, Field(ge=1)] | None = None
    """The largest number of levels of intervals between the values and the root."""

    @model_validator(mode="after")
    def _one_kind(self) -> Intervals:
        given = [name for name in ("width", "bounds", "quantiles") if getattr(self, name) is not None]
        if len(given) != 1:
            names = ", ".join(f"'{name}'" for name in given)
            raise ValueError(
                ErrorSentence("describe.intervals.several", names=names)
                if given
                else ErrorSentence("describe.intervals.none")
            )
        for one, other in pairwise(self.bounds or ()):
            if one >= other:
                raise ValueError(ErrorSentence("describe.intervals.bounds", one=one, other=other))
        return self

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The tree of intervals around the column's values."""
        frame = _numbers(distinct(values, column), column)
        if frame.is_empty():
            return grow([frame["text"]], values, column)
        number = frame["number"].to_numpy()
        cuts = self._cuts(frame, values, column)
        labels, ranges = [frame["text"]], [(number, number)]
        for factor in self._factors(cuts):
            label, bounds = _level(cuts, factor, number)
            labels.append(label)
            ranges.append(bounds)
        return grow(labels, values, column, ranges=ranges)

    def _cuts(self, frame: pl.DataFrame, values: pl.Series, column: str) -> _Cuts:
        number = frame["number"].to_numpy()
        if self.width is not None:
            return _Cuts(*_grid(frame, Decimal(repr(self.width)), Decimal(repr(self.origin)), column))
        if self.bounds is not None:
            edges = [None, *(Decimal(repr(bound)) for bound in self.bounds), None]
            place = np.searchsorted(np.array(self.bounds), number, side="right") - 1
            return _Cuts(place, lambda i: edges[i + 1], len(self.bounds) - 1)
        assert self.quantiles is not None  # noqa: S101  # one of the three, by the validator
        rows = np.sort(values.cast(pl.Float64).drop_nulls().drop_nans().to_numpy())
        parts = min(self.quantiles, len(rows))  # more would cut between equal rows
        at = np.arange(1, parts) * len(rows) // parts
        inner = np.unique(rows[at])
        inner = inner[inner > rows[0]]
        ends = [None, *(Decimal(repr(float(cut))) for cut in inner), None]
        return _Cuts(np.searchsorted(inner, number, side="right"), lambda i: ends[i], len(inner) + 1)

    def _factors(self, cuts: _Cuts) -> list[int]:
        """How many intervals of level 1 make up one interval of each level."""
        if isinstance(self.nested, int):
            span = int(np.ptp(cuts.place)) + 1 if cuts.closed is None else cuts.closed
            factors = [1]
            while factors[-1] * self.nested < span:
                factors.append(factors[-1] * self.nested)
        else:
            # More neighbors than possible change nothing, so cap them: the positions are 64-bit integers.
            factors = [min(factor, _MOST_NEIGHBORS) for factor in accumulate((1, *self.nested), mul)]
        return factors[: self.levels]


class _Cuts(NamedTuple):
    """Intervals numbered from left to right."""

    place: npt.NDArray[np.int64]
    """The interval of each distinct value."""
    edge: Callable[[int], Decimal | None]
    """Left edge of interval i, the right edge of i-1; None if it is open."""
    closed: int | None
    """Intervals 0 … closed-1 merge, those beyond the given bounds do not; None: all merge."""


def _level(cuts: _Cuts, factor: int, number: npt.NDArray[np.float64]) -> tuple[pl.Series, Range]:
    """The label and the numeric range of every value when `factor` neighboring intervals are merged."""
    left = cuts.place // factor * factor
    right = left + factor
    if cuts.closed is not None:
        right = np.minimum(right, cuts.closed)
        beyond = (cuts.place < 0) | (cuts.place >= cuts.closed)
        left = np.where(beyond, cuts.place, left)
        right = np.where(beyond, cuts.place + 1, right)
    starts, one, inverse = np.unique(left, return_index=True, return_inverse=True)
    lows = [cuts.edge(int(i)) for i in starts]
    highs = [cuts.edge(int(i)) for i in right[one]]
    labels = np.array([_label(low, high) for low, high in zip(lows, highs, strict=True)], dtype=object)
    lower = np.array([number.min() if low is None else float(low) for low in lows])
    upper = np.array([number.max() if high is None else float(high) for high in highs])
    return pl.Series(labels[inverse], dtype=pl.String), (lower[inverse], upper[inverse])


def _label(low: Decimal | None, high: Decimal | None) -> str:
    if low is None and high is None:
        return ROOT
    if low is None:
        return f"< {_plain(high)}"
    return f">= {_plain(low)}" if high is None else f"[{_plain(low)}, {_plain(high)})"


def _plain(edge: Decimal | None) -> str:
    """An edge without exponent and without trailing zeros."""
    assert edge is not None  # noqa: S101  # open ends have labels of their own
    return "0" if edge == 0 else format(edge.normalize(), "f")


def _grid(
    frame: pl.DataFrame, width: Decimal, origin: Decimal, column: str
) -> tuple[npt.NDArray[np.int64], Callable[[int], Decimal], None]:
    """The position of each value on the infinite grid origin + i * width, with edges computed in decimals.

    The quotient of floats may fall on the wrong side of an edge (0.3 / 0.1 < 3), so each position is corrected by
    comparing the value with the edges as they are printed.
    """

    def edge(i: int) -> Decimal:
        return origin + i * width

    values = frame["value"]
    if (
        values.dtype.is_signed_integer()
        and values.dtype != pl.Int128
        and _is_whole(width)
        and _is_whole(origin)
    ):
        return (values.cast(pl.Int64).to_numpy() - int(origin)) // int(width), edge, None
    number = frame["number"].to_numpy()
    with np.errstate(over="ignore"):
        estimate = np.floor((number - float(origin)) / float(width))
    if len(far := frame["text"].filter(pl.Series(np.abs(estimate) >= _EXACT))):
        raise refuse(far, column, ErrorSentence("describe.intervals.narrow", width=width))
    place = estimate.astype(np.int64)
    around, inverse = np.unique(np.concatenate([place, place + 1]), return_inverse=True)
    edges = np.array([float(edge(int(i))) for i in around])[inverse]
    left, right = edges[: len(place)], edges[len(place) :]
    return place - (number < left) + (number >= right), edge, None


def _is_whole(number: Decimal) -> bool:
    """Whether a number is an integer small enough for 64-bit arithmetic."""
    return abs(number) < _EXACT and number % 1 == 0


def _numbers(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """The distinct values with their `number`, smallest first; anything but a finite number is refused."""
    source = frame["value"]
    if source.dtype.is_numeric() or source.dtype == pl.String:
        number = source.cast(pl.Float64, strict=False)
    else:
        number = pl.repeat(None, len(source), dtype=pl.Float64, eager=True)
    wrong = frame["text"].filter(~number.is_finite().fill_null(value=False))
    if len(wrong):
        raise refuse(wrong, column, ErrorSentence("describe.intervals.not_numbers"))
    return frame.with_columns(number.alias("number")).sort("number", maintain_order=True)
