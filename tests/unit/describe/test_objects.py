"""Rows of pandas frames told apart by addresses, beside the blocks of the converted table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudare as sd
from sudare.describe.objects import plain_cell, rows_told
from sudare.describe.table import Table

CELLS = st.sampled_from(["a", "b", "A", "", "1", None, float("nan")])
NUMBERS = st.sampled_from([0.0, -0.0, 1.0, float("nan"), 1e300])


def fresh(text):
    """An equal text at another address."""
    return "".join([*text]) if isinstance(text, str) else text


def beside(frame, k):
    """The verdict by addresses, and that of the table as it was always converted."""
    by_rows = sd.KAnonymity(k).check(frame, quasi=list(frame.columns))
    whole = sd.KAnonymity(k).check(Table.with_roles(frame, list(frame.columns), ()))
    return by_rows, whole


@given(
    st.lists(st.tuples(CELLS, CELLS, st.integers(-2, 2), NUMBERS, st.booleans()), min_size=1, max_size=40),
    st.integers(1, 5),
)
def test_verdicts_are_those_of_the_converted_table(rows, k):
    texts, others, whole, real, flags = zip(*rows, strict=True)
    frame = pd.DataFrame(
        {
            "shared": pd.Series(list(texts), dtype=object),
            "fresh": pd.Series([fresh(text) for text in others], dtype=object),
            "whole": np.array(whole, dtype=np.int8),
            "real": real,
            "flag": flags,
        }
    )
    assert rows_told(frame, list(frame.columns)) is not None
    found, expected = beside(frame, k)
    assert (found.holds, found.reached, found.explanation) == (
        expected.holds,
        expected.reached,
        expected.explanation,
    )
    assert found.violating_rows.tolist() == expected.violating_rows.tolist()


def test_many_columns_of_many_values_do_not_overflow():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({f"c{place}": random.permutation(2_000) for place in range(12)})
    told = rows_told(pd.concat([frame, frame]), list(frame.columns))
    assert told is not None
    assert len(told.first) == 2_000
    assert (told.number[:2_000] == told.number[2_000:]).all()


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", 1, "a"], dtype=object),
        pd.Series([["a"], ["a"], ["b"]], dtype=object),
        pd.Series([b"a", b"a", b"b"], dtype=object),
        pd.Series(pd.to_datetime(["2024-01-01"] * 3)),
        pd.Series(["a", "a", "b"], dtype="category"),
        pd.Series([1, None, 1], dtype="Int64"),
        pd.Series([1 + 1j] * 3),
        pd.Series([1.0, float("inf")]),
    ],
)
def test_other_columns_are_left_to_the_conversion(column):
    assert rows_told(pd.DataFrame({"c": column}), ["c"]) is None


def test_parts_of_larger_frames_are_read_where_they_lie():
    frame = pd.DataFrame(
        {"a": ["x", "y", "x", "y"] * 3, "b": list("pqrspqrspqrs"), "n": range(12)}, dtype=object
    )
    told = rows_told(frame.iloc[::-2], ["b", "a"])
    assert told is not None
    assert told.number.tolist() == [0, 1, 0, 1, 0, 1]


@pytest.mark.skipif(int(pd.__version__.split(".")[0]) < 3, reason="texts of Arrow are those of pandas 3")
def test_texts_of_arrow():
    frame = pd.DataFrame({"a": ["x", None, "x", None], "b": [1, 1, 1, 1]})
    assert str(frame["a"].dtype) == "str"
    found, expected = beside(frame, 3)
    assert found.explanation == expected.explanation
    assert plain_cell(frame["a"], 1) is None


def test_what_is_wrong_with_a_frame_is_said_as_always():
    frame = pd.DataFrame({"a": ["x", "x"], "b": ["y", "y"]})
    with pytest.raises(sd.SudareError, match="did you mean"):
        sd.KAnonymity(2).check(frame, quasi=["aa"])
    twice = pd.DataFrame([["x", "y"], ["x", "y"]], columns=["a", "a"])
    with pytest.raises(sd.SudareError):
        sd.KAnonymity(2).check(twice, quasi=["a"])
    assert sd.KAnonymity(2).check(frame.iloc[:0], quasi=["a"]).reached is None
    assert sd.KAnonymity(2).check(pl.DataFrame(frame.to_dict("list")), quasi=["a", "b"]).holds
