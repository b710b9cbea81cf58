"""Distances and their information loss: exact examples, texts, kinds of columns, what is refused."""

# mypy: disable-error-code="arg-type, call-arg, index, return-value, union-attr"
# parameters are given as users write them, wrong ones included

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.cases.distances import same, tabled

import sudare as sd
from sudare.errors import SudareError

PREFECTURES = [f"p{number}" for number in range(8)]


REGIONS = [f"r{number // 2}" for number in range(8)]


NAN = float("nan")


def country():
    """8 prefectures in 4 regions in 2 halves."""
    halves = {"east": ["r0", "r1"], "west": ["r2", "r3"]}
    tree = sd.hierarchy.tree(
        {
            half: {region: [f"p{2 * int(region[1])}", f"p{2 * int(region[1]) + 1}"] for region in regions}
            for half, regions in halves.items()
        }
    )
    return tabled(PREFECTURES, tree)


def region_distance(one, other):
    """Regions on a line 2 apart, prefectures of one region 1 apart, others as their regions."""
    if one == other:
        return 0

    def place(name):
        return int(name[1]) // 2 if name[0] == "p" else int(name[1])

    if one[0] != other[0]:
        return 7
    return 1 if place(one) == place(other) else 2 * abs(place(one) - place(other))


# --- the exact examples -------------------------------------------------------------------------------------------


def test_four_numbers():
    found = sd.measure.ild([1, 2, 3, 4], [1.5, 1.5, 3.5, 3.5])
    same(found, 40, 32)
    assert found.value == 0.2
    assert found.way == "closed form"
    assert found.interval is None
    assert found.note is None
    same(sd.measure.ild([1, 2, 3, 4], [1.5, 1.5, 3.5, 3.5], sd.distance.Minkowski()), 40, 32)


def test_four_leaves_of_a_tree():
    table = tabled([*"abcd"], sd.hierarchy.tree({"ab": ["a", "b"], "cd": ["c", "d"]}))
    inner = pl.DataFrame({"x": ["ab", "ab", "cd", "cd"]})
    for distance in (None, sd.distance.TreeDistance(), {"x": sd.distance.TreeDistance()}):
        same(sd.measure.ild(table, inner, distance), 144, 32)
    assert float(sd.measure.ild(table, inner)) == pytest.approx(7 / 9, rel=1e-15)
    same(sd.measure.ild(table, pl.DataFrame({"x": ["*"] * 4})), 144, 0)


MIXED = {"a": {"b": 1.0, "c": 3.0}, "b": {"c": 1.0}}


@pytest.mark.parametrize("weights", [{}, {"n": 1 / 40, "c": 1 / 42}, {"n": 42.0, "c": 40.0}])
def test_number_and_category_together(weights):
    before = pl.DataFrame({"n": [1, 2, 3, 4], "c": [*"aabc"]})
    after = pl.DataFrame({"n": [1.5, 1.5, 3.5, 3.5], "c": [*"aabb"]})
    product = sd.distance.Product({"n": sd.distance.Euclid(), "c": sd.distance.Matrix(MIXED)}, weights)
    found = sd.measure.ild(before, after, product)
    scale = 1680 if weights.get("n") == 42.0 else 1
    same(found, 2 * scale, Fraction(104, 105) * scale)
    assert float(found) == pytest.approx(53 / 105, rel=1e-15)
    same(found.columns["n"], 40, 32)
    same(found.columns["c"], 42, 8)
    one_by_one = {"n": sd.distance.Euclid(), "c": sd.distance.Matrix(MIXED)}
    same(sd.measure.ild(before, after, one_by_one), 2, Fraction(104, 105))


def test_eight_prefectures():
    before, after = pl.DataFrame({"x": PREFECTURES}), pl.DataFrame({"x": REGIONS})
    same(sd.measure.ild(before, after), 56, 48)
    same(sd.measure.ild(PREFECTURES, REGIONS, sd.distance.Discrete()), 56, 48)
    same(sd.measure.ild(PREFECTURES, REGIONS, sd.distance.Discrete(), p=7), 56, 48)
    same(sd.measure.ild(country(), after, sd.distance.TreeDistance()), 1440, 576)
    same(sd.measure.ild(country(), after, p=1), 272, 160)


def region_graph():
    names = [*PREFECTURES, *sorted(set(REGIONS))]
    return {
        one: {other: float(region_distance(one, other)) for other in names if other > one} for one in names
    }


@pytest.mark.parametrize(
    "distance",
    [
        sd.distance.Graph({one: ends for one, ends in region_graph().items() if ends}),
        sd.distance.Matrix(region_graph()),
        sd.distance.Custom(region_distance),
    ],
    ids=lambda distance: type(distance).__name__,
)
def test_regions_on_a_line(distance):
    squared = sd.measure.ild(PREFECTURES, REGIONS, distance)
    same(squared, 648, 640)
    assert round(float(squared), 5) == 0.01235  # 1/81; the spec cuts it to 0.01234
    plain = sd.measure.ild(PREFECTURES, REGIONS, distance, p=1)
    same(plain, 168, 160)
    assert round(float(plain), 5) == 0.04762


def test_shortest_path_is_found_over_several_edges():
    graph = sd.distance.Graph({"a": {"b": 1.0, "c": 10.0}, "b": {"c": 2.0}})
    found = sd.measure.ild([*"abc"], [*"abb"], graph, p=1)
    same(found, 2 * (1 + 2 + 3), 4)


@pytest.mark.parametrize(("groups", "k"), [(1, 1), (1, 5), (4, 2), (7, 3), (2, 50)])
def test_groups_of_k_distinct_values(groups, k):
    rows = groups * k
    before = pl.DataFrame({"x": [f"v{number}" for number in range(rows)]})
    after = pl.DataFrame({"x": [f"g{number // k}" for number in range(rows)]})
    expected = (k - 1) / (rows - 1) if rows > 1 else 0.0
    assert float(sd.measure.ild(before, after)) == pytest.approx(expected, rel=1e-14)
    entropy = math.log(k) / math.log(rows) if rows > 1 else 0.0
    assert sd.measure.entropy_loss(before, after) == pytest.approx(entropy, rel=1e-12, abs=1e-14)


# --- distances between texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("distance", "one", "other", "expected"),
    [
        (sd.distance.Hamming(), "karolin", "kathrin", 3),
        (sd.distance.Levenshtein(), "kitten", "sitting", 3),
        (sd.distance.NormalizedLevenshtein(), "kitten", "sitting", 3 / 7),
        (sd.distance.NormalizedLevenshtein(), "", "東京", 1),
        (sd.distance.Levenshtein(), "ab", "ba", 2),
        (sd.distance.DamerauLevenshtein(), "ab", "ba", 1),
        (sd.distance.DamerauLevenshtein(), "ca", "abc", 2),  # not the restricted kind, which says 3
        (sd.distance.Levenshtein(), "東京都", "京都府", 2),
        (sd.distance.Levenshtein(), "", "abc", 3),
    ],
)
def test_texts(distance, one, other, expected):
    found = sd.measure.ild([one, other], [one, one], distance, p=1)
    assert found.before == pytest.approx(2 * expected, rel=1e-12)
    assert float(found) == 1


# --- kinds of columns ----------------------------------------------------------------------------------------------


def test_dates_are_days():
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 11), dt.date(2024, 4, 10)]
    same(sd.measure.ild(days, days, p=1), 2 * (10 + 90 + 100), 2 * (10 + 90 + 100))
    moments = pl.Series(days).cast(pl.Datetime("us"))
    assert sd.measure.ild(moments, moments, p=1).before == pytest.approx(400)
    cells = ["[2024-01-01, 2024-01-11]", "[2024-01-01, 2024-01-11]", "2024-04-10"]
    same(sd.measure.ild(days, cells, p=1), 400, 2 * 2 * 90)


def test_the_unit_of_time_of_the_release_does_not_matter():
    moments = pl.Series([dt.date(2024, 1, day) for day in (1, 2, 5)]).cast(pl.Datetime("us"))
    coarser = moments.dt.cast_time_unit("ms")
    assert float(sd.measure.ild(moments, coarser)) == 0
    assert float(sd.measure.ild(moments.cast(pl.Date), moments)) == 0
    assert float(sd.measure.ild(moments, moments.cast(pl.Date))) == 0


def test_decimals_are_their_values():
    exact = pl.Series([Decimal("1.50"), Decimal("2.50")])
    found = sd.measure.ild(exact, [1.5, 2.5])
    assert (found.before, float(found)) == (2, 0)


def test_starred_cells_of_a_column_without_values():
    empty = pl.Series([None, None], dtype=pl.Int64)
    assert float(sd.measure.ild(empty, ["*", "*"])) == 0


def test_ranges_are_as_far_as_their_gap():
    # [0, 4] and [2, 6] overlap; 9 is 5 and 3 away; * is 0 from all
    found = sd.measure.ild([0, 4, 9, 5], ["[0, 4]", "[2, 6]", "9", "*"], p=1)
    assert found.after == 2 * (5 + 3)


def test_numbers_generalized_to_labels_of_a_hierarchy():
    """Where a label has no ends on the line, the way along the hierarchy is left."""
    tree = sd.hierarchy.tree({"young": ["20", "30"], "old": ["60", "70"]})
    same(
        sd.measure.ild(tabled([20, 30, 60, 70], tree), pl.DataFrame({"x": ["young"] * 2 + ["old"] * 2})),
        144,
        32,
    )


@pytest.mark.parametrize("framed", [list, tuple, np.array, pl.Series, pd.Series])
def test_plain_sequences(framed):
    assert float(sd.measure.ild(framed([1, 2, 3, 4]), framed([1.5, 1.5, 3.5, 3.5]))) == 0.2


def test_arrays_of_rows():
    before, after = np.array([[1.0, 5], [2, 5], [3, 9]]), np.array([[1.5, 5], [1.5, 5], [3, 9]])
    found = sd.measure.ild(before, after, sd.distance.Minkowski(1), p=1)
    same(found, 2 * (1 + 6 + 5), 2 * (5.5 + 5.5))


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "distance", "words"),
    [
        (["a", "bb"], sd.distance.Hamming(), "'a' and 'bb'"),
        (["a", "b"], sd.distance.Euclid(), "numbers or dates"),
        (["a", "b"], sd.distance.Minkowski(), "numbers or dates"),
        (["a", "b"], sd.distance.TreeDistance(), "no hierarchy"),
        (["a", "b"], sd.distance.Graph({"a": {"b": 1.0}, "c": {"d": 1.0}}), "no path leads from 'a' to 'c'"),
        (["a", "z"], sd.distance.Graph({"a": {"b": 1.0}}), "'z'"),
        (["a", "b"], sd.distance.Matrix({"a": {"b": 1.0}, "b": {"a": 2.0}}), "symmetric"),
        (["a", "b"], sd.distance.Matrix({"a": {"b": 0.0}}), "greater than 0"),
        (["a", "b"], sd.distance.Matrix({"a": {"b": 1.0, "a": 1.0}}), "itself"),
        (["a", "z"], sd.distance.Matrix({"a": {"b": 1.0}}), "'z'"),
        (["a", "b", "c"], sd.distance.Matrix({"a": {"b": 1.0, "c": 1.0}}), "'b' to 'c'"),
        (["a", "b"], sd.distance.Custom(lambda one, other: 0), "greater than 0"),
        (["a", "b"], sd.distance.Custom(lambda one, other: -1), "greater than 0"),
        (["a", "b"], sd.distance.Custom(lambda one, other: NAN), "greater than 0"),
        (["a", "b"], sd.distance.Custom(lambda one, other: math.inf), ""),
        (["a", "b"], sd.distance.Custom(lambda one, other: "far"), ""),
        (["a", "b"], sd.distance.Custom(lambda one, other: 1 if one < other else 5), "symmetric"),
        (["a", "b"], "euclid", "euclid"),
        (["a", "b"], sd.distance.Discrete, ""),
        (["a", "b"], sd.distance.Product, ""),
        (["a", "b"], {"nothing": sd.distance.Discrete()}, "nothing"),
    ],
)
def test_a_distance_that_does_not_fit_says_so_in_one_sentence(values, distance, words):
    refused(lambda: sd.measure.ild(values, values, distance), words)


@pytest.mark.parametrize(
    "make",
    [
        lambda: sd.distance.Graph({"a": {"b": 0.0}}),
        lambda: sd.distance.Graph({"a": {"b": -1.0}}),
        lambda: sd.distance.Graph({"a": {"b": NAN}}),
        lambda: sd.distance.Matrix({"a": {"b": math.inf}}),
        lambda: sd.distance.Product(weights={"a": -1.0}),
        lambda: sd.distance.Product(order=0.5),
        lambda: sd.distance.Minkowski(NAN),
        lambda: sd.measure.ild([1, 2], [1, 1], p=0),
        lambda: sd.measure.ild([1, 2], [1, 1], p=-1),
        lambda: sd.measure.ild([1, 2], [1, 1], p=NAN),
        lambda: sd.measure.ild([1, 2], [1, 1], p=math.inf),
        lambda: sd.measure.ild([1, 2], [1, 1], p="2 or so"),
        lambda: sd.measure.ild([1, 2], [1]),
        lambda: sd.measure.ild([1, 2], ["young", "old"]),
        lambda: sd.measure.ild([1, 2], [1, 1], columns=["years"]),
        lambda: sd.measure.ild([1, 2], [1, 1], columns=[]),
    ],
)
def test_wrong_parameters_are_one_sentence(make):
    refused(make)


def test_weights_of_unknown_columns_are_refused():
    """A misspelled column would otherwise weigh 0, and the loss of the rest would be all there is."""
    before = pl.DataFrame({"age": [1, 2], "sex": [1, 2]})
    refused(
        lambda: sd.measure.ild(before, before, sd.distance.Product(weights={"aeg": 1.0, "sex": 1.0})), "aeg"
    )


@pytest.mark.parametrize("edges", [{}, {"a": {}}])
def test_a_graph_without_edges(edges):
    """Two values without an edge are not connected."""
    refused(lambda: sd.measure.ild(["a", "b"], ["a", "b"], sd.distance.Graph(edges)))


def refused(call, words=""):
    with pytest.raises(SudareError) as caught:
        call()
    sentence = str(caught.value)
    assert words in sentence
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
