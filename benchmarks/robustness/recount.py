"""Count again what a release promises, from the cells of its written file: k, l, t, Pk, rho and k^m.

Written from the definitions in docs/guarantees.md and docs/assess.md as plainly as they are stated there, for tables of a few
rows. It shares nothing with Sudare: what a release is asked comes from who asked, not from the manifest.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import unicodedata
from collections import Counter
from datetime import UTC, datetime
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recount_read import Cell, Data  # type: ignore[import-not-found]  # beside this script

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d\d?)?", re.ASCII)
_UNSEEN = re.compile("[\u034f\ufe00-\ufe0f]")
_TWELVE_DIGITS = Context(prec=12)
_ROUNDING = 1e-9


# Tables


def blocks_of(data: Data, names: Sequence[str]) -> list[list[int]]:
    """The rows that share all values of these columns, as written; without columns all rows are one block."""
    blocks: dict[tuple[Cell, ...], list[int]] = {}
    for row in range(data.rows):
        blocks.setdefault(tuple(data.columns[name][row] for name in names), []).append(row)
    return list(blocks.values())


def k_of(data: Data, quasi: Sequence[str]) -> int:
    """The size of the smallest block."""
    return min(map(len, blocks_of(data, quasi)))


def l_of(values: Sequence[Any], blocks: Iterable[list[int]], kind: str, c: float | None) -> float:
    """The diversity of the least diverse block: its values, exp of their entropy, or the largest l of (c, l)."""
    return min(_diversity(Counter(values[row] for row in block), kind, c) for block in blocks)


def _diversity(counts: Counter[Any], kind: str, c: float | None) -> float:
    if kind == "distinct":
        return len(counts)
    if kind == "entropy":
        shares = [count / counts.total() for count in counts.values()]
        return math.exp(-sum(share * math.log(share) for share in shares))
    ordered = sorted(counts.values(), reverse=True)
    return sum(ordered[0] < Fraction(str(c)) * sum(ordered[place:]) for place in range(len(ordered)))


def t_of(values: Sequence[Any], blocks: Iterable[list[int]], distance: Distance) -> float:
    """How far the values of a block are at most from those of the whole table."""
    whole = Counter(values)
    shares = {value: Fraction(count, len(values)) for value, count in whole.items()}
    farthest = Fraction(0)
    for block in blocks:
        counts = Counter(values[row] for row in block)
        gains = {value: Fraction(counts[value], len(block)) - share for value, share in shares.items()}
        farthest = max(farthest, distance.moved(gains))
    return float(farthest)


class Distance:
    """The earth mover's distance where any two values are 1 apart."""

    def moved(self, gains: Mapping[Any, Fraction]) -> Fraction:
        """The least work that turns one distribution into the other, from the gain of each value."""
        return sum((abs(gain) for gain in gains.values()), Fraction(0)) / 2


class Ordered(Distance):
    """Neighbors in the order are 1 / (m - 1) apart."""

    def __init__(self, ranks: Mapping[Any, Any]) -> None:
        self.ranks = ranks

    def moved(self, gains: Mapping[Any, Fraction]) -> Fraction:
        """What crosses from each value to the next, added up."""
        if len(gains) == 1:
            return Fraction(0)
        ordered = sorted(gains, key=lambda value: self.ranks[value])
        crossing = itertools.accumulate(gains[value] for value in ordered)
        return sum((abs(amount) for amount in crossing), Fraction(0)) / (len(gains) - 1)


class InGroups(Distance):
    """Along a tree of groups: two values of one group are 1/2 apart, of two groups 1; missing is a group of its own."""

    def __init__(self, groups: Mapping[Any, str]) -> None:
        self.groups = groups

    def moved(self, gains: Mapping[Any, Fraction]) -> Fraction:
        """Every edge of the tree is a quarter of the longest way long, and is crossed by what lies below it."""
        below: dict[Any, Fraction] = {}
        for value, gain in gains.items():
            group = ("missing",) if value is None else self.groups[value]
            below[group] = below.get(group, Fraction(0)) + gain
        edges = [*gains.values(), *below.values()]
        return sum((abs(amount) for amount in edges), Fraction(0)) / 4


def alike(cells: Sequence[Cell], kind: str = "") -> list[Any]:
    """The values that a reader sees in cells: whatever their case, width, spaces or unseen characters, numbers by value.

    The kind of the column is numeric, where NaN is missing, date, where a moment counts in any time zone, or anything else.
    """
    if kind == "date":
        return moments(cells)
    seen = [None if kind == "numeric" and cell == "NaN" else _seen(cell) for cell in cells]
    # Where cells are missing, an empty text is one of them.
    return [None if value == "" and None in seen else value for value in seen]


def moments(cells: Sequence[Cell]) -> list[Any]:
    """Dates and times as moments."""
    return [None if cell is None else _place(cell) for cell in cells]


def _seen(cell: Cell) -> Any:
    if cell is None:
        return None
    text = "".join(
        sign
        for sign in _UNSEEN.sub("", cell)
        if sign.isspace() or unicodedata.category(sign) not in {"Cf", "Cc"}
    )
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = " ".join(text.split())
    if len(text) > 100 or not _NUMBER.fullmatch(text):
        return text
    number = Decimal(text)
    if number == number.to_integral_value():
        return int(number)
    return _TWELVE_DIGITS.plus(Decimal(float(text)))


def ranks_of(cells: Sequence[Cell], values: Sequence[Any], order: Sequence[str] | None) -> dict[Any, Any]:
    """The place of each value: as listed, else as numbers, as moments or as texts; missing last.

    Of several spellings of one value the least text has the place.
    """
    spelled: dict[Any, str] = {}
    for cell, value in zip(cells, values, strict=True):
        if value is not None and cell is not None:
            spelled[value] = min(cell, spelled.get(value, cell))
    places = {text: (0, place) for place, text in enumerate(order or ())}
    ranks: dict[Any, Any] = {
        value: places[text] if order is not None else _place(text) for value, text in spelled.items()
    }
    return {**ranks, None: (9, 0)}


def _place(text: str) -> tuple[int, Any]:
    try:
        number = Decimal(text)
    except ArithmeticError:
        number = Decimal("NaN")
    if not number.is_nan():  # the text "NaN" has no place among numbers
        return 0, number
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 2, text
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    finer = re.search(r"\.\d{6}(\d+)", text)  # nanoseconds, which Python's moments have not
    return 1, (moment, finer[1].rstrip("0") if finer else "")


def pk_of(data: Data, columns: Mapping[str, Mapping[str, Any]], exact: Sequence[str]) -> float:
    """1 + (records that agree on all that is exact - 1) times the rates, which follow from the published mechanisms."""
    rate = 1.0
    shown: dict[str, list[Cell]] = {name: data.columns[name] for name in exact}
    for name, about in columns.items():
        mechanism = about.get("mechanism")
        if mechanism is None:
            continue
        if mechanism["type"] == "retention":
            keep, values = mechanism["keep"], mechanism["values"]
            rate *= ((1 - keep) / (1 + (len(values) - 1) * keep)) ** 2
            hides = None in values
        else:
            rate *= math.exp(-2 * (mechanism["high"] - mechanism["low"]) / mechanism["scale"])
            hides = False
        if not hides:  # a missing cell that is not randomized is seen
            shown[f"missing {name}"] = ["1" if cell is None else "0" for cell in data.columns[name]]
    return 1 + (k_of(data._replace(columns=shown), list(shown)) - 1) * rate


# Baskets


def rarest_set(baskets: Sequence[frozenset[str]], m: int) -> int | None:
    """How often the rarest set of at most m items occurs among those that occur; None if there are no items."""
    supports: Counter[tuple[str, ...]] = Counter()
    for basket in baskets:
        for size in range(1, m + 1):
            supports.update(itertools.combinations(sorted(basket), size))
    return min(supports.values(), default=None)


def unsafe_shares(
    original: Sequence[frozenset[str]],
    sensitive: Sequence[frozenset[str]],
    released: Sequence[frozenset[str]],
    rho: Fraction,
    m: int | None = None,
) -> dict[int, Fraction]:
    """For each number of known items up to m, the share of adversaries who infer a sensitive item with confidence above rho.

    An adversary knows some items of what one user had, and looks at the released baskets that have them all. A user is drawn
    among those who had so many items, then the items.
    """
    longest = max(map(len, original), default=0)
    having = functools.cache(lambda known: [basket for basket in released if known <= basket])
    shares: dict[int, Fraction] = {}
    for size in range(1, 1 + (longest if m is None else min(m, longest))):
        able = [user for user, basket in enumerate(original) if len(basket) >= size]
        risk = Fraction(0)
        for user in able:
            known = [frozenset(items) for items in itertools.combinations(original[user], size)]
            bad = sum(_infers(sensitive[user] - one, having(one), rho) for one in known)
            risk += Fraction(bad, len(known))
        shares[size] = risk / len(able)
    return shares


def _infers(hidden: frozenset[str], having: Sequence[frozenset[str]], rho: Fraction) -> bool:
    """Whether one of these items is in more than a share rho of the baskets."""
    return any(sum(item in basket for basket in having) > rho * len(having) for item in hidden)


# Requirements


def reaches(requirement: Mapping[str, Any], reached: float) -> bool:
    """Whether a figure of a table is what was asked."""
    if requirement["type"] == "t-closeness":
        return bool(reached <= requirement["t"] + _ROUNDING)
    asked = requirement["l" if requirement["type"] == "l-diversity" else "k"]
    return bool(reached >= asked * (1 - _ROUNDING))
