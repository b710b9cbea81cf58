"""The refinement engine: never worse, never too small, the same for a seed, and near the optimum on small cases."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.anonymize.microaggregate.arrays import loss, sse, standardized
from sudare.anonymize.microaggregate.best import refined
from sudare.anonymize.microaggregate.bounds import nearest_bound
from sudare.errors import CancelledError, InfeasibleError, ParameterError

WRONG: Any = "lazy"


def consecutive(rows: int, k: int):
    return np.minimum(np.arange(rows) // k, max(rows // k, 1) - 1)


def partitions(rows: list[int], k: int):
    """Every partition into groups of k … 2k-1 (larger groups are never better)."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for size in range(k, min(2 * k, len(rows) + 1)):
        for others in itertools.combinations(rest, size - 1):
            left = [row for row in rest if row not in others]
            if left and len(left) < k:
                continue
            for more in partitions(left, k):
                yield [[first, *others], *more]


def optimum(X, k: int) -> float:
    best = np.inf
    for groups in partitions(list(range(len(X))), k):
        labels = np.empty(len(X), dtype=np.int64)
        for number, group in enumerate(groups):
            labels[group] = number
        best = min(best, sse(X, labels))
    return best


@settings(max_examples=40, deadline=None)
@given(
    st.integers(4, 9),
    st.integers(1, 3),
    st.integers(2, 3),
    st.integers(0, 10**6),
    st.sampled_from(["normal", "ties", "offset"]),
)
def test_bound_optimum_heuristic(rows, columns, k, seed, kind):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    if kind == "ties":
        X = np.round(X)
    if kind == "offset":
        X = X + 1e6
    least = optimum(X, k)
    start = consecutive(rows, k)
    found = sse(X, refined(X, start, k, moves=20_000).labels)
    scale = 1e-6 * max(1.0, sse(X, np.zeros(rows, dtype=np.int64)))
    assert nearest_bound(X, k) <= least + scale
    assert least <= found + scale
    assert found <= sse(X, start) + scale


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(2, 7), st.integers(0, 10**6), st.booleans())
def test_every_group_keeps_k_and_nothing_gets_worse(rows, k, seed, ties):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    X = random.normal(size=(rows, 2))
    X = np.round(X) if ties else X
    start = consecutive(rows, k)
    labels = refined(X, start, k, moves=5_000, seed=seed).labels
    assert np.bincount(labels).min() >= k
    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))
    assert sse(X, labels) <= sse(X, start) + 1e-9


def test_same_seed_same_result_and_input_untouched():
    X = np.random.default_rng(0).normal(size=(200, 3))
    before, start = X.copy(), consecutive(200, 5)
    kept = start.copy()
    first, again = (refined(X, start, 5, moves=50_000, seed=3).labels for _ in range(2))
    assert np.array_equal(first, again)
    assert np.array_equal(X, before)
    assert np.array_equal(start, kept)
    assert loss(X, first) < loss(X, refined(X, start, 5).labels)


def test_canceling_gives_the_best_so_far():
    class Stops:
        def start(self, phase, total):
            self.phase = phase

        def update(self, done):
            if self.phase == "anneal":
                raise CancelledError

    X = np.random.default_rng(0).normal(size=(300, 3))
    start = consecutive(300, 4)
    stopped = refined(X, start, 4, moves=10**7, progress=Stops())
    assert stopped.canceled
    assert sse(X, stopped.labels) < sse(X, start)
    assert np.bincount(stopped.labels).min() >= 4


def test_best_takes_the_optimum_of_one_column_and_refuses_bad_input():
    x = np.random.default_rng(1).normal(size=50)
    assert np.array_equal(sd.microaggregate.best(x, 3), sd.microaggregate.optimal_1d(x, 3))
    X = np.random.default_rng(1).normal(size=(50, 2))
    for wrong, error in [
        (lambda: sd.microaggregate.best(X, 1), ParameterError),
        (lambda: sd.microaggregate.best(X, 51), InfeasibleError),
        (lambda: sd.microaggregate.best([["a"]], 2), ParameterError),
        (lambda: sd.microaggregate.best(np.where(X > 2, np.nan, X * np.nan), 2), ParameterError),
        (lambda: sd.microaggregate.best(np.zeros((5, 0)), 2), ParameterError),
        (lambda: sd.microaggregate.best(X, 2, WRONG), ParameterError),
        (lambda: sd.microaggregate.best(X, 2, seconds=0), ParameterError),
    ]:
        with pytest.raises(error) as caught:
            wrong()
        assert "\n" not in str(caught.value)


def test_standardized_columns():
    X = np.array([[1.0, 5.0, 1e9], [3.0, 5.0, 1e9 + 2]])
    assert np.allclose(standardized(X), [[-1, 0, -1], [1, 0, 1]])


def test_seconds_limit_the_search():
    X = np.random.default_rng(0).normal(size=(100, 2))
    labels = sd.microaggregate.best(X, 3, seconds=0.2)
    assert np.bincount(labels).min() >= 3


def test_many_records_are_taken_in_the_order_of_a_tree_and_labeled_in_their_own(monkeypatch):
    import importlib

    monkeypatch.setattr(importlib.import_module("sudare.anonymize.microaggregate.best"), "_CACHED", 100)
    X = np.random.default_rng(3).normal(size=(400, 3))
    labels = sd.microaggregate.best(X, 4)
    assert np.bincount(labels).min() >= 4
    assert sd.microaggregate.loss(X, labels) < sd.microaggregate.loss(X, sd.microaggregate.mdav(X, 4))
