"""Sampling, shuffling, suppressing, coding, rounding: each against its definition."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import datetime as dt
import math
from collections import Counter
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.steps import step, table_of
from tests.twins import tables as twins

import sudare as sd
from sudare.errors import InfeasibleError, ParameterError, SudareError

# --- sampling and shuffling -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "share", "kept"), [(10, 0.5, 5), (10, 1, 10), (10, 0.01, 1), (1, 0.1, 1), (7, 0.3, 2)]
)
def test_a_sample_keeps_its_share_in_order(rows, share, kept):
    table = table_of(pl.DataFrame({"a": range(rows)}))
    outcome = step(sd.Sample(share), table)
    assert outcome.table.rows == kept
    assert outcome.rows.tolist() == sorted(set(outcome.rows.tolist()))
    assert outcome.table.frame["a"].to_list() == outcome.rows.tolist()


def test_every_record_is_as_likely_to_be_sampled():
    table = table_of(pl.DataFrame({"a": range(10)}))
    runs = 600
    drawn = Counter(
        row for seed in range(runs) for row in step(sd.Sample(0.3), table, seed=seed).rows.tolist()
    )
    deviation = math.sqrt(runs * 0.3 * 0.7)
    assert all(abs(drawn[row] - 0.3 * runs) < 5 * deviation for row in range(10))


def test_shuffling_permutes():
    table = table_of(pl.DataFrame({"a": range(50), "b": [str(row) for row in range(50)]}))
    outcome = step(sd.Shuffle(), table)
    assert sorted(outcome.rows.tolist()) == list(range(50))
    assert outcome.table.frame["a"].to_list() == outcome.rows.tolist() != list(range(50))
    assert outcome.table.frame["b"].to_list() == [str(row) for row in outcome.rows]


# --- record suppression -----------------------------------------------------------------------------------


def test_violating_records_are_left_out_up_to_the_limit():
    table = table_of(pl.DataFrame({"q": ["a", "b", "a", "c", "a"]}), quasi=["q"])
    outcome = step(sd.SuppressRecords(limit=0.4), table, sd.KAnonymity(2))
    assert outcome.rows.tolist() == [0, 2, 4]
    assert outcome.table.frame["q"].to_list() == ["a", "a", "a"]
    with pytest.raises(InfeasibleError) as caught:
        step(sd.SuppressRecords(limit=0.39), table, sd.KAnonymity(2))
    assert "\n" not in str(caught.value)
    assert "2" in str(caught.value)


def test_nothing_is_left_out_when_all_comply():
    table = table_of(pl.DataFrame({"q": [1, 1, 2, 2]}), quasi=["q"])
    assert step(sd.SuppressRecords(limit=0), table, sd.KAnonymity(2)).rows.tolist() == [0, 1, 2, 3]


def test_leaving_out_everything_is_refused():
    table = table_of(pl.DataFrame({"q": [1, 2, 3]}), quasi=["q"])
    with pytest.raises(SudareError) as caught:
        sd.anonymize(table, sd.KAnonymity(2), method=sd.SuppressRecords(limit=1))
    assert "\n" not in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["x", "y", None])), min_size=1, max_size=25),
    st.lists(
        st.sampled_from(
            [
                sd.KAnonymity(2),
                sd.KAnonymity(4),
                sd.LDiversity(2),
                sd.LDiversity(1.5, kind="entropy"),
                sd.TCloseness(0.3),
            ]
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([0.1, 0.5, 0.9]),
)
def test_suppression_keeps_the_promise_or_refuses(rows, requirements, limit):
    frame = pl.DataFrame(rows, schema={"q": pl.String, "s": pl.String}, orient="row")
    table = table_of(frame, quasi=["q"], sensitive=["s"])
    kept = list(range(frame.height))
    while True:  # the definition: leave out all rows of violating blocks until none is left
        now = frame[kept]
        bad = set()
        for requirement in requirements:
            found, complies = twins.figures_of(requirement, now, ["q"], ["s"])
            bad |= set(twins.breaking(found, complies))
        if not bad:
            break
        kept = [row for place, row in enumerate(kept) if place not in bad]
    if kept and frame.height - len(kept) <= Fraction(str(limit)) * frame.height:
        outcome = step(sd.SuppressRecords(limit=limit), table, *requirements)
        assert outcome.rows.tolist() == kept
        assert outcome.table.frame.rows() == frame[kept].rows()
    else:
        with pytest.raises(InfeasibleError):
            step(sd.SuppressRecords(limit=limit), table, *requirements)


# --- top and bottom coding --------------------------------------------------------------------------------


def test_values_beyond_a_limit_become_the_limit():
    table = table_of(pl.DataFrame({"a": [-5, 0, 7, None, 99], "b": [1, 2, 3, 4, 5]}))
    coded = step(sd.TopBottomCode("a", bottom=0, top=10), table).table.frame
    assert coded["a"].to_list() == [0, 0, 7, None, 10]
    assert coded["a"].dtype == pl.Int64
    assert coded["b"].to_list() == [1, 2, 3, 4, 5]
    assert step(sd.TopBottomCode("a", top=10), table).table.frame["a"].to_list() == [-5, 0, 7, None, 10]
    assert step(sd.TopBottomCode("a", top=6.5), table).table.frame["a"].to_list() == [-5, 0, 6.5, None, 6.5]


def test_coding_leaves_large_integers_alone():
    big = 2**53 + 1
    table = table_of(pl.DataFrame({"a": [big, 5, -big]}))
    assert step(sd.TopBottomCode("a", bottom=0), table).table.frame["a"].to_list() == [big, 5, 0]


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int32, pl.Float32, pl.Float64])
@pytest.mark.parametrize(
    ("bottom", "top"), [(-1000, None), (None, 1000), (-1000, 1000), (10, 50), (1.5, 50.5)]
)
def test_coding_fits_every_type(dtype, bottom, top):
    values = [0, 7, None, 100]
    table = table_of(pl.DataFrame({"a": pl.Series(values, dtype=dtype)}))
    coded = step(sd.TopBottomCode("a", bottom=bottom, top=top), table).table.frame["a"].to_list()
    expected = [
        None
        if value is None
        else min(max(value, bottom if bottom is not None else value), top if top is not None else value)
        for value in values
    ]
    assert coded == expected


# --- rounding ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "base", "expected"),
    [
        ([4, 5, 15, 25, 26, None, -5, -15], 10, [0, 0, 20, 20, 30, None, 0, -20]),
        ([0.2, 0.25, 0.3, 0.75, None], 0.5, [0.0, 0.0, 0.5, 1.0, None]),
        ([2**53 + 1, -(2**53) - 1], 10, [9007199254740990, -9007199254740990]),
        ([10**15 + 4], 1000, [10**15]),
        ([3], 0.5, [3]),
        ([0.3, 0.7, 1.1], 0.1, [0.3, 0.7, 1.1]),
    ],
)
def test_rounding_to_the_nearest_multiple_halves_to_even(values, base, expected):
    table = table_of(pl.DataFrame({"a": values}))
    assert step(sd.Round("a", base), table).table.frame["a"].to_list() == expected


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int16])
def test_rounding_small_integers_does_not_overflow(dtype):
    table = table_of(pl.DataFrame({"a": pl.Series([127, 120, 60, 0], dtype=dtype)}))
    assert step(sd.Round("a", 200), table).table.frame["a"].to_list() == [200, 200, 0, 0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-(10**12), 10**12), min_size=1), st.integers(1, 10**6))
def test_whole_numbers_stay_whole_and_near(values, base):
    rounded = step(sd.Round("a", base), table_of(pl.DataFrame({"a": values}))).table.frame["a"]
    assert rounded.dtype == pl.Int64
    for value, near in zip(values, rounded, strict=True):
        assert near == round(Fraction(value, base)) * base  # Python rounds halves to even


# --- wrong use --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: sd.Sample(0),
        lambda: sd.Sample(1.01),
        lambda: sd.SuppressRecords(-0.1),
        lambda: sd.SuppressRecords(1.5),
        lambda: sd.TopBottomCode("a"),
        lambda: sd.TopBottomCode("a", bottom=5, top=1),
        lambda: sd.TopBottomCode("a", top=math.nan),
        lambda: sd.Round("a", 0),
        lambda: sd.Round("a", -1),
        lambda: sd.Round("a", math.inf),
        lambda: sd.Pseudonymize("a", length=4),
        lambda: sd.Pseudonymize("a", length=65),
        lambda: sd.Pseudonymize("a", key_file="x", key_variable="y"),
        lambda: sd.RankSwap("a", window=0),
        lambda: sd.SwapRecords("a", share=1.5),
        lambda: sd.Shuffle(3),
        lambda: sd.Sample(0.5, 0.5),
    ],
)
def test_wrong_parameters_are_one_sentence(make):
    with pytest.raises(ParameterError) as caught:
        make()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    "method",
    [
        sd.TopBottomCode("text", top=3),
        sd.TopBottomCode("day", top=3),
        sd.TopBottomCode("aeg", top=3),
        sd.Round("text", 5),
        sd.Round(["age", "aeg"], 5),
        sd.Pseudonymize("aeg"),
        sd.RankSwap("aeg"),
        sd.RankSwap("set"),
        sd.SwapRecords("aeg"),
        sd.SwapRecords("age", within="aeg"),
        sd.RemoveIdentifiers("aeg"),
    ],
    ids=repr,
)
def test_columns_that_do_not_fit_are_one_sentence(method):
    frame = pl.DataFrame({"text": ["a"], "age": [1], "day": [dt.date(2024, 1, 1)], "set": [["a"]]})
    with pytest.raises(SudareError) as caught:
        step(method, table_of(frame))
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert any(f"'{name}'" in sentence for name in ("text", "day", "aeg", "set"))


def test_mondrian_of_numbers_that_floats_cannot_tell_apart():
    """Whole numbers beyond 2^53 that are one float: no matter which column comes first."""
    frame = pl.DataFrame({"a": [2**60 + number for number in range(8)], "b": list("xyxyxyxy")})
    found = []
    for quasi in (["a", "b"], ["b", "a"]):
        table = sd.read(frame.select(quasi)).describe(quasi=quasi)
        outcome = step(sd.Mondrian(), table, sd.KAnonymity(2))  # a run refuses the column, for its losses
        found.append(outcome.table.frame.select("a", "b").rows())
    assert found[0] == found[1]
    assert {b for _, b in found[0]} == {"x", "y"}
