"""The independent verifier: t-closeness with ordered, equal and hierarchical distances."""

from datetime import date, datetime

import polars as pl
import pytest
from tests.cases.verify import check, table

# Stomach (gastric ulcer, gastritis) and lung (flu, bronchitis, pneumonia); the lung has a level between.
DISEASES = {
    "labels": [
        "ulcer",
        "gastritis",
        "flu",
        "bronchitis",
        "pneumonia",
        None,
        "infection",
        "stomach",
        "lung",
        "any",
    ],
    "parent": [7, 7, 6, 6, 8, 9, 8, 9, 9, 9],
    "level": [0, 0, 0, 0, 0, 0, 1, 2, 2, 3],
}


def closeness(frame, distance, kind="nominal", hierarchy=None, t=0.5, order=None):
    requirement = {"type": "t-closeness", "t": t, "distance": distance, "sensitive": None}
    return check(frame, requirement, kind, hierarchy, order)


# t-closeness: Li, Li, Venkatasubramanian 2007, section 5, salaries 3k … 11k and their blocks


def salaries(*blocks):
    """Blocks of salaries, and what is left of 3k … 11k such that the whole table has each as often."""
    values = [f"{number}000" for number in range(3, 12)]
    copies = 4
    rest = [value for value in values for _ in range(copies)]
    for block in blocks:
        for value in block:
            rest.remove(value)
    return table(*blocks, rest)


@pytest.mark.parametrize(
    ("block", "expected"), [(["3000", "4000", "5000"], 0.375), (["6000", "8000", "11000"], 1 / 6)]
)
def test_ordered_distance_of_the_paper(block, expected):
    frame = salaries(block)
    finding = closeness(frame, "ordered", "numeric", t=0.2)
    assert finding.reached == pytest.approx(expected, abs=1e-12)
    assert finding.holds == (expected < 0.2)
    assert finding.violating_rows == (0 if finding.holds else 3)
    if not finding.holds:
        assert finding.sentence == (
            "The block block = 0 is 0.375 (ordered distance) away from the whole table in value; "
            "3 rows in 1 block are above t = 0.2."
        )
    else:
        assert finding.sentence == (
            "No block is further than 0.166667 (ordered distance) from the whole table in value (asked: 0.2)."
        )


def test_numbers_are_ordered_as_numbers_and_dates_as_dates():
    skewed = table(["2"] * 2, ["9"], ["10"])
    assert closeness(skewed, "ordered", "numeric").reached == pytest.approx(0.625)  # the block of "10"
    as_text = closeness(skewed, "ordered", "nominal", order=["10", "2", "9"])
    assert as_text.reached == pytest.approx(0.5)
    unordered = closeness(skewed, "ordered", "nominal")
    assert not unordered.holds
    assert "the manifest does not list the order of value" in unordered.sentence
    frame = pl.DataFrame({"block": ["0", "1", "1"], "value": [date(2020, 1, 9), date(2020, 1, 10), None]})
    assert closeness(frame, "ordered", "date").reached == pytest.approx(0.5)


def test_order_of_the_hierarchy_counts_for_text():
    frame = table(["low"], ["mid"], ["high"], ["low"])
    # high, low, mid: the block of mid is furthest; low, mid, high: the block of high.
    hierarchy = {"labels": ["low", "mid", "high", "*"], "parent": [3, 3, 3, 3], "level": [0, 0, 0, 1]}
    by_list = closeness(frame, "ordered", "ordinal", order=["high", "low", "mid"])
    assert by_list.reached == pytest.approx((0.25 + 0.75) / 2)
    assert closeness(frame, "ordered", "ordinal", hierarchy).reached == pytest.approx((0.5 + 0.75) / 2)


def test_missing_comes_last_in_order():
    frame = table(["1", "2"], [None, None])
    # Cumulated: block (0.5, 1) and (0, 0) against (0.25, 0.5).
    assert closeness(frame, "ordered", "numeric").reached == pytest.approx((0.25 + 0.5) / 2)


def test_equal_distance():
    frame = table(["a", "a"], ["b", "c"])
    assert closeness(frame, "equal").reached == pytest.approx(0.5)
    assert closeness(frame, "equal", t=0.5).holds
    assert not closeness(frame, "equal", t=0.4999).holds


def test_hierarchical_distance_of_single_leaves():
    # Two blocks of one value each: half of the mass moves to the other value.
    for one, other, level in [
        ("ulcer", "gastritis", 2),
        ("flu", "bronchitis", 1),
        ("flu", "pneumonia", 2),
        ("flu", "ulcer", 3),
        ("flu", None, 3),
    ]:
        finding = closeness(table([one], [other]), "hierarchical", hierarchy=DISEASES)
        assert finding.reached == pytest.approx(0.5 * level / 3), (one, other)


def test_missing_leaf_is_added_under_the_root():
    hierarchy = {"labels": ["a", "b", "*"], "parent": [2, 2, 2], "level": [0, 0, 1]}
    assert closeness(table(["a"], [None]), "hierarchical", hierarchy=hierarchy).reached == pytest.approx(0.5)
    assert closeness(table(["a"], [None]), "ordered", hierarchy=hierarchy).reached == pytest.approx(0.5)


def test_leaves_are_found_by_the_number_or_date_they_mean():
    hierarchy = {"labels": ["1", "2", "3", "low", "*"], "parent": [3, 3, 4, 4, 4], "level": [0, 0, 0, 1, 2]}
    frame = pl.DataFrame({"block": ["0", "1"], "value": [1.0, 2.0]})
    assert closeness(frame, "hierarchical", "numeric", hierarchy).reached == pytest.approx(0.25)
    assert closeness(frame, "hierarchical", "nominal", hierarchy).reached == pytest.approx(0.25)
    # "2" and "2.0" are one leaf, even where the kind keeps them apart as text.
    assert closeness(table(["2", "2"], ["2.0"]), "hierarchical", "nominal", hierarchy).reached == 0.0
    dates = {"labels": ["2020-01-01", "2020-01-02", "2020"], "parent": [2, 2, 2], "level": [0, 0, 1]}
    frame = pl.DataFrame({"block": ["0", "1"], "value": [datetime(2020, 1, 1), datetime(2020, 1, 2)]})  # noqa: DTZ001  # tables have times without a zone
    assert closeness(frame, "hierarchical", "date", dates).reached == pytest.approx(0.5)


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_one_value_only_is_no_distance(distance):
    hierarchy = {"labels": ["a"], "parent": [0], "level": [0]}
    finding = closeness(table(["a", "a"], ["a"]), distance, hierarchy=hierarchy, t=0)
    assert (finding.holds, finding.reached) == (True, 0.0)


@pytest.mark.parametrize(
    ("hierarchy", "reason"),
    [
        (None, "the manifest has no hierarchy for value"),
        ({}, "not made of lists of whole numbers"),
        ({"labels": ["a", "*"], "parent": ["x", 1], "level": [0, 1]}, "not made of lists of whole numbers"),
        ({"labels": ["a", "*"], "parent": [1], "level": [0]}, "differ in length"),
        ({"labels": ["a", "*"], "parent": [0, 1], "level": [0, 1]}, "is not one tree"),
        ({"labels": ["a", "*"], "parent": [7, 1], "level": [0, 1]}, "is not one tree"),
        (
            {"labels": ["a", "b", "*"], "parent": [1, 2, 2], "level": [0, 0, 1]},
            "do not rise toward its root",
        ),
        (
            {"labels": ["a", "a", "*"], "parent": [2, 2, 2], "level": [0, 0, 1]},
            "two leaves for the value 'a'",
        ),
        ({"labels": ["b", "*"], "parent": [1, 1], "level": [0, 1]}, "the value 'a' of value is not a leaf"),
    ],
)
def test_broken_hierarchy_does_not_hold(hierarchy, reason):
    finding = closeness(table(["a"], ["a"]), "hierarchical", hierarchy=hierarchy, t=1)
    assert (finding.holds, finding.reached) == (False, None)
    assert reason in finding.sentence
