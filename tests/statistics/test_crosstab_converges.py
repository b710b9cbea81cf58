"""Reconstructed tables: never worse than the released counts, better with more records, errors as large as they say.

Sizes and thresholds are here. Tables and noise are made as in the measurements of Ikarashi et al.: the noise of k-fold
anonymity among |R| records, shared equally by the attributes.
"""

import math

import numpy as np
import pytest

from sudare.measure.crosstab.fit.accuracy import accuracy_of
from sudare.measure.crosstab.fit.contract import Transition, to_original
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.estimate import DEFAULT, Options, estimate
from sudare.measure.crosstab.fit.inverse import invert
from sudare.measure.crosstab.fit.iterate import allowed_deviations
from sudare.measure.crosstab.input.transition import interval_matrix
from sudare.mechanism import Laplace, Retention

SEEDS = 4
K = (2, 10)
RECORDS = (1_000, 30_000, 1_000_000)
SHAPES = ((8, 5), (6, 4, 3), (12, 8, 4))
ROOM = 1.03
"""Largest total variation of the estimate over that of the released counts, on average over the seeds."""
LARGE_ROOM = 0.75
"""The same with a million records and retention."""
COVERED = 0.9
"""Least share of cells inside their 95 % interval."""
TRUSTED = (0.6, 1.6)
"""Root mean square of (estimate - original) / standard error, where many records are there."""


def matrix(kind, size, rate):
    if kind == "retention":
        root = math.sqrt(rate)
        return Retention(keep=(1 - root) / (1 + (size - 1) * root), values=tuple(range(size))).matrix()
    edges = np.linspace(0, 1, size + 1)
    return interval_matrix(Laplace(scale=-2 / math.log(rate), low=0, high=1), edges, edges[:-1], edges[1:])


def shares(kind, shape, random):
    """Independent attributes, a few smooth hills, a mixture of both, or peaks anywhere."""
    if kind == "peaked":
        return random.dirichlet(np.full(math.prod(shape), 0.1)).reshape(shape)
    independent = np.ones(())
    for size in shape:
        independent = np.multiply.outer(independent, random.dirichlet(np.ones(size)))
    grid = np.meshgrid(*(np.linspace(0, 1, size) for size in shape), indexing="ij")
    hills = np.zeros(shape)
    for _ in range(4):
        center, width = random.random(len(shape)), 0.1 + 0.2 * random.random(len(shape))
        parts = zip(grid, center, width, strict=True)
        hills += random.random() * np.exp(-sum((axis - c) ** 2 / (2 * w**2) for axis, c, w in parts))
    share = {"independent": 1.0, "mixed": 0.7, "hills": 0.0}[kind]
    return share * independent + (1 - share) * hills / hills.sum()


def made(kind, noise, shape, records, k, seed):
    random = np.random.default_rng(seed)
    rate = ((k - 1) / (records - 1)) ** (1 / len(shape))
    transition = Transition(tuple(matrix(noise, size, rate) for size in shape))
    truth = random.multinomial(records, shares(kind, shape, random).ravel()).astype(float)
    original = truth.reshape(transition.original_shape)
    return transition, original, draw(transition, original, random)


def variation(one, other):
    return float(np.abs(one - other).sum()) / 2 / other.sum()


def errors(kind, noise, shape, records, k, options=DEFAULT):
    """Mean total variation of estimate and released counts."""
    found = []
    for seed in range(SEEDS):
        transition, original, released = made(kind, noise, shape, records, k, seed)
        estimated = estimate(transition, released, options).estimate
        found.append((variation(estimated, original), variation(to_original(released), original)))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("noise", ["retention", "laplace"])
@pytest.mark.parametrize("kind", ["independent", "mixed", "hills"])
def test_never_worse_than_the_released_counts_and_better_with_more_records(noise, kind):
    for shape in SHAPES:
        for k in K:
            last = math.inf
            for records in RECORDS:
                estimated, released = errors(kind, noise, shape, records, k)
                assert estimated <= ROOM * released, (shape, k, records, estimated, released)
                assert estimated < ROOM * last, (shape, k, records)
                last = estimated
            if noise == "retention":
                assert estimated <= LARGE_ROOM * released


def test_convergence_overfits_and_the_default_does_not():
    """The trap in Ikarashi et al.: EM run to its end is worse than the released counts."""
    overfitted, released = errors(
        "hills", "retention", (12, 8, 4), 30_000, 10, Options("none", "released", consistent=False, limit=300)
    )
    stopped, _ = errors("hills", "retention", (12, 8, 4), 30_000, 10)
    assert stopped < released < overfitted


def test_fixed_noise_and_more_records_lead_to_the_original():
    random = np.random.default_rng(0)
    transition = Transition((matrix("retention", 5, 0.05), matrix("laplace", 4, 0.05)))
    wanted = shares("mixed", (5, 4), random)
    found = []
    for records in (3_000, 300_000, 30_000_000):
        original = (
            random.multinomial(records, wanted.ravel()).astype(float).reshape(transition.original_shape)
        )
        found.append(variation(estimate(transition, draw(transition, original, random)).estimate, original))
    assert found[0] > 1.5 * found[1] > 1.5**2 * found[2]
    assert found[2] < 0.05


@pytest.mark.parametrize("noise", ["retention", "laplace"])
def test_intervals_hold_whatever_the_original(noise):
    inside = []
    for seed in range(20):
        transition, original, released = made("hills", noise, (4, 3), 20_000, 2, seed)
        inverse = invert(transition, released)
        assert inverse is not None
        inside.append(np.abs(inverse[0] - original) <= 1.96 * inverse[1])
    assert np.mean(inside) >= COVERED


def test_standard_errors_are_as_large_as_the_errors():
    ratios = []
    for seed in range(6):
        transition, original, released = made("mixed", "retention", (5, 4), 1_000_000, 2, seed)
        found = estimate(transition, released)
        error = accuracy_of(transition, released, found, Options(), 30, seed=seed).error
        ratios.append((found.estimate - original) / np.maximum(error, 1.0))
    assert TRUSTED[0] <= math.sqrt(np.mean(np.square(ratios))) <= TRUSTED[1]


def test_rehearsals_find_how_much_better_than_chance_to_fit():
    """With many records in a cell EM may go on; seeds that had no part in choosing the rule's constants."""
    gains = []
    for seed in range(300, 304):
        transition, original, released = made("peaked", "retention", (8, 8, 4), 1_000_000, 2, seed)
        usual = Options(deviations=allowed_deviations(transition, 1_000_000), guard=False)
        found = estimate(transition, released, Options(guard=False))
        assert found.deviations < -2
        before = variation(estimate(transition, released, usual).estimate, original)
        gains.append(variation(found.estimate, original) / before)
        np.testing.assert_array_equal(
            found.estimate, estimate(transition, released, Options(guard=False)).estimate
        )
        guarded = estimate(transition, released)  # may go on to EM from the released counts
        assert variation(guarded.estimate, original) <= 1.02 * variation(found.estimate, original)
    assert np.mean(gains) < 0.97
    assert max(gains) < 1.02


def test_few_records_are_not_rehearsed():
    transition, _, released = made("hills", "retention", (8, 8, 4), 300, 2, 1)
    usual = Options(deviations=allowed_deviations(transition, 300))
    np.testing.assert_array_equal(
        estimate(transition, released).estimate, estimate(transition, released, usual).estimate
    )
