"""The sampled estimate of ILD: right on average, and its 95 % interval covers the exact value as often as it says."""

import math
import statistics
from typing import Any

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.measure import information

SEEDS = 250
PAIRS = 2_000
"""Pairs drawn in a run here; the library draws more."""
ROWS = 60
SIGMAS = 4.0
"""A mean of all runs may be this many standard errors off: once in 16,000 tests by chance."""
LEVEL = 0.95
SLACK = 3.5 * math.sqrt(LEVEL * (1 - LEVEL) / SEEDS)
"""Of the share of runs whose interval covers: once in 2,000 tests by chance."""


@pytest.fixture(autouse=True)
def few_pairs(monkeypatch):
    monkeypatch.setattr(information, "SAMPLED_PAIRS", PAIRS)


def table():
    """Numbers with a long tail, texts, and both coarsened."""
    random = np.random.default_rng(3)
    numbers = random.gamma(2.0, 10.0, ROWS).round(1)
    texts = ["".join(random.choice([*"abcd"], random.integers(1, 6))) for _ in range(ROWS)]
    before = pl.DataFrame({"n": numbers, "t": texts})
    return before, before.with_columns((pl.col("n") / 20).round() * 20, pl.col("t").str.slice(0, 2))


CASES: dict[str, Any] = {
    "euclid, p = 3": (sd.distance.Euclid(), ["n"], 3),
    "levenshtein": (sd.distance.Levenshtein(), ["t"], 2),
    "product, p = 1": (None, ["n", "t"], 1),
    "product, infinite order": (sd.distance.Minkowski(math.inf), ["n", "m"], 2),
}


def runs(name):
    distance, columns, p = CASES[name]
    before, after = table()
    before, after = before.with_columns(m=pl.col("n") * -1 + 3), after.with_columns(m=pl.col("n") * -1)
    exact = sd.measure.ild(before, after, distance, columns=columns, p=p)
    sampled = [
        sd.measure.ild(before, after, distance, columns=columns, p=p, largest_pairs=1, seed=seed)
        for seed in range(SEEDS)
    ]
    return exact, sampled


@pytest.mark.parametrize("name", CASES)
def test_sampled_estimates(name):
    exact, sampled = runs(name)
    assert exact.interval is None
    assert {one.way for one in sampled} == {"sampled"}
    for figure in ("before", "after", "value"):
        centered(figure, [getattr(one, figure) for one in sampled], getattr(exact, figure))
    assert abs(covering(sampled, exact.value) - LEVEL) < SLACK


def test_the_interval_of_columns_added_up_is_on_the_safe_side():
    before, after = table()
    distance: dict[str, Any] = {"n": sd.distance.Euclid(), "t": sd.distance.Levenshtein()}
    exact = sd.measure.ild(before, after, distance)
    sampled = [sd.measure.ild(before, after, distance, largest_pairs=1, seed=seed) for seed in range(SEEDS)]
    centered("value", [one.value for one in sampled], exact.value)
    assert covering(sampled, exact.value) > LEVEL - SLACK
    assert {one.columns["n"].way for one in sampled} == {"closed form"}


def test_rows_left_out_are_part_of_the_original():
    """Rows are rarely left out at random: here the largest ones. I(A) is that of all rows, whatever was kept."""
    before = sd.read(pl.DataFrame({"n": [*list(range(25)) * 2, 400, 700, 900]})).describe(quasi=["n"])
    release = sd.anonymize(before, sd.KAnonymity(2), method=sd.SuppressRecords(limit=0.5), seed=1)
    exact = sd.measure.ild(before, release, p=3)
    sampled = [sd.measure.ild(before, release, p=3, largest_pairs=1, seed=seed) for seed in range(SEEDS)]
    for figure in ("before", "after"):
        centered(figure, [getattr(one, figure) for one in sampled], getattr(exact, figure))


def test_a_single_released_row_leaves_no_pair():
    before = sd.read(pl.DataFrame({"t": [*"abcc"]})).describe(quasi=["t"])
    release = sd.anonymize(before, sd.KAnonymity(1), method=sd.Sample(0.01), seed=1)
    assert release.frame.height == 1
    assert float(sd.measure.ild(before, release, sd.distance.Levenshtein(), largest_pairs=1)) == 1


def test_the_same_call_gives_the_same_estimate():
    before, after = table()
    one, same = (sd.measure.ild(before, after, p=3, largest_pairs=1) for _ in range(2))
    assert one.way == "sampled"
    assert one.value == same.value


def test_the_same_seed_gives_the_same_estimate():
    before, after = table()
    one, same, other = (
        sd.measure.ild(before, after, p=1, largest_pairs=1, seed=seed).value for seed in (1, 1, 2)
    )
    assert one == same != other


def centered(figure, values, exact):
    error = statistics.stdev(values) / math.sqrt(len(values))
    mean = statistics.mean(values)
    assert abs(mean - exact) <= SIGMAS * error + 1e-9 * abs(exact), (
        f"{figure}: {mean:.6g} +- {error:.2g} on average, exactly {exact:.6g}"
    )


def covering(sampled, exact):
    return statistics.mean(float(one.interval[0] <= exact <= one.interval[1]) for one in sampled)
