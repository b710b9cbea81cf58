"""Contraction, EM, inversion and raking against plain twins."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.measure.crosstab.fit.contract import Transition, to_original
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.estimate import Options, estimate, rake
from sudare.measure.crosstab.fit.inverse import invert
from sudare.measure.crosstab.fit.iterate import iterate
from sudare.measure.crosstab.fit.misfit import expected_misfit, misfit


def tables(seed, sizes=(4, 3, 5), exact=1, records=2_000):
    """A transition, a made-up original table and its release."""
    random = np.random.default_rng(seed)
    transition = Transition(tuple(random_matrix(random, size) for size in sizes), exact)
    shares = random.dirichlet(np.ones(transition.cells))
    original = random.multinomial(records, shares).astype(float).reshape(transition.original_shape)
    return transition, original, draw(transition, original, random)


def random_matrix(random, size):
    return 0.5 * np.eye(size) + 0.5 * random.dirichlet(np.ones(size), size).T


def kronecker(transition):
    """The whole matrix, released layout x original layout."""
    whole = np.eye(1)
    for matrix in transition.matrices:
        whole = np.kron(whole, matrix)
    cells = math.prod(matrix.shape[1] for matrix in transition.matrices)
    full = np.zeros((transition.exact * len(whole), cells * transition.exact))
    for place in range(transition.exact):
        full[place * len(whole) : (place + 1) * len(whole), place :: transition.exact] = whole
    return full


# Contraction, EM, inversion


@pytest.mark.parametrize("sizes", [(3,), (4, 3), (4, 3, 5), (2, 3, 2, 2)])
@pytest.mark.parametrize("exact", [1, 3])
def test_one_contraction_an_attribute_is_the_kronecker_product(sizes, exact):
    transition, original, released = tables(0, sizes, exact)
    whole = kronecker(transition)
    np.testing.assert_allclose(transition.forward(original).ravel(), whole @ original.ravel())
    np.testing.assert_allclose(transition.backward(released).ravel(), whole.T @ released.ravel())


def test_em_is_its_plain_twin():
    transition, _, released = tables(1)
    whole, y = kronecker(transition), released.ravel()
    x = to_original(released).ravel()
    for _ in range(30):
        x = x * (whole.T @ (y / (whole @ x)))
    found = iterate(transition, released, to_original(released), stop="none", limit=30, accelerate=False)
    np.testing.assert_allclose(found.estimate.ravel(), x, rtol=1e-9)
    assert found.steps == 30


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([5, 200, 50_000]))
def test_em_never_lowers_the_likelihood_and_keeps_the_totals(seed, accelerate, records):
    transition, _, released = tables(seed, (4, 3), 2, records)
    start = to_original(released) + 1e-3
    likelihoods: list[float] = []
    found = iterate(
        *(transition, released, start),
        stop="none",
        limit=100,
        accelerate=accelerate,
        visit=lambda place: likelihoods.append(place.likelihood),
    )
    assert (np.diff(likelihoods) >= -1e-9 * abs(likelihoods[0])).all()
    assert (found.estimate >= 0).all()
    assert found.estimate.sum() == pytest.approx(records)


def test_acceleration_reaches_no_less_likelihood_in_as_many_steps():
    transition, _, released = tables(2, (8, 6), 1, 100_000)
    start = np.ones(transition.original_shape)
    fast: list[float] = []
    slow: list[float] = []
    for accelerate, likelihoods in ((True, fast), (False, slow)):

        def visit(place, likelihoods=likelihoods):
            likelihoods.append(place.likelihood)

        iterate(transition, released, start, stop="none", limit=300, accelerate=accelerate, visit=visit)
    assert fast[-1] >= slow[-1] - 1e-6 * abs(slow[-1])


def test_inversion_is_its_plain_twin_with_the_right_error():
    transition, original, released = tables(3, (3, 2), 2, 400)
    found = invert(transition, released)
    assert found is not None
    inverse = np.linalg.inv(kronecker(transition))
    np.testing.assert_allclose(found[0].ravel(), inverse @ released.ravel())
    random = np.random.default_rng(0)
    drawn = np.array([inverse @ draw(transition, original, random).ravel() for _ in range(4_000)])
    whole = kronecker(transition)
    variance = inverse**2 @ (whole @ original.ravel()) - original.ravel()
    np.testing.assert_allclose(drawn.mean(axis=0), original.ravel(), atol=4 * np.sqrt(variance.max() / 4_000))
    np.testing.assert_allclose(drawn.std(axis=0), np.sqrt(variance), rtol=0.08)


def test_a_matrix_that_cannot_be_inverted_has_no_inverse():
    transition = Transition((np.full((3, 3), 1 / 3),))
    assert invert(transition, np.array([[5.0, 3.0, 2.0]])) is None


def test_expected_misfit_is_the_mean_misfit():
    random = np.random.default_rng(0)
    means = np.array([0.01, 0.3, 1.0, 4.0, 30.0, 100.0])
    drawn = random.poisson(means, (100_000, 6))
    parts = 2 * np.where(drawn > 0, drawn * np.log(np.maximum(drawn, 1) / means), 0.0) - 2 * (drawn - means)
    np.testing.assert_allclose(expected_misfit(means) + 1, parts.mean(axis=0).sum(), rtol=0.01)
    assert misfit(np.array([3.0, 5.0]), np.array([3.0, 5.0])) == 0


def test_raking_reaches_the_margins():
    random = np.random.default_rng(0)
    table, wanted = random.random((4, 3, 2)), random.random((4, 3, 2))
    margins = [wanted.sum(axis=tuple(a for a in range(3) if a != axis)) for axis in range(3)]
    kept = table.copy()
    raked = rake(table, margins)
    for axis, margin in enumerate(margins):
        np.testing.assert_allclose(raked.sum(axis=tuple(a for a in range(3) if a != axis)), margin, rtol=1e-6)
    np.testing.assert_array_equal(table, kept)


@pytest.mark.parametrize("stop", ["fit", "change", "none"])
@pytest.mark.parametrize("start", ["margins", "released"])
def test_every_rule_ends(stop, start):
    transition, original, released = tables(4)
    found = estimate(transition, released, Options(stop, start, limit=200))
    assert found.estimate.sum() == pytest.approx(original.sum())
    assert found.steps <= 202
