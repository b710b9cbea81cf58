"""One column: the optimum against all partitions of sorted data, MIL against its plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.anonymize.microaggregate.arrays import sse
from sudare.anonymize.microaggregate.one_column import mil, mil_with_count, optimal_1d, sorted_start
from sudare.errors import InfeasibleError, ParameterError


def best_of_all(values, k):
    """Least SSE over all partitions of the sorted values into consecutive groups of at least k."""
    ordered = np.sort(values)
    best = {0: 0.0}
    for stop in range(1, len(ordered) + 1):
        found = [
            best[start] + ((ordered[start:stop] - ordered[start:stop].mean()) ** 2).sum()
            for start in best
            if stop - start >= k
        ]
        if found:
            best[stop] = min(found)
    return best[len(ordered)]


def plain_mil(ordered, sizes, k):
    """Algorithm 1 of the paper, word by word."""
    borders = np.concatenate([[0], np.cumsum(sizes)])
    tests, flag = 0, True
    while flag:
        flag = False
        for i in range(len(sizes) - 1):
            while True:
                one = ordered[borders[i] : borders[i + 1]]
                two = ordered[borders[i + 1] : borders[i + 2]]
                if len(one) <= k:
                    break
                tests += 1
                n, m, x = len(one) - 1, len(two), one[-1]
                if -(n + 1) / n * (x - one.mean()) ** 2 + m / (m + 1) * (x - two.mean()) ** 2 >= 0:
                    break
                borders[i + 1] -= 1
                flag = True
            while True:
                one = ordered[borders[i] : borders[i + 1]]
                two = ordered[borders[i + 1] : borders[i + 2]]
                if len(two) <= k:
                    break
                tests += 1
                n, m, x = len(one), len(two) - 1, two[0]
                if -n / (n + 1) * (x - one.mean()) ** 2 + (m + 1) / m * (x - two.mean()) ** 2 <= 0:
                    break
                borders[i + 1] += 1
                flag = True
    return np.repeat(np.arange(len(sizes)), np.diff(borders)), tests


def random_start(rng, n, k):
    sizes = []
    while n >= 2 * k:
        sizes.append(int(rng.integers(k, min(3 * k, n - k) + 1)))
        n -= sizes[-1]
    return [*sizes, n]


def test_optimum_is_the_best_of_all_partitions():
    rng = np.random.default_rng(1)
    for n, k in [(2, 2), (3, 2), (4, 2), (9, 3), (25, 4), (40, 7)]:
        values = rng.lognormal(size=n)
        labels = optimal_1d(values, k)
        assert np.bincount(labels).min() >= k
        assert sse(values[:, None], labels) == pytest.approx(best_of_all(values, k))


def test_mil_does_what_the_paper_says_and_counts_its_tests():
    rng = np.random.default_rng(2)
    for _ in range(50):
        n, k = int(rng.integers(4, 120)), int(rng.integers(2, 8))
        if n < k:
            continue
        values = rng.normal(size=n)
        ordered = np.sort(values)
        sizes = random_start(rng, n, k)
        expected, tests = plain_mil(ordered, sizes, k)
        labels, counted = mil_with_count(ordered, k, np.repeat(np.arange(len(sizes)), sizes))
        assert np.array_equal(labels, expected)
        assert counted == tests


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, 3.5, 100.0]) | st.floats(-5, 5), min_size=2, max_size=60),
    st.integers(2, 6),
    st.sampled_from([0.0, 1e9, -1e12]),
)
def test_mil_lies_between_its_start_and_the_optimum(values, k, shift):
    if len(values) < k:
        return
    x = (np.array(values) + shift)[:, None]
    start = np.minimum(np.arange(len(x)) // k, len(x) // k - 1)
    labels = mil(x, k, start)
    assert np.bincount(labels).min() >= k
    room = 1e-9 * (1.0 + float(((x - x.mean()) ** 2).sum()))
    assert sse(x, labels) <= sse(x, sorted_start(x, k, start)) + room
    assert sse(x, optimal_1d(x, k)) <= sse(x, labels) + room


def test_data_far_from_zero_gives_the_same_groups():
    values = np.round(np.random.default_rng(3).normal(size=300) * 1024) / 1024
    for method in (optimal_1d, mil):
        assert np.array_equal(method(values, 5), method(values + 1e9, 5))


def test_constant_column_ends():
    assert np.bincount(mil(np.ones(11), 3)).min() >= 3
    assert np.bincount(optimal_1d(np.ones(11), 3)).min() >= 3


def test_the_input_stays_as_it_was_and_order_does_not_matter():
    rng = np.random.default_rng(4)
    values = rng.normal(size=200)
    kept = values.copy()
    shuffle = rng.permutation(200)
    for method in (optimal_1d, mil):
        one, two = method(values, 4), method(values[shuffle], 4)
        assert sse(values[:, None], one) == pytest.approx(sse(values[shuffle][:, None], two))
    assert np.array_equal(values, kept)


@pytest.mark.parametrize("method", [optimal_1d, mil])
def test_mistakes_get_one_sentence(method):
    with pytest.raises(ParameterError, match="2 columns"):
        method(np.zeros((5, 2)), 2)
    with pytest.raises(ParameterError, match="at least 2 records"):
        method(np.zeros(5), 1)
    with pytest.raises(InfeasibleError, match="fewer than k"):
        method(np.zeros(5), 6)
    with pytest.raises(ParameterError, match="finite"):
        method([1.0, np.nan, 2.0], 2)


def test_the_experiment_in_small():
    pytest.importorskip("sudare.anonymize.microaggregate.mdav", reason="MDAV is not there yet")
    pytest.importorskip("sudare.anonymize.microaggregate.vmdav", reason="V-MDAV is not there yet")
    from sudare.experiments.mil import mil as experiment

    outcome = experiment(datasets=1, sizes=(60,), seeds=1, largest_k=5, drawn_seeds=2)
    assert outcome.checks[0].holds
    assert outcome.checks[1].holds
    assert all("room: " in check.sentence for check in outcome.checks[2:])
    spread = outcome.tables["spread"]
    assert spread["seeds"].to_list() == [2] * 6
    assert (spread["least_of_all"] <= spread["least"]).all()
    listed = outcome.printed["Published figures outside the spread of our 1 seeds"]
    assert listed.height == spread.filter(~spread["within"]).height
    assert set(listed["why"]) <= {"other draws", "unexplained"}
    assert all(figure.caption.endswith(".") for figure in outcome.figures.values())
    assert outcome.tables["losses"].height == 2 * 49
    assert outcome.tables["tests"].height == 2 * 4


def test_a_start_must_be_a_k_partition_of_the_records():
    with pytest.raises(ParameterError, match="one group number for each"):
        mil(np.arange(5.0), 2, [0, 0, 1])
    with pytest.raises(ParameterError, match="fewer than k"):
        mil(np.arange(5.0), 2, [0, 0, 0, 0, 1])
