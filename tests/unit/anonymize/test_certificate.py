"""The certificate: never above the optimum, the linear program's value where it says so, valid whenever it stops."""

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.cases.places import DATA

from sudare.anonymize.microaggregate import certificate
from sudare.anonymize.microaggregate.arrays import sse, standardized
from sudare.anonymize.microaggregate.bounds import nearest_bound
from sudare.anonymize.microaggregate.certificate import Certificate, lower_bound
from sudare.anonymize.microaggregate.mdav import mdav
from sudare.errors import CancelledError, InfeasibleError, ParameterError
from sudare.kernels.points.certificate import price_groups, raise_prices

CASC = DATA / "casc"
KINDS = ["normal", "ties", "duplicates", "constant", "equal", "outlier", "offset"]


def table(rows: int, columns: int, kind: str, seed: int):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    if kind == "ties":
        X = np.round(X)
    if kind == "duplicates":
        X = X[random.integers(0, max(1, rows // 3), size=rows)]
    if kind == "constant":
        X[:, -1] = 7.0
    if kind == "equal":
        X[:] = 0.1
    if kind == "outlier":
        X[0] = 1e4
    if kind == "offset":
        X += 1e6
    return X


def groups_of(rows: int, smallest: int, largest: int):
    for size in range(smallest, min(largest, rows) + 1):
        yield from itertools.combinations(range(rows), size)


def cost(X, group) -> float:
    members = X[list(group)]
    return float(((members - members.mean(axis=0)) ** 2).sum())


def optimum(X, k: int) -> float:
    """Least SSE of all partitions, by dynamic programming over the sets of records."""
    rows = len(X)
    costs = {sum(1 << row for row in group): cost(X, group) for group in groups_of(rows, k, 2 * k - 1)}
    least = {0: 0.0}
    for covered in range(1, 1 << rows):
        first = covered & -covered
        found = [
            least[covered ^ group] + value
            for group, value in costs.items()
            if group & first and group & covered == group and covered ^ group in least
        ]
        if found:
            least[covered] = min(found)
    return least[(1 << rows) - 1]


def program(X, k: int) -> float:
    """Value of the linear program over all groups of k … 2k - 1."""
    groups = list(groups_of(len(X), k, 2 * k - 1))
    serve = np.zeros((len(X), len(groups)))
    for column, group in enumerate(groups):
        serve[list(group), column] = 1.0
    return float(linprog([cost(X, group) for group in groups], A_eq=serve, b_eq=np.ones(len(X))).fun)


def slack(X) -> float:
    """What rounding may do to a sum of squares of these records."""
    return 1e-9 * cost(X, range(len(X))) + 1e-12 * float(np.abs(X).max()) ** 2 * len(X)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.integers(1, 3), st.integers(2, 4), st.sampled_from(KINDS), st.integers(0, 10**6))
def test_below_the_optimum_of_small_tables(rows, columns, k, kind, seed):
    rows = max(rows, k)
    X = table(rows, columns, kind, seed)
    before = X.copy()
    proven = lower_bound(X, k, seconds=20)
    least = optimum(X, k)
    assert 0 <= proven.bound <= least + slack(X)
    assert proven.bound >= nearest_bound(X, k) - slack(X)
    assert proven.bound <= sse(X, mdav(X, k)) + slack(X)
    if proven.method == "exact":
        assert proven.bound == pytest.approx(least, abs=slack(X))
    assert np.array_equal(X, before)


@settings(max_examples=30, deadline=None)
@given(st.integers(6, 10), st.integers(2, 3), st.sampled_from(KINDS), st.integers(0, 10**6))
def test_value_of_the_program_over_all_groups(rows, k, kind, seed):
    """Which also shows that groups of exactly k suffice."""
    X = table(rows, 2, kind, seed)
    proven = lower_bound(X, k, labels=mdav(X, k), seconds=20)
    assert proven.converged
    assert proven.bound == pytest.approx(program(X, k), rel=2e-5, abs=slack(X))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(4, 9), st.integers(2, 4), st.sampled_from(KINDS), st.integers(0, 10**6), st.integers(0, 20)
)
def test_pricing_is_exact_or_says_what_it_left_out(rows, k, kind, seed, limit):
    X = table(rows, 2, kind, seed)
    random = np.random.default_rng(seed)
    prices = random.normal(0.3, 1.0, size=rows)
    wanted = np.array(
        [
            min(cost(X, group) - prices[list(group)].sum() for group in groups_of(rows, k, k) if row in group)
            for row in range(rows)
        ]
    )
    near = nearest_sums(X, k)
    for nodes in (limit, 10**6):
        least, floor = np.full(rows, np.inf), np.empty(rows)
        groups = np.full((rows, k), -1)
        price_groups(X, near, prices, np.arange(rows), nodes, least, floor, groups)
        assert (np.minimum(least, floor) <= wanted + slack(X)).all()
        assert (least >= wanted - slack(X)).all()
    assert least == pytest.approx(wanted, abs=slack(X))
    for row, group in enumerate(groups):
        assert row in group
        assert len(set(group)) == k
        assert cost(X, group) - prices[group].sum() == pytest.approx(least[row], abs=slack(X))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(4, 9), st.integers(2, 4), st.sampled_from(KINDS), st.integers(0, 10**6), st.integers(0, 20)
)
def test_raised_prices_exceed_no_group_of_any_size(rows, k, kind, seed, limit):
    X = table(rows, 2, kind, seed)
    order = np.random.default_rng(seed).permutation(rows)
    prices = np.zeros(rows)
    groups = np.array(
        [[row, *[other for other in range(rows) if other != row][: k - 1]] for row in range(rows)]
    )
    for share in (0.5, 1.0):
        before = prices.copy()
        raise_prices(X, nearest_sums(X, k), prices, order, share, limit, groups)
        assert (prices >= before).all()
        for group in groups_of(rows, k, rows):
            assert prices[list(group)].sum() <= cost(X, group) + slack(X)


def nearest_sums(X, k: int):
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, -1.0)
    ordered = np.sort(squared, axis=1)[:, :k]
    ordered[:, 0] = 0.0
    return np.cumsum(ordered, axis=1)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "equal"])
def test_each_method_is_at_least_the_one_before(kind, monkeypatch):
    X = table(90, 3, kind, 5)
    found = sse(X, mdav(X, 3))
    with monkeypatch.context() as patch:
        patch.setattr(certificate, "_LARGEST_PROGRAM", 0)
        cheap = lower_bound(X, 3)
    full = lower_bound(X, 3, labels=mdav(X, 3))
    assert cheap.method == "ascent"
    assert not cheap.converged
    assert full.converged
    assert nearest_bound(X, 3) - slack(X) <= cheap.bound <= full.bound + slack(X)
    assert full.bound <= found + slack(X)


class Stops:
    """Cancels after some reports."""

    def __init__(self, after: int) -> None:
        self.after = after

    def start(self, phase: str, total: float) -> None:
        assert total > 0

    def update(self, done: float) -> None:
        self.after -= 1
        if self.after < 0:
            raise CancelledError


def test_canceling_gives_the_best_bound_so_far():
    X = table(60, 3, "normal", 1)
    bounds = [lower_bound(X, 4, progress=Stops(after)) for after in (0, 1, 5, 15, 10**6)]
    assert bounds[0].method == "nearest"
    assert bounds[0].bound == pytest.approx(nearest_bound(X, 4))
    assert bounds[-1].converged
    assert not bounds[2].converged
    values = [proven.bound for proven in bounds]
    assert values == sorted(values)


def test_no_time_is_the_nearest_bound():
    X = table(500, 4, "normal", 1)
    proven = lower_bound(X, 3, seconds=1e-9)
    assert (proven.method, proven.converged) == ("nearest", False)
    assert proven.bound == pytest.approx(nearest_bound(X, 3))


def test_long_searches_are_given_up_and_the_bound_holds(monkeypatch):
    X = table(40, 3, "normal", 2)
    monkeypatch.setattr(certificate, "_NODES", 3)
    monkeypatch.setattr(certificate, "_MORE_NODES", 3)
    best = lower_bound(X, 6)
    assert best.method == "ascent"
    monkeypatch.setattr(certificate, "_HARD", 1.0)
    again = lower_bound(X, 6, seconds=2)
    monkeypatch.undo()
    full = lower_bound(X, 6)
    assert best.bound <= again.bound <= full.bound * (1 + 1e-5)


@pytest.mark.parametrize(("rows", "columns"), [(12, 1), (5, 2)])
def test_one_column_and_one_group_are_exact(rows, columns):
    X = table(rows, columns, "normal", 3)
    proven = lower_bound(X, 3)
    assert (proven.method, proven.converged) == ("exact", True)
    assert proven.bound == pytest.approx(optimum(X, 3))


def test_equal_records_cost_nothing():
    assert lower_bound(np.full((20, 2), 3.0), 3) == Certificate(0.0, "exact", converged=True)


def test_gap():
    assert Certificate(200.0, "columns", converged=True).gap(210.0) == pytest.approx(5.0)
    assert Certificate(200.0, "columns", converged=True).gap(200.0) == 0.0
    assert Certificate(0.0, "nearest", converged=False).gap(0.0) == 0.0
    assert Certificate(0.0, "nearest", converged=False).gap(1.0) == float("inf")


def test_mistakes_are_named():
    X = table(9, 2, "normal", 0)
    wrong: Any = 1
    with pytest.raises(ParameterError, match="at least 2"):
        lower_bound(X, wrong)
    with pytest.raises(InfeasibleError, match="fewer than k"):
        lower_bound(X, 10)
    for seconds in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ParameterError, match="seconds"):
            lower_bound(X, 3, seconds=seconds)


@pytest.mark.slow
def test_published_table():
    path = CASC / "census.csv"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    X = standardized(pl.read_csv(path).to_numpy())
    proven = lower_bound(X, 3, seconds=120)
    assert proven.method == "columns"
    assert 100 * proven.bound / float((X * X).sum()) == pytest.approx(4.646, abs=0.001)
