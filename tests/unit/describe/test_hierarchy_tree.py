"""The tree itself: shape, validation, look-up, missing leaf, files."""

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from sudare.describe.hierarchy.tree import Hierarchy
from sudare.describe.text import as_text, scalar_text
from sudare.errors import DescriptionError, InputError, OutputError

CITIES = [
    ["Lyon", "France", "Europe", "*"],
    ["Paris", "France", "Europe", "*"],
    ["Monaco", "Monaco", "Europe", "*"],
    ["東京", "日本", "Asia", "*"],
]


@pytest.fixture
def cities():
    return Hierarchy.from_levels(CITIES, "city")


def test_levels_become_nodes_and_repeated_labels_collapse(cities):
    assert cities.labels == ("Lyon", "Paris", "Monaco", "東京", "France", "日本", "Europe", "Asia", "*")
    assert cities.parent.tolist() == [4, 4, 6, 5, 6, 7, 8, 8, 8]
    assert cities.level.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 3]
    assert (cities.leaves, cities.nodes, cities.root, cities.height) == (4, 9, 8, 3)
    assert cities.missing is None


def test_arrays_cannot_be_written(cities):
    for array in (
        cities.parent,
        cities.level,
        cities.leaf_counts,
        cities.first,
        cities.last,
        cities.leaf_order,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_the_given_arrays_are_not_shared():
    parent = np.array([1, 1], dtype=np.int32)
    tree = Hierarchy(parent, np.array([0, 1]), ("a", "*"))
    parent[0] = 0
    assert tree.parent.tolist() == [1, 1]


def test_a_repeated_top_collapses_but_the_root_is_never_a_leaf():
    assert Hierarchy.from_levels([["a", "*", "*"], ["b", "*", "*"]], "x").height == 1
    only = Hierarchy.from_levels([["a", "a"]], "x")
    assert (only.leaves, only.nodes, only.height) == (1, 2, 1)


def test_equal_rows_are_one_leaf():
    assert Hierarchy.from_levels([["a", "*"], ["a", "*"], ["b", "*"]], "x").leaves == 2


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "The hierarchy of column 'x' is empty; give it one row for every value."),
        (
            [["a", "b", "*"], ["c", "*"]],
            "The hierarchy of column 'x' has 2 levels for 'c' but 3 for 'a'; give every row the same number of levels.",
        ),
        (
            [["a"]],
            "The hierarchy of column 'x' has only the level of its values; add at least one more general level.",
        ),
        (
            [["a", "p", "*"], ["a", "q", "*"]],
            "The hierarchy of column 'x' puts 'a' (level 0) under both 'p' and 'q'; give it one parent.",
        ),
        (
            [["a", "p", "m", "*"], ["b", "p", "n", "*"]],
            "The hierarchy of column 'x' puts 'p' (level 1) under both 'm' and 'n'; give it one parent.",
        ),
        (
            [["a", "p"], ["b", "q"]],
            "The hierarchy of column 'x' has 2 roots, among them 'p' and 'q'; end every row with the same most general value.",
        ),
    ],
)
def test_each_breach_is_one_sentence(rows, sentence):
    with pytest.raises(DescriptionError) as caught:
        Hierarchy.from_levels(rows, "x")
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("parent", "level", "labels"),
    [
        ([], [], ()),
        ([1, 1], [0, 0], ("a", "*")),
        ([0, 1], [0, 1], ("a", "*")),
        ([2, 2, 2], [0, 1, 1], ("a", "b", "*")),
        ([2, 2, 2], [0, 1, 2], ("a", "childless", "*")),
        ([1, 1], [0, 1], ("a", None)),
        ([2, 2, 2], [0, 0, 1], (None, "a", "*")),
        ([9, 1], [0, 1], ("a", "*")),
        ([1, 1], [0, 1], ("a", "b", "*")),
    ],
)
def test_arrays_that_are_no_tree_are_refused(parent, level, labels):
    with pytest.raises(DescriptionError, match="not a tree"):
        Hierarchy(np.array(parent), np.array(level), labels)


def test_two_leaves_with_one_label_are_refused():
    with pytest.raises(DescriptionError, match="the leaf 'a' twice"):
        Hierarchy(np.array([2, 2, 2]), np.array([0, 0, 1]), ("a", "a", "*"))


def test_ancestors_at_each_level(cities):
    at = [cities.labels_of(cities.ancestors(level)).to_list() for level in range(4)]
    assert at[0] == ["Lyon", "Paris", "Monaco", "東京"]
    assert at[1] == ["France", "France", "Monaco", "日本"]
    assert at[2] == ["Europe", "Europe", "Europe", "Asia"]
    assert at[3] == ["*"] * 4


def test_lowest_common(cities):
    name = {label: node for node, label in enumerate(cities.labels)}

    def common(*labels):
        return cities.labels[cities.lowest_common([name[label] for label in labels])]

    assert common("Lyon") == "Lyon"
    assert common("Lyon", "Paris") == "France"
    assert common("Lyon", "Monaco") == "Europe"
    assert common("東京", "日本") == "日本"  # one covers the other's only leaf: the higher one
    assert common("日本", "Lyon", "Paris") == "*"
    with pytest.raises(DescriptionError, match="at least one"):
        cities.lowest_common([])


def test_look_up_of_values_and_labels(cities):
    assert cities.leaf_of(pl.Series(["東京", "Lyon"])).tolist() == [3, 0]
    assert cities.node_of(pl.Series(["Europe", "Monaco", "*"])).tolist() == [6, 2, 8]
    with pytest.raises(DescriptionError) as caught:
        cities.leaf_of(pl.Series("city", ["Rome", "Lyon", "Oslo", "Rome", "Bonn", "Kiel"]))
    assert str(caught.value) == (
        "Column 'city' contains 'Rome', 'Oslo', 'Bonn' and 1 other value, which its hierarchy does not cover; "
        "extend the hierarchy or correct the data."
    )
    with pytest.raises(DescriptionError, match="'Atlantis'"):
        cities.node_of(pl.Series("city", ["Atlantis"]))


def test_the_lowest_node_wins_where_labels_repeat():
    tree = Hierarchy.from_levels([["Other", "Other", "*"], ["Army", "Other", "*"]], "job")
    assert tree.nodes == 4
    assert tree.node_of(pl.Series(["Other"])).tolist() == [0]


def test_missing_is_a_leaf_of_its_own(cities):
    with pytest.raises(DescriptionError, match="missing values"):
        cities.leaf_of(pl.Series("city", ["Lyon", None]))
    tree = cities.with_missing()
    assert tree.missing == 4
    assert tree.with_missing() is tree
    assert tree.parent[4] == tree.root
    assert tree.leaf_of(pl.Series(["Lyon", None])).tolist() == [0, 4]
    assert tree.node_of(pl.Series(["Europe", None])).tolist() == [7, 4]
    assert tree.labels_of([4, 0]).to_list() == [None, "Lyon"]
    assert tree.lowest_common([4, 0]) == tree.root
    assert tree.ancestors(2)[4] == 4
    assert tree.leaf_counts[tree.root] == 5
    assert tree.first[4] == 4  # after every other value


def test_a_hierarchy_is_its_own_maker(cities):
    assert cities.build(pl.Series(["Lyon"]), "city") is cities
    assert cities.build(pl.Series(["Lyon", None]), "city").missing == 4
    with pytest.raises(DescriptionError, match="Column 'city' contains 'Rome'"):
        cities.build(pl.Series(["Rome"]), "city")


def test_bare_root_takes_missing_values_only():
    tree = Hierarchy.bare("*")
    assert (tree.leaves, tree.nodes, tree.height, tree.missing) == (0, 1, 1, None)
    assert tree.leaf_of(pl.Series([], dtype=pl.String)).tolist() == []
    assert tree.leaf_order.tolist() == []
    assert tree.with_missing().leaf_of(pl.Series([None, None])).tolist() == [0, 0]


def test_json_keeps_everything(cities, tmp_path):
    bounded = Hierarchy(
        np.array([2, 2, 2]),
        np.array([0, 0, 1]),
        ("1", "2", "*"),
        np.array([1.0, 2, 1]),
        np.array([1.0, 2, 3]),
    )
    for tree in (cities, cities.with_missing(), bounded, bounded.with_missing(), Hierarchy.bare("*")):
        tree.save(tmp_path / "tree.json")
        assert Hierarchy.load(tmp_path / "tree.json") == tree
        assert hash(Hierarchy.from_dict(tree.to_dict())) == hash(tree)
    assert bounded != cities
    assert cities != "cities"


def test_csv_is_the_table_of_levels(cities, tmp_path):
    cities.with_missing().save(tmp_path / "tree.csv")
    assert (tmp_path / "tree.csv").read_text(encoding="utf-8").splitlines()[2] == "Monaco;Monaco;Europe;*"
    assert Hierarchy.load(tmp_path / "tree.csv") == cities


def test_files_that_cannot_be_used(cities, tmp_path):
    with pytest.raises(OutputError, match="ends neither in"):
        cities.save(tmp_path / "tree.txt")
    with pytest.raises(OutputError, match="cannot be written"):
        cities.save(tmp_path / "no such folder" / "tree.json")
    with pytest.raises(InputError, match="cannot be read"):
        Hierarchy.load(tmp_path / "absent.json")
    for text in ("[1]", "{not json"):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(InputError, match="not the JSON file of a hierarchy"):
            Hierarchy.load(tmp_path / "bad.json")
    for text, sentence in (
        ('{"parent": [0]}', "does not contain the list 'labels'"),
        ('{"parent": ["x"], "level": [1], "labels": ["*"]}', "does not contain valid lists .*whole numbers"),
        ('{"parent": [0], "level": [1], "labels": null}', "does not contain valid lists"),
    ):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(DescriptionError, match=sentence):
            Hierarchy.load(tmp_path / "bad.json")


def test_a_hundred_thousand_leaves():
    rows = [[str(i), str(i // 100), "*"] for i in range(100_000)]
    tree = Hierarchy.from_levels(rows, "x")
    assert repr(tree) == "Hierarchy(100000 leaves, 101001 nodes, height 2)"
    assert (np.diff(tree.leaf_order) == 1).all()


@pytest.mark.parametrize(
    ("values", "dtype", "texts"),
    [
        ([39, None, -1], pl.Int64, ["39", None, "-1"]),
        (
            [2.0, 1.5, -0.0, 1e16, 1e-7, float("nan"), float("inf")],
            pl.Float64,
            ["2", "1.5", "0", "1" + "0" * 16, "1e-7", None, "inf"],
        ),
        ([0.1, 16777216.0], pl.Float32, ["0.1", "16777216"]),
        ([True, False, None], pl.Boolean, ["true", "false", None]),
        ([Decimal("1.50"), Decimal(2)], pl.Decimal(10, 2), ["1.5", "2"]),
        (["b", "あ"], pl.Categorical, ["b", "あ"]),
        (["b", None], pl.Enum(["b"]), ["b", None]),
        ([dt.date(2024, 3, 5)], pl.Date, ["2024-03-05"]),
        ([dt.datetime.fromisoformat("2024-03-05T01:02:03")], pl.Datetime("ns"), ["2024-03-05T01:02:03"]),
        (
            [dt.datetime.fromisoformat("2024-03-05T01:02:03.000004")],
            pl.Datetime("us"),
            ["2024-03-05T01:02:03.000004"],
        ),
        ([dt.time(1, 2, 3, 500000)], pl.Time, ["01:02:03.500"]),
        ([dt.timedelta(hours=1)], pl.Duration, ["PT1H"]),
        ([None, None], pl.Null, [None, None]),
        ([], pl.Float64, []),
    ],
)
def test_canonical_text(values, dtype, texts):
    made = as_text(pl.Series("x", values, dtype=dtype))
    assert made.to_list() == texts
    assert made.dtype == pl.String
    assert made.name == "x"


def test_text_of_one_value_and_of_lists():
    assert [scalar_text(value) for value in (1, 2.0, True, "x")] == ["1", "2", "true", "x"]
    with pytest.raises(DescriptionError, match=r"Column 'tags' contains values of type List\(String\)"):
        as_text(pl.Series("tags", [["a"]]))
