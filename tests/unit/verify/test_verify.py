"""The independent verifier: k-anonymity, l-diversity, and what cannot be checked; worked examples and sentences."""

import math
from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cases.verify import COLUMNS, check, table

from sudare.verify.verify import verify_frame


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
        pl.Series([datetime(2020, 1, 1, 3)] * 2 + [None] * 2),  # noqa: DTZ001  # tables have times without a zone
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
    assert check(frame, requirement, kind="nominal").reached == 1.0
    assert check(frame, {**requirement, "spelling": "exact"}, kind="nominal").reached == 3.0


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
        ({"type": "k-anonymity", "k": 10**400}, "not a number below 1e+300"),
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
    assert finding.sentence == "The data still contain the identifier name."


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
    assert finding.sentence == "The only column is not an identifier."


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


# Size


@pytest.mark.slow
def test_a_million_rows():
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
    findings = verify_frame(frame, columns, requirements, {"disease": hierarchy})
    assert all(finding.reached is not None for finding in findings[1:])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["flu", "Flu ", "HIV", None, "", " "], "nominal"),
        (["1", "1.0", "2", "x", None, ""], "numeric"),
        (["2024-01-01", "2024-01-01T00:00", "x", None, "2024-02-01", ""], "date"),
        (["a|b", "b|a", "a", "", None, "c|a|b"], "set"),
        (["日本", "日 本", "ﾆﾎﾝ", "ニホン", None, "None"], "nominal"),
    ],
)
@pytest.mark.parametrize(
    "requirement",
    [
        {"type": "k-anonymity", "k": 3},
        {"type": "l-diversity", "l": 3, "kind": "distinct", "sensitive": ["value"]},
        {"type": "l-diversity", "l": 2, "kind": "distinct", "sensitive": ["value"], "spelling": "exact"},
        {
            "type": "l-diversity",
            "l": 2,
            "kind": "entropy",
            "sensitive": ["value"],
            "exempt": {"value": [None]},
        },
        {"type": "t-closeness", "t": 0.3, "distance": "equal", "sensitive": ["value"]},
        {"type": "t-closeness", "t": 0.3, "distance": "ordered", "sensitive": ["value"]},
    ],
)
def test_categories_are_judged_as_their_texts(values, kind, requirement):
    rng = np.random.default_rng(1)
    blocks = pl.Series("block", ["1", "2", None, "", "None"]).gather(rng.integers(5, size=60))
    frame = pl.DataFrame([blocks, pl.Series("value", values).gather(rng.integers(len(values), size=60))])
    texts = check(frame, requirement, kind)
    assert check(frame.cast(pl.Categorical), requirement, kind) == texts
    # Texts that another column had first have larger numbers.
    assert check(frame[:, ::-1].cast(pl.Categorical)[:, ::-1], requirement, kind) == texts
