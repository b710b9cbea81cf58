"""The default table is no worse than the released counts, in the mean over the noise, where EM alone would be.

Sizes and thresholds are here. The whole grid is in benchmarks/crosstab_stopping.py.
"""

import math

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.measure.crosstab.fit.contract import Transition, to_original
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.estimate import Options, estimate
from sudare.measure.crosstab.fit.guard import early_steps
from sudare.measure.crosstab.input.transition import interval_matrix
from sudare.mechanism import Laplace, Retention

DRAWS = 12
RECORDS = (30, 1_000)
SIZES = ((5,), (4, 3), (6, 4, 3))
STRENGTHS = (0.001, 0.05, 0.5)
"""Share of replaced values, or scale of the noise in ranges."""
ROOM = 1.01
"""Largest mean total variation over that of the released counts."""
ERRORS = 2.0
"""Standard errors of the mean that are allowed for: in one release of a hundred or so something else is taken by chance."""
BADLY = 1.5
"""What EM without its guard has at least, of the mean total variation of the released counts, with weak noise."""
CLEARLY = 0.6
"""What is left of it at most, where a table can be rebuilt."""
UNGUARDED = Options(guard=False)


def matrix(noise, size, strength):
    if noise == "retention":
        return Retention(keep=1 - strength, values=tuple(range(size))).matrix()
    edges = np.linspace(0, 1, size + 1)
    return interval_matrix(Laplace(scale=strength, low=0, high=1), edges, edges[:-1], edges[1:])


def made(form, noise, sizes, records, strength, seed=0):
    random = np.random.default_rng(seed)
    transition = Transition(tuple(matrix(noise, size, strength) for size in sizes))
    cells = math.prod(sizes)
    shares = {
        "even": np.full(cells, 1 / cells),
        "one cell": np.eye(1, cells, cells // 2)[0],
        "peaked": random.dirichlet(np.full(cells, 0.1)),
    }[form]
    original = random.multinomial(records, shares).astype(float).reshape(transition.original_shape)
    return transition, original, random


def variations(transition, original, random, *ways):
    """Total variation of the released counts, and of each way, one row a draw."""
    found = []
    for _ in range(DRAWS):
        released = draw(transition, original, random)
        tables = [to_original(released), *(estimate(transition, released, way).estimate for way in ways)]
        found.append([np.abs(table - original).sum() / 2 / original.sum() for table in tables])
    return np.array(found)


def means(transition, original, random, *ways):
    return variations(transition, original, random, *ways).mean(axis=0)


@pytest.mark.parametrize("form", ["even", "one cell", "peaked"])
@pytest.mark.parametrize("noise", ["retention", "laplace"])
@pytest.mark.parametrize("sizes", SIZES)
def test_the_mean_is_no_worse_than_that_of_the_released_counts(form, noise, sizes):
    for records in RECORDS:
        for strength in STRENGTHS:
            released, estimated = variations(*made(form, noise, sizes, records, strength), Options()).T
            excess = estimated - ROOM * released
            allowed = ERRORS * excess.std(ddof=1) / math.sqrt(DRAWS)
            assert excess.mean() <= allowed + 1e-12, (records, strength)


def test_weak_noise_keeps_the_released_counts_where_em_would_spoil_them():
    transition, original, random = made("peaked", "retention", (16, 16), 1_000, 0.01)
    released, unguarded, guarded = means(transition, original, random, UNGUARDED, Options())
    assert unguarded > BADLY * released
    assert guarded == released
    counts = draw(transition, original, random)
    found = estimate(transition, counts)
    assert found.kept == 0
    assert found.worst is not None
    assert found.worst > BADLY
    np.testing.assert_array_equal(found.estimate, to_original(counts))


@pytest.mark.parametrize("noise", ["retention", "laplace"])
def test_what_can_be_rebuilt_is(noise):
    transition, original, random = made(
        "peaked", noise, (8, 5), 10_000, 0.3 if noise == "retention" else 0.05
    )
    released, estimated = means(transition, original, random, Options())
    assert estimated <= CLEARLY * released


def test_the_same_release_gives_the_same_table():
    for strength in STRENGTHS:
        transition, original, random = made("peaked", "retention", (4, 3), 300, strength)
        released = draw(transition, original, random)
        one, other = estimate(transition, released), estimate(transition, released)
        np.testing.assert_array_equal(one.estimate, other.estimate)
        assert one.kept == other.kept
        assert one.estimate.sum() == pytest.approx(300)
        assert one.estimate.min() >= 0


def test_early_steps_are_those_of_plain_em():
    transition, original, random = made("peaked", "laplace", (4, 3), 200, 0.2)
    released = draw(transition, original, random)
    whole = np.kron(*transition.matrices)
    x = released.ravel()
    found = early_steps(transition, released)
    marks = (1, 2, 4, 8, 16, 32)
    assert list(found) == [0, *marks]
    for step in range(1, marks[-1] + 1):
        expected = whole @ x
        x = x * (whole.T @ np.divide(released.ravel(), expected, out=np.zeros_like(x), where=expected > 0))
        if step in marks:
            np.testing.assert_allclose(found[step].ravel(), x, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", [UNGUARDED, Options(stop="change"), Options(stop="none", limit=50)])
def test_other_rules_are_not_guarded(options):
    transition, original, random = made("even", "retention", (16, 16), 1_000, 0.01)
    found = estimate(transition, draw(transition, original, random), options)
    assert found.kept is None
    assert found.worst is None


def test_a_table_says_that_the_released_counts_were_kept_and_why():
    random = np.random.default_rng(1)
    frame = pl.DataFrame({name: random.integers(0, 8, 500) for name in "ab"})
    mechanism = Retention(keep=0.99, values=tuple(range(8)))
    table = sd.crosstab(frame, ["a", "b"], mechanisms={"a": mechanism, "b": mechanism}, seed=0)
    assert table.fit.kept == 0
    np.testing.assert_array_equal(table.array(), table.array(figure="released"))
    assert table.fit.iterations == 0
    assert table.stderr.max() > 0
    said = " ".join(table.fit.sentences())
    assert "The released counts were kept as they are" in said
    assert "in trials on tables that may be the original" in said
    assert "G^2" in said
