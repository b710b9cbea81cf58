"""From k to the parameters of mechanisms and back."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined"

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.errors import InfeasibleError
from sudare.mechanism import (
    Laplace,
    Retention,
    calibrate,
    k_reached,
    rate_for,
    shares,
)

# -- from k to parameters and back ------------------------------------------------------------------------------------


def worst_posterior(matrix, records):
    """The largest probability that one record is the first person's, over all originals and all releases."""
    values = range(matrix.shape[1])
    orders = list(itertools.permutations(range(records)))
    worst = 0.0
    for originals in itertools.combinations_with_replacement(values, records - 1):
        for first in values:
            people = (first, *originals)
            for released in itertools.combinations_with_replacement(range(matrix.shape[0]), records):
                chances = matrix[np.array(released)[np.array(orders)], np.array(people)[None, :]].prod(axis=1)
                if chances.sum() == 0:
                    continue
                held = np.bincount([order[0] for order in orders], chances, records)
                # Equal records cannot be told apart: each is meant by itself.
                worst = max(worst, float(held.max() / chances.sum()))
    return worst


TWO, UNEVEN = Retention(0.4, ("a", "b")), Retention(0.7, ("a", "b"), (0.2, 0.8))


THREE = Retention(0.3, tuple("abc"), (0.5, 0.3, 0.2))


@pytest.mark.parametrize(
    ("mechanism", "records"),
    [*itertools.product((TWO, UNEVEN), (2, 3, 4, 5)), *itertools.product((THREE,), (2, 3, 4))],
)
def test_k_is_the_exact_worst_posterior(mechanism, records):
    worst = worst_posterior(mechanism.matrix(), records)
    assert 1 / worst == pytest.approx(k_reached([mechanism], records), rel=1e-9)


def test_exact_columns_leave_the_records_of_the_smallest_block():
    """Two people of one sex and three of the other, whose sex is released: k is that of two records."""
    joint = np.kron(np.eye(2), TWO.matrix())
    worst = 0.0
    orders = np.array(list(itertools.permutations(range(5))))
    for women in itertools.product((0, 1), repeat=2):
        for men in itertools.product((2, 3), repeat=3):
            people = np.array([*women, *men])
            for released in itertools.product((0, 1), (0, 1), (2, 3), (2, 3), (2, 3)):
                chances = joint[np.array(released)[orders], people[None, :]].prod(axis=1)
                for person in range(5):
                    held = np.bincount(orders[:, person], chances, 5)
                    worst = max(worst, float(held.max() / chances.sum()))
    assert 1 / worst == pytest.approx(k_reached([TWO], 2))


@pytest.mark.parametrize("records", [2, 3])
def test_k_of_two_columns_and_of_rounded_noise(records):
    sex, age = Retention(0.4, ("F", "M")), Laplace(2.0, 0, 2, grid=1)
    points = np.arange(3.0)
    ages = np.stack(
        [age.cumulative(v, points) - age.cumulative(v, points, strict=True) for v in points], axis=1
    )
    joint = np.kron(sex.matrix(), ages)
    reached = 1 / worst_posterior(joint, records)
    assert reached >= k_reached([sex, age], records) * (1 - 1e-9)
    assert reached < k_reached([sex, age], records) * 1.5


STRENGTHS = {
    "laplace": {"low": 0, "high": 120},
    "normal": {"low": -3.5, "high": 1e6},
    "density": {"low": 0, "high": 1, "noise": "logistic"},
    "retention": {"values": tuple("abcde")},
}


@settings(max_examples=40, deadline=None)
@given(
    st.floats(1.001, 1000),
    st.integers(1001, 10**9),
    st.sampled_from(["laplace", "normal", "retention"]),
    st.booleans(),
)
def test_calibration_reaches_k_and_not_more(k, records, kind, missing):
    mechanism = calibrate(kind, rate_for(k, records), **STRENGTHS[kind], missing=missing)
    assert k_reached([mechanism], records) >= k * (1 - 1e-12)
    assert k_reached([mechanism], records) - 1 == pytest.approx(k - 1, rel=1e-6)


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.7, 0.999])
@pytest.mark.parametrize("missing", [False, True])
def test_calibration_of_densities_and_given_distributions(rate, missing):
    for noise in ("logistic", {"name": "t", "shapes": (3,)}, "laplace", "cauchy"):
        mechanism = calibrate("density", rate, low=0, high=120, noise=noise, missing=missing)
        assert mechanism.rate() >= rate * (1 - 1e-12)
        assert mechanism.rate() == pytest.approx(rate, rel=1e-8) or missing
    uneven = calibrate("retention", rate, values=tuple("abc"), distribution=(0.2, 0.3, 0.5))
    assert uneven.rate() >= rate * (1 - 1e-12)
    assert uneven.rate() == pytest.approx(rate, rel=1e-8)


def test_uniform_noise_is_all_or_nothing():
    assert calibrate("uniform", 0.3, low=0, high=9).rate() == 1
    assert calibrate("uniform", 1.0, low=0, high=9, missing=True).flip == 0.5
    assert calibrate("retention", 1.0, values=("a", "b")).keep == 0


def test_budgets():
    assert math.prod(shares(0.02, list("abc")).values()) == pytest.approx(0.02)
    weighted = shares(0.02, list("ab"), {"a": 3})
    assert math.log(weighted["a"]) == pytest.approx(3 * math.log(weighted["b"]))


def test_what_cannot_be_reached_is_said():
    with pytest.raises(InfeasibleError, match="nobody can hide"):
        rate_for(11, 10)
    with pytest.raises(InfeasibleError, match="infinite noise"):
        calibrate("normal", 1.0, low=0, high=1)
    with pytest.raises(InfeasibleError, match="probability 0"):
        calibrate("retention", 0.1, values=("a", "b"), distribution=(0, 1))
