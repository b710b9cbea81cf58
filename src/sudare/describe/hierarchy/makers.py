"""The makers of hierarchies: each a class of parameters whose `build` grows the tree of a column's values."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, pairwise
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import AfterValidator, BeforeValidator

from sudare.describe.hierarchy.tree import Hierarchy, assemble, some_of
from sudare.describe.text import ANYTHING, as_text, iso_days, scalar_text
from sudare.errors import DescriptionError, ErrorSentence, InputError, OutputError, shown
from sudare.parameters import Annotated, Field, model_validator, parameters, said_by
from sudare.read.text import decode_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Range = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]

ROOT = ANYTHING
"""The label of the most general node: that of a cell about which nothing is published."""


def distinct(values: pl.Series, column: str) -> pl.DataFrame:
    """The distinct values of a column in their own order (`value`) with their text (`text`), without missing values."""
    ordered = values.alias("value").unique().sort()
    frame = pl.DataFrame({"value": ordered, "text": as_text(ordered.alias(column))})
    return frame.filter(pl.col("text").is_not_null()).unique("text", keep="first", maintain_order=True)


def grow(
    columns: Sequence[pl.Series],
    values: pl.Series,
    column: str,
    *,
    ranges: Sequence[Range] | None = None,
    root: str = ROOT,
    collapse: bool = True,
) -> Hierarchy:
    """The tree over distinct values whose labels at each level below the root are `columns`, leaves first.

    `ranges` are the (lower, upper) numbers of every value at each of these levels; a missing leaf is added
    if `values`, the whole column, contains missing values.
    """
    leaves = columns[0]
    if len(leaves):
        made = assemble(
            [*columns, pl.repeat(root, len(leaves), dtype=pl.String, eager=True)], column, collapse=collapse
        )
        bounds = (None, None) if ranges is None else _bounds(ranges, made.node_at, len(made.labels))
        tree = Hierarchy(made.parent, made.level, made.labels, *bounds)
    else:
        tree = Hierarchy.bare(root)
    return tree.with_missing() if as_text(values).null_count() else tree


def refuse(values: pl.Series, column: str, rule: ErrorSentence) -> DescriptionError:
    """The error for values that a maker cannot place: the values, the rule they break, and what to do."""
    return DescriptionError("describe.hierarchy.refused", column=column, values=some_of(values), rule=rule)


def _bounds(ranges: Sequence[Range], node_at: Sequence[npt.NDArray[np.int32]], nodes: int) -> Range:
    """The range of every node, computed from the top down, so that a collapsed node keeps that of its lowest level."""
    lower, upper = np.empty(nodes), np.empty(nodes)
    lower[-1] = ranges[-1][0].min()
    upper[-1] = ranges[-1][1].max()
    for (low, high), node in zip(reversed(ranges), reversed(node_at[:-1]), strict=True):
        lower[node] = low
        upper[node] = high
    return lower, upper


@parameters
class Suppress:
    """One level: a value is kept as it is or replaced with the label."""

    label: str = ROOT
    """Text that replaces a suppressed value."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """Every value of the column directly below the root."""
        return grow([distinct(values, column)["text"]], values, column, root=self.label)


def suppression_of(column: pl.Series) -> Hierarchy:
    """The hierarchy of an unordered column for which none was given: its values, and `*`."""
    return Suppress().build(column, column.name)


_FILLER = "_"


@parameters
class Mask:
    """Texts masked from the last character to the first.

    Values are first padded with "_" to one width w, on the left unless specified otherwise. The node of a
    value at level j is its first w - j characters and j stars, so there are w levels and the root is all stars:
    a value with j stars costs j / w. The leaf itself is released as the unpadded original.
    """

    width: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Number of characters; that of the longest value if not given."""
    pad: Literal["left", "right"] = "left"
    """Side on which shorter values are padded; left aligns numbers by their last digit."""
    character: Annotated[str, Field(min_length=1, max_length=1)] = "*"
    """Character that replaces a masked one."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The tree of the prefixes of the column's values."""
        text = distinct(values, column)["text"]
        lengths = text.str.len_chars()
        width = self.width or max([1, *lengths.top_k(1)])
        if len(longer := text.filter(lengths > width)):
            raise refuse(longer, column, ErrorSentence("describe.mask.narrow", width=width))
        if self.pad == "left":
            padded = text.str.pad_start(width, _FILLER)
        else:
            padded = text.str.pad_end(width, _FILLER)
        order = pl.DataFrame({"padded": padded, "text": text}).sort("padded", "text")
        stars = [order["padded"].str.head(width - j) + self.character * j for j in range(1, width)]
        return grow([order["text"], *stars], values, column, root=self.character * width, collapse=False)


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


Period = Literal["day", "month", "quarter", "year", "decade"]
Periods = Annotated[Sequence[Period], Field(min_length=1), AfterValidator(tuple)]
_PERIODS: tuple[Period, ...] = ("day", "month", "quarter", "year", "decade")


@parameters
class Dates:
    """Dates and times by calendar period: 2024-03-05, 2024-03, 2024-Q1, 2024, 2020s.

    The column contains dates, times or their ISO 8601 texts. The numeric bounds of a node are its first and its last
    day, counted from 1970-01-01.
    """

    levels: Periods = _PERIODS
    """Periods from the finest to the coarsest; `day` adds no level if the values are days."""

    @model_validator(mode="after")
    def _coarser_and_coarser(self) -> Dates:
        for one, other in pairwise(self.levels):
            if _PERIODS.index(one) >= _PERIODS.index(other):
                raise ValueError(ErrorSentence("describe.dates.levels", one=one, other=other))
        return self

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The tree of the periods that contain the column's values."""
        frame = distinct(values, column)
        frame = frame.with_columns(_days(frame, column).alias("day")).sort("day", "value")
        labels, ranges = [frame["text"]], [_range(frame, "day")]
        for period in self.levels:
            label = frame.select(_period_label(period)).to_series()
            if period == "day" and (label == frame["text"]).all():
                continue
            labels.append(label)
            ranges.append(_range(frame, period))
        return grow(labels, values, column, ranges=ranges)


def _period_label(period: Period) -> pl.Expr:
    """The label of the period that a day is in."""
    day = pl.col("day")
    if period == "quarter":
        return pl.format("{}-Q{}", day.dt.to_string("%Y"), day.dt.quarter())
    if period == "decade":
        return pl.format("{}s", (day.dt.year() // 10 * 10).cast(pl.String).str.zfill(4))
    return day.dt.to_string({"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}[period])


def _ends(period: Period) -> tuple[pl.Expr, pl.Expr]:
    """The first and the last day of that period."""
    day = pl.col("day")
    year, month = day.dt.year(), day.dt.quarter().cast(pl.Int32) * 3
    decade = year // 10 * 10
    ends: dict[Period, tuple[pl.Expr, pl.Expr]] = {
        "day": (day, day),
        "month": (day.dt.month_start(), day.dt.month_end()),
        "quarter": (pl.date(year, month - 2, 1), pl.date(year, month, 1).dt.month_end()),
        "year": (pl.date(year, 1, 1), pl.date(year, 12, 31)),
        "decade": (pl.date(decade, 1, 1), pl.date(decade + 9, 12, 31)),
    }
    return ends[period]


def _range(frame: pl.DataFrame, period: Period) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    ends = [
        end.to_physical().cast(pl.Float64).alias(name) for name, end in zip("ab", _ends(period), strict=True)
    ]
    days = frame.select(ends)
    return days["a"].to_numpy(), days["b"].to_numpy()


def _days(frame: pl.DataFrame, column: str) -> pl.Series:
    """The day of every distinct value."""
    value = frame["value"]
    if value.dtype in (pl.Date, pl.Datetime):
        return value.cast(pl.Date) if value.dtype == pl.Date else value.dt.date()
    text = frame["text"]
    day = iso_days(text)
    wrong = text.filter(day.is_null())
    if len(wrong):
        raise refuse(wrong, column, ErrorSentence("describe.dates.not_dates"))
    return day


def _texts(given: Any) -> Any:
    """The items of a list as texts (YAML reads 1 and true as other types)."""
    if not isinstance(given, list | tuple):
        return given
    return tuple(scalar_text(item) if isinstance(item, int | float) else item for item in given)


Values = Annotated[Sequence[str | float], Field(min_length=1), BeforeValidator(_texts), AfterValidator(tuple)]
Sizes = Annotated[Sequence[Annotated[int, Field(ge=1)]], AfterValidator(tuple)]
Groups = Annotated[Sequence[Values], AfterValidator(tuple)]


@parameters
class Order:
    """Consecutive values of an ordinal column in groups, labeled by their ends: "low … medium".

    With one number, that many neighbors form a group, that many groups form a group of the next level, and so on
    up to the root; with a list of sizes or of groups there is one level of groups below the root.
    """

    values: Values
    """All values, lowest first."""
    groups: Factor | Sizes | Groups = 2
    """How many neighbors form a group; or the size of each group; or the groups themselves."""

    @model_validator(mode="after")
    def _whole(self) -> Order:
        value, count = Counter(self.values).most_common(1)[0]
        if count > 1:
            raise ValueError(ErrorSentence("describe.order.repeated", value=value, count=count))
        if isinstance(self.groups, int):
            return self
        listed = [value for group in self.groups if not isinstance(group, int) for value in group]
        if listed and listed != list(self.values):
            raise ValueError(ErrorSentence("describe.order.groups_differ"))
        total = sum(_size(group) for group in self.groups)
        if total != len(self.values):
            raise ValueError(
                ErrorSentence("describe.order.groups_count", total=total, values=len(self.values))
            )
        return self

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The tree of the ordered groups, which must cover the column's values."""
        names = [scalar_text(value) for value in self.values]
        levels = [names]
        if isinstance(self.groups, int):
            size = self.groups
            while size < len(names):
                levels.append(_labels(names, [size] * (len(names) // size + 1)))
                size *= self.groups
        else:
            levels.append(_labels(names, [_size(group) for group in self.groups]))
        rows = [[*row, ROOT] for row in zip(*levels, strict=True)]
        return Hierarchy.from_levels(rows, column).build(values, column)


def _size(group: int | Sequence[object]) -> int:
    return group if isinstance(group, int) else len(group)


def _labels(values: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """The label of every value's group; groups are consecutive and have these sizes (the last may be smaller)."""
    labels: list[str] = []
    for size in sizes:
        group = values[len(labels) : len(labels) + size]
        if group:
            labels += [group[0] if len(group) == 1 else f"{group[0]} … {group[-1]}"] * len(group)
    return labels


def _plain_tree(given: Any, above: tuple[int, ...] = ()) -> Any:
    """The same nesting as dictionaries of texts; a list is a dictionary of its items, a leaf is an empty one."""
    if id(given) in above:
        raise ValueError(ErrorSentence("describe.tree.contains_itself"))
    inside = (*above, id(given))
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {_name(name): _plain_tree(below, inside) for name, below in given.items()}
    if isinstance(given, list | tuple):
        items: dict[str, Any] = {}
        for item in given:
            below = _plain_tree(item, inside) if isinstance(item, Mapping) else {_name(item): {}}
            for name in below:
                if name in items:
                    raise ValueError(ErrorSentence("describe.tree.repeated", name=name))
            items.update(below)
        return items
    raise ValueError(ErrorSentence("describe.tree.not_nested", given=shown(given)))


def _name(given: Any) -> str:
    if not isinstance(given, str | int | float):
        raise ValueError(ErrorSentence("describe.tree.not_a_value", given=shown(given)))  # noqa: TRY004  # pydantic tells it
    return scalar_text(given)


Nesting = Annotated[dict[str, Any], BeforeValidator(_plain_tree)]


@parameters
class Tree:
    """A nested mapping from general to specific, for example {"Europe": {"West": ["France", "Spain"]}}.

    Branches may differ in depth. Values are listed, or are keys with nothing below them. Levels are
    counted from the deepest value.
    """

    mapping: Nesting
    """The nested mapping; its outermost names are directly below the root."""
    root: str = ROOT
    """Label of the root."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The mapping's tree, which must cover the values."""
        paths = list(_paths(self.mapping, (self.root,), column))
        depth = max(map(len, paths), default=0)
        rows = [[path[-1]] * (depth - len(path)) + list(reversed(path)) for path in paths]
        _refuse_second_places(paths, column)
        return Hierarchy.from_levels(rows, column).build(values, column)


def _paths(mapping: Mapping[str, Any], above: tuple[str, ...], column: str) -> Iterator[tuple[str, ...]]:
    for name, below in mapping.items():
        if name in above and below:
            raise DescriptionError("describe.tree.below_itself", column=column, name=name)
        if below:
            yield from _paths(below, (*above, name), column)
        else:
            yield (*above, name)


def _refuse_second_places(paths: list[tuple[str, ...]], column: str) -> None:
    """Refuse a name with two places in the tree, whatever their depth (a value may repeat the name above it)."""
    place: dict[str, tuple[str, ...]] = {}
    for path in paths:
        for depth in range(1, len(path)):
            name, here = path[depth], path[:depth]
            there = place.setdefault(name, here)
            if there != here and name != path[depth - 1]:
                raise DescriptionError(
                    "describe.tree.two_parents", column=column, name=name, one=there[-1], other=here[-1]
                )


Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Arrays = tuple[Ints, Ints, tuple[str | None, ...], Floats | None, Floats | None]
"""Parent and level of each node, its label, and the ends of its interval."""


def lists_of(
    parent: Ints, level: Ints, labels: Sequence[str | None], lower: Floats | None, upper: Floats | None
) -> dict[str, Any]:
    """Arrays as lists; unknown ends of an interval are None."""
    return {
        "parent": parent.tolist(),
        "level": level.tolist(),
        "labels": list(labels),
        "lower": _plain_lists(lower),
        "upper": _plain_lists(upper),
    }


def arrays_of(given: Mapping[str, Any]) -> Arrays:
    """The arrays from such lists, which may come from anyone."""
    try:
        labels = tuple(None if label is None else str(label) for label in given["labels"])
        lower, upper = _stored_bounds(given.get("lower")), _stored_bounds(given.get("upper"))
        return _stored_numbers(given["parent"]), _stored_numbers(given["level"]), labels, lower, upper
    except KeyError as error:
        raise DescriptionError("describe.stored.no_list", name=error.args[0]) from None
    except (TypeError, ValueError, OverflowError) as error:
        raise DescriptionError("describe.stored.wrong_list", why=said_by(error)) from None


def _plain_lists(bounds: Floats | None) -> list[float | None] | None:
    return None if bounds is None else [None if np.isnan(bound) else float(bound) for bound in bounds]


def _stored_bounds(given: Sequence[float | None] | None) -> Floats | None:
    return None if given is None else np.array(given, dtype=np.float64)


def _stored_numbers(given: Any) -> Ints:
    """Node numbers or levels from a file: integers, none so large that it would change as int32."""
    array = np.asarray(given)
    if array.size and (array.dtype.kind != "i" or array.min() < 0 or array.max() > np.iinfo(np.int32).max):
        raise ValueError(ErrorSentence("describe.stored.not_whole"))
    return array.astype(np.int32)


_DELIMITERS = ";,\t|"


def write_json(path: Path, stored: dict[str, Any]) -> None:
    """Write the arrays of a hierarchy."""
    _write(path, json.dumps(stored, ensure_ascii=False, allow_nan=False))


def write_levels(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """Write a table of levels, separated by ';'."""
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows(rows)
    _write(path, text.getvalue())


def read_json(path: Path) -> dict[str, Any]:
    """The arrays that `write_json` wrote."""
    try:
        stored = json.loads(_bytes(path))
    except (ValueError, RecursionError):
        stored = None
    if not isinstance(stored, dict):
        raise InputError("describe.file.not_json", path=path)
    return stored


def read_levels(path: Path, delimiter: str | None, encoding: str | None) -> list[list[str]]:
    """The rows of a table of levels, without blank lines; delimiter and encoding are detected if not given."""
    text = decode_text(_bytes(path), path.name, encoding)[0]
    try:
        return _rows(text, delimiter or _delimiter(text))
    except csv.Error as error:
        raise InputError("describe.file.not_levels", path=path, why=said_by(error)) from None


def _rows(text: str, delimiter: str) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]


def _delimiter(text: str) -> str:
    """The character that splits the first lines into equally many levels, and into the most.

    If no character splits every line, the one that splits most of them is still the delimiter: the other lines are too
    short.
    """
    sample = "".join(text.splitlines(keepends=True)[:50])
    widths = {sign: [len(row) for row in _rows(sample, sign)] or [1] for sign in _DELIMITERS}

    def fitness(sign: str) -> tuple[bool, bool, bool, int]:
        found = widths[sign]
        cut = sum(width > 1 for width in found)
        return cut == len(found), 2 * cut >= len(found), len(set(found)) == 1, sum(found)

    return max(_DELIMITERS, key=fitness)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("describe.file.not_read", path=path, why=error.strerror) from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise OutputError("describe.file.not_written", path=path, why=error.strerror) from None


AnyPath = Annotated[str | Path, AfterValidator(lambda given: Path(str(given)))]


@parameters
class LevelsFile:
    """A table of levels in a CSV file: one row per value, leaf first, most general last (ARX's format).

    Repeating a label pads a ragged tree. Every value of the column must have a row; the file may have rows for other
    values.
    """

    path: AnyPath
    """The file."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Character between levels; detected among ; , tab | if not given."""
    encoding: str | None = None
    """Encoding of the file; detected if not given, as for a table."""
    header: bool = False
    """Whether the first row names the levels."""

    def build(self, values: pl.Series, column: str) -> Hierarchy:
        """The file's tree, which must cover the values."""
        rows = read_levels(Path(self.path), self.delimiter, self.encoding)
        return Hierarchy.from_levels(rows[1:] if self.header else rows, column).build(values, column)
