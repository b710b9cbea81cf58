"""Baskets: their arrays, their immutability, and every way to name sensitive items."""

# mypy: disable-error-code="arg-type, index, union-attr"
# sensitive items are given as users write them, wrong ones included

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.errors import DescriptionError, InputError

FAST = settings(max_examples=60, deadline=None)
ITEMS = st.one_of(st.text(min_size=1, max_size=4), st.integers(-5, 5))
LISTS = st.lists(st.lists(ITEMS, max_size=6), max_size=8)


@pytest.fixture
def shop():
    return sd.Baskets.from_lists([["milk", "beer"], [], ["milk", "test", "milk"]], ids=["u", "v", "w"])


@FAST
@given(LISTS)
def test_baskets_are_the_sets_they_were_made_from(lists):
    baskets = sd.Baskets.from_lists(lists)
    assert baskets.sets() == [frozenset(each) for each in lists] == list(baskets)
    assert [baskets[place] for place in range(len(baskets))] == baskets.sets()
    assert len(set(baskets.items)) == len(baskets.items)
    assert baskets.starts.dtype == np.int64
    assert baskets.codes.dtype == np.int32
    for basket in range(len(baskets)):
        codes = baskets.codes[baskets.starts[basket] : baskets.starts[basket + 1]]
        assert (np.diff(codes) > 0).all()
    counted = {item: sum(item in each for each in map(set, lists)) for item in baskets.items}
    assert dict(zip(baskets.items, baskets.supports().tolist(), strict=True)) == counted


@FAST
@given(LISTS, st.data())
def test_rows_are_taken_with_their_sensitive_items_and_ids(lists, data):
    baskets = sd.Baskets.from_lists(lists, ids=range(len(lists)))
    named = [data.draw(st.sets(st.sampled_from(baskets.items))) if baskets.items else set() for _ in lists]
    baskets = baskets.describe(sensitive=named) if lists else baskets
    rows = data.draw(st.lists(st.integers(0, len(lists) - 1), unique=True)) if lists else []
    taken = baskets.take(rows)
    assert taken.sets() == [frozenset(lists[row]) for row in rows]
    assert taken.ids.to_list() == rows
    assert taken.items == baskets.items
    if lists:
        assert taken.sensitive_sets() == [frozenset(named[row]) for row in rows]


def test_arrays_cannot_be_changed_and_the_callers_stay_as_they_are(shop):
    with pytest.raises(ValueError, match="read-only"):
        shop.codes[0] = 1
    starts, codes = np.array([0, 1, 1, 2]), np.array([0, 2], dtype=np.int32)
    smaller = shop.with_baskets(starts, codes)
    codes[0] = 1
    assert smaller.lists() == [["beer"], [], ["test"]]
    assert shop.lists() == [["beer", "milk"], [], ["milk", "test"]]
    lists = [["b", "a"]]
    sd.Baskets.from_lists(lists)
    assert lists == [["b", "a"]]


def test_generalized_items_have_no_sensitive_ones(shop):
    described = shop.describe(sensitive=["test"])
    general = described.with_baskets(np.array([0, 1, 1, 2]), np.array([0, 0]), items=["drink"])
    assert general.lists() == [["drink"], [], ["drink"]]
    assert not general.is_described
    assert described.with_baskets(described.starts, described.codes).is_described


def test_other_baskets_must_be_as_many(shop):
    with pytest.raises(
        DescriptionError, match=r"baskets: 2, entries: 1\) do not fit the baskets they replace \(3\)"
    ):
        shop.with_baskets(np.array([0, 1, 1]), np.array([0]))


def test_a_missing_item_is_none_and_an_odd_one_is_refused():
    assert sd.Baskets.from_lists([["a", None, "", float("nan")], [np.int64(3)]]).lists() == [["a"], [3]]
    with pytest.raises(
        InputError, match=r"The item 1\.5 has the type float, but an item is a text or a whole"
    ):
        sd.Baskets.from_lists([[1.5]])
    with pytest.raises(InputError, match="truth value"):
        sd.Baskets.from_lists([[True]])
    with pytest.raises(InputError, match=r"Basket 2 is 'milk', but a basket is a collection of items; write"):
        sd.Baskets.from_lists([["a"], "milk"])


def test_ids_are_one_for_each_and_differ():
    with pytest.raises(
        DescriptionError, match=r"number of ids \(3\) differs from the number of baskets \(2\)"
    ):
        sd.Baskets.from_lists([["a"], ["b"]], ids=[1, 2, 3])
    with pytest.raises(DescriptionError, match="the id 1 appears more than once"):
        sd.Baskets.from_lists([["a"], ["b"]], ids=[1, 1])
    with pytest.raises(DescriptionError, match="an id is missing"):
        sd.Baskets.from_lists([["a"], ["b"]], ids=[1, None])


@pytest.mark.parametrize(
    ("ids", "kept"),
    [
        ([1, 2**63], [1, 2**63]),
        ([-1, 2**63], ["-1", str(2**63)]),
        ([2**200, 1], [str(2**200), "1"]),
        ([1, "a"], ["1", "a"]),
        ([True, 2], ["True", "2"]),
    ],
)
def test_ids_that_no_column_holds_together_are_texts(ids, kept):
    assert sd.Baskets.from_lists([["a"], ["b"]], ids=ids).ids.to_list() == kept


def test_ids_beside_texts_are_checked_as_any():
    with pytest.raises(DescriptionError, match="an id is missing"):
        sd.Baskets.from_lists([["a"], ["b"], []], ids=[1, "a", None])
    with pytest.raises(DescriptionError, match="the id '1' appears more than once"):
        sd.Baskets.from_lists([["a"], ["b"]], ids=[1, "1"])
    with pytest.raises(InputError, match="half a character"):
        sd.Baskets.from_lists([["a"], ["b"]], ids=["\ud800", "a"])


@pytest.mark.parametrize("huge", [2**63, -(2**63) - 1, 2**64, 2**200])
def test_numbers_beyond_64_bits_are_items_by_their_text(huge):
    baskets = sd.Baskets.from_lists([[huge, 1], [1, -(2**63)], [2**63 - 1]])
    assert baskets.items == (-(2**63), 1, 2**63 - 1, str(huge))
    assert baskets.describe(sensitive=[huge]).sensitive_sets()[0] == {str(huge)}


@pytest.mark.parametrize(
    ("sensitive", "expected"),
    [
        (["test"], [{"test"}] * 3),
        ({"test", "milk"}, [{"test", "milk"}] * 3),
        ("test", [{"test"}] * 3),
        ([], [set()] * 3),
        ("re:^(te|be)", [{"test", "beer"}] * 3),
        (lambda item: "k" in item, [{"milk"}] * 3),
        ([{"test"}, None, ["milk", "beer"]], [{"test"}, set(), {"milk", "beer"}]),
        ({"w": ["beer"], "u": "test"}, [{"test"}, set(), {"beer"}]),
        (np.eye(3, dtype=bool), [{"beer"}, {"milk"}, {"test"}]),
        (pl.Series(["milk"]), [{"milk"}] * 3),
    ],
)
def test_sensitive_items_may_be_named_in_many_ways(shop, sensitive, expected):
    described = shop.describe(sensitive=sensitive)
    assert described.sensitive_sets() == expected
    assert described.is_described
    assert not shop.is_described
    assert (described.sensitive_common is None) != (described.sensitive_starts is None)


def test_sensitive_items_of_a_file_by_user_and_by_line(shop, tmp_path):
    users = tmp_path / "private.csv"
    users.write_text("user,item\nw,beer\nu,test\nw,milk\n", encoding="utf-8")
    assert shop.describe(sensitive=users).sensitive_sets() == [{"test"}, set(), {"beer", "milk"}]
    assert shop.describe(sensitive=str(users)).sensitive_sets() == [{"test"}, set(), {"beer", "milk"}]
    lines = tmp_path / "private.txt"
    lines.write_text("test beer\n\nmilk\n", encoding="utf-8")
    nameless = sd.Baskets.from_lists(shop.lists())
    assert nameless.describe(sensitive=lines).sensitive_sets() == [{"test", "beer"}, set(), {"milk"}]
    with pytest.raises(DescriptionError, match=r"'private.txt' does not name users"):
        shop.describe(sensitive=lines)
    users.write_text("user,item\nx,beer\n", encoding="utf-8")
    with pytest.raises(
        DescriptionError, match=r"The user 'x' has sensitive items but no basket; .*leave the user out"
    ):
        shop.describe(sensitive=users)
    users.write_text("user,item\nu,bere\n", encoding="utf-8")
    with pytest.raises(
        DescriptionError, match=r"No basket has the sensitive item 'bere'.*did you mean 'beer'"
    ):
        shop.describe(sensitive=users)
    lines.write_text("test\n", encoding="utf-8")
    with pytest.raises(
        DescriptionError, match=r"lines in 'private.txt' \(1\) differs from the number of baskets \(3\)"
    ):
        nameless.describe(sensitive=lines)


def test_numbers_and_their_texts_name_the_same_item_where_only_one_is_there():
    baskets = sd.Baskets.from_lists([[17, 4], ["4"]])
    assert baskets.describe(sensitive=["17", 4]).sensitive_sets() == [{17, 4}] * 2
    assert baskets.describe(sensitive=["4"]).sensitive_sets() == [{"4"}] * 2
    assert sd.Baskets.from_lists([["17"]]).describe(sensitive=[17]).sensitive_sets() == [{"17"}]


@pytest.mark.parametrize(
    ("sensitive", "sentence"),
    [
        (["tset"], r"No basket has the sensitive item 'tset'\. .*did you mean 'test'"),
        ("nothing.csv", "No basket has the sensitive item 'nothing.csv'"),
        ({"x": ["milk"]}, "The user 'x' has sensitive items but no basket"),
        ([["milk"]], r"sensitive sets \(1\) differs from the number of baskets \(3\)"),
        (["milk", ["beer"], None], "'milk' is listed among sensitive sets"),
        ("re:(", r"'re:\(' is not a regular expression"),
        (3.5, "sensitive=3.5 does not name any items"),
        (np.ones((2, 3), dtype=bool), r"A matrix of shape \(2, 3\) does not fit 3 baskets and 3 items"),
    ],
)
def test_what_is_wrong_with_sensitive_items_is_said_in_a_sentence(shop, sensitive, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        shop.describe(sensitive=sensitive)


def test_unknown_items_may_be_ignored_and_users_need_ids(shop):
    assert shop.describe(sensitive=["wine", "test"], unknown="ignore").sensitive_sets() == [{"test"}] * 3
    with pytest.raises(DescriptionError, match="unknown='maybe' is not a choice"):
        shop.describe(sensitive=["test"], unknown="maybe")
    with pytest.raises(DescriptionError, match=r"by user \(users: 1\), but the baskets have no ids"):
        sd.Baskets.from_lists([["a"]]).describe(sensitive={1: ["a"]})


def test_baskets_are_shown_shortly():
    baskets = sd.Baskets.from_lists([["<b>", "x"]] * 12)
    assert repr(baskets) == "Baskets(12 baskets, 24 entries, 2 items)"
    assert repr(baskets.describe(sensitive=["x"])).endswith("; sensitive for all: x)")
    assert repr(baskets.describe(sensitive=[["x"]] + [[]] * 11)).endswith("each user: 0.1 items on average)")
    html = baskets._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "and 7 more" in html
    assert repr(sd.Baskets.from_lists([])) == "Baskets(0 baskets, 0 entries, 0 items)"


def test_a_rule_that_fits_nothing_is_refused_unless_that_is_meant():
    baskets = sd.read_baskets([["milk"], ["beer"]])
    with pytest.raises(DescriptionError, match="The rule 're:zzz' matches none of the 2 items"):
        baskets.describe(sensitive="re:zzz")
    with pytest.raises(DescriptionError, match="The rule for sensitive items matches none of the 2 items"):
        baskets.describe(sensitive=lambda _: False)
    assert baskets.describe(sensitive="re:zzz", unknown="ignore").is_described
    assert sd.read_baskets([[], []]).describe(sensitive="re:zzz").is_described


@pytest.mark.parametrize("ending", ["csv", "tab"])
def test_a_file_of_users_and_items_needs_no_names_but_users(tmp_path, ending):
    path, between = tmp_path / f"private.{ending}", "," if ending == "csv" else "\t"
    path.write_text("ann,beer\nann,milk\nbob,milk\ncho,beer\n".replace(",", between), encoding="utf-8")
    lists = {"ann": ["milk"], "bob": ["beer"], "cho": []}
    told = sd.read_baskets(lists).describe(sensitive=path)
    assert told.sensitive_sets() == [{"beer", "milk"}, {"milk"}, {"beer"}]
    path.write_text("user,item\nann,beer\n".replace(",", between), encoding="utf-8")
    assert sd.read_baskets(lists).describe(sensitive=path).sensitive_sets()[0] == {"beer"}
    with pytest.raises(
        DescriptionError, match=rf"'private\.{ending}' names users, but the baskets have no ids"
    ):
        sd.read_baskets(list(lists.values())).describe(sensitive=path)
