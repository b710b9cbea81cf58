"""The small methods, each against its definition: sampling, suppression, coding, rounding, pseudonyms, swapping."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import datetime as dt
import hashlib
import hmac
import math
from collections import Counter
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import twins

import sudare as sd
from sudare.anonymize.protocol import Context
from sudare.errors import InfeasibleError, InputError, ParameterError, SudareError
from sudare.randomness import Randomness

KEY = "a key of more than sixteen bytes"


def table_of(frame, **roles):
    return sd.read(frame).describe(**roles)


def step(method, table, *requirements, seed=1):
    """One method alone, without what a run adds around it."""
    return method.apply(table, Context(requirements, Randomness(seed)))


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


# --- pseudonyms -------------------------------------------------------------------------------------------


def hmac_of(value, key=KEY, length=32):
    return hmac.new(key.encode(), value.encode(), hashlib.sha256).hexdigest()[:length]


@pytest.mark.parametrize("length", [8, 32, 64])
def test_pseudonyms_are_hmac_sha_256(monkeypatch, length):
    monkeypatch.setenv("SUDARE_TEST_KEY", KEY)
    table = table_of(
        pl.DataFrame({"name": ["山田", "Ann", None, "Ann", ""], "n": [1, 2, 2, 10**15, None]}),
        identifier=["name"],
    )
    method = sd.Pseudonymize(["name", "n"], key_variable="SUDARE_TEST_KEY", length=length)
    frame = step(method, table).table.frame
    names = [
        None if value is None else hmac_of(value, length=length) for value in ["山田", "Ann", None, "Ann", ""]
    ]
    assert frame["name"].to_list() == names
    numbers = [
        None if value is None else hmac_of(value, length=length)
        for value in ["1", "2", "2", "1000000000000000", None]
    ]
    assert frame["n"].to_list() == numbers


def test_the_key_can_be_in_a_file(tmp_path):
    (tmp_path / "key").write_text(f"  {KEY}\n", encoding="utf-8")
    table = table_of(pl.DataFrame({"name": ["Ann"]}))
    frame = step(sd.Pseudonymize("name", key_file=tmp_path / "key"), table).table.frame
    assert frame["name"].to_list() == [hmac_of("Ann")]


def test_without_a_key_pseudonyms_link_within_one_release_only():
    table = table_of(pl.DataFrame({"name": ["Ann", "Bob", "Ann"]}), identifier=["name"])
    first, second = (
        sd.anonymize(table, method=sd.Pseudonymize("name")).frame["name"].to_list() for _ in range(2)
    )
    assert first[0] == first[2] != first[1]
    assert set(first).isdisjoint(second)
    assert hmac_of("Ann", "") not in first


def test_pseudonyms_survive_the_removal_of_identifiers():
    table = table_of(pl.DataFrame({"name": ["Ann", "Bob"], "id": ["x", "y"]}), identifier=["name", "id"])
    assert sd.anonymize(table, method=sd.Pseudonymize("name")).frame.columns == ["name"]


def test_the_key_is_never_in_the_release(monkeypatch, tmp_path):
    monkeypatch.setenv("SUDARE_TEST_KEY", KEY)
    table = table_of(
        pl.DataFrame({"name": ["Ann", "Bob"] * 3, "q": [1] * 6}), identifier=["name"], quasi=["q"]
    )
    method = sd.Pseudonymize("name", key_variable="SUDARE_TEST_KEY")
    release = sd.anonymize(table, sd.KAnonymity(2), method=[method, sd.Mondrian()])
    assert KEY not in repr(release) + repr(release.methods) + repr(release.notes)
    release.write(tmp_path / "out")
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert written
    for path in written:
        assert KEY.encode() not in path.read_bytes(), path.name
        assert b"Bob" not in path.read_bytes(), path.name


@pytest.mark.parametrize("short", ["", "short", "15 bytes long.."])
def test_a_short_key_is_refused_without_being_shown(monkeypatch, tmp_path, short):
    monkeypatch.setenv("SUDARE_TEST_KEY", short)
    (tmp_path / "key").write_text(short + " " * 20, encoding="utf-8")
    table = table_of(pl.DataFrame({"name": ["Ann"]}))
    for method in (
        sd.Pseudonymize("name", key_variable="SUDARE_TEST_KEY"),
        sd.Pseudonymize("name", key_file=tmp_path / "key"),
    ):
        with pytest.raises(SudareError, match="16") as caught:
            step(method, table)
        assert not short or f"'{short}'" not in str(caught.value)


def test_an_absent_key_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.delenv("SUDARE_TEST_KEY", raising=False)
    table = table_of(pl.DataFrame({"name": ["Ann"]}))
    with pytest.raises(InputError, match="SUDARE_TEST_KEY"):
        step(sd.Pseudonymize("name", key_variable="SUDARE_TEST_KEY"), table)
    with pytest.raises(InputError, match="absent"):
        step(sd.Pseudonymize("name", key_file=tmp_path / "absent"), table)


# --- removal ----------------------------------------------------------------------------------------------


def test_identifiers_are_removed_even_when_nobody_asked():
    table = table_of(pl.DataFrame({"name": ["a", "b"], "x": [1, 2], "y": [1, 2]}), identifier=["name"])
    assert step(sd.RemoveIdentifiers(), table).table.frame.columns == ["x", "y"]
    assert step(sd.RemoveIdentifiers("x"), table).table.frame.columns == ["name", "y"]
    assert sd.anonymize(table, method=sd.RemoveIdentifiers("x")).frame.columns == ["y"]
    assert sd.anonymize(table, method=sd.Shuffle()).frame.columns == ["x", "y"]


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


# --- wrong use --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: sd.Sample(0),
        lambda: sd.Sample(1.01),
        lambda: sd.SuppressRecords(-0.1),
        lambda: sd.SuppressRecords(2),
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
