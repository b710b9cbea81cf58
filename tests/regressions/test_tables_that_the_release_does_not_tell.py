"""Cross tabulations that claimed more than the release tells: estimates outside their intervals, products of margins,
wide bins, and an accuracy that was not so."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.twins import crosstab as twin

import sudare as sd
from sudare.cli import main
from sudare.measure.crosstab.fit.pieces import Pieces
from sudare.measure.crosstab.heat_map import heat_map
from sudare.mechanism import Laplace, Retention
from sudare.randomness import Randomness

EDGES = [0, 20, 40, 110]
MECHANISM = Laplace(scale=85, low=0, high=110, grid=1)
RELEASES = 6


def ages(records=20_000, seed=0):
    """Ages like those of working adults, none of them in most of the first bin."""
    random = np.random.default_rng(seed)
    return np.clip(17 + random.gamma(2.2, 10, records), 17, 90).astype(int)


def released_ages(original, seed):
    noisy = MECHANISM.randomize(original.astype(float), Randomness(seed)).astype(int)
    return pl.DataFrame({"age": noisy})


@pytest.fixture(scope="module")
def wide():
    """(original counts, tables) of releases in three wide bins."""
    original = ages()
    tables = [
        sd.crosstab(
            released_ages(original, seed), "age", {"age": EDGES}, mechanisms={"age": MECHANISM}, seed=1
        )
        for seed in range(RELEASES)
    ]
    return np.histogram(original, EDGES)[0], tables


def value_matrix():
    """Pr(released age | original age), from the mechanism's distribution function."""
    values = np.arange(111)
    below = np.array(
        [[float(MECHANISM.cumulative(float(v), float(x), strict=True)) for v in values] for x in values[1:]]
    )
    steps = np.diff(np.vstack([np.zeros(111), below, np.ones(111)]), axis=0)
    return steps.tolist()


def test_wide_bins_are_nearer_than_plain_em_and_the_released_counts(wide):
    truth, tables = wide
    plain = twin.in_bins(value_matrix(), [0, 20, 40, 111])
    apart = []
    for table in tables:
        released = table.array(figure="released")
        rebuilt = twin.plain_em(plain, released.tolist(), 500, released.tolist())
        apart.append(
            [
                table.total_variation(truth),
                twin.total_variation(rebuilt, truth),
                table.total_variation(truth, figure="released"),
            ]
        )
    found, by_plain_em, as_released = np.mean(apart, axis=0)
    assert found <= 1.02 * min(by_plain_em, as_released)


def test_the_stated_limit_and_intervals_include_the_original_in_wide_bins(wide):
    truth, tables = wide
    for table in tables:
        assert table.total_variation(truth) <= table.fit.total_variation
        low, high = table.array(figure="low"), table.array(figure="high")
        assert ((np.floor(low) <= truth) & (truth <= np.ceil(high))).mean() > 0.6
        shown = table.array()
        told = ~np.isnan(shown)
        assert (low[told] <= shown[told] + 1e-9).all()
        assert (shown[told] <= high[told] + 1e-9).all()


def test_without_draws_wide_bins_have_no_intervals_by_a_matrix_that_is_an_estimate():
    table = sd.crosstab(
        released_ages(ages(2_000), 1), "age", {"age": EDGES}, mechanisms={"age": MECHANISM}, draws=0
    )
    assert "low" not in table.figures
    assert table.fit.half_width is None
    assert "No intervals were computed" in " ".join(table.fit.sentences())


def test_pieces_agree_with_the_matrix_of_their_bins():
    """The matrix of the bins, applied to the margin, gives the expected counts of the pieces, summed."""
    random = np.random.default_rng(0)
    pieces = Pieces(
        random.dirichlet(np.ones(6), 6).T,
        np.array([0, 0, 1, 1, 2, 2]),
        np.array([0, 0, 0, 1, 2, 2]),
        3,
        random.multinomial(1_000, np.full(6, 1 / 6)).astype(float),
    )
    expected = np.bincount(pieces.released_bin, pieces.matrix @ pieces.weights)
    np.testing.assert_allclose(pieces.binned(pieces.weights) @ pieces.margin, expected, rtol=1e-6)
    drawn = pieces.drawn(np.array([10.0, 0.0, 7.0]), pieces.weights, random)
    np.testing.assert_array_equal(np.bincount(pieces.released_bin, drawn.counts), [10, 0, 7])


# The product of the margins


BINS = [0, 20, 40, 60, 80, 120]


def a_product_of_margins():
    """Two columns that depend on each other, and a release with so much noise that this does not show."""
    random, secret = np.random.default_rng(0), Randomness(1_000)
    age = np.clip(random.gamma(6, 7, 3_000), 0, 120).astype(np.int64)
    sex = (random.random(3_000) < 0.3 + age / 300).astype(int)
    mechanisms: dict[str, Any] = {
        "age": Laplace(scale=40, low=0, high=120, grid=1),
        "sex": Retention(keep=0.5, values=("F", "M")),
    }
    noisy = mechanisms["age"].randomize(age.astype(float), secret).astype(np.int64)
    kept = mechanisms["sex"].randomize(sex.astype(float), secret).astype(int)
    return pl.DataFrame({"age": noisy, "sex": np.array(["F", "M"])[kept]}), mechanisms


@pytest.mark.parametrize("options", [{"seed": 1}, {"draws": 0}])
def test_the_product_of_the_margins_is_not_shown_as_a_result(options):
    released, mechanisms = a_product_of_margins()
    table = sd.crosstab(released, ["age", "sex"], {"age": BINS}, mechanisms=mechanisms, **options)
    assert table.fit.independent
    assert np.isnan(table.array()).all()
    assert table.counts["estimate"].null_count() == 10
    assert table.counts["released"].sum() == 3_000
    assert table.fit.unknown == 10
    assert table.fit.iterations > 0
    assert "CANNOT BE ESTIMATED" in repr(table)
    assert "–" in table._repr_html_()
    warning = table.fit.warnings()[0]
    assert warning.startswith("The cells cannot be estimated from this release")
    assert "推定できません" in warning.into("ja")
    alone = sd.crosstab(released, "age", {"age": BINS}, mechanisms=mechanisms, draws=0)
    assert alone.fit.kept is None
    np.testing.assert_allclose(table.margin("age")["estimate"], alone.figures["estimate"].ravel(), rtol=1e-6)
    assert table.margin("age", "sex")["estimate"].null_count() == 10
    chart = heat_map(table).to_dict()
    assert len(chart["hconcat"]) == 2


def test_the_command_says_so_and_json_has_null(tmp_path, capsys):
    released, _ = a_product_of_margins()
    released.write_csv(tmp_path / "data.csv")
    asked = ["crosstab", str(tmp_path / "data.csv"), "--by", "age,sex", "--seed", "1"]
    asked += ["--bins", "age=" + ",".join(map(str, BINS)), "--mechanism", "sex=retention keep=0.5 values=F,M"]
    asked += ["--mechanism", "age=laplace scale=40 low=0 high=120 grid=1"]
    assert main([*asked, "--plot", str(tmp_path / "map.svg"), "--out", str(tmp_path / "cells.csv")]) == 0
    assert "cannot be estimated from this release" in " ".join(capsys.readouterr().out.split())
    assert main([*asked, "--lang", "ja"]) == 0
    assert "この公開データからは推定できません" in "".join(capsys.readouterr().out.split())
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(cell["estimate"] is None and cell["stderr"] is None for cell in found["counts"])
    assert found["fit"]["unknown"] == 10
    assert found["warnings"][0].startswith("The cells cannot be estimated from this release")


def test_columns_that_are_independent_as_far_as_many_records_show_are_a_result():
    random, secret = np.random.default_rng(3), Randomness(4)
    mechanism = Retention(keep=0.9, values=("a", "b"))
    names = np.array(["a", "b"])
    released = pl.DataFrame(
        {
            name: names[mechanism.randomize(random.integers(0, 2, 50_000).astype(float), secret).astype(int)]
            for name in ("first", "second")
        }
    )
    table = sd.crosstab(
        released, ["first", "second"], mechanisms=dict.fromkeys(released.columns, mechanism), seed=1
    )
    assert table.fit.unknown == 0
    assert table.fit.total_variation is not None
    assert table.fit.total_variation < 0.1
