"""The makers: each hierarchy against its definition, and the sentence of each wrong use."""

import datetime as dt
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cases.places import DATA

from sudare.describe import hierarchy
from sudare.describe.hierarchy.catalogue import CATALOGUE
from sudare.errors import DescriptionError, InputError, ParameterError

ADULT = DATA / "adult_hierarchies"


def path_of(tree, value):
    """The labels from a value up to the root."""
    node = int(tree.leaf_of(pl.Series([value]))[0])
    labels = [tree.labels[node]]
    while node != tree.root:
        node = int(tree.parent[node])
        labels.append(tree.labels[node])
    return labels


@pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult data are not beside this repository")
def test_the_adult_hierarchies_cover_adult():
    frame = pl.read_csv(ADULT / "adult.csv", separator=";")
    heights = {}
    for name in frame.columns:
        tree = hierarchy.csv(ADULT / f"adult_hierarchy_{name}.csv").build(frame[name], name)
        assert tree.labels_of(tree.leaf_of(frame[name])).to_list() == frame[name].cast(pl.String).to_list()
        heights[name] = tree.height
    assert heights["age"] == 4
    assert heights["education"] == 3
    assert heights["sex"] == 1


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
def test_csv_finds_delimiter_and_encoding(tmp_path, delimiter, encoding):
    rows = [["札幌", "北海道", "*"], ["大阪", "近畿", "*"], ["京都", "近畿", "*"]]
    (tmp_path / "a.csv").write_text("\r\n".join(delimiter.join(row) for row in rows), encoding=encoding)
    tree = hierarchy.csv(tmp_path / "a.csv").build(pl.Series(["大阪", None]), "city")
    assert path_of(tree, "大阪") == ["大阪", "近畿", "*"]
    assert tree.missing is not None


def test_csv_header_quotes_and_given_dialect(tmp_path):
    (tmp_path / "a.csv").write_text('leaf;all\n"a;b, c";*\n\nd, e;*\n', encoding="utf-16")
    maker = hierarchy.csv(tmp_path / "a.csv", delimiter=";", encoding="utf-16", header=True)
    assert maker.build(pl.Series(["d, e"]), "x").labels == ("a;b, c", "d, e", "*")


def test_csv_wrong_files(tmp_path):
    values = pl.Series(["a"])
    with pytest.raises(InputError, match="cannot be read: No such file"):
        hierarchy.csv(tmp_path / "absent.csv").build(values, "x")
    (tmp_path / "a.csv").write_bytes(b"a;\x81\x01;\xff\n\x02\x03")
    with pytest.raises(InputError, match="does not look like text"):
        hierarchy.csv(tmp_path / "a.csv").build(values, "x")
    with pytest.raises(InputError, match="encoding 'klingon' is not known"):
        hierarchy.csv(tmp_path / "a.csv", encoding="klingon").build(values, "x")
    (tmp_path / "a.csv").write_text("")
    with pytest.raises(DescriptionError, match="is empty"):
        hierarchy.csv(tmp_path / "a.csv").build(values, "x")
    (tmp_path / "a.csv").write_text("b;*\n")
    with pytest.raises(DescriptionError, match="Column 'x' contains 'a', which its hierarchy does not cover"):
        hierarchy.csv(tmp_path / "a.csv").build(values, "x")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_csv_in_any_encoding_that_tables_are_read_in(tmp_path, encoding):
    (tmp_path / "a.csv").write_text("東京都;関東\n神奈川県;関東\n", encoding=encoding)
    assert path_of(hierarchy.csv(tmp_path / "a.csv").build(pl.Series(["東京都"]), "x"), "東京都") == [
        "東京都",
        "関東",
    ]


def test_mask_pads_on_the_left_and_has_as_many_levels_as_characters():
    tree = hierarchy.mask().build(pl.Series([5, 39, 31, 100, None]), "age")
    assert tree.height == 3
    assert path_of(tree, 5) == ["5", "__*", "_**", "***"]
    assert path_of(tree, 39) == ["39", "_3*", "_**", "***"]
    assert path_of(tree, 100) == ["100", "10*", "1**", "***"]
    assert tree.level[tree.node_of(pl.Series(["_3*", "_**", "***", None]))].tolist() == [1, 2, 3, 0]


def test_mask_right_width_and_character():
    tree = hierarchy.mask(width=4, pad="right", character="#").build(pl.Series(["東京", "東"]), "city")
    assert path_of(tree, "東") == ["東", "東__#", "東_##", "東###", "####"]
    with pytest.raises(
        DescriptionError, match="Column 'zip' contains '12345', but the mask has a width of 4"
    ):
        hierarchy.mask(width=4).build(pl.Series(["12345", "1"]), "zip")
    with pytest.raises(ParameterError, match="'width' is 0"):
        hierarchy.mask(width=0)


def test_mask_keeps_its_levels_even_where_labels_repeat():
    tree = hierarchy.mask().build(pl.Series(["a*", "_", "__"]), "x")
    assert tree.height == 2
    assert path_of(tree, "a*") == ["a*", "a*", "**"]
    assert tree.leaves == 3


def test_intervals_of_one_width_double_until_they_span_the_values():
    tree = hierarchy.intervals(width=5).build(pl.Series([17, 18, 22, 39, 61, 90, None]), "age")
    assert path_of(tree, 39) == ["39", "[35, 40)", "[30, 40)", "[20, 40)", "[0, 40)", "*"]
    assert tree.lower is not None
    assert tree.upper is not None
    node = tree.node_of(pl.Series(["[35, 40)", "39", "*"]))
    assert tree.lower[node].tolist() == [35, 39, 0]
    assert tree.upper[node].tolist() == [40, 39, 120]
    assert np.isnan(tree.lower[tree.missing])


@pytest.mark.parametrize(
    ("maker", "values", "value", "labels"),
    [
        (hierarchy.intervals(width=5, levels=1), [1, 99], 99, ["99", "[95, 100)", "*"]),
        (
            hierarchy.intervals(width=5, nested=[2, 5]),
            [1, 99],
            99,
            ["99", "[95, 100)", "[90, 100)", "[50, 100)", "*"],
        ),
        (hierarchy.intervals(width=10, origin=5, nested=3), [5, 34], 34, ["34", "[25, 35)", "*"]),
        (hierarchy.intervals(width=10), [7], 7, ["7", "[0, 10)", "*"]),
        (hierarchy.intervals(width=5), [-1, 0], -1, ["-1", "[-5, 0)", "*"]),
        (hierarchy.intervals(width=0.1), [0.3, 0.35], 0.3, ["0.3", "[0.3, 0.4)", "*"]),
        (hierarchy.intervals(width=0.1), [0.7, 0.7000001], 0.7, ["0.7", "[0.7, 0.8)", "*"]),
        (
            hierarchy.intervals(width=2.5),
            [1e9 + 1, 1e9 + 2],
            1e9 + 1,
            ["1000000001", "[1000000000, 1000000002.5)", "*"],
        ),
        (
            hierarchy.intervals(width=5),
            [2**62 + 1],
            2**62 + 1,
            ["4611686018427387905", "[4611686018427387905, 4611686018427387910)", "*"],
        ),
        (hierarchy.intervals(width=5), ["07", "7"], "07", ["07", "[5, 10)", "*"]),
        (hierarchy.intervals(bounds=[0, 20, 40, 65]), [-3, 0, 50], -3, ["-3", "< 0", "*"]),
        (hierarchy.intervals(bounds=[0, 20, 40, 65]), [-3, 20, 50], 20, ["20", "[20, 40)", "[0, 40)", "*"]),
        (hierarchy.intervals(bounds=[0, 20, 40, 65]), [65, 20, 99], 65, ["65", ">= 65", "*"]),
        (hierarchy.intervals(bounds=[0.5]), [0.5, 0.25], 0.25, ["0.25", "< 0.5", "*"]),
        (hierarchy.intervals(quantiles=4), [1, 2, 3, 4, 5, 6, 7, 8], 4, ["4", "[3, 5)", "< 5", "*"]),
        (hierarchy.intervals(quantiles=4), [1, 2, 3, 4, 5, 6, 7, 8], 8, ["8", ">= 7", ">= 5", "*"]),
        (hierarchy.intervals(quantiles=2), [1, 1, 1, 1, 9], 9, ["9", "*"]),
        (hierarchy.intervals(quantiles=2), [3, 3, 3], 3, ["3", "*"]),
    ],
)
def test_intervals(maker, values, value, labels):
    assert path_of(maker.build(pl.Series(values), "x"), value) == labels


def test_every_value_lies_in_its_intervals():
    values = pl.Series(np.random.default_rng(1).normal(1e6, 10, 500).round(2))
    tree = hierarchy.intervals(width=0.05).build(values, "x")
    assert path_of(tree, values[0])[1].count(".") <= 2
    assert tree.lower is not None
    assert tree.upper is not None
    leaf = tree.leaf_of(values)
    for level in range(tree.height + 1):
        node = tree.ancestors(level)[leaf]
        inside = (tree.lower[node] <= values.to_numpy()) & (values.to_numpy() <= tree.upper[node])
        assert inside.all()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["x", "1"], "Column 'c' contains 'x', but intervals need finite numbers"),
        ([float("inf")], "Column 'c' contains 'inf', but intervals need finite numbers"),
        ([dt.date(2024, 1, 1)], "Column 'c' contains '2024-01-01', but intervals need finite numbers"),
        ([1e300], "intervals of width 5"),
    ],
)
def test_intervals_refuse(values, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        hierarchy.intervals(width=5).build(pl.Series(values), "c")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "neither 'width' nor 'bounds' nor 'quantiles' is given, but exactly one"),
        ({"width": 5, "quantiles": 4}, "'width', 'quantiles' are given, but exactly one"),
        ({"width": -1}, "'width' is -1"),
        ({"width": float("nan")}, "'width' is nan"),
        ({"bounds": [3, 1]}, "'bounds' has 3 before 1"),
        ({"bounds": []}, "'bounds' is"),
        ({"quantiles": 1}, "'quantiles' is 1"),
        ({"width": 1, "nested": 1}, "nested"),
    ],
)
def test_intervals_parameters(given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        hierarchy.intervals(**given)


def test_dates_of_days_times_and_texts():
    up = ["2024-03", "2024-Q1", "2024", "2020s", "*"]
    days = hierarchy.dates().build(pl.Series([dt.date(2024, 3, 5), None]), "d")
    assert path_of(days, dt.date(2024, 3, 5)) == ["2024-03-05", *up]
    assert days.height == 5
    moment = dt.datetime.fromisoformat("2024-03-05T23:59")
    times = hierarchy.dates().build(pl.Series([moment]), "d")
    assert path_of(times, moment) == ["2024-03-05T23:59:00", "2024-03-05", *up]
    texts = hierarchy.dates(["month", "decade"]).build(pl.Series(["2024-03-05", "0987-12-31"]), "d")
    assert path_of(texts, "2024-03-05") == ["2024-03-05", "2024-03", "2020s", "*"]
    assert path_of(texts, "0987-12-31") == ["0987-12-31", "0987-12", "0980s", "*"]


def test_dates_carry_first_and_last_day():
    tree = hierarchy.dates().build(pl.Series([dt.date(1970, 2, 3)]), "d")
    assert tree.lower is not None
    assert tree.upper is not None
    assert tree.lower.tolist() == [33, 31, 0, 0, 0, 0]
    assert tree.upper.tolist() == [33, 58, 89, 364, 3651, 3651]


def test_dates_refuse():
    for wrong in (["2024-13-01"], ["03/05/2024"], ["2024-03-05x"], [20240305]):
        with pytest.raises(DescriptionError, match="dates like 2024-03-05 are needed"):
            hierarchy.dates().build(pl.Series(wrong), "d")
    with pytest.raises(ParameterError, match="'year' before 'month'"):
        hierarchy.dates(["year", "month"])
    with pytest.raises(ParameterError, match="week"):
        CATALOGUE.build({"type": "dates", "levels": ["week"]})
    with pytest.raises(ParameterError):
        hierarchy.dates(levels=[])


WORLD: Any = {
    "Europe": {"West": ["France", {"UK": ["Wales"]}], "East": {"Poland": None}},
    "日本": {},
    1: [2, 3.5, True],
}


def test_tree_of_any_depth():
    tree = hierarchy.tree(WORLD).build(pl.Series(["France", None]), "place")
    assert path_of(tree, "Wales") == ["Wales", "UK", "West", "Europe", "*"]
    assert path_of(tree, "France") == ["France", "West", "Europe", "*"]
    assert path_of(tree, "Poland") == ["Poland", "East", "Europe", "*"]
    assert path_of(tree, "日本") == ["日本", "*"]
    assert path_of(tree, "true") == ["true", "1", "*"]
    assert path_of(tree, 3.5) == ["3.5", "1", "*"]
    assert tree.height == 4


def test_tree_may_repeat_a_name_for_a_value_directly_below():
    tree = hierarchy.tree({"Other": ["Other", "Army"], "Monaco": ["Monaco"]}, root="all").build(
        pl.Series(["Army"]), "x"
    )
    assert path_of(tree, "Army") == ["Army", "Other", "all"]
    assert path_of(tree, "Monaco") == ["Monaco", "all"]


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        ({"a": {"b": {"a": ["x"]}}}, "puts 'a' below itself"),
        ({"a": ["x"], "b": {"c": ["x"]}}, "puts 'x' under both 'a' and 'c'"),
        ({"a": {"o": ["x"]}, "b": {"o": ["y"]}}, "puts 'o' under both 'a' and 'b'"),
        ({}, "is empty"),
    ],
)
def test_tree_breaches(mapping, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        hierarchy.tree(mapping).build(pl.Series(["x"]), "c")


def test_tree_parameters():
    mapping: Any
    circle: dict[str, Any] = {}
    circle["a"] = {"b": circle}
    for mapping, sentence in [
        (circle, "contains itself"),
        ({"a": 3}, "'mapping' contains 3 where a list"),
        ({"a": [["b"]]}, r"contains \['b'\] where a value is expected"),
        ({"a": ["b", "b"]}, "lists 'b' twice"),
    ]:
        with pytest.raises(ParameterError, match=sentence):
            hierarchy.tree(mapping)


def test_order_pairs_neighbors_up_to_the_root():
    tree = hierarchy.order(["low", "mid", "high", "top", "extreme"]).build(pl.Series(["low", None]), "grade")
    assert path_of(tree, "high") == ["high", "high … top", "low … top", "*"]
    assert path_of(tree, "extreme") == ["extreme", "*"]
    with pytest.raises(DescriptionError, match="Column 'grade' contains 'huge'"):
        hierarchy.order(["low", "mid"]).build(pl.Series(["huge"]), "grade")


@pytest.mark.parametrize("groups", [[2, 3], [[1, 2], [3, 4, 5]]])
def test_order_of_given_groups(groups):
    tree = hierarchy.order([1, 2, 3, 4, 5], groups=groups).build(pl.Series([4]), "x")
    assert path_of(tree, 4) == ["4", "3 … 5", "*"]
    assert tree.height == 2


def test_order_parameters():
    given: Any
    for given, sentence in [
        ({"values": []}, "values"),
        ({"values": ["a", "a"]}, "lists 'a' 2 times"),
        ({"values": ["a", "b"], "groups": [1]}, "add up to 1, but the number of 'values' is 2"),
        ({"values": ["a", "b"], "groups": [["b"], ["a"]]}, "same order"),
        ({"values": ["a", "b"], "groups": 1}, "groups"),
    ]:
        with pytest.raises(ParameterError, match=sentence):
            hierarchy.order(**given)


def test_suppress_has_one_level():
    tree = hierarchy.suppress("hidden").build(pl.Series([3, 1, 2, None, 3]), "x")
    assert tree.labels == ("1", "2", "3", None, "hidden")
    assert tree.height == 1


DATA_DRIVEN = [
    hierarchy.mask(),
    hierarchy.intervals(width=5),
    hierarchy.intervals(bounds=[1]),
    hierarchy.intervals(quantiles=3),
    hierarchy.dates(),
    hierarchy.suppress(),
]


@pytest.mark.parametrize("maker", DATA_DRIVEN)
def test_columns_without_values(maker):
    nothing = maker.build(pl.Series([None, None], dtype=pl.String), "x")
    assert (nothing.leaves, nothing.missing, nothing.height) == (
        1,
        0,
        maker.build(pl.Series([], dtype=pl.String), "x").height,
    )


@pytest.mark.parametrize("maker", [maker for maker in DATA_DRIVEN if not isinstance(maker, hierarchy.dates)])
def test_nan_is_missing_and_the_column_is_untouched(maker):
    values = pl.Series("v", [3.0, float("nan"), 1.0])
    tree = maker.build(values, "x")
    assert (tree.leaves, tree.missing) == (3, 2)
    assert values.name == "v"
    assert values.is_nan().sum() == 1


@pytest.mark.parametrize(
    "maker",
    [
        *DATA_DRIVEN,
        hierarchy.csv("a.csv"),
        hierarchy.tree(WORLD),
        hierarchy.order([1, 2, 3], groups=[[1, 2], [3]]),
        hierarchy.intervals(width=1, nested=[2, 5]),
    ],
)
def test_recipes_name_every_maker(maker):
    assert CATALOGUE.build(CATALOGUE.dump(maker)) == maker


def test_names_of_the_public_face():
    assert {name: getattr(hierarchy, name) for name in CATALOGUE} == CATALOGUE.entries
    assert CATALOGUE.build({"type": "intervals", "width": 5}) == hierarchy.intervals(width=5)
    assert CATALOGUE.schema()["oneOf"]


def test_save_and_load_functions(tmp_path):
    tree = hierarchy.intervals(width=5).build(pl.Series([1, 9, None]), "x")
    hierarchy.save(tree, tmp_path / "tree.json")
    assert hierarchy.load(tmp_path / "tree.json") == tree
