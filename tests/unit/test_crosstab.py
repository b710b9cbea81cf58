"""Cross tabulations: matrices against quadrature, contractions against Kronecker products, EM against its plain twin."""

import datetime as dt
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import sudare as sd
from sudare.describe.mechanism import Laplace, Normal, Retention, Uniform
from sudare.describe.table import Table
from sudare.errors import DescriptionError, ParameterError
from sudare.measure.crosstab.axis import axis_for
from sudare.measure.crosstab.bins import Line, cut, places
from sudare.measure.crosstab.build import count_like
from sudare.measure.crosstab.contract import Transition, to_original
from sudare.measure.crosstab.draw import draw
from sudare.measure.crosstab.estimate import Options, estimate, rake
from sudare.measure.crosstab.heat_map import heat_map
from sudare.measure.crosstab.inverse import invert
from sudare.measure.crosstab.iterate import iterate
from sudare.measure.crosstab.misfit import expected_misfit, misfit
from sudare.measure.crosstab.transition import interval_matrix, value_matrix
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
    axis = axis_for(series, mechanism, [0, 4, 9], pieces=1)
    singles = value_matrix(mechanism, np.arange(11.0), np.arange(10.0))
    expected = np.array(
        [
            [singles[:4, :4].sum(0).mean(), singles[:4, 4:].sum(0).mean()],
            [singles[4:, :4].sum(0).mean(), singles[4:, 4:].sum(0).mean()],
        ]
    )
    assert axis.matrix is not None
    np.testing.assert_allclose(axis.matrix, expected, atol=1e-12)
    assert axis.codes.tolist() == [0, 0, 1, 1]


def test_weights_of_pieces_follow_the_data():
    """All originals near the low end of a wide bin: the matrix of that bin is that of its low end."""
    mechanism = Laplace(scale=20, low=0, high=100)
    values = np.full(20_000, 2.0)
    series = pl.Series("n", mechanism.randomize(values, Randomness(1)))
    truth = value_matrix(mechanism, np.array([0.0, 50.0, 100.0]), np.array([2.0]))[:, 0]
    flat = axis_for(series, mechanism, 2, pieces=1).matrix
    weighted = axis_for(series, mechanism, 2, pieces=16).matrix
    assert flat is not None
    assert weighted is not None
    assert np.abs(weighted[:, 0] - truth).sum() < 0.5 * np.abs(flat[:, 0] - truth).sum()


def test_missing_and_numbers_are_exchanged():
    mechanism = Laplace(scale=30, low=0, high=120, flip=0.2)
    axis = axis_for(pl.Series("n", [1.0, None, 119.0]), mechanism, 3)
    assert axis.matrix is not None
    np.testing.assert_allclose(axis.matrix.sum(axis=0), 1)
    np.testing.assert_allclose(axis.matrix[-1], [0.2, 0.2, 0.2, 0.8])
    np.testing.assert_allclose(axis.matrix[:-1, -1], 0.2 / 3)
    assert (axis.labels.to_list()[-1], axis.codes.tolist()) == (None, [0, 3, 2])


@pytest.mark.parametrize(
    "mechanism", [Laplace(scale=30, low=0, high=120), Retention(keep=0.5, values=(1.0, 119.0))]
)
def test_missing_that_was_kept_stays(mechanism):
    axis = axis_for(pl.Series("n", [1.0, None, 119.0]), mechanism, None)
    assert axis.matrix is not None
    assert axis.matrix[-1, -1] == 1
    np.testing.assert_allclose(axis.matrix.sum(axis=0), 1)


def test_ordinal_values():
    values = ("low", "middle", "high")
    mechanism = Laplace(scale=2, low=0, high=2, grid=1, values=values)
    axis = axis_for(pl.Series("n", ["high", "low", "high"]), mechanism, None)
    assert (tuple(axis.labels), axis.codes.tolist()) == (values, [2, 0, 2])
    assert axis.matrix is not None
    np.testing.assert_allclose(axis.matrix, value_matrix(mechanism, np.arange(4.0), np.arange(3.0)))


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
    found = iterate(transition, released, start, stop="none", limit=100, accelerate=accelerate)
    gains = np.diff(found.likelihoods)
    assert (gains >= -1e-9 * abs(found.likelihoods[0])).all()
    assert (found.estimate >= 0).all()
    assert found.estimate.sum() == pytest.approx(records)


def test_acceleration_reaches_no_less_likelihood_in_as_many_steps():
    transition, _, released = tables(2, (8, 6), 1, 100_000)
    start = np.ones(transition.original_shape)
    fast = iterate(transition, released, start, stop="none", limit=300)
    slow = iterate(transition, released, start, stop="none", limit=300, accelerate=False)
    assert fast.likelihoods[-1] >= slow.likelihoods[-1] - 1e-6 * abs(slow.likelihoods[-1])


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


# The whole thing


def people(records=3_000, seed=0):
    """An original table and its release, by mechanisms written here."""
    random, secret = np.random.default_rng(seed), Randomness(seed + 1_000)
    age = np.clip(random.gamma(6, 7, records), 0, 120).astype(np.int64)
    sex = (random.random(records) < 0.3 + age / 300).astype(int)
    city = random.integers(0, 3, records)
    mechanisms: dict[str, Any] = {
        "age": Laplace(scale=40, low=0, high=120, grid=1),
        "sex": Retention(keep=0.5, values=("F", "M")),
    }
    noisy = mechanisms["age"].randomize(age.astype(float), secret).astype(np.int64)
    kept = mechanisms["sex"].randomize(sex.astype(float), secret).astype(int)
    names, towns = np.array(["F", "M"]), np.array(["京都", "Osaka", "神戸"])
    original = pl.DataFrame({"age": age, "sex": names[sex], "city": towns[city]})
    return original, pl.DataFrame({"age": noisy, "sex": names[kept], "city": towns[city]}), mechanisms


def test_a_table_from_a_frame_and_its_mechanisms():
    original, released, mechanisms = people()
    before = released.clone()
    table = sd.crosstab(released, ["age", "sex"], {"age": EDGES.tolist()}, mechanisms=mechanisms, seed=1)
    assert table.counts.columns == [
        "age",
        "sex",
        "estimate",
        "stderr",
        "low",
        "high",
        "released",
        "inverse",
        "inverse_stderr",
    ]
    assert table.shape == table.array().shape == table.stderr.shape == (5, 2)
    assert table.counts["estimate"].sum() == pytest.approx(3_000)
    truth = count_like(table, Table.from_frame(original))
    assert truth.sum() == 3_000
    assert np.abs(table.array() - truth).sum() < np.abs(table.array(figure="released") - truth).sum()
    assert released.equals(before)
    assert "CrossTab(age (5) x sex (2))" in str(table)
    assert "<table" in table._repr_html_()


def test_the_same_seed_gives_the_same_errors():
    _, released, mechanisms = people(500)
    one, same = (
        sd.crosstab(released, ["age", "sex"], {"age": 3}, mechanisms=mechanisms, seed=7) for _ in range(2)
    )
    assert one.counts.equals(same.counts)


def test_order_of_an_array():
    _, released, mechanisms = people(500)
    table = sd.crosstab(released, ["sex", "city"], mechanisms=mechanisms, draws=0)
    turned = table.array({"sex": ["M", "F"], "city": ["京都"]})
    assert turned.shape == (2, 1)
    assert turned[0, 0] == table.array()[1, table.labels["city"].index("京都")]
    with pytest.raises(ParameterError, match="did you mean 'Osaka'"):
        table.array({"city": ["Osaca"]})
    with pytest.raises(ParameterError, match="'town' is not in the table"):
        table.array({"town": []})
    with pytest.raises(ParameterError, match="was not computed"):
        table.array(figure="stderr")
    assert np.isnan(table.stderr).all()


def test_exact_columns_are_counted_exactly():
    original, released, mechanisms = people()
    table = sd.crosstab(released, ["city", "age", "sex"], {"age": 3}, mechanisms=mechanisms, draws=0)
    counts = dict(original["city"].value_counts().iter_rows())
    found = dict(table.margin("city").select("city", "estimate").iter_rows())
    assert found == pytest.approx(counts)
    alone = sd.crosstab(released, "city")
    np.testing.assert_array_equal(alone.array(), [counts[city] for city in alone.labels["city"]])
    assert (alone.stderr == 0).all()
    assert "counted exactly" in str(alone)


def test_margins_are_the_same_in_every_table():
    _, released, mechanisms = people()
    bins = {"age": [0, 20, 40, 60, 80, 120]}
    one = sd.crosstab(released, ["age"], bins, mechanisms=mechanisms, draws=0).array()
    for by in (["age", "sex"], ["city", "age"], ["city", "sex", "age"]):
        table = sd.crosstab(released, by, bins, mechanisms=mechanisms, draws=0)
        np.testing.assert_allclose(table.margin("age")["estimate"], one, rtol=1e-6, atol=1e-6)


def test_exact_cells_that_do_not_occur_cost_nothing():
    """Two exact columns of 1,000 values that always agree are 1,000 combinations, not a million."""
    values = np.repeat(np.arange(1_000), 3)
    frame = pl.DataFrame(
        {"a": values.astype(str), "b": (values * 2).astype(str), "sex": ["F", "M", "F"] * 1_000}
    )
    table = sd.crosstab(frame, ["a", "b", "sex"], mechanisms={"sex": Retention(keep=0.5, values=("F", "M"))})
    assert table.fit.cells == 2_000
    assert table.counts.height <= 2_000
    assert table.counts["released"].sum() == 3_000


def test_a_table_of_a_million_cells():
    random = np.random.default_rng(0)
    values = tuple(range(100))
    frame = pl.DataFrame({name: random.integers(0, 100, 5_000) for name in "abc"})
    mechanism = Retention(keep=0.9, values=values)
    table = sd.crosstab(frame, [*"abc"], mechanisms=dict.fromkeys("abc", mechanism))
    assert table.fit.cells == 1_000_000
    assert table.fit.draws == 0
    assert table.array().sum() == pytest.approx(5_000)


def test_names_of_figures_give_way_to_those_of_columns():
    frame = pl.DataFrame({"estimate": ["a", "b", "a"]})
    assert sd.crosstab(frame, "estimate").counts.columns[:2] == ["estimate", "estimate_"]


@pytest.mark.parametrize("values", [[5.0], [5.0] * 50, [0.0, 120.0], [None, 3.0, None]])
def test_odd_columns(values):
    mechanism = Laplace(scale=40, low=0, high=120)
    table = sd.crosstab(
        pl.DataFrame({"n": pl.Series(values, dtype=pl.Float64)}), "n", mechanisms={"n": mechanism}
    )
    assert table.array().sum() == pytest.approx(len(values))
    assert (table.array() >= 0).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"by": []}, "'by' names no column"),
        ({"by": ["agee"]}, "did you mean 'age'"),
        ({"by": ["age", "age"]}, "twice"),
        ({"by": ["age"], "bins": {"sex": 3}}, "not in 'by'"),
        ({"by": ["sex"], "bins": {"sex": 3}}, "categories"),
        ({"by": ["age"], "stop": "never"}, "'stop' is 'never'"),
        ({"by": ["age"], "start": "here"}, "'start' is 'here'"),
        ({"by": ["age"], "pieces": 0}, "'pieces' is 0"),
        ({"by": ["age"], "draws": -1}, "'draws' is -1"),
        ({"by": ["age"], "mechanisms": {"x": "laplace scale=1 low=0 high=1"}}, "'x', which is not a column"),
    ],
)
def test_wrong_use_is_one_sentence(arguments, sentence):
    _, released, _ = people(50)
    with pytest.raises((ParameterError, DescriptionError), match=sentence):
        sd.crosstab(released, **arguments)


def test_a_value_that_the_mechanism_does_not_list():
    with pytest.raises(DescriptionError, match="holds 'X'"):
        sd.crosstab(
            pl.DataFrame({"sex": ["F", "X"]}), "sex", mechanisms={"sex": "retention keep=0.5 values=F,M"}
        )


def test_no_records():
    with pytest.raises(DescriptionError, match="no records"):
        sd.crosstab(pl.DataFrame({"sex": pl.Series([], dtype=pl.String)}), "sex")


def test_a_heat_map_shows_three_tables():
    original, released, mechanisms = people(300)
    table = sd.crosstab(released, ["age", "sex"], {"age": 3}, mechanisms=mechanisms, draws=0)
    chart = heat_map(table, count_like(table, Table.from_frame(original))).to_dict()
    assert [part["title"] for part in chart["hconcat"]] == ["original", "released", "estimate"]
    assert (
        len(heat_map(sd.crosstab(released, "sex", mechanisms=mechanisms, draws=0)).to_dict()["hconcat"]) == 2
    )


def test_a_heat_map_is_turned_where_labels_could_not_be_read():
    random = np.random.default_rng(0)
    values = tuple(f"value {number}" for number in range(20))
    frame = pl.DataFrame({"many": random.choice(values, 500), "sex": ["F", None] * 250})
    mechanisms: dict[str, Any] = {"many": Retention(keep=0.5, values=values)}
    table = sd.crosstab(frame, ["many", "sex"], mechanisms=mechanisms, draws=0)
    chart = heat_map(table, words={"estimate": "推定", "missing": "欠測"}).to_dict()
    parts = chart["hconcat"]
    assert [part["title"] for part in parts] == ["released", "推定"]
    layers = parts[0]["layer"] if "layer" in parts[0] else [parts[0]]
    assert layers[0]["encoding"]["x"]["title"] == "sex"
    assert layers[0]["encoding"]["y"]["axis"]["title"] == "many"
    drawn = (
        chart["datasets"][parts[1]["data"]["name"]]
        if "data" in parts[1]
        else next(iter(chart["datasets"].values()))
    )
    assert {row["x"] for row in drawn} == {"F", "欠測"}
    assert len(drawn) == 40


def test_a_written_release_is_enough(tmp_path):
    original, _, _ = people(400)
    described = sd.read(original).describe(quasi=["age", "sex"], insensitive=["city"])
    method = sd.Randomize(ranges={"age": (0, 120)})
    release = sd.anonymize(described, sd.PkAnonymity(2), method=method, seed=3)
    release.write(tmp_path / "release", reports=[])
    bins = {"age": [0, 30, 60, 120]}
    here = sd.crosstab(release, ["age", "sex"], bins, draws=0)
    for folder in (tmp_path / "release", tmp_path / "release" / "public"):
        read = sd.crosstab(str(folder), ["age", "sex"], bins, draws=0)
        np.testing.assert_allclose(read.array(), here.array(), rtol=1e-9)
