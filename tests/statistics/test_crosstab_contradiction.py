"""A release that is not what it says is told; an honest one is not blamed, however small or odd its table."""

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.measure.crosstab.fit.contract import Transition
from sudare.measure.crosstab.fit.contradiction import contradicts, largest_by_chance, least_misfit
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.estimate import Options, estimate
from sudare.measure.crosstab.fit.iterate import iterate
from sudare.measure.crosstab.input.transition import interval_matrix
from sudare.mechanism import Laplace, Normal, Retention
from sudare.randomness import Randomness
from sudare.release.report.common import Texts
from sudare.release.report.table import page as tabulation

HONEST = 240
VALUES = tuple("abcdef")


def _released(keep=0.3, records=4_000, seed=0):
    """Two columns of categories that depend on each other, and their release."""
    random, secret = np.random.default_rng(seed), Randomness(seed + 1)
    first = random.choice(6, records, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    second = np.where(random.random(records) < 0.7, first, random.integers(0, 6, records))
    mechanism = Retention(keep=keep, values=VALUES)
    names = np.array(VALUES)
    return pl.DataFrame(
        {
            name: names[mechanism.randomize(codes.astype(float), secret).astype(int)]
            for name, codes in (("first", first), ("second", second))
        }
    )


def _table(released, keep, **options):
    mechanism = Retention(keep=keep, values=VALUES)
    return sd.crosstab(
        released, ["first", "second"], mechanisms=dict.fromkeys(("first", "second"), mechanism), **options
    )


def test_a_wrong_mechanism_is_told():
    fit = _table(_released(keep=0.8), 0.2, seed=1).fit
    assert fit.contradicts
    assert not fit.met
    assert fit.misfit > largest_by_chance(fit.degrees)
    assert fit.sentences()[0].startswith("The released counts contradict this table: randomized again")
    assert fit.sentences()[0].into("ja").startswith("公開された件数はこの集計表と矛盾します。")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_report_begins_with_the_warning(language):
    found = _table(_released(keep=0.8), 0.2, draws=0)
    notes = tabulation._notes(found, None, Texts(language), "sudare crosstab .")
    assert notes[0] == found.fit.warnings()[0].into(language)


def test_noise_that_depends_on_the_data_is_told():
    """Both columns are replaced by the same value, drawn once: the columns agree more than any table makes them."""
    random = np.random.default_rng(3)
    codes, drawn = random.integers(0, 6, (2, 4_000))
    replaced = np.where(random.random((2, 4_000)) < 0.3, codes, drawn)
    names = np.array(VALUES)
    released = pl.DataFrame({"first": names[replaced[0]], "second": names[replaced[1]]})
    assert _table(released, 0.3, draws=0).fit.contradicts


@pytest.mark.parametrize("stop", ["fit", "change", "none"])
def test_the_right_mechanism_is_not_blamed(stop):
    fit = _table(_released(), 0.3, draws=0, stop=stop).fit
    assert not fit.contradicts
    assert fit.warnings() == []


def test_wide_bins_of_an_honest_release_are_named_and_narrow_ones_hold():
    """Two columns that follow each other inside of wide bins, which a matrix for each column cannot tell."""
    random, secret = np.random.default_rng(1), Randomness(2)
    age = np.clip(random.gamma(6, 7, 100_000), 0, 119).astype(int)
    mechanism = Laplace(scale=5, low=0, high=120, grid=1)
    released = pl.DataFrame(
        {name: mechanism.randomize(age.astype(float), secret).astype(int) for name in ("age", "same")}
    )
    given = dict.fromkeys(released.columns, mechanism)

    def fit(width):
        bins = {name: list(range(0, 121, width)) for name in released.columns}
        return sd.crosstab(released, ["age", "same"], bins, mechanisms=given, draws=0).fit

    assert "Take narrower bins of age, same" in fit(20).sentences()[0]
    assert not fit(3).contradicts


def test_slow_steps_are_not_taken_for_a_contradiction():
    """Ten million records and little kept: a rule that ends early leaves the table far from an honest release."""
    random = np.random.default_rng(2)
    edges = np.linspace(0.0, 1.0, 3)
    matrix = interval_matrix(Normal(deviation=4, low=0, high=1), edges, edges[:-1], edges[1:])
    transition = Transition((matrix, matrix))
    original = random.multinomial(10_000_000, [0.9, 0.01, 0.01, 0.08]).reshape(2, 2, 1).astype(float)
    released = draw(transition, original, random)
    found = estimate(transition, released, Options(stop="change"))
    assert found.misfit > largest_by_chance(found.expected)
    assert not contradicts(transition, released, found)


def test_the_lower_bound_is_below_every_table():
    random = np.random.default_rng(4)
    transition = Transition((Retention(keep=0.3, values=VALUES).matrix(),), exact=2)
    released = random.multinomial(5_000, random.dirichlet(np.ones(12))).reshape(2, 6).astype(float)
    best = iterate(transition, released, np.ones((6, 2)), stop="none")
    rough = iterate(transition, released, np.ones((6, 2)), stop="change")
    bounds = [least_misfit(transition, released, one) for one in (rough, best)]
    assert bounds[0] <= best.misfit
    assert bounds[1] == pytest.approx(best.misfit, rel=1e-3)


def test_no_honest_release_of_a_small_table_is_blamed():
    """Few records to many, little noise to much, smooth tables and single cells; by the guard, by few steps and without."""
    random, kept = np.random.default_rng(5), set()
    for number in range(HONEST):
        sizes = [(2,), (5,), (2, 2), (4, 3), (2, 2, 2)][number % 5]
        keep = random.choice([0.05, 0.2, 0.5, 0.9, 0.99])
        transition = Transition(
            tuple(Retention(keep=keep, values=tuple(range(size))).matrix() for size in sizes)
        )
        cells = int(np.prod(sizes))
        shares = random.dirichlet(np.full(cells, random.choice([0.05, 1.0, 50.0])))
        records = int(random.choice([10, 100, 1_000, 50_000]))
        original = random.multinomial(records, shares).reshape(transition.original_shape).astype(float)
        released = draw(transition, original, random)
        options = (
            Options() if number % 3 == 0 else Options(guard=False, stop=random.choice(["fit", "change"]))
        )
        found = estimate(transition, released, options)
        kept.add(found.kept)
        assert not contradicts(transition, released, found), (number, found.misfit, found.expected)
    assert {None, 0} < kept
