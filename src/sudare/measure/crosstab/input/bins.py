"""Bins of numbers and dates: given edges, a number of bins of equal width, or quantiles.

Bins are half open, [a, b), except for the last, which is closed. Values outside the given edges get bins of their own,
so that nothing is lost and totals stay correct.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sudare.describe.text import positions
from sudare.errors import ParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

BinRule = int | Sequence[Any] | tuple[str, int]
"""Edges, a number of bins of equal width, ("uniform", n) or ("quantile", n)."""
Bins = Mapping[str, BinRule]

DEFAULT_BINS = 10
MOST_BINS = 10_000
_SINGLE_VALUES = 20
"""Maximum number of integers or days counted one by one if no bins are given."""
_WAYS = ("uniform", "quantile")
_MANY = 20_000
_CELLS = 8_192
_MOST_COMPARED = 3
_SHORTEST = 1e-290


@dataclass(frozen=True, eq=False)
class Cut:
    """Edges of bins on a column's axis, and a label for each bin."""

    edges: Floats
    labels: pl.Series
    added: tuple[str, ...] = ()
    """Labels of the bins that were added to the given edges, for values outside them."""
    beyond: tuple[str, str] | None = None
    """The ends of the range, if given edges lie outside it."""

    def place(self, values: Floats) -> npt.NDArray[np.int64]:
        """Bin of each value; a value below the first edge is in the first bin, one above the last edge in the last."""
        return places(self.edges[1:-1], values)


def places(edges: Floats, values: Floats) -> npt.NDArray[np.int64]:
    """Number of ascending edges at or below each value: `searchsorted` from the right, fast for many values.

    A value's cell in an even grid gives the edges of lower cells without a search; only those in its own cell are
    compared. Cell numbers do not decrease as values rise, even after rounding, so the count is exact.
    """
    span = float(edges[-1] - edges[0]) if len(edges) > 1 else 0.0
    factor = (_CELLS - 1) / span if _SHORTEST < span < np.inf else 0.0
    own = _cell(edges, edges, factor)
    inside = np.bincount(own, minlength=_CELLS + 2)
    if len(values) < _MANY or factor == 0.0 or inside.max() > _MOST_COMPARED:
        return np.searchsorted(edges, values, side="right").astype(np.int64)
    first = np.cumsum(inside) - inside
    padded = np.append(edges, np.nan)  # nothing is above it
    at = _cell(edges, values, factor)
    count = first[at]
    for place in range(int(inside.max())):
        # Edges in a higher cell are above the value, so comparing with them adds nothing.
        count += values >= padded[np.minimum(first + place, len(edges))][at]
    return count


def _cell(edges: Floats, values: Floats, factor: float) -> npt.NDArray[np.int64]:
    with np.errstate(over="ignore"):
        found = np.clip((values - (edges[0] if len(edges) else 0.0)) * factor, -1.0, _CELLS)
    return found.astype(np.int64) + 1


@dataclass(frozen=True, eq=False)
class Line:
    """A column of numbers or dates on its axis."""

    name: str
    dtype: pl.DataType
    values: Floats
    """Present values; days since 1970 for dates."""
    low: float
    high: float

    @property
    def whole(self) -> bool:
        """Whether only integers or whole days occur."""
        return self.dtype.is_integer() or self.dtype == pl.Date


def cut(line: Line, rule: BinRule | None) -> Cut:
    """Bins that cover the column's range."""
    if rule is None:
        if line.whole and line.high - line.low < _SINGLE_VALUES:
            return _single_values(line)
        rule = DEFAULT_BINS
    if isinstance(rule, (int, np.integer)) and not isinstance(rule, bool):
        rule = ("uniform", int(rule))
    if isinstance(rule, (tuple, list)) and len(rule) == 2 and isinstance(rule[0], str) and rule[0] in _WAYS:
        edges = _spread(line, rule[0], rule[1])
    else:
        edges = _given(line, rule)
        return _noted(line, edges, np.asarray(_edges(line, rule), dtype=np.float64))
    return Cut(edges, _labels(line, edges))


def _noted(line: Line, edges: Floats, given: Floats) -> Cut:
    """Bins of given edges, with what they have that was not asked for."""
    labels = _labels(line, edges)
    outer = ((edges[0] < given[0], labels[0]), (edges[-1] > given[-1], labels[-1]))
    beyond = given[0] < line.low or given[-1] > line.high
    ends = (edge_text(line.dtype, line.low), edge_text(line.dtype, line.high))
    return Cut(edges, labels, tuple(label for is_added, label in outer if is_added), ends if beyond else None)


def _single_values(line: Line) -> Cut:
    first, last = np.ceil(line.low), np.floor(line.high)
    edges = np.arange(first, last + 2) if last >= first else np.array([first, first + 1])
    values = edges[:-1].astype(np.int64)
    labels = pl.Series(line.name, values)
    return Cut(edges, labels.cast(pl.Int32).cast(pl.Date) if line.dtype == pl.Date else labels)


def _spread(line: Line, way: str, count: Any) -> Floats:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 1 <= count <= MOST_BINS:
        raise ParameterError("measure.bins.count", column=line.name, count=count, most=MOST_BINS)
    if way == "uniform":
        inner = np.linspace(line.low, line.high, int(count) + 1)[1:-1]
        inner = np.ceil(inner) if line.whole else inner
    else:
        inner = np.quantile(line.values, np.arange(1, count) / count) if len(line.values) else np.empty(0)
    inner = np.unique(inner)
    inner = inner[(inner > line.low) & (inner < line.high)]
    high = line.high if line.high > line.low else line.low + 1.0
    return np.concatenate([[line.low], inner, [high]])


def _given(line: Line, rule: Any) -> Floats:
    edges = np.asarray(_edges(line, rule), dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise ParameterError("measure.bins.edges", column=line.name, rule=rule)
    low = [line.low] if line.low < edges[0] else []
    # A value at the last edge belongs to the last bin; only values above it need one more.
    high = [line.high] if line.high > edges[-1] else []
    return np.concatenate([low, edges, high])


def _edges(line: Line, rule: Any) -> Any:
    """Edges as numbers; dates may be given as text or date objects."""
    if isinstance(rule, (str, bytes)) or not isinstance(rule, (Sequence, np.ndarray, pl.Series)):
        raise ParameterError("measure.bins.form", column=line.name, rule=rule)
    if not line.dtype.is_temporal():
        try:
            return [float(edge) for edge in rule]
        except (TypeError, ValueError):
            raise ParameterError("measure.bins.numbers", column=line.name, rule=rule) from None
    texts = [edge.isoformat() if isinstance(edge, (date, datetime)) else str(edge) for edge in rule]
    found = positions(pl.Series(texts), line.dtype)
    if found.null_count():
        raise ParameterError("measure.bins.dates", column=line.name, rule=rule)
    return found.to_numpy()


def _labels(line: Line, edges: Floats) -> pl.Series:
    texts = [edge_text(line.dtype, edge) for edge in edges.tolist()]
    last = len(texts) - 2
    return pl.Series(
        line.name,
        [f"[{texts[n]}, {texts[n + 1]}{']' if n == last else ')'}" for n in range(last + 1)],
        dtype=pl.String,
    )


def edge_text(dtype: pl.DataType, edge: float) -> str:
    """An edge in the form people write it."""
    if dtype.is_temporal():
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=edge)
        if dtype == pl.Date or (moment.hour, moment.minute, moment.second) == (0, 0, 0):
            return moment.date().isoformat()
        return moment.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")
    return np.format_float_positional(float(f"{edge:.10g}"), trim="-")
