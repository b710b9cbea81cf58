"""Bounds on random tables: equal to all pairs in plain Python, never above the best partition there is."""

# mypy: disable-error-code="arg-type"

import datetime as dt
import math
from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins.bounds import all_pairs

import sudare as sd
from sudare.assess.bounds import distortion as space
from sudare.assess.bounds import feasible, k_bound, l_bound, lower_bound, max_blocks, min_largest_block

GRADES = ["none", "low", "middle", "high"]
LANDS = {
    "Europe": {"West": ["France", "Spain"], "North": ["Norge"]},
    "アジア": ["日本", "한국"],
    "Void": ["Nix"],
}
POOLS: dict[str, tuple[Any, Any]] = {
    "number": ([0, 1, 2, 5, 11, 10**15, 10**15 + 1], pl.Int64),
    "fraction": ([-1e308, -0.5, 0.1, 0.30000000000000004, 0.3, 1e308], pl.Float64),
    "day": ([dt.date(2024, 1, 1) + dt.timedelta(days=days) for days in (0, 1, 31, 400)], pl.Date),
    "grade": (GRADES, pl.Enum(GRADES)),
    "sex": (["F", "M", "*"], pl.String),
    "land": (["France", "Spain", "Norge", "日本", "한국"], pl.String),
    "zip": (["02139", "02140", "02999", "10001", "7"], pl.String),
}
HIERARCHIES: dict[str, Any] = {"land": sd.hierarchy.tree(LANDS), "zip": sd.hierarchy.mask()}
objectives = st.sampled_from(["dis", "loss", "ncp"])


@st.composite
def tables(draw, max_rows=24, names=tuple(POOLS)):
    rows = draw(st.integers(1, max_rows))
    quasi = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
    columns = []
    for name in [*quasi, "ill"]:
        values, dtype = POOLS.get(name, (["flu", "gout", "胃炎", "ok"], pl.String))
        domain = draw(st.lists(st.sampled_from(values), min_size=1, max_size=6))
        domain = [*domain, None] if draw(st.integers(0, 3)) == 0 else domain
        cells = draw(st.lists(st.sampled_from(domain), min_size=rows, max_size=rows))
        columns.append(pl.Series(name, cells, dtype=dtype))
    kinds: dict[str, Any] = {"grade": "ordinal", "number": "numeric", "fraction": "numeric"}
    return sd.read(pl.DataFrame(columns)).describe(
        quasi=quasi,
        sensitive=["ill"],
        kinds={name: kinds[name] for name in quasi if name in kinds},
        hierarchies={name: HIERARCHIES[name] for name in quasi if name in HIERARCHIES},
    )


def cell_cost(table, name, rows, objective):
    """What one cell costs when these rows share the least text that covers them."""
    values = {table.frame[name][row] for row in rows}
    if len(values) == 1:
        return 0.0
    tree, present = table.hierarchy(name), set(table.frame[name].drop_nulls())
    if tree is not None:
        node = tree.lowest_common(tree.leaf_of(pl.Series(name, list(values), dtype=table.frame[name].dtype)))
        leaves, whole = int(tree.leaf_counts[node]), int(tree.leaf_counts[-1])
        return {
            "dis": int(tree.level[node]) / tree.height,
            "loss": (leaves - 1) / max(whole - 1, 1),
            "ncp": leaves / whole,
        }[objective]
    if table.column(name).kind == "ordinal":
        order = sorted(present, key=GRADES.index)
        places = [order.index(value) for value in values if value is not None]
        return 1.0 if None in values else (max(places) - min(places)) / (len(order) - 1)
    if table.column(name).kind in {"numeric", "date"}:
        number = (lambda day: day.toordinal()) if name == "day" else float
        ends = [number(value) / 2 for value in present]
        extent = max(ends) - min(ends)
        if None in values or extent == 0:
            return 1.0 if extent > 0 else 0.0
        return (max(map(number, values)) / 2 - min(map(number, values)) / 2) / extent
    # the measures take `*` for a leaf where it is a value
    return 0.0 if "*" in present or (objective == "loss" and len(present) <= 1) else 1.0


def row_cost(table, rows, objective):
    names = table.names("quasi")
    return sum(cell_cost(table, name, rows, objective) for name in names) / len(names)


def plain_bound(table, target, objective, sensitive=None):
    """Every row against every row."""
    values = None if sensitive is None else table.frame[sensitive].to_list()
    total = 0.0
    for row in range(table.rows):
        nearest: dict[Any, float] = {}
        for other in range(table.rows):
            label = other if values is None else values[other]
            if other != row and (values is None or label != values[row]):
                cost = row_cost(table, [row, other], objective)
                nearest[label] = min(cost, nearest.get(label, math.inf))
        if target > 1:
            total += sorted(nearest.values())[target - 2]
    return total / table.rows


def best_partition(table, complies, objective):
    """The least loss over all partitions into complying blocks, by subsets; None where there is none."""
    rows = table.rows
    best = {0: 0.0}
    for mask in range(1, 1 << rows):
        members = [row for row in range(rows) if mask >> row & 1]
        first, others = members[0], members[1:]
        costs = []
        for size in range(len(others) + 1):
            for chosen in combinations(others, size):
                block = [first, *chosen]
                left = mask & ~sum(1 << row for row in block)
                if complies(block) and left in best:
                    costs.append(len(block) * block_cost(table, tuple(block), objective) + best[left])
        if costs:
            best[mask] = min(costs)
    whole = best.get((1 << rows) - 1)
    return None if whole is None else whole / rows


def block_cost(table, block, objective, cache={}):  # noqa: B006  # costs of one table's blocks
    if cache.get("table") is not table:
        cache.clear()
        cache["table"] = table
    key = block, objective
    if key not in cache:
        cache[key] = row_cost(table, block, objective)
    return cache[key]


@given(tables(), objectives, st.integers(1, 6), st.sampled_from([1, 3, 1500]))
@settings(max_examples=60, deadline=None)
def test_k_bound_is_all_pairs(table, objective, k, largest):
    with mock.patch.object(space, "_LARGEST_TABLE", largest):  # wide columns too
        found = k_bound(table, k, objective=objective)
        assert found.exact
        if table.rows < k:
            assert found.value == 1
            return
        assert found.value == pytest.approx(plain_bound(table, k, objective), abs=1e-12)
        assert found.value == pytest.approx(all_pairs(table, k, objective=objective).mean(), abs=1e-12)


@given(tables(), objectives, st.sampled_from([1, 1.5, 2, 2.7, 3, 4]), st.sampled_from([1, 3, 1500]))
@settings(max_examples=60, deadline=None)
def test_l_bound_is_all_pairs(table, objective, l, largest):  # noqa: E741  # the name in the field
    with mock.patch.object(space, "_LARGEST_TABLE", largest):
        found = l_bound(table, l, "ill", objective=objective)
        if table.frame["ill"].n_unique() < l:
            assert found.value == 1
            return
        assert found.value == pytest.approx(plain_bound(table, math.ceil(l), objective, "ill"), abs=1e-12)
        assert found.value == pytest.approx(
            all_pairs(table, math.ceil(l), "ill", objective=objective).mean(), abs=1e-12
        )


@given(tables(max_rows=7), objectives, st.integers(1, 3), st.sampled_from([1, 2, 2.5, 3]))
@settings(max_examples=25, deadline=None)
def test_no_partition_is_below(table, objective, k, l):  # noqa: E741  # the name in the field
    values = table.frame["ill"].to_list()

    def complies(block):
        counts = np.unique([str(values[row]) for row in block], return_counts=True)[1] / len(block)
        return len(block) >= k and math.exp(-(counts * np.log(counts)).sum()) >= l * (1 - 1e-9)

    best = best_partition(table, complies, objective)
    both = [sd.KAnonymity(k), sd.LDiversity(l, kind="entropy")]
    bound = lower_bound(table, both, objective=objective)
    single = [lower_bound(table, [one], objective=objective).value for one in both]
    assert bound.value >= max(single) - 1e-12
    if best is not None:
        assert bound.value <= best + 1e-9


@given(tables(max_rows=40), st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_no_release_is_below(table, k):
    """On the scale of the measures, whatever the kinds of the columns."""
    if table.rows < k or "fraction" in table.names("quasi"):
        return  # the measures do not bear a range of 2e308
    release = sd.anonymize(table, sd.KAnonymity(k), method=sd.Mondrian(), seed=1)
    for objective, measured in (("dis", sd.measure.dis), ("loss", sd.measure.loss), ("ncp", sd.measure.gcp)):
        assert k_bound(table, k, objective=objective).value <= measured(table, release) + 1e-9


@given(tables(max_rows=40), objectives, st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_less_budget_never_says_more(table, objective, budget):
    for asked in (sd.KAnonymity(min(3, table.rows)), sd.LDiversity(min(2, table.frame["ill"].n_unique()))):
        whole = lower_bound(table, [asked], objective=objective)
        weaker = lower_bound(table, [asked], objective=objective, budget=budget)
        assert whole.exact
        assert weaker.value <= whole.value + 1e-12
        assert weaker.exact is ("budget" not in weaker.explanation)
        if weaker.exact:
            assert weaker == whole


counts = st.lists(st.integers(0, 40), min_size=1, max_size=9)


@given(counts, st.integers(1, 6))
def test_most_blocks_is_the_largest_that_fills(given_counts, l):  # noqa: E741  # the name in the field
    fits = [
        blocks
        for blocks in range(1, sum(given_counts) + 1)
        if sum(min(n, blocks) for n in given_counts) >= l * blocks
    ]
    assert max_blocks(given_counts, l) == max(fits, default=0)
    assert feasible(given_counts, l) is (bool(fits) or not any(given_counts))
    if fits:
        assert min_largest_block(given_counts, l) == math.ceil(sum(given_counts) / max(fits))


@given(counts, st.floats(1, 8))
def test_smallest_largest_block_by_entropy(given_counts, l):  # noqa: E741  # the name in the field
    positive = [n for n in given_counts if n]
    total = sum(positive)
    entropy = -sum(n / total * math.log(n / total) for n in positive)
    if not positive or abs(entropy - math.log(l)) < 1e-6:
        return
    assert feasible(given_counts, l, "entropy") is (entropy > math.log(l))
    if entropy < math.log(l):
        return

    def reached(a):
        """As printed in the theorem."""
        high = -sum(n / total * math.log(n / total) for n in positive if n > total / a)
        return high + math.log(a) / total * sum(n for n in positive if n <= total / a)

    block = min_largest_block(given_counts, l, "entropy")
    assert reached(block) >= math.log(l) - 1e-8
    assert block == 1 or reached(block - 1) < math.log(l) + 1e-8
