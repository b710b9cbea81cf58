"""Mechanisms: rates, distributions and draws against plain twins; wrong ones in one sentence."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined"

import decimal
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from sudare.errors import ParameterError
from sudare.mechanism import (
    MECHANISMS,
    Density,
    Laplace,
    Normal,
    Retention,
    Uniform,
    calibrate,
    default_grid,
    rate_for,
)
from sudare.randomness import Randomness

WIDTH = 3.0


LOW, HIGH = -1.0, 2.0


BOUNDED = {
    "laplace": (Laplace(1.3, LOW, HIGH), stats.laplace(scale=1.3)),
    "narrow laplace": (Laplace(0.4, LOW, HIGH), stats.laplace(scale=0.4)),
    "normal": (Normal(1.7, LOW, HIGH), stats.norm(scale=1.7)),
    "uniform": (Uniform(3.5, LOW, HIGH), stats.uniform(-3.5, 7)),
    "short uniform": (Uniform(2.5, LOW, HIGH), stats.uniform(-2.5, 5)),
    "logistic": (Density(stats.logistic(scale=0.9), LOW, HIGH), stats.logistic(scale=0.9)),
    "t": (Density(stats.t(3, scale=2), LOW, HIGH), stats.t(3, scale=2)),
}


bounded = pytest.mark.parametrize(("mechanism", "noise"), BOUNDED.values(), ids=BOUNDED)


class Words:
    """A source that gives the words it was told."""

    secure = False

    def __init__(self, words):
        self.words = np.asarray(words, dtype=np.uint64)

    def bits(self, count):
        taken, self.words = self.words[:count], self.words[count:]
        return taken

    def uniform(self, count):
        return (self.bits(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def transition(noise, points):
    """A[x, v] of bounded noise, from scipy's density and distribution function alone."""
    inside = noise.cdf(HIGH - points) - noise.cdf(LOW - points)
    return noise.pdf(points[:, None] - points[None, :]) / inside


def least_ratio(matrix):
    """Least A[u', v] A[v', u] / (A[u', u] A[v', v]) over all u, v, u', v', 0 / 0 left out."""
    with np.errstate(all="ignore"):
        ratio = (
            matrix[:, None, None, :]
            * matrix[None, :, :, None]
            / (matrix[:, None, :, None] * matrix[None, :, None, :])
        )
    return float(np.nanmin(ratio))


def most_ratio(matrix):
    with np.errstate(all="ignore"):
        return float(np.nanmax(np.log(matrix[:, :, None] / matrix[:, None, :])))


@bounded
def test_rate_is_the_least_ratio_on_a_grid(mechanism, noise):
    brute = least_ratio(transition(noise, np.linspace(LOW, HIGH, 25)))
    assert mechanism.rate() == pytest.approx(brute, rel=1e-9, abs=1e-12)


@bounded
def test_epsilon_is_the_largest_log_ratio_on_a_grid(mechanism, noise):
    brute = most_ratio(transition(noise, np.linspace(LOW, HIGH, 61)))
    assert mechanism.epsilon() >= brute - 1e-9
    if not isinstance(mechanism, Density):  # an upper bound there
        assert mechanism.epsilon() == pytest.approx(brute, rel=1e-9, abs=1e-9)


def test_rates_of_the_specification():
    assert Laplace(2, 0, 3).rate() == pytest.approx(math.exp(-3))
    assert Laplace(2, 0, 3, bounded=False).rate() == pytest.approx(math.exp(-3))
    assert Normal(2, 0, 3).rate() == pytest.approx(math.exp(-9 / 4))
    assert (Uniform(3, 0, 3).rate(), Uniform(2.9, 0, 3).rate()) == (1, 0)
    assert Retention(0.4, tuple("abcde")).rate() == pytest.approx((0.6 / (1 + 4 * 0.4)) ** 2)
    assert Density("laplace", 0, 3).rate() == pytest.approx(math.exp(-6))
    assert Laplace(2, 0, 3).epsilon() == 1.5


@pytest.mark.parametrize(
    "distribution", [None, (0.2, 0.3, 0.5), (0.05, 0.05, 0.9), (0.01, 0.49, 0.5), (0, 0.5, 0.5)]
)
@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9])
def test_rate_and_epsilon_of_replacement(keep, distribution):
    mechanism = Retention(keep, ("a", "b", None), distribution)
    matrix = mechanism.matrix()
    assert np.allclose(matrix.sum(axis=0), 1, atol=1e-15)
    if keep == 0 and distribution is not None and 0 in distribution:
        return  # 0 / 0: a value that is neither kept nor drawn is never released
    assert mechanism.rate() == pytest.approx(least_ratio(matrix), rel=1e-12, abs=1e-15)
    assert mechanism.epsilon() == pytest.approx(most_ratio(matrix), rel=1e-12)


def test_the_uniform_formula_overstates_the_rate_of_other_distributions():
    uneven = Retention(0.3, tuple("abcd"), (0.1, 0.1, 0.4, 0.4))
    assert uneven.rate() < Retention(0.3, tuple("abcd")).rate() / 3
    assert uneven.rate() == pytest.approx(least_ratio(uneven.matrix()))


@pytest.mark.parametrize("flip", [0.05, 0.2, 0.4, 0.5])
@bounded
def test_rate_and_epsilon_with_missing_cells(mechanism, noise, flip):
    points = np.linspace(LOW, HIGH, 19)
    numbers = transition(noise, points)
    matrix = np.zeros((20, 20))
    matrix[:19, :19] = (1 - flip) * numbers
    matrix[:19, 19], matrix[19, :19], matrix[19, 19] = flip / WIDTH, flip, 1 - flip
    both = replace(mechanism, flip=flip)
    assert both.rate() <= least_ratio(matrix) + 1e-12
    assert both.epsilon() >= most_ratio(matrix) - 1e-9
    if not isinstance(mechanism, Density):
        assert both.rate() == pytest.approx(least_ratio(matrix), rel=1e-9, abs=1e-12)
        assert both.epsilon() == pytest.approx(most_ratio(matrix), rel=1e-9)


@bounded
def test_cumulative_is_the_bounded_distribution_function(mechanism, noise):
    original, x = np.linspace(LOW, HIGH, 13)[:, None], np.linspace(LOW - 1, HIGH + 1, 41)[None, :]
    inside = np.clip(x, LOW, HIGH)
    below = noise.cdf(LOW - original)
    expected = (noise.cdf(inside - original) - below) / (noise.cdf(HIGH - original) - below)
    found = mechanism.cumulative(original, x)
    assert np.abs(found - expected).max() < 1e-12
    assert (np.diff(found, axis=1) >= -1e-15).all()
    assert (found[:, x[0] <= LOW] == 0).all()
    assert (found[:, x[0] >= HIGH] == 1).all()


def test_cumulative_of_unbounded_laplace():
    mechanism = Laplace(1.3, LOW, HIGH, bounded=False)
    x = np.linspace(-9, 9, 50)
    assert np.abs(mechanism.cumulative(0.5, x) - stats.laplace(0.5, 1.3).cdf(x)).max() < 1e-15
    stepped = replace(mechanism, grid=0.5)
    assert stepped.cumulative(0.5, 7.2) == pytest.approx(stats.laplace(0.5, 1.3).cdf(7.25))
    assert stepped.cumulative(0.5, -3.0) == pytest.approx(stats.laplace(0.5, 1.3).cdf(-2.75))
    assert stepped.cumulative(0.5, -3.0, strict=True) == pytest.approx(stats.laplace(0.5, 1.3).cdf(-3.25))


@bounded
def test_cumulative_on_a_grid_steps_where_released_numbers_are(mechanism, noise):
    stepped = replace(mechanism, grid=0.5)
    points = np.arange(LOW, HIGH + 0.25, 0.5)
    for v in (LOW, 0.3, HIGH):
        jumps = stepped.cumulative(v, points) - stepped.cumulative(v, points, strict=True)
        assert jumps.sum() == pytest.approx(1)
        ends = np.clip(np.append(points - 0.25, HIGH), LOW, HIGH)
        assert np.allclose(jumps, np.diff(mechanism.cumulative(v, ends)), atol=1e-12)
        assert np.allclose(stepped.cumulative(v, points[:-1] + 0.2), stepped.cumulative(v, points[:-1]))
    missing = stepped.cumulative_missing(points) - stepped.cumulative_missing(points, strict=True)
    assert missing.sum() == pytest.approx(1)
    assert missing[1] == pytest.approx(0.5 / WIDTH)


@bounded
def test_rounding_does_not_lower_the_rate(mechanism, noise):
    stepped, points = replace(mechanism, grid=0.5), np.arange(LOW, HIGH + 0.25, 0.5)
    originals = np.linspace(LOW, HIGH, 7)
    matrix = np.stack(
        [stepped.cumulative(v, points) - stepped.cumulative(v, points, strict=True) for v in originals],
        axis=1,
    )
    assert least_ratio(matrix) >= mechanism.rate() * (1 - 1e-9)


def in_sixty_digits(v, x, scale, low, high):
    """The specification's inverse CDF of bounded Laplace noise."""
    with decimal.localcontext(prec=60):
        v, x, s, a, b = (decimal.Decimal(number) for number in (v, x, scale, low, high))
        alpha = 1 - ((a - v) / s).exp() / 2 - ((v - b) / s).exp() / 2
        if x < (1 - ((a - v) / s).exp()) / (2 * alpha):
            return v + s * (2 * alpha * x + ((a - v) / s).exp()).ln()
        return v - s * (2 - 2 * alpha * x - ((a - v) / s).exp()).ln()


@pytest.mark.parametrize("relative", [1e-6, 1e-3, 0.02, 0.3, 1, 7, 1e3, 1e6])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-5.0, 120.0), (1e9, 1e9 + 1)])
def test_bounded_laplace_draws_are_exact(relative, low, high):
    width = high - low
    places = [0.0, 1e-9, 1e-3, 0.3, 0.5, 0.7, 1 - 1e-3, 1.0]
    uniforms = [2.0**-53, 1e-12, 1e-3, 0.25, 0.499, 0.5, 0.501, 0.9, 1 - 1e-12, 1 - 2.0**-53]
    cases = [(min(max(low + place * width, low), high), x) for place in places for x in uniforms]
    words = [int(x * 2**53) << 11 for _, x in cases]
    mechanism = Laplace(relative * width, low, high)
    released = mechanism.randomize(np.array([v for v, _ in cases]), Words(words))
    assert ((released >= low) & (released <= high)).all()
    for (v, _), word, found in zip(cases, words, released, strict=True):
        x = (word >> 11) / 2**53
        # A value near the high end is drawn from the other side, which mirrors x.
        mirrored = v - low > high - v
        expected = in_sixty_digits(v, 1 - decimal.Decimal(x) if mirrored else x, mechanism.scale, low, high)
        slack = 1e-11 * width + 4e-16 * max(abs(low), abs(high))
        assert abs(float(expected) - found) <= slack, (v, x)


@bounded
def test_generic_draws_invert_the_distribution_function(mechanism, noise):
    original = np.repeat(np.linspace(LOW, HIGH, 7), 9)
    uniforms = np.tile(np.linspace(0.01, 0.99, 9), 7)
    words = (uniforms * 2**53).astype(np.uint64) << np.uint64(11)
    released = mechanism.randomize(original, Words(words))
    found = mechanism.cumulative(original, released)
    if isinstance(mechanism, Laplace):
        found = np.where(original - LOW > HIGH - original, 1 - found, found)
    assert np.abs(found - uniforms).max() < 1e-11


@pytest.mark.parametrize("draw", ["inverse", "retry"])
@pytest.mark.parametrize("kind", ["laplace", "normal", "uniform", "density"])
@pytest.mark.parametrize("relative", [1e-6, 1e-2, 1, 1e2, 1e6])
def test_draws_stay_in_the_range(kind, relative, draw):
    if draw == "retry" and relative > 1:
        return  # 1 / alpha tries
    strength = {"laplace": "scale", "normal": "deviation", "uniform": "half_width"}
    size = 120 * relative
    given = {strength[kind]: size} if kind in strength else {"noise": {"name": "cauchy", "scale": size}}
    mechanism = MECHANISMS.build({"type": kind, "low": 0, "high": 120, "grid": 0.01, **given})
    original = np.array([0.0, 1e-9, 60.0, 119.99, 120.0] * 40)
    released = mechanism.randomize(original, Randomness(3), draw=draw)
    assert ((released >= 0) & (released <= 120)).all()
    assert np.allclose(released * 100, np.round(released * 100), atol=1e-9)
    if relative == 1e-6 and kind != "density":
        assert np.abs(released - original).max() < 0.02


def test_released_numbers_have_one_text():
    released = Laplace(50, -1, 1, grid=0.1).randomize(np.zeros(3000), Randomness(1))
    assert {f"{number!r}" for number in released.tolist()} == {f"{step / 10!r}" for step in range(-10, 11)}


def test_missing_cells_are_exchanged_with_present_ones():
    mechanism = Laplace(5, 0, 10, grid=1, flip=0.25)
    rows = 40_000
    original = np.where(np.arange(rows) % 2 == 0, 3.0, np.nan)
    released = mechanism.randomize(original, Randomness(5))
    for missing in (False, True):
        share = np.isnan(released[np.isnan(original) == missing]).mean()
        assert abs(share - (0.75 if missing else 0.25)) < 0.015
    spread = released[np.isnan(original) & ~np.isnan(released)]
    assert abs(spread.mean() - 5) < 0.2
    assert abs((spread == 0).mean() - 0.05) < 0.015


def test_default_grids():
    assert default_grid(0, 120) == 0.01
    assert default_grid(0, 1e9) == 1e5
    assert default_grid(0, math.pi) == math.pi / 2**20
    assert default_grid(1e15, 1e15 + 100) == 1
    for low, high in (
        (1e15, 1e15 + 100),
        (1e9, 1e9 + math.pi),
        (0, 120),
        (-3.5, 7.25),
        (0, 1 / 3),
        (1e6, 1e6 + 1),
        (0, 1e-9),
        (0, 1e200),
    ):
        assert Laplace(high - low, low, high, grid=default_grid(low, high)).grid


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: Laplace(0, 0, 1), "scale"),
        (lambda: Laplace(1, 1, 1), "low end"),
        (lambda: Laplace(1, 0, 1, grid=0.3), "does not divide"),
        (lambda: Laplace(1, 0, 1, bounded=False, flip=0.1), "outside the range"),
        (lambda: Laplace(1, 0, 3, values=("a", "b")), "ordinal"),
        (lambda: Normal(1, 0, 1, bounded=False), "rate 0"),
        (lambda: Density("norm", 0, 1, flip=0.7), "flip"),
        (lambda: Density(stats.expon(), 0, 1), "symmetric"),
        (lambda: Density(stats.norm(1, 1), 0, 1), "symmetric"),
        (lambda: Density("poisson", 0, 1), "continuous"),
        (lambda: Density(7, 0, 1), "pdf"),
        (lambda: Retention(1.0, ("a",)), "keep"),
        (lambda: Retention(0.5, ("a", "a")), "twice"),
        (lambda: Retention(0.5, ("a", "b"), (0.5,)), "(1) differs from the number of values (2)"),
        (lambda: Retention(0.5, ("a", "b"), (0.5, 0.6)), "sums to"),
        (lambda: rate_for(1, 10), "greater than 1"),
        (lambda: calibrate("laplace", 2, low=0, high=1), "at most 1"),
        (lambda: calibrate("laplase", 0.5, low=0, high=1), "did you mean"),
    ],
)
def test_wrong_mechanisms_are_one_sentence(build, part):
    with pytest.raises(ParameterError) as caught:
        build()
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    "mechanism",
    [
        *(mechanism for mechanism, _ in BOUNDED.values()),
        Laplace(1, 0, 2, grid=1, values=("low", "mid", "high")),
        Laplace(1, 0, 2, bounded=False),
        Retention(0.5, ("胃炎", None, 3, 2.5, True), (0.1, 0.2, 0.3, 0.3, 0.1)),
    ],
)
def test_mechanisms_survive_a_manifest(mechanism):
    assert MECHANISMS.build(MECHANISMS.dump(mechanism)) == mechanism


def test_any_object_with_a_density_will_do():
    class Triangle:
        def pdf(self, x):
            return np.maximum(0, 2 - np.abs(x)) / 4

        def cdf(self, x):
            x = np.clip(x, -2, 2)
            return 0.5 + np.sign(x) * (np.abs(x) / 2 - x**2 / 8)

        def ppf(self, p):
            return np.sign(p - 0.5) * (2 - 2 * np.sqrt(1 - 2 * np.abs(p - 0.5)))

    mechanism = Density(Triangle(), 0, 1)
    assert mechanism.rate() == 0.25
    released = mechanism.randomize(np.full(5000, 0.2), Randomness(2))
    assert stats.kstest(released, lambda x: mechanism.cumulative(0.2, x)).pvalue > 1e-4
