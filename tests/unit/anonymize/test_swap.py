"""Rank swapping and data swapping."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import datetime as dt
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.steps import step, table_of

import sudare as sd
from sudare.randomness import Randomness

# --- swapping ---------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.none() | st.integers(-50, 50), min_size=1, max_size=60),
    st.sampled_from([0.01, 0.1, 0.5, 1.0]),
    st.integers(0, 5),
)
def test_rank_swapping_keeps_margins_and_missing(values, window, seed):
    frame = pl.DataFrame({"a": pl.Series(values, dtype=pl.Int64), "b": [str(value) for value in values]})
    swapped = step(sd.RankSwap(["a", "b"], window=window), table_of(frame), seed=seed).table.frame
    assert Counter(swapped["a"].to_list()) == Counter(values)
    assert Counter(swapped["b"].to_list()) == Counter(frame["b"].to_list())
    assert swapped["a"].is_null().to_list() == frame["a"].is_null().to_list()


@pytest.mark.parametrize("window", [0.01, 0.05, 0.2, 1])
@pytest.mark.parametrize("rows", [2, 3, 100])
def test_rank_swapping_stays_within_the_window(rows, window):
    order = Randomness(5).permutation(rows)
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=int(day)) for day in order]
    table = table_of(pl.DataFrame({"day": days, "n": order * 10.0**15}))
    for seed in range(5):
        swapped = step(sd.RankSwap(["day", "n"], window=window), table, seed=seed).table.frame
        ranks = {value: rank for rank, value in enumerate(sorted(days))}
        moved = [abs(ranks[new] - ranks[old]) for old, new in zip(days, swapped["day"], strict=True)]
        assert max(moved) <= max(1, window * rows)
        if window * rows >= 2:
            assert sum(distance > 0 for distance in moved) >= rows / 2
        assert sorted(swapped["n"].to_list()) == sorted((order * 10.0**15).tolist())


def test_columns_are_rank_swapped_by_themselves():
    table = table_of(pl.DataFrame({"a": range(100), "b": range(100), "c": range(100)}))
    swapped = step(sd.RankSwap(["a", "b"], window=0.2), table).table.frame
    assert swapped["a"].to_list() != swapped["b"].to_list()
    assert swapped["c"].to_list() == list(range(100))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["x", "y", None]), st.sampled_from("pq")), min_size=1, max_size=60),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.integers(0, 5),
)
def test_data_swapping_exchanges_pairs_within_strata(rows, share, seed):
    count = len(rows)
    frame = pl.DataFrame(
        {
            "within": [one for one, _ in rows],
            "too": [other for _, other in rows],
            "id": list(range(count)),
            "same": [str(row) for row in range(count)],
            "kept": list(range(count)),
        }
    )
    method = sd.SwapRecords(["id", "same"], share=share, within=["within", "too"])
    swapped = step(method, table_of(frame), seed=seed).table.frame
    partner = swapped["id"].to_list()
    assert swapped["same"].to_list() == [str(row) for row in partner]  # together
    assert all(partner[partner[row]] == row for row in range(count))  # in pairs
    assert all(rows[partner[row]] == rows[row] for row in range(count))  # who agree
    assert sum(partner[row] != row for row in range(count)) <= round(share * count)
    assert swapped.select("within", "too", "kept").equals(frame.select("within", "too", "kept"))


def test_data_swapping_takes_the_share_it_is_given():
    table = table_of(pl.DataFrame({"id": range(1000)}))
    for share in (0.1, 0.5, 1):
        partner = step(sd.SwapRecords("id", share=share), table).table.frame["id"].to_list()
        moved = sum(row != other for row, other in enumerate(partner))
        assert moved == pytest.approx(share * 1000, abs=2)
