"""Cross tabulations as users meet them: from a frame, a release and a folder; order, exact columns, errors, heat maps."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.describe.table import Table
from sudare.errors import DescriptionError, ParameterError
from sudare.measure.crosstab.build import count_like
from sudare.measure.crosstab.heat_map import heat_map
from sudare.mechanism import Laplace, Retention
from sudare.randomness import Randomness

EDGES = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 120.0])


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
    original, released, mechanisms = people(30_000)
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
        "verdict",
    ]
    assert table.shape == table.array().shape == table.stderr.shape == (5, 2)
    assert table.counts["estimate"].sum() == pytest.approx(30_000)
    truth = count_like(table, Table.from_frame(original))
    assert truth.sum() == 30_000
    assert table.total_variation(truth) < table.total_variation(truth, figure="released")
    assert released.equals(before)
    assert "CrossTab(age (5) x sex (2); 30,000 records; cells to within ±" in str(table)
    assert "<table" in table._repr_html_()


def test_the_same_call_gives_the_same_table_and_another_seed_another():
    """An analyst who asks twice gets one answer; the order of the released rows tells nothing and changes nothing."""
    _, released, mechanisms = people(2_000)

    def asked(frame, seed=None):
        return sd.crosstab(frame, ["age", "sex"], {"age": 3}, mechanisms=mechanisms, seed=seed).counts

    assert asked(released).equals(asked(released))
    assert asked(released).equals(asked(released.sample(fraction=1, shuffle=True, seed=2)))
    assert not asked(released).equals(asked(released, seed=3))


def test_intervals_of_other_seeds_are_nearly_the_same():
    """The ends of an interval vary little: with a single round, by a twelfth of its width."""
    _, released, mechanisms = people(3_000)
    tables = [
        sd.crosstab(released, ["age", "sex"], {"age": EDGES.tolist()}, mechanisms=mechanisms, seed=seed)
        for seed in range(8)
    ]
    low, high = (np.array([table.array(figure=figure) for table in tables]) for figure in ("low", "high"))
    width = (high - low).mean()
    assert tables[0].fit.draws == 36
    assert max(low.std(axis=0).mean(), high.std(axis=0).mean()) < 0.07 * width


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
    assert "counted as they are" in str(alone)


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


@pytest.mark.slow
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
    assert table.figures["estimate"].sum() == pytest.approx(len(values))
    shown = table.array()
    assert (shown[~np.isnan(shown)] >= 0).all()
    assert np.isnan(shown).sum() == table.fit.unknown == table.counts["estimate"].null_count()


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
    with pytest.raises(DescriptionError, match="contains 'X', which its mechanism does not list"):
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
