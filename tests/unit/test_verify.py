"""The independent verifier: worked examples, sentences, files and their faults."""

import hashlib
import json
import math
import time
from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest

from sudare.errors import InputError
from sudare.release.verify import verify_frame, verify_release

COLUMNS = {
    "age": {"role": "quasi", "kind": "numeric"},
    "sex": {"role": "quasi", "kind": "nominal"},
    "disease": {"role": "sensitive", "kind": "nominal"},
}
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


def table(*blocks):
    """One block per list of sensitive values."""
    rows = [(str(number), value) for number, block in enumerate(blocks) for value in block]
    return pl.DataFrame(rows, schema={"block": pl.String, "value": pl.String}, orient="row")


def check(frame, requirement, kind="nominal", hierarchy=None):
    columns = {"block": {"role": "quasi", "kind": "nominal"}, "value": {"role": "sensitive", "kind": kind}}
    no_identifiers, finding = verify_frame(
        frame, columns, [requirement], {} if hierarchy is None else {"value": hierarchy}
    )
    assert no_identifiers.holds
    assert finding.requirement == requirement
    return finding


def closeness(frame, distance, kind="nominal", hierarchy=None, t=0.5):
    return check(
        frame, {"type": "t-closeness", "t": t, "distance": distance, "sensitive": None}, kind, hierarchy
    )


def diversity(frame, level, kind, c=None):
    return check(frame, {"type": "l-diversity", "l": level, "kind": kind, "c": c, "sensitive": None})


# k-anonymity


def test_k_holds():
    frame = pl.DataFrame({"age": ["3*"] * 5 + ["4*"] * 7, "sex": "F", "disease": "flu"})
    identifiers, finding = verify_frame(frame, COLUMNS, [{"type": "k-anonymity", "k": 5}])
    assert identifiers.holds
    assert identifiers.sentence == "None of the 3 columns is an identifier."
    assert (finding.holds, finding.reached, finding.violating_rows) == (True, 5.0, 0)
    assert finding.sentence == "Every combination of age, sex occurs at least 5 times (asked: 5)."


def test_k_fails_with_combination():
    frame = pl.DataFrame(
        {"age": ["3*"] * 5 + [None] * 2 + ["4*"] * 3, "sex": ["F"] * 5 + ["男"] * 5, "disease": "flu"}
    )
    finding = verify_frame(frame, COLUMNS, [{"type": "k-anonymity", "k": 5}])[1]
    assert (finding.holds, finding.reached, finding.violating_rows) == (False, 2.0, 5)
    assert finding.sentence == (
        "The combination age = (missing), sex = 男 occurs 2 times; 5 rows in 2 blocks are below k = 5."
    )


def test_k_one_row():
    finding = verify_frame(
        pl.DataFrame({"age": [3], "sex": ["F"]}), COLUMNS, [{"type": "k-anonymity", "k": 2}]
    )[1]
    assert (
        finding.sentence == "The combination age = 3, sex = F occurs once; 1 row in 1 block is below k = 2."
    )


def test_missing_equals_only_missing():
    frame = pl.DataFrame(
        {"age": [None, None, math.nan, 1.0, 1.0], "sex": ["", "", "", None, None]}, strict=False
    )
    finding = verify_frame(frame, COLUMNS, [{"type": "k-anonymity", "k": 2}])[1]
    assert (finding.holds, finding.reached) == (True, 2.0)
    frame = pl.DataFrame({"age": ["", None, "null", "NaN", "None"], "sex": "F"})
    assert verify_frame(frame, COLUMNS, [{"type": "k-anonymity", "k": 2}])[1].violating_rows == 5


def test_without_quasi_the_table_is_one_block():
    columns = {"value": {"role": "sensitive", "kind": "nominal"}, "n": {"role": "weight", "kind": "numeric"}}
    frame = pl.DataFrame({"value": ["a", "a", "b"], "n": [1, 2, 3]})
    k3, k4, l2, l3 = verify_frame(
        frame,
        columns,
        [
            {"type": "k-anonymity", "k": 3},
            {"type": "k-anonymity", "k": 4},
            {"type": "l-diversity", "l": 2, "kind": "distinct"},
            {"type": "l-diversity", "l": 3, "kind": "distinct"},
        ],
    )[1:]
    assert (k3.holds, k3.reached) == (True, 3.0)
    assert k3.sentence == "Without a quasi-identifier all 3 rows form one block (asked: 3)."
    assert (k4.holds, k4.violating_rows) == (False, 3)
    assert l2.holds
    assert l3.sentence == (
        "The whole table as one block reaches only l = 2 in value, counting distinct values; "
        "3 rows in 1 block are below l = 3."
    )


def test_many_columns_and_long_values_are_cut_in_sentences():
    frame = pl.DataFrame({f"q{number}": ["x" * 100] for number in range(85)})
    columns = {name: {"role": "quasi", "kind": "string"} for name in frame.columns}
    finding = verify_frame(frame, columns, [{"type": "k-anonymity", "k": 2}])[1]
    assert " and 79 more occurs once" in finding.sentence
    assert "x" * 40 + "…" in finding.sentence
    assert len(finding.sentence) < 500


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([date(2020, 1, 1)] * 2 + [date(2020, 1, 2)] * 2),
        pl.Series([datetime(2020, 1, 1, 3)] * 2 + [None] * 2),  # noqa: DTZ001
        pl.Series([True] * 2 + [False] * 2),
        pl.Series(["a", "a", "b", "b"], dtype=pl.Categorical),
        pl.Series([["a", "b"], ["a", "b"], ["b"], ["b"]]),
        pl.Series([b"\xff", b"\xff", b"\xfe", b"\xfe"]),
        pl.Series([2**60, 2**60, 2**60 + 1, 2**60 + 1]),
        pl.Series([1e300, 1e300, None, None]),
        pl.Series([None] * 4, dtype=pl.Null),
    ],
)
def test_any_type_of_column(values):
    frame = pl.DataFrame({"age": values, "disease": values})
    k, diverse = verify_frame(
        frame, COLUMNS, [{"type": "k-anonymity", "k": 3}, {"type": "l-diversity", "l": 1, "kind": "distinct"}]
    )[1:]
    assert k.reached == (4.0 if values.dtype == pl.Null else 2.0)
    assert diverse.holds
    assert diverse.reached == 1.0


# l-diversity


def test_distinct_counts_missing_as_a_value():
    finding = diversity(table(["a", None], ["a", "b", "b"]), 2, "distinct")
    assert (finding.holds, finding.reached) == (True, 2.0)
    assert finding.sentence == (
        "Every block reaches at least l = 2 in value, counting distinct values (asked: 2)."
    )


def test_distinct_names_the_block():
    finding = diversity(table(["a", "b", "c"], ["a", "a"]), 2, "distinct")
    assert (finding.holds, finding.reached, finding.violating_rows) == (False, 1.0, 2)
    assert finding.sentence.startswith(
        "The block block = 1 reaches only l = 1 in value, counting distinct values;"
    )


def test_same_number_written_twice_is_no_diversity():
    frame = table(["1", "1.0", "1e0"])
    requirement = {"type": "l-diversity", "l": 2, "kind": "distinct"}
    assert check(frame, requirement, kind="numeric").reached == 1.0
    assert check(frame, requirement, kind="nominal").reached == 3.0


def test_same_set_in_another_order_is_no_diversity():
    requirement = {"type": "l-diversity", "l": 2, "kind": "distinct"}
    assert check(table(["a|b", "b|a", None]), requirement, kind="set").reached == 2.0
    frame = pl.DataFrame({"block": ["0"] * 3, "value": [["a", "b"], ["b", "a", "a"], ["b", "a"]]})
    assert check(frame, requirement, kind="set").reached == 1.0


def test_entropy_worked_example():
    # Uniform over 3 reaches exactly 3; (2, 1, 1) reaches 2 ** 1.5.
    assert diversity(table(["a", "b", "c"] * 7), 3, "entropy").holds
    finding = diversity(table(["a", "a", "b", "c"]), 2.8, "entropy")
    assert finding.holds
    assert finding.reached == pytest.approx(2**1.5, rel=1e-12)
    failing = diversity(table(["a", "a", "b", "c"]), 2.83, "entropy")
    assert (failing.holds, failing.violating_rows) == (False, 4)


def test_failing_figure_never_looks_like_the_asked_one():
    frame = table(["a"] * 1000 + ["b"] * 1001)
    finding = diversity(frame, 2, "entropy")
    assert not finding.holds
    assert "l = 1.9999" in finding.sentence


def test_recursive_worked_example():
    # Counts 4, 3, 2, 1: tails 10, 6, 3, 1.
    frame = table(list("aaaabbbccd"))
    assert diversity(frame, 2, "recursive", c=1).holds  # 4 < 6
    assert not diversity(frame, 3, "recursive", c=1).holds  # 4 > 3
    assert diversity(frame, 3, "recursive", c=1.5).reached == 3.0  # 4 < 4.5
    assert diversity(frame, 4, "recursive", c=4).reached == 3.0  # 4 < 4 * 1 is false: strictly
    assert diversity(frame, 4, "recursive", c=4.001).holds
    assert diversity(frame, 5, "recursive", c=1000).reached == 4.0  # nothing beyond the last value
    assert diversity(frame, 1, "recursive", c=0.4).reached == 0.0  # not even l = 1


def test_recursive_equality_is_exact_in_spite_of_rounding():
    assert 0.07 * 100 > 7
    frame = table(["a"] * 7 + [str(number) for number in range(100)])
    assert diversity(frame, 2, "recursive", c=0.07).reached == 1.0


def test_several_sensitive_columns_each_by_itself():
    frame = pl.DataFrame({"age": ["3*"] * 4, "disease": ["flu", "cold"] * 2, "cost": ["1", "2", "3", "4"]})
    columns = {**COLUMNS, "cost": {"role": "sensitive", "kind": "numeric"}}
    requirement = {"type": "l-diversity", "l": 3, "kind": "distinct", "c": None}
    every, cost = verify_frame(
        frame, columns, [{**requirement, "sensitive": None}, {**requirement, "sensitive": ["cost"]}]
    )[1:]
    assert (every.holds, every.reached, every.violating_rows) == (False, 2.0, 4)
    assert "in disease" in every.sentence
    assert (cost.holds, cost.reached) == (True, 4.0)
    two = verify_frame(frame, columns, [{**requirement, "l": 2}])[1]
    assert "in each of disease, cost" in two.sentence


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
    assert closeness(skewed, "ordered", "nominal").reached == pytest.approx(0.5)  # as text 10 < 2 < 9
    frame = pl.DataFrame({"block": ["0", "1", "1"], "value": [date(2020, 1, 9), date(2020, 1, 10), None]})
    assert closeness(frame, "ordered", "date").reached == pytest.approx(0.5)


def test_order_of_the_hierarchy_counts_for_text():
    frame = table(["low"], ["mid"], ["high"], ["low"])
    # high, low, mid as text: the block of mid is furthest; low, mid, high: the block of high.
    hierarchy = {"labels": ["low", "mid", "high", "*"], "parent": [3, 3, 3, 3], "level": [0, 0, 0, 1]}
    assert closeness(frame, "ordered", "ordinal").reached == pytest.approx((0.25 + 0.75) / 2)
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
    frame = pl.DataFrame({"block": ["0", "1"], "value": [datetime(2020, 1, 1), datetime(2020, 1, 2)]})  # noqa: DTZ001
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
            "do not rise towards its root",
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


# What cannot be checked, and identifiers


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        ({"type": "δ-presence"}, "This version of Sudare cannot check the requirement 'δ-presence'"),
        ({}, "cannot check the requirement None"),
        ({"type": ["k-anonymity"]}, "cannot check the requirement ['k-anonymity']"),
        ({"type": "k-anonymity"}, "its k is None, not a number"),
        ({"type": "k-anonymity", "k": "5"}, "its k is '5', not a number"),
        ({"type": "k-anonymity", "k": True}, "its k is True, not a number"),
        ({"type": "t-closeness", "t": math.nan, "distance": "equal"}, "its t is nan, not a number"),
        ({"type": "t-closeness", "t": 1, "distance": ["equal"]}, "its distance is ['equal']"),
        ({"type": "l-diversity", "l": 1, "kind": "best"}, "its kind is 'best'"),
        ({"type": "l-diversity", "l": 1, "kind": "recursive", "c": None}, "its c is None, not a number"),
        ({"type": "l-diversity", "l": 1, "kind": "distinct", "sensitive": []}, "names no sensitive column"),
        (
            {"type": "l-diversity", "l": 1, "kind": "distinct", "sensitive": "value"},
            "names no sensitive column",
        ),
        ({"type": "l-diversity", "l": 1, "kind": "distinct", "sensitive": ["x"]}, "x is not in the data"),
    ],
)
def test_what_cannot_be_checked_does_not_hold(requirement, reason):
    finding = check(table(["a"]), requirement)
    assert (finding.holds, finding.reached, finding.violating_rows) == (False, None, 0)
    assert reason in finding.sentence
    assert finding.sentence.endswith(".")


def test_no_sensitive_column_at_all_does_not_hold():
    requirement = {"type": "t-closeness", "t": 1, "distance": "equal", "sensitive": None}
    finding = verify_frame(pl.DataFrame({"age": [1]}), COLUMNS, [requirement])[1]
    assert not finding.holds
    assert "the manifest has none" in finding.sentence


def test_identifier_left_in_the_data():
    frame = pl.DataFrame({"name": ["花子"], "age": [1]})
    (finding,) = verify_frame(frame, {"name": {"role": "identifier", "kind": "string"}, **COLUMNS}, [])
    assert finding.requirement == {"type": "no-identifiers"}
    assert (finding.holds, finding.violating_rows) == (False, 1)
    assert finding.sentence == "The data still hold the identifier name."


def test_column_without_a_role_may_identify():
    cases: list[dict[str, Any]] = [
        {},
        {"note": {}},
        {"note": {"role": "other"}},
        {"note": {"role": ["quasi"]}},
    ]
    for columns in cases:
        (finding,) = verify_frame(pl.DataFrame({"note": ["x"]}), columns, [])
        assert not finding.holds
        assert finding.sentence.startswith("The manifest gives no role to the column note,")


def test_removed_identifier_is_fine():
    columns = {"name": {"role": "identifier", "kind": "string"}, "age": {"role": "quasi", "kind": "numeric"}}
    (finding,) = verify_frame(pl.DataFrame({"age": [1]}), columns, [])
    assert finding.holds
    assert finding.sentence == "The only column is no identifier."


def test_no_rows():
    frame = pl.DataFrame(schema={"age": pl.Int64, "sex": pl.String, "disease": pl.String})
    findings = verify_frame(
        frame,
        COLUMNS,
        [
            {"type": "k-anonymity", "k": 5},
            {"type": "l-diversity", "l": 2, "kind": "entropy"},
            {"type": "t-closeness", "t": 0.1, "distance": "hierarchical"},
        ],
    )
    assert all(finding.holds and finding.reached is None for finding in findings)
    assert all("There are no rows" in finding.sentence for finding in findings)


# Releases on disk


@pytest.fixture
def release(tmp_path):
    """A function that writes a small release and gives its folder; changes go into the manifest."""

    def write(folder="", **changes):
        place = tmp_path / "release" / folder
        place.mkdir(parents=True)
        data = place / "data.csv"
        data.write_text("age,sex,disease\n3*,F,flu\n3*,F,cold\n4*,M,flu\n4*,M,cold\n", encoding="utf-8")
        manifest: dict[str, Any] = {
            "format": 1,
            "data": {
                "file": "data.csv",
                "format": "csv",
                "sha256": hashlib.sha256(data.read_bytes()).hexdigest(),
                "rows": 4,
                "escape_formulas": True,
            },
            "columns": {"name": {"role": "identifier", "kind": "string"}, **COLUMNS},
            "requirements": [
                {"type": "k-anonymity", "k": 2},
                {"type": "l-diversity", "l": 2.0, "kind": "entropy", "c": None, "sensitive": None},
            ],
            "hierarchies": {},
        }
        for key, value in changes.items():
            target = manifest["data"] if key in manifest["data"] and key != "format" else manifest
            target[key] = value
        (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return tmp_path / "release"

    return write


@pytest.mark.parametrize("folder", ["", "public"])
def test_release_holds(release, folder):
    findings = verify_release(release(folder))
    assert [finding.requirement["type"] for finding in findings] == [
        "unchanged-files",
        "no-identifiers",
        "k-anonymity",
        "l-diversity",
    ]
    assert all(finding.holds for finding in findings)
    assert findings[0].sentence.startswith("The file data.csv is the one of the manifest (4 rows, SHA-256 ")


def test_release_in_shift_jis(release):
    folder = release()
    content = "age,sex,disease\n3*,女,風邪\n3*,女,骨折\n".encode("cp932")
    (folder / "data.csv").write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["data"] |= {"encoding": "cp932", "rows": 2, "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert all(finding.holds for finding in verify_release(folder))


def test_file_that_can_no_longer_be_read(release):
    folder = release()
    (folder / "data.csv").write_bytes(b"")
    (finding,) = verify_release(folder)
    assert not finding.holds
    assert finding.sentence.endswith(", and it can no longer be read.")


def test_changed_cell_is_found(release):
    folder = release()
    data = folder / "data.csv"
    data.write_text(data.read_text().replace("4*,M,cold", "5*,M,cold"))
    unchanged, _, k, _ = verify_release(folder)
    assert not unchanged.holds
    assert "SHA-256" in unchanged.sentence
    assert (k.holds, k.violating_rows) == (False, 2)


def test_wrong_row_count_and_columns_are_found(release):
    columns = {name: about for name, about in COLUMNS.items() if name != "sex"}
    unchanged, identifiers, *_ = verify_release(
        release(rows=5, columns={**columns, "zip": {"role": "quasi", "kind": "string"}})
    )
    assert not unchanged.holds
    assert unchanged.sentence == (
        "The file data.csv is not the one of the manifest: it has 4 rows instead of 5, "
        "and it lacks the column zip, and it has the unknown column sex."
    )
    assert not identifiers.holds


def test_identifier_in_the_file_is_found(release):
    columns = {**COLUMNS, "sex": {"role": "identifier", "kind": "string"}}
    _, identifiers, *_ = verify_release(release(columns=columns))
    assert identifiers.sentence == "The data still hold the identifier sex."


def test_missing_folder_and_manifest(tmp_path):
    with pytest.raises(InputError, match=r"^There is no folder .*nowhere; give the folder"):
        verify_release(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds no manifest\.json"):
        verify_release(tmp_path)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe\x00", b"", b"[" * 100_000])
def test_broken_json(release, content):
    folder = release()
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(InputError, match="is not valid JSON; restore it"):
        verify_release(folder)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"format": 2},
            "has format 2, but this version of Sudare reads formats up to 1; install a newer Sudare",
        ),
        ({"format": "1"}, "has no proper 'format'"),
        ({"format": True}, "has no proper 'format'"),
        ({"data": []}, "has no proper 'data'"),
        (
            {"data": {"file": "data.csv", "format": "dbf"}},
            "gives the data format 'dbf', which is none of csv,",
        ),
        ({"rows": "4"}, "has no proper 'rows'"),
        ({"columns": {"age": "quasi"}}, "has no proper 'columns' entry for 'age'"),
        ({"requirements": ["k"]}, "has a requirement that is no JSON object"),
        ({"requirements": None}, "has no proper 'requirements'"),
        ({"file": "gone.csv"}, "that the manifest names does not exist; restore it"),
        ({"file": "../../data.csv"}, "outside its own folder"),
        ({"file": "/etc/passwd"}, "outside its own folder"),
        ({"file": "a\0b"}, "outside its own folder"),
    ],
)
def test_faults_of_the_manifest(release, changes, sentence):
    with pytest.raises(InputError) as caught:
        verify_release(release(**changes))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_manifest_that_is_no_object(release):
    folder = release()
    (folder / "manifest.json").write_text("[]")
    with pytest.raises(InputError, match="is not a JSON object"):
        verify_release(folder)


# Size


@pytest.mark.slow
def test_a_million_rows_take_seconds():
    rows = 1_000_000
    random = np.random.default_rng(1)
    quasi = {f"q{number}": random.integers(0, 8, rows).astype(str) for number in range(6)}
    frame = pl.DataFrame(
        {**quasi, "disease": random.integers(0, 30, rows).astype(str), "cost": random.normal(size=rows)}
    )
    columns = {name: {"role": "quasi", "kind": "nominal"} for name in quasi}
    columns |= {
        "disease": {"role": "sensitive", "kind": "nominal"},
        "cost": {"role": "sensitive", "kind": "numeric"},
    }
    labels = [str(number) for number in range(30)] + ["g0", "g1", "g2", "*"]
    hierarchy = {
        "labels": labels,
        "parent": [30 + number % 3 for number in range(30)] + [33] * 4,
        "level": [0] * 30 + [1] * 3 + [2],
    }
    requirements: list[dict[str, Any]] = [
        {"type": "k-anonymity", "k": 2},
        *(
            {"type": "l-diversity", "l": 2, "kind": kind, "c": 3}
            for kind in ("distinct", "entropy", "recursive")
        ),
        {"type": "t-closeness", "t": 1, "distance": "equal"},
        {"type": "t-closeness", "t": 1, "distance": "ordered", "sensitive": ["cost"]},
        {"type": "t-closeness", "t": 1, "distance": "hierarchical", "sensitive": ["disease"]},
    ]
    start = time.perf_counter()
    findings = verify_frame(frame, columns, requirements, {"disease": hierarchy})
    assert time.perf_counter() - start < 120
    assert all(finding.reached is not None for finding in findings[1:])
