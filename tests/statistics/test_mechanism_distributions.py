"""Every mechanism draws from the distribution it claims: Kolmogorov-Smirnov and chi-squared, sizes in one place."""

# mypy: disable-error-code="arg-type, call-arg"

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sudare.mechanism import Density, Laplace, Normal, Retention, Uniform
from sudare.randomness import Randomness


@dataclass(frozen=True)
class Sizes:
    """How much is drawn, and from which p-value on a deviation counts as one; seeds are fixed, so nothing is flaky."""

    draws: int = 20_000
    retry_draws: int = 4_000
    least_p: float = 1e-4
    power_p: float = 1e-9
    """What a wrong distribution must fall below, so that the test could notice one."""


SIZES = Sizes()
LOW, HIGH = -20.0, 100.0
WIDTH = HIGH - LOW
MECHANISMS: dict[str, Any] = {
    **{
        f"laplace {scale:g}": Laplace(scale * WIDTH, LOW, HIGH)
        for scale in (1e-6, 1e-3, 0.05, 0.4, 3, 1e3, 1e6)
    },
    **{f"normal {scale:g}": Normal(scale * WIDTH, LOW, HIGH) for scale in (1e-6, 0.05, 0.4, 3, 1e6)},
    **{f"uniform {scale:g}": Uniform(scale * WIDTH, LOW, HIGH) for scale in (1e-6, 0.3, 0.7, 1, 1e6)},
    "logistic": Density(stats.logistic(scale=30), LOW, HIGH),
    "cauchy": Density(stats.cauchy(scale=5), LOW, HIGH),
    "t": Density(stats.t(4, scale=60), LOW, HIGH),
    "unbounded laplace": Laplace(40, LOW, HIGH, bounded=False),
}
ORIGINALS = (LOW, LOW + 1e-7, 3.0, LOW + WIDTH / 2, 99.5, HIGH)


def p_value(mechanism, original, random, count, draw="inverse"):
    released = mechanism.randomize(np.full(count, original), random, draw=draw)
    return stats.kstest(released, lambda x: mechanism.cumulative(original, x)).pvalue


@pytest.mark.parametrize("original", ORIGINALS)
@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_draws_follow_the_distribution_function(mechanism, original):
    assert p_value(mechanism, original, Randomness(17), SIZES.draws) > SIZES.least_p


@pytest.mark.parametrize("name", ["laplace 0.05", "laplace 3", "normal 0.4", "uniform 0.7", "logistic"])
@pytest.mark.parametrize("original", [LOW, 3.0, HIGH])
def test_retries_follow_it_too(name, original):
    assert p_value(MECHANISMS[name], original, Randomness(18), SIZES.retry_draws, "retry") > SIZES.least_p


def test_secure_draws_follow_it_too():
    """Without a seed: fails once in ten thousand runs by chance, so it may try again."""
    tries = [p_value(MECHANISMS["laplace 0.4"], 3.0, Randomness(), SIZES.draws) for _ in range(2)]
    assert max(tries) > SIZES.least_p


@pytest.mark.parametrize("original", [LOW, 3.0, HIGH])
@pytest.mark.parametrize(
    "name", ["laplace 0.05", "laplace 0.4", "normal 0.4", "uniform 0.7", "uniform 1", "cauchy"]
)
def test_rounded_draws_follow_their_steps(name, original):
    mechanism = replace(MECHANISMS[name], grid=10.0)
    points = np.arange(LOW, HIGH + 5, 10.0)
    released = mechanism.randomize(np.full(SIZES.draws, original), Randomness(19))
    chances = mechanism.cumulative(original, points) - mechanism.cumulative(original, points, strict=True)
    counts = np.array([(released == point).sum() for point in points])
    assert counts.sum() == SIZES.draws
    assert (counts[chances == 0] == 0).all()
    drawn = chances * SIZES.draws >= 5
    expected = np.append(chances[drawn], chances[~drawn].sum()) * SIZES.draws
    found = np.append(counts[drawn], counts[~drawn].sum())
    keep = expected > 0
    assert stats.chisquare(found[keep], expected[keep]).pvalue > SIZES.least_p


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.95])
@pytest.mark.parametrize("distribution", [None, (0.1, 0.2, 0.3, 0.4)])
def test_replacement_follows_its_matrix(keep, distribution):
    mechanism = Retention(keep, tuple("abcd"), distribution)
    codes = np.arange(SIZES.draws) % 4
    released = mechanism.randomize(codes, Randomness(20)).astype(int)
    counts = np.bincount(released * 4 + codes, minlength=16).reshape(4, 4)
    expected = mechanism.matrix() * np.bincount(codes, minlength=4)[None, :]
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert stats.chi2(12).sf(statistic) > SIZES.least_p


def test_a_slightly_wrong_scale_would_be_noticed():
    right, wrong = Laplace(0.4 * WIDTH, LOW, HIGH), Laplace(0.5 * WIDTH, LOW, HIGH)
    released = right.randomize(np.full(SIZES.draws, LOW), Randomness(21))
    assert stats.kstest(released, lambda x: wrong.cumulative(LOW, x)).pvalue < SIZES.power_p


def test_columns_are_drawn_independently():
    random = Randomness(22)
    first, second = (Laplace(60, LOW, HIGH).randomize(np.full(SIZES.draws, 3.0), random) for _ in range(2))
    assert stats.spearmanr(first, second).pvalue > SIZES.least_p
    assert stats.spearmanr(first[1:], first[:-1]).pvalue > SIZES.least_p
