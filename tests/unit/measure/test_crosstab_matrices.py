"""Transition matrices and bins of cross tabulations against quadrature and plain counting."""

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from sudare.errors import ParameterError
from sudare.measure.crosstab.input.attribute import attribute_for
from sudare.measure.crosstab.input.bins import Line, cut, places
from sudare.measure.crosstab.input.transition import interval_matrix, value_matrix
from sudare.mechanism import Laplace, Normal, Retention, Uniform
from sudare.randomness import Randomness

EDGES = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 120.0])


NOISES = {
    "laplace": Laplace(scale=30, low=0, high=120),
    "laplace, narrow": Laplace(scale=0.5, low=0, high=120),
    "laplace, very narrow": Laplace(scale=1e-4, low=0, high=120),
    "laplace, wide": Laplace(scale=1e6, low=0, high=120),
    "laplace, unbounded": Laplace(scale=30, low=0, high=120, bounded=False),
    "laplace, grid": Laplace(scale=30, low=0, high=120, grid=1),
    "normal": Normal(deviation=25, low=0, high=120),
    "uniform": Uniform(half_width=30, low=0, high=120),
}


# Matrices


@pytest.mark.parametrize("name", NOISES)
def test_columns_of_a_matrix_sum_to_1(name):
    matrix = interval_matrix(NOISES[name], EDGES, EDGES[:-1], EDGES[1:])
    assert matrix.shape == (5, 5)
    assert (matrix >= 0).all()
    np.testing.assert_allclose(matrix.sum(axis=0), 1, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", NOISES)
def test_matrices_agree_with_adaptive_quadrature(name):
    mechanism = NOISES[name]
    matrix = interval_matrix(mechanism, EDGES, EDGES[:-1], EDGES[1:])
    reach = getattr(mechanism, "scale", 0) * 40
    for original in range(5):
        low, high = EDGES[original], EDGES[original + 1]
        bends = [edge + shift for edge in EDGES for shift in (-reach, -30, -0.5, 0, 0.5, 30, reach)]
        points = sorted({bend for bend in bends if low < bend < high}) or None
        for released in range(5):

            def chance(v, released=released):
                below = 0.0 if released == 0 else mechanism.cumulative(v, EDGES[released], strict=True)
                above = 1.0 if released == 4 else mechanism.cumulative(v, EDGES[released + 1], strict=True)
                return float(above - below)

            expected = quad(chance, low, high, points=points, epsabs=1e-13, epsrel=1e-13, limit=500)[0] / (
                high - low
            )
            assert matrix[released, original] == pytest.approx(expected, rel=0, abs=1e-10)


def test_the_midpoint_of_an_interval_is_not_enough():
    mechanism = NOISES["laplace, narrow"]
    whole = interval_matrix(mechanism, EDGES, EDGES[:-1], EDGES[1:])
    middle = value_matrix(mechanism, EDGES, (EDGES[:-1] + EDGES[1:]) / 2)
    assert np.abs(whole - middle).max() > 0.01


def test_a_bin_of_whole_numbers_is_the_average_of_its_values():
    mechanism = Laplace(scale=10, low=0, high=9, grid=1)
    series = pl.Series("n", [0, 3, 9, 9])
    attribute = attribute_for(series, mechanism, [0, 4, 9], pieces=1)
    singles = value_matrix(mechanism, np.arange(11.0), np.arange(10.0))
    expected = np.array(
        [
            [singles[:4, :4].sum(0).mean(), singles[:4, 4:].sum(0).mean()],
            [singles[4:, :4].sum(0).mean(), singles[4:, 4:].sum(0).mean()],
        ]
    )
    assert attribute.matrix is not None
    np.testing.assert_allclose(attribute.matrix, expected, atol=1e-12)
    assert attribute.codes.tolist() == [0, 0, 1, 1]


def test_weights_of_pieces_follow_the_data():
    """All originals near the low end of a wide bin: the matrix of that bin is that of its low end."""
    mechanism = Laplace(scale=20, low=0, high=100)
    values = np.full(20_000, 2.0)
    series = pl.Series("n", mechanism.randomize(values, Randomness(1)))
    truth = value_matrix(mechanism, np.array([0.0, 50.0, 100.0]), np.array([2.0]))[:, 0]
    flat = attribute_for(series, mechanism, 2, pieces=1).matrix
    weighted = attribute_for(series, mechanism, 2, pieces=16).matrix
    assert flat is not None
    assert weighted is not None
    assert np.abs(weighted[:, 0] - truth).sum() < 0.5 * np.abs(flat[:, 0] - truth).sum()


def test_missing_and_numbers_are_exchanged():
    mechanism = Laplace(scale=30, low=0, high=120, flip=0.2)
    attribute = attribute_for(pl.Series("n", [1.0, None, 119.0]), mechanism, 3)
    assert attribute.matrix is not None
    np.testing.assert_allclose(attribute.matrix.sum(axis=0), 1)
    np.testing.assert_allclose(attribute.matrix[-1], [0.2, 0.2, 0.2, 0.8])
    np.testing.assert_allclose(attribute.matrix[:-1, -1], 0.2 / 3)
    assert (attribute.labels.to_list()[-1], attribute.codes.tolist()) == (None, [0, 3, 2])


@pytest.mark.parametrize(
    "mechanism", [Laplace(scale=30, low=0, high=120), Retention(keep=0.5, values=(1.0, 119.0))]
)
def test_missing_that_was_kept_stays(mechanism):
    attribute = attribute_for(pl.Series("n", [1.0, None, 119.0]), mechanism, None)
    assert attribute.matrix is not None
    assert attribute.matrix[-1, -1] == 1
    np.testing.assert_allclose(attribute.matrix.sum(axis=0), 1)


def test_ordinal_values():
    values = ("low", "middle", "high")
    mechanism = Laplace(scale=2, low=0, high=2, grid=1, values=values)
    attribute = attribute_for(pl.Series("n", ["high", "low", "high"]), mechanism, None)
    assert (tuple(attribute.labels), attribute.codes.tolist()) == (values, [2, 0, 2])
    assert attribute.matrix is not None
    np.testing.assert_allclose(attribute.matrix, value_matrix(mechanism, np.arange(4.0), np.arange(3.0)))


# Bins


def line(values, dtype=None, low=None, high=None):
    series = pl.Series("n", values, dtype=dtype)
    numbers = series.to_physical().cast(pl.Float64).to_numpy()
    ends = (float(numbers.min()) if low is None else low, float(numbers.max()) if high is None else high)
    return Line("n", series.dtype, numbers, *ends)


def test_bins_are_half_open_and_the_last_is_closed():
    bins = cut(line([0.0, 10.0, 20.0]), [0, 10, 20])
    assert bins.labels.to_list() == ["[0, 10)", "[10, 20]"]
    assert bins.place(np.array([0.0, 9.99, 10.0, 20.0])).tolist() == [0, 0, 1, 1]


def test_what_is_outside_of_given_edges_gets_bins_of_its_own():
    bins = cut(line([0.0, 100.0]), [20, 40, 60])
    assert bins.labels.to_list() == ["[0, 20)", "[20, 40)", "[40, 60)", "[60, 100]"]


def test_bins_by_number_and_by_quantile():
    assert cut(line([0.0, 1.0]), 4).labels.to_list() == [
        "[0, 0.25)",
        "[0.25, 0.5)",
        "[0.5, 0.75)",
        "[0.75, 1]",
    ]
    skewed = line(np.arange(100.0) ** 2)
    bins = cut(skewed, ("quantile", 4))
    assert np.bincount(bins.place(skewed.values)).tolist() == [25, 25, 25, 25]
    assert len(cut(line([3.0, 3.0, 3.0]), ("quantile", 4)).labels) == 1


def test_bins_of_dates():
    days = [dt.date(2024, 1, 1), dt.date(2024, 12, 31)]
    bins = cut(line(days), ["2024-01-01", dt.date(2024, 7, 1), "2024-12-31"])
    assert bins.labels.to_list() == ["[2024-01-01, 2024-07-01)", "[2024-07-01, 2024-12-31]"]


@pytest.mark.parametrize(
    "rule", [[1], [2, 1], [0, 0, 1], ["a", "b"], 0, -3, True, "x", ("quantile", 0), [0, math.inf]]
)
def test_wrong_bins_are_one_sentence(rule):
    with pytest.raises(ParameterError, match=r"[Cc]olumn 'n'"):
        cut(line([0.0, 1.0]), rule)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40, unique=True),
    st.integers(0, 1_000),
    st.booleans(),
)
def test_many_values_are_placed_as_by_a_search(edges, seed, close):
    inner = np.sort(edges) * (1e-12 if close else 1.0)
    random = np.random.default_rng(seed)
    spread = random.uniform(inner[0] - 1, inner[-1] + 1, 20_000)
    values = np.concatenate(
        [spread, inner, np.nextafter(inner, -np.inf), np.nextafter(inner, np.inf), [-np.inf, np.inf, 0.0]]
    )
    np.testing.assert_array_equal(places(inner, values), np.searchsorted(inner, values, side="right"))
