"""Hostile tables and baskets to release: each case follows from its seed and number alone.

Values are chosen to be taken for one another: missing ones of several kinds, texts that look like labels of Sudare, spellings of
one word, numbers as text, integers beyond all floats, the hour that autumn repeats.
"""

from __future__ import annotations

import math
import random as randoms
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
from recount import alike  # type: ignore[import-not-found]  # beside this script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

FORMATS = ("csv", "tsv", "parquet", "arrow", "excel", "jsonl")
LAYOUTS = ("lines", "json", "long", "sets", "lists")
METHODS = (
    "generalization", "mindis", "diverdis", "full-domain", "mondrian", "microaggregation", "randomization", "record-suppression",
    "remove-identifiers", "pseudonyms", "top-bottom-coding", "rounding", "sampling", "shuffling", "rank-swapping",
    "data-swapping", "coarsening", "value-capping",
)  # fmt: skip
BASKET_METHODS = ("item-suppression", "item-generalization")
_SHARE_OF_BASKETS = 0.25

MISSING = (None, "", "NA", "*", "NaN", "null", " ")
LABELS = (
    "*",
    "[1, 5)",
    "[1, 5]",
    "{a, b}",
    "{a; b}",
    "1-5",
    "< 5",
    ">= 5",
    "***",
    "1**",
    "2024-Q1",
    "2020s",
    "low … high",
    "a",
)
SPELLINGS = (
    "HIV", "hiv", "HIV ", " HIV", "ＨＩＶ", "HI\u200bV", "\ufeffHIV", "é", unicodedata.normalize("NFD", "é"), "É", "Straße",
    "STRASSE", "ｶﾞﾝ", "ガン", "a\u00a0b", "a  b", "a b", "flu", "Flu",
)  # fmt: skip
NUMERALS = (
    "1",
    "1.0",
    "01",
    "1e0",
    " 1",
    "１",
    "+1",
    "2",
    "2.50",
    "2.5",
    "0.3",
    "0.30000000000000004",
    "-0",
    "0",
    "-0.0",
)
SIGNS = (
    "=1+1",
    "-a",
    "'-a",
    "'a",
    "+1",
    "@x",
    "a;=1",
    "a,'b",
    'say "a"',
    "line\nend",
    "tab\tend",
    "a\r\nb",
    "\\",
    "_x0041_",
    "x",
)
HUGE_TEXTS = tuple(str(2**bits + step) for bits in (53, 63, 64, 127) for step in (0, 1, 2))
NAMES = ("a,b", "=x", "名前", "a b", "*", "row", "'q", "-1", "e\u0301", "len", "A", "count")
_TEXTS = (MISSING, LABELS, SPELLINGS, NUMERALS, SIGNS, HUGE_TEXTS)


@dataclass(frozen=True)
class TableCase:
    """A table, what is asked of its release, and how it is made."""

    frame: pl.DataFrame
    roles: dict[str, str]
    requirements: tuple[dict[str, Any], ...]
    methods: tuple[dict[str, Any], ...]
    format: str = "csv"
    kinds: dict[str, str] = field(default_factory=dict)
    hierarchies: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    """Of the output: reports, escape_formulas."""
    library: str = "polars"
    """Whose frame is handed over; pandas has columns of numbers and texts mixed."""
    measures: tuple[str, ...] | None = None

    def names(self, role: str) -> list[str]:
        """The columns with a role, in the order of the table."""
        return [name for name in self.frame.columns if self.roles.get(name) == role]

    @property
    def method(self) -> str:
        """What the case is counted under: the method that it was made for comes first."""
        return str(self.options.get("counted") or self.methods[0]["type"])


@dataclass(frozen=True)
class BasketCase:
    """Baskets, what is asked of their release, and how it is made."""

    baskets: tuple[tuple[str, ...], ...]
    sensitive: tuple[str, ...] | tuple[tuple[str, ...], ...]
    """Of all users, or of each."""
    requirements: tuple[dict[str, Any], ...]
    methods: tuple[dict[str, Any], ...]
    format: str = "lines"
    """The layout."""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """What the case is counted under."""
        return str(self.methods[0]["type"])

    def sensitive_sets(self) -> list[frozenset[str]]:
        """The sensitive items of each user."""
        if self.sensitive and not isinstance(self.sensitive[0], str):
            return [frozenset(items) for items in self.sensitive]
        return [frozenset(map(str, self.sensitive))] * len(self.baskets)


Case = TableCase | BasketCase


def case_of(seed: int, number: int) -> Case:
    """The case of a number; the same on every machine."""
    random = randoms.Random(f"{seed} {number}")
    return _baskets(random) if random.random() < _SHARE_OF_BASKETS else _table(random)


# Columns


@dataclass(frozen=True)
class Column:
    """Values, and what may be said of them."""

    values: pl.Series
    kinds: tuple[str, ...] = ()
    """Kinds that may be given instead of the one that is found."""
    hierarchies: tuple[dict[str, Any], ...] = ()
    range: tuple[Any, Any] | None = None
    """For randomization: from general knowledge, not from the data."""


def _drawn(random: Random, pool: Sequence[Any], rows: int, missing: float | None = None) -> list[Any]:
    """Few or many of the values, some of them often, and missing ones."""
    few = random.sample(list(pool), min(len(pool), random.choice((1, 2, 2, 3, 4, 8))))
    weights = [random.choice((1, 1, 4)) for _ in few]
    gaps = random.choice((0, 0, 0.1, 0.4)) if missing is None else missing
    return [None if random.random() < gaps else random.choices(few, weights)[0] for _ in range(rows)]


def _texts(random: Random, rows: int, pool: Sequence[Any] | None = None) -> Column:
    chosen = random.choice(_TEXTS) if pool is None else pool
    if pool is None and random.random() < 0.3:
        chosen = [*chosen, *random.choice(_TEXTS)]
    values = pl.Series(_drawn(random, list(dict.fromkeys(chosen)), rows), dtype=pl.String)
    return Column(values, ("nominal", "string"), _text_hierarchies(random, values))


def _text_hierarchies(random: Random, values: pl.Series) -> tuple[dict[str, Any], ...]:
    known = sorted(set(values.drop_nulls().to_list()))
    groups: dict[str, list[str]] = {}
    labels = random.sample(LABELS[1:], 3)
    for value in known:
        # Spellings of one value are in one group, so that it does not matter which of them stands for all.
        [shape] = alike([value])
        groups.setdefault(labels[hash_of(repr(shape)) % 3], []).append(value)
    return (
        {"type": "mask", "pad": random.choice(("left", "right"))},
        {"type": "suppress", "label": random.choice(("*", "[1, 5)", "hidden"))},
        {"type": "tree", "mapping": groups},
    )


def hash_of(text: str) -> int:
    """A number for a text that is the same in every process."""
    return sum(place * ord(sign) for place, sign in enumerate(text, 1))


def _codes(random: Random, rows: int) -> Column:
    pool = [
        f"{random.randrange(10):02}{random.choice('0159')}{random.choice('05')}{place}" for place in range(9)
    ]
    return _texts(random, rows, [*pool, "1", "*0*"])


def _small(random: Random, rows: int) -> Column:
    values = pl.Series([random.randrange(random.choice((3, 100))) for _ in range(rows)], dtype=pl.Int64)
    if random.random() < 0.3:
        values = pl.Series(_drawn(random, values.to_list() or [0], rows), dtype=pl.Int64)
    kind = random.choice((pl.Int64, pl.Int8, pl.UInt16, pl.Int128))
    return Column(values.cast(kind), ("nominal", "ordinal"), _number_hierarchies(random), (-10, 120))


def _number_hierarchies(random: Random) -> tuple[dict[str, Any], ...]:
    return (
        {"type": "intervals", "width": random.choice((5, 10, 0.5))},
        {"type": "intervals", "quantiles": random.choice((2, 3, 4))},
        {"type": "intervals", "bounds": [1, 5, 50]},
        {"type": "suppress", "label": "*"},
        {"type": "mask"},
    )


def _huge(random: Random, rows: int) -> Column:
    base = random.choice((2**53, 2**62, 10**15, -(2**53)))
    pool = [base + step for step in (0, 1, 2, 3, 10**6, 10**12)]
    return Column(
        pl.Series(_drawn(random, pool, rows), dtype=pl.Int64), ("nominal",), _number_hierarchies(random)
    )


def _floats(random: Random, rows: int) -> Column:
    pool = (
        0.1 + 0.2,
        0.3,
        0.3 + 1e-13,
        1.0,
        -0.0,
        0.0,
        2.5,
        1e-300,
        1e300,
        1 / 3,
        -7.25,
        float("nan"),
        float("inf"),
        1e15,
        99.9,
    )
    width = 12 if random.random() < 0.6 else 15
    values = _drawn(random, [value for value in pool if width == 15 or abs(value) < 1e6], rows)
    kind = pl.Float32 if random.random() < 0.1 else pl.Float64
    return Column(pl.Series(values, dtype=kind), ("nominal",), _number_hierarchies(random))


def _decimals(random: Random, rows: int) -> Column:
    pool = [Decimal(text) for text in ("1.00", "1.10", "2.50", "-3.00", "0.00", "99.99")]
    return Column(pl.Series(_drawn(random, pool, rows), dtype=pl.Decimal(12, 2)), ("nominal",))


def _dates(random: Random, rows: int) -> Column:
    pool = [
        date(2024, 1, 31),
        date(2024, 2, 29),
        date(1899, 12, 31),
        date(1900, 2, 28),
        date(1, 1, 1),
        date(9999, 12, 31),
    ]
    pool += [date(2020, 1, 1) + timedelta(days=random.randrange(2000)) for _ in range(6)]
    values = pl.Series(_drawn(random, pool, rows), dtype=pl.Date)
    column = Column(values, ("nominal",), ({"type": "dates"}, {"type": "suppress"}))
    if random.random() < 0.3:
        return Column(values.dt.strftime("%Y-%m-%d"), ("date", "nominal", "string"), column.hierarchies)
    return column


def _moments(random: Random, rows: int) -> Column:
    autumn = datetime(2024, 10, 27, 0, 30, tzinfo=UTC)
    pool = [autumn + timedelta(minutes=30 * step) for step in range(6)]
    pool += [
        datetime(2024, 3, 31, 1, 0, 0, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ]
    values = pl.Series(_drawn(random, pool, rows), dtype=pl.Datetime("us", "UTC"))
    zoned = values.dt.convert_time_zone(random.choice(("Europe/Berlin", "America/St_Johns", "UTC")))
    form = random.choice(("zoned", "naive", "text", "nanoseconds"))
    hierarchies: tuple[dict[str, Any], ...] = ({"type": "dates"}, {"type": "suppress"})
    if form == "text":
        zones = ("Europe/Berlin", "UTC")
        texts = [values.dt.convert_time_zone(zone).dt.strftime("%Y-%m-%dT%H:%M:%S%:z") for zone in zones]
        mixed = [random.choice(pair) for pair in zip(*texts, strict=True)]
        return Column(pl.Series(mixed, dtype=pl.String), ("date", "nominal", "string"), hierarchies)
    if form == "naive":
        return Column(zoned.dt.replace_time_zone(None), ("nominal",), hierarchies)
    if form == "nanoseconds":
        nudged = values.cast(pl.Datetime("ns", "UTC")) + pl.Series(
            [random.choice((0, 0, 1)) for _ in range(rows)], dtype=pl.Int64
        ).cast(pl.Duration("ns"))
        return Column(nudged, ("nominal",), hierarchies)
    return Column(zoned, ("nominal",), hierarchies)


def _times(random: Random, rows: int) -> Column:
    pool = [time(0, 0), time(23, 59, 59, 999999), time(12, 30), time(12, 30, 0, 1)]
    return Column(pl.Series(_drawn(random, pool, rows), dtype=pl.Time), ("nominal",))


def _durations(random: Random, rows: int) -> Column:
    pool = [timedelta(0), timedelta(days=-1), timedelta(microseconds=1), timedelta(days=40, hours=3)]
    return Column(pl.Series(_drawn(random, pool, rows), dtype=pl.Duration("us")), ("nominal",))


def _sets(random: Random, rows: int) -> Column:
    pool = [["a"], ["a", "b"], [], ["*", "{a, b}"], ["=x"]]
    return Column(pl.Series(_drawn(random, pool, rows), dtype=pl.List(pl.String)))


def _enum(random: Random, rows: int) -> Column:
    words = random.choice(
        (("low", "mid", "high", "grave"), LABELS, SPELLINGS, ("3", "1", "2", "1.0"), ("", "b", "a"))
    )
    order = list(dict.fromkeys(random.sample(words, len(words))))
    values = pl.Series(_drawn(random, order, rows), dtype=pl.Enum([*order, "never used"]))
    hierarchies = ({"type": "order", "values": [*order, "never used"]}, {"type": "suppress"})
    return Column(values, ("nominal", "ordinal"), hierarchies)


def _categories(random: Random, rows: int) -> Column:
    column = _texts(random, rows)
    return Column(column.values.cast(pl.Categorical), column.kinds, column.hierarchies)


def _booleans(random: Random, rows: int) -> Column:
    return Column(pl.Series(_drawn(random, (True, False), rows), dtype=pl.Boolean), ("nominal",))


def _one_value(random: Random, rows: int) -> Column:
    value = random.choice((None, "*", "", 0, 1.5, True, "HIV"))
    return Column(pl.Series([value] * rows, dtype=pl.String if value is None or not rows else None))


def _unique(random: Random, rows: int) -> Column:
    tokens = tokens_of(random, rows)
    return Column(
        pl.Series(tokens, dtype=pl.String), ("nominal", "string"), ({"type": "mask"}, {"type": "suppress"})
    )


def tokens_of(random: Random, rows: int) -> list[str]:
    """Texts of twelve letters that nothing else contains by chance."""
    return ["".join(random.choices("bcdfghjklmnpqrstvwxz", k=12)) for _ in range(rows)]


_MAKERS: tuple[tuple[Callable[[Random, int], Column], int], ...] = (
    (_texts, 6), (_codes, 2), (_small, 4), (_huge, 1), (_floats, 2), (_decimals, 1), (_dates, 2), (_moments, 2), (_times, 1), (_durations, 1),
    (_enum, 2), (_categories, 1), (_booleans, 1), (_one_value, 1), (_unique, 1),
)  # fmt: skip


def _column(random: Random, rows: int, makers: Sequence[Callable[[Random, int], Column]] = ()) -> Column:
    if makers:
        return random.choice(makers)(random, rows)
    return random.choices([maker for maker, _ in _MAKERS], [weight for _, weight in _MAKERS])[0](random, rows)


# Tables


def _rows(random: Random) -> int:
    return random.choices(
        (0, random.randint(1, 4), random.randint(5, 40), random.randint(41, 60)), (1, 3, 86, 10)
    )[0]


def _table(random: Random) -> TableCase:
    rows = _rows(random)
    method = random.choice(METHODS)
    coarse = method == "record-suppression"
    numbers = method in {"top-bottom-coding", "rounding", "rank-swapping"}
    noise = method == "randomization"
    names = iter(_names(random))
    columns: dict[str, Column] = {}
    roles: dict[str, str] = {}
    identifiers = 1 if method == "pseudonyms" else random.choice((0, 1, 1, 2))
    for role, count in (
        ("identifier", identifiers),
        ("quasi", random.randint(1, 2) if coarse else random.randint(1, 4)),
        ("sensitive", random.choice((0, 1, 1, 1, 2))),
        ("insensitive", random.choice((0, 0, 1))),
        ("none", random.choice((0, 0, 0, 1))),
    ):
        for place in range(count):
            name = next(names)
            protected = role in {"quasi", "sensitive"}
            if role == "identifier":
                columns[name] = _unique(random, rows)
            elif noise and protected:
                columns[name] = _column(random, rows, (_small, _small, _texts, _enum, _booleans))
            elif coarse and role == "quasi":
                columns[name] = _column(random, rows, (_booleans, _one_value, _texts))
            elif role == "insensitive" and random.random() < 0.1:
                columns[name] = _sets(random, rows)
            elif numbers and role == "quasi" and not place:
                columns[name] = _small(random, rows)
            else:
                columns[name] = _column(random, rows)
            if role != "none":
                roles[name] = role
    shuffled = random.sample(list(columns), len(columns))
    frame = pl.DataFrame([columns[name].values.alias(name) for name in shuffled])
    kinds, hierarchies, missing = _described(random, columns, roles, noise=noise)
    requirements = (
        [{"type": "pk-anonymity", "k": random.choice((1.1, 1.5, 2))}]
        if noise
        else _requirements(random, frame, roles, kinds, hierarchies)
    )
    options: dict[str, Any] = {"counted": method, "reports": ["public"] if random.random() < 0.02 else []}
    if random.random() < 0.2:
        options["escape_formulas"] = False
    wide = pl.Int128 in frame.dtypes  # no other library has these
    return TableCase(
        frame,
        roles,
        tuple(requirements),
        tuple(_methods(random, method, columns, roles, hierarchies)),
        random.choice(FORMATS),
        kinds,
        hierarchies,
        missing,
        options,
        "polars" if wide else random.choices(("polars", "pandas", "arrow"), (18, 1, 1))[0],
        None if random.random() < 0.2 else (),
    )


def _names(random: Random) -> list[str]:
    plain = [f"c{place}" for place in range(12)]
    if random.random() < 0.8:
        return plain
    odd = random.sample(NAMES, len(NAMES))
    return [*odd, *plain][: len(odd)]


def _described(
    random: Random, columns: dict[str, Column], roles: dict[str, str], *, noise: bool
) -> tuple[dict[str, str], dict[str, dict[str, Any]], dict[str, str]]:
    kinds, hierarchies, missing = {}, {}, {}
    for name, column in columns.items():
        if roles.get(name) not in {"quasi", "sensitive"}:
            continue
        if column.kinds and random.random() < 0.15:
            kinds[name] = random.choice(column.kinds)
        if column.hierarchies and not noise and random.random() < 0.5:
            hierarchies[name] = random.choice(column.hierarchies)
        if random.random() < 0.08:
            missing[name] = "drop"
    return kinds, hierarchies, missing


def _has_order(values: pl.Series, hierarchy: dict[str, Any] | None, kind: str | None) -> bool:
    """Whether anybody can tell the order of the values: where there is a hierarchy, only Sudare knows that of its leaves."""
    if hierarchy is not None and hierarchy["type"] == "order":
        return True
    return hierarchy is None or (kind is None and (values.dtype.is_numeric() or values.dtype.is_temporal()))


def _requirements(
    random: Random,
    frame: pl.DataFrame,
    roles: dict[str, str],
    kinds: dict[str, str],
    hierarchies: dict[str, dict[str, Any]],
) -> list[dict[str, Any]]:
    k = min(random.choice((1, 2, 2, 3, 3, 4, 5)), max(frame.height, 1))
    asked: list[dict[str, Any]] = [{"type": "k-anonymity", "k": k}]
    sensitive = [name for name in frame.columns if roles.get(name) == "sensitive"]
    if not sensitive or not frame.height:
        return asked
    spelling = {"spelling": "exact"} if random.random() < 0.15 else {}
    counts = [_counts(frame[name], exact=bool(spelling)) for name in sensitive]
    if random.random() < 0.5:
        asked.append({"type": "l-diversity", **_diversity(random, counts), **spelling})
    if random.random() < 0.4:
        distances = ["equal"]
        if all(_has_order(frame[name], hierarchies.get(name), kinds.get(name)) for name in sensitive):
            distances.append("ordered")
        if all(hierarchies.get(name, {}).get("type") == "tree" for name in sensitive):
            distances = ["hierarchical"]
        share = random.choice((0.1, 0.2, 0.3, 0.5, 0.8))
        asked.append({"type": "t-closeness", "t": share, "distance": random.choice(distances), **spelling})
    if len(asked) > 1 and random.random() < 0.2:
        asked.pop(0)
    for one in asked:
        if one["type"] != "k-anonymity" and random.random() < 0.2:
            one["sensitive"] = [random.choice(sensitive)]
    return asked


def _counts(values: pl.Series, *, exact: bool) -> Counter[Any]:
    cells = [None if value is None else str(value) for value in values.to_list()]
    return Counter(cells if exact else alike(cells, "numeric" if values.dtype.is_float() else ""))


def _diversity(random: Random, counts: list[Counter[Any]]) -> dict[str, Any]:
    """What the table as one block nearly always meets: otherwise there would be nothing to release."""
    kind = random.choice(("distinct", "distinct", "entropy", "recursive"))
    if kind == "distinct":
        return {"l": random.randint(1, min(4, *map(len, counts))), "kind": kind}
    if kind == "entropy":
        most = min(_effective(one) for one in counts)
        return {"l": round(1 + random.random() * 0.9 * (most - 1), 3), "kind": kind}
    least = min(map(len, counts))
    place = random.randint(1, min(3, least))
    ratio = max(max(one.values()) / sum(sorted(one.values(), reverse=True)[place - 1 :]) for one in counts)
    return {"l": place, "kind": kind, "c": round(ratio * random.choice((1.05, 1.5, 3)) + 0.01, 2)}


def _effective(counts: Counter[Any]) -> float:
    shares = [count / counts.total() for count in counts.values()]
    return math.exp(-sum(share * math.log(share) for share in shares))


def _methods(
    random: Random,
    method: str,
    columns: dict[str, Column],
    roles: dict[str, str],
    hierarchies: dict[str, dict[str, Any]],
) -> list[dict[str, Any]]:
    quasi = [name for name, role in roles.items() if role == "quasi"]
    identifiers = [name for name, role in roles.items() if role == "identifier"]
    numbers = [
        name
        for name, role in roles.items()
        if role in {"quasi", "sensitive"} and columns[name].range and columns[name].values.len()
    ]
    fast = {"effort": "fast"}
    objective = {"objective": random.choice(("loss", "dis", "ncp"))}
    suppression = {"suppression": random.choice((0, 0, 0.1, 0.3))}
    basis: dict[str, dict[str, Any]] = {
        "generalization": {**fast, **objective, **suppression, "cells": random.choice(("hierarchy", "sets"))},
        "mindis": fast,
        "diverdis": fast,
        "full-domain": {**objective, **suppression},
        "mondrian": {"relaxed": random.random() < 0.5},
        "microaggregation": {**fast, "integers": random.random() < 0.5},
        "record-suppression": {"limit": 1.0},
    }
    if method in basis:
        made: dict[str, Any] = {"type": method, **basis[method]}
        if method == "microaggregation" and len(quasi) > 2 and random.random() < 0.2:
            made["strata"] = [quasi[0]]
        return [made]
    if method == "randomization":
        return [_randomization(random, columns, roles)]
    first = random.choice(("mondrian", "mondrian", "generalization", "full-domain", "microaggregation"))
    then = {"type": first, **basis[first]}
    extra: dict[str, Any] = {"type": method}
    if method == "remove-identifiers":
        also = [name for name in columns if roles.get(name) == "insensitive"]
        if identifiers or also:
            extra["columns"] = [*identifiers, *also]
    elif method == "pseudonyms":
        extra |= {"columns": identifiers, "length": random.choice((8, 32, 64))}
    elif method == "top-bottom-coding":
        extra |= {"column": random.choice(numbers or quasi), "bottom": 3, "top": 50}
    elif method == "rounding":
        extra |= {
            "columns": [random.choice(numbers or quasi)],
            "base": random.choice((5, 10, 0.5)),
        }
    elif method == "coarsening":
        extra["levels"] = {random.choice([name for name in quasi if name in hierarchies] or quasi): 1}
    elif method == "value-capping":
        sensitive = [name for name, role in roles.items() if role == "sensitive"]
        extra |= {"column": random.choice(sensitive or quasi), "most": random.choice((3, 8, 20))}
    elif method == "sampling":
        extra |= {"share": random.choice((0.5, 0.8, 1.0))}
    elif method == "rank-swapping":
        extra |= {
            "columns": [random.choice(numbers or quasi)],
            "window": random.choice((0.05, 0.3)),
        }
    elif method == "data-swapping":
        chosen = random.sample(quasi, random.randint(1, len(quasi)))
        extra |= {"columns": chosen, "share": random.choice((0.1, 0.5))}
    late = method in {"remove-identifiers", "pseudonyms", "shuffling", "data-swapping"}
    return [then, extra] if late and random.random() < 0.4 else [extra, then]


def _randomization(random: Random, columns: dict[str, Column], roles: dict[str, str]) -> dict[str, Any]:
    protected = [name for name, role in roles.items() if role in {"quasi", "sensitive"}]
    ranges = {name: list(found) for name in protected if (found := columns[name].range) is not None}
    ordered = [name for name in protected if name in ranges or columns[name].values.dtype == pl.Enum]
    gaps = [name for name in ordered if columns[name].values.null_count()]
    exact = [random.choice(protected)] if len(protected) > 1 and random.random() < 0.1 else []
    # The rate of numbers and ranks that change places with missing ones has no short formula, so their gaps are kept.
    return {
        "type": "randomization",
        "ranges": {name: found for name, found in ranges.items() if name not in exact},
        "exact": exact,
        "missing": "keep" if gaps else random.choice(("category", "category", "keep")),
        "draw": random.choice(("inverse", "retry")),
    }


# Baskets


def _baskets(random: Random) -> BasketCase:
    pools = (*_TEXTS[1:], tuple(f"i{place}" for place in range(9)), tuple(map(str, range(9))))
    items = [item for item in dict.fromkeys(random.choice(pools)) if item and item.strip()]
    items = random.sample(items, min(len(items), random.randint(2, 9)))
    weights = [random.choice((1, 2, 5)) for _ in items]
    count = random.choices((random.randint(1, 4), random.randint(5, 40), random.randint(41, 60)), (1, 17, 2))[
        0
    ]
    baskets = []
    for _ in range(count):
        size = min(random.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8)), len(items))
        baskets.append(tuple(dict.fromkeys(random.choices(items, weights, k=size))))
    if not any(baskets):
        baskets[0] = (items[0],)
    present = sorted({item for basket in baskets for item in basket})
    sensitive: Any = tuple(random.sample(present, random.randint(1, max(1, len(present) // 2))))
    if random.random() < 0.4:
        each = [tuple(random.sample(present, random.randint(0, len(present) // 2))) for _ in baskets]
        sensitive = tuple(each) if any(each) else sensitive
    rho: dict[str, Any] = {
        "type": "rho-uncertainty",
        "rho": random.choice((0.1, 0.3, 0.5, "1/3", "2/3", 0.8, 0, 1)),
    }
    if random.random() < 0.4:
        rho["m"] = random.randint(1, 4)
        if random.random() < 0.3:
            # So small a delta that a lucky draw is not to be expected in all cases together.
            rho |= {"eps": random.choice((0.1, 0.2)), "delta": 1e-9}
    sets: dict[str, Any] = {"type": "km-anonymity", "k": random.randint(1, 5), "m": random.randint(1, 3)}
    options = {"reports": ["public"] if random.random() < 0.02 else []}
    layout = random.choice(LAYOUTS)
    if random.random() < 0.3:
        made: dict[str, Any] = {"type": "item-generalization", "hierarchy": _item_hierarchy(random, present)}
        return BasketCase(tuple(baskets), sensitive, (sets,), (made,), layout, options)
    asked = random.choice(((rho,), (rho,), (rho, sets), (sets,)))
    strategy = random.choice(("default", "paper"))
    made = {"type": "item-suppression", "strategy": strategy}
    return BasketCase(tuple(baskets), sensitive, asked, (made,), layout, options)


def _item_hierarchy(random: Random, items: Sequence[str]) -> dict[str, Any]:
    if random.random() < 0.4:
        return {"type": "suppress", "label": "any"}
    if random.random() < 0.3:
        return {"type": "mask"}
    groups: dict[str, list[str]] = {}
    for item in items:
        groups.setdefault(random.choice(("{a, b}", "G 1", "=g")), []).append(item)
    return {"type": "tree", "mapping": groups}
