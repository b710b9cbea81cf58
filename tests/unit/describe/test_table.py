"""Table: descriptions, codes and back, and frames in the caller's kind."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sudare as sd
from sudare.describe.column import encode
from sudare.errors import DescriptionError

COLUMNS = {
    "integers": pl.Series([3, -(10**15), 3, None, 2**62], dtype=pl.Int64),
    "small": pl.Series([3, -1, 3, None, 127], dtype=pl.Int8),
    "unsigned": pl.Series([3, 2**64 - 1, 3, None, 0], dtype=pl.UInt64),
    "wide": pl.Series([3, 2**100, 3, None, 0], dtype=pl.Int128),
    "floats": pl.Series([0.1, 0.1 + 0.2, 0.3, None, 1e300], dtype=pl.Float64),
    "short floats": pl.Series([0.1, 2.5, 2.5, None, -1.0], dtype=pl.Float32),
    "decimals": pl.Series([Decimal("1.10"), Decimal("2.20"), None], dtype=pl.Decimal(10, 2)),
    "texts": pl.Series(["東京", "", "é", "e\u0301", None, "null", "\U0001f600", " a", "a\nb"]),
    "truths": pl.Series([True, None, False, True]),
    "enum": pl.Series(["low", "high", None, "mid"], dtype=pl.Enum(["low", "mid", "high"])),
    "category": pl.Series(["b", "a", None, "b"], dtype=pl.Categorical),
    "dates": pl.Series([dt.date(2024, 2, 29), dt.date(1, 1, 1), None, dt.date(2024, 2, 29)]),
    "times of day": pl.Series([dt.time(1, 2, 3), None, dt.time(0)]),
    "instants": pl.Series(["2024-01-01T01:02:03.000456", None, "1900-01-01T00:00:00.0"]).str.to_datetime(),
    "zoned": pl.Series(
        [dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None, dt.datetime(1990, 5, 5, tzinfo=dt.UTC)]
    ),
    "durations": pl.Series([dt.timedelta(days=1, microseconds=5), None, dt.timedelta(0)]),
    "nothing": pl.Series([None, None], dtype=pl.String),
    "null": pl.Series([None, None], dtype=pl.Null),
    "empty": pl.Series([], dtype=pl.Int64),
    "binary": pl.Series([b"\x00", b"", None, b"\xff"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_and_back(name):
    series = COLUMNS[name].alias(name)
    codes = encode(series)
    assert codes.decode(codes.codes).dtype == series.dtype
    assert codes.decode(codes.codes).to_list() == series.to_list()
    assert codes.codes.dtype == np.int32
    assert codes.count == len(set(series.to_list()))
    assert codes.codes.tolist() == [expected_code(series, value) for value in series]
    if codes.missing is not None:
        assert codes.missing == codes.count - 1
        assert (codes.ranks == -1).tolist() == series.is_null().to_list()


def expected_code(series, value):
    """Rank of a value among the distinct ones, missing last, by sorting in Python."""
    present = {other for other in series.to_list() if other is not None}
    order = ["low", "mid", "high"] if isinstance(series.dtype, pl.Enum) else sorted(present)
    return len(present) if value is None else [other for other in order if other in present].index(value)


@pytest.mark.parametrize("name", ["*", "", "a.b", "{}", "東京", "\n"])
@pytest.mark.parametrize("values", [[1, None, 2], [0.5, None, 2.0], ["x", None, "y"], [True, None, False]])
def test_columns_may_be_named_like_patterns(name, values):
    table = sd.read(pl.DataFrame({name: values, "other": values})).describe(quasi=[name])
    codes = table.codes(name)
    assert codes.decode(codes.codes).to_list() == values
    assert sd.KAnonymity(2).check(table).violating_rows.tolist() == [0, 1, 2]


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1),
        st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1),
        st.lists(st.none() | st.text(), min_size=1),
        st.lists(st.none() | st.dates(), min_size=1),
        st.lists(st.none() | st.booleans(), min_size=1),
    )
)
def test_codes_lose_nothing(values):
    series = pl.Series("x", values, strict=False)
    codes = encode(series)
    assert codes.decode(codes.codes).to_list() == series.to_list()
    first: dict[Any, int] = {}
    for code, value in zip(codes.codes.tolist(), series.to_list(), strict=True):
        assert first.setdefault(value, code) == code


def test_sets_cannot_be_coded():
    with pytest.raises(DescriptionError, match="'x'"):
        encode(pl.Series("x", [[1], [1, 2]]))


def test_codes_cannot_be_written_to():
    codes = sd.read(pl.DataFrame({"x": [1, 2, None]})).codes("x").codes
    with pytest.raises(ValueError, match="read-only"):
        codes[0] = 5


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow"])
def test_frames_come_back_as_they_came(kind):
    data = {"n": [1, 2, 3], "東京": ["a", None, "c"], "x y": [0.5, None, 2.0], "*": [True, False, True]}
    frame = pl.DataFrame(data)
    given = {
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": pd.DataFrame(data, index=[7, 8, 9]),
        "arrow": pa.table(data),
    }[kind]
    table = sd.read(given).describe(quasi=["n"], sensitive=["x y"], insensitive=["*"], identifier=["東京"])
    assert table.frame.to_dict(as_series=False) == data
    native = table.native()
    expected = {"polars": pl.DataFrame, "lazy": pl.DataFrame, "pandas": pd.DataFrame, "arrow": pa.Table}[kind]
    assert isinstance(native, expected)
    back = (
        native.to_dict(orient="list") if kind == "pandas" else pl.DataFrame(native).to_dict(as_series=False)
    )
    cleaned = {
        name: [None if isinstance(value, float) and math.isnan(value) else value for value in column]
        for name, column in back.items()
    }
    assert cleaned == data


def test_nan_is_missing():
    frame = pl.DataFrame({"x": [1.0, math.nan, None]})
    table = sd.read(frame)
    assert table.frame["x"].to_list() == [1.0, None, None]
    assert frame["x"].is_nan().sum() == 1  # the caller's frame is as it was
    pandas = pd.DataFrame({"x": [1.0, math.nan]})
    assert sd.read(pandas).frame["x"].to_list() == [1.0, None]
    assert sd.KAnonymity(2).check(table.describe(quasi=["x"])).violating_rows.tolist() == [0]


@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
def test_infinite_numbers_are_refused(infinite):
    with pytest.raises(DescriptionError, match=r"'x'.*infinite"):
        sd.read(pl.DataFrame({"x": [1.0, infinite]})).describe(quasi=["x"])


def test_describe_gives_a_new_table_and_leaves_the_old_one():
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [1, 1]})
    kept = frame.clone()
    first = sd.read(frame)
    second = first.describe(quasi=["a"], sensitive=["b"], missing={"a": "drop"})
    third = second.describe(insensitive=["c"], kinds={"a": "ordinal"})
    assert first.names("quasi") == []
    assert first.undescribed == ["a", "b", "c"]
    assert second.undescribed == ["c"]
    assert third.undescribed == []
    assert (second.column("a").kind, third.column("a").kind) == ("numeric", "ordinal")
    assert third.names("quasi", "sensitive") == ["a", "b"]
    assert third.column("a").missing == "drop"
    assert frame.equals(kept)


def test_one_name_alone_is_a_name():
    table = sd.read(pl.DataFrame({"ab": [1], "a": [2], "b": [3]})).describe(quasi="ab")
    assert table.names("quasi") == ["ab"]


def test_columns_and_tables_cannot_be_changed_in_place():
    table = sd.read(pl.DataFrame({"a": [1]}))
    with pytest.raises(AttributeError):
        setattr(table.column("a"), "role", "quasi")  # noqa: B010  # said so that mypy does not forbid it first
    with pytest.raises(TypeError):
        table.columns[0] = None


def test_take_and_with_values_make_new_tables():
    table = sd.read(pl.DataFrame({"a": [1, 2, 3]})).describe(quasi=["a"])
    assert table.take(np.array([2, 0])).frame["a"].to_list() == [3, 1]
    assert table.with_values(pl.Series("a", [7, 8, 9])).codes("a").values.to_list() == [7, 8, 9]
    assert table.codes("a").values.to_list() == [1, 2, 3]
    assert len(table) == table.rows == 3


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ({"quasi": ["age"], "sensitive": ["age"]}, ["'age'", "two roles", "quasi", "sensitive"]),
        ({"quasi": ["aeg"]}, ["'aeg'", "did you mean 'age'"]),
        ({"kinds": {"agee": "numeric"}}, ["'agee'", "did you mean 'age'"]),
        ({"hierarchies": {"zipp": sd.hierarchy.mask()}}, ["'zipp'", "did you mean 'zip'"]),
        ({"missing": {"agee": "own"}}, ["'agee'", "did you mean 'age'"]),
        ({"kinds": {"age": "numerical"}}, ["'age'", "'numerical'", "did you mean 'numeric'"]),
        ({"missing": {"age": "dropp"}}, ["'age'", "'dropp'", "did you mean 'drop'"]),
        ({"missing": {"age": "reject"}}, ["'age'", "1 missing", "'own'", "'drop'"]),
        ({"kinds": {"zip": "date"}}, ["'zip'", "date"]),
        ({"weight": ["zip"]}, ["'zip'", "weight", "number"]),
        ({"quasi": ["zip"], "hierarchies": {"zip": sd.hierarchy.tree({"a": ["b"]})}}, ["'zip'", "02139"]),
    ],
)
def test_wrong_descriptions_are_one_sentence(description, words):
    table = sd.read(pl.DataFrame({"age": [39, None, 41], "zip": ["02139", "02140", "10001"]}))
    with pytest.raises(DescriptionError) as caught:
        table.describe(**description)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    for word in words:
        assert word in sentence


def test_missing_policies():
    table = sd.read(pl.DataFrame({"age": [1, None, 1, 1], "s": ["a", "b", "c", None]}))
    own = table.describe(quasi=["age"], sensitive=["s"])
    assert sd.KAnonymity(2).check(own).violating_rows.tolist() == [1]
    dropped = own.describe(missing={"age": "drop"})
    release = sd.anonymize(dropped, sd.KAnonymity(3), order="keep", seed=1)
    assert release.rows_of_original is not None
    assert release.rows_of_original.tolist() == [0, 2, 3]
    assert release.frame["s"].to_list() == ["a", "c", None]
    assert release.losses["suppressed"] == pytest.approx(1 / 4)
    with pytest.raises(DescriptionError, match="'s' has 1 missing"):
        own.describe(missing={"s": "reject"})
    assert own.describe(missing={"age": "own"}).rows == 4


def test_dropping_every_row_is_a_sentence():
    table = sd.read(pl.DataFrame({"age": pl.Series([None, None], dtype=pl.Int64)}))
    with pytest.raises(sd.SudareError) as caught:
        sd.anonymize(table.describe(quasi=["age"], missing={"age": "drop"}), sd.KAnonymity(1))
    assert "\n" not in str(caught.value)


def test_kinds_are_guessed_and_can_be_said():
    frame = pl.DataFrame(
        {
            "age": [39, 40, 41],
            "zip": ["02139", "02140", "10001"],
            "sex": ["F", "M", "F"],
            "day": [dt.date(2024, 1, 1)] * 3,
            "grade": pl.Series(["low", "high", "low"], dtype=pl.Enum(["low", "high"])),
            "items": [["a"], ["b", "c"], []],
        }
    )
    kinds = {column.name: column.kind for column in sd.read(frame).columns}
    assert kinds == {
        "age": "numeric",
        "zip": "string",
        "sex": "nominal",
        "day": "date",
        "grade": "ordinal",
        "items": "set",
    }
    assert sd.read(frame).describe(kinds={"age": "ordinal"}).column("age").kind == "ordinal"


def test_texts_of_days_can_be_described():
    """What is guessed from the values must be allowed by the description: a CSV of texts holds such columns."""
    table = sd.read(pl.DataFrame({"day": ["2024-01-01", "2024-02-01"], "age": [1, 2]}))
    assert table.describe(quasi=["age"]).names("quasi") == ["age"]
    assert table.describe(quasi=["day"]).names("quasi") == ["day"]


@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in {"binary", "null", "nothing"}])
@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive"])
def test_what_is_guessed_about_a_column_may_be_described(name, role):
    frame = pl.DataFrame({name: COLUMNS[name]})
    assert sd.read(frame).describe(**{role: [name]}).names(role) == [name]


def test_roles_are_given_by_patterns_as_in_recipes():
    table = sd.read(pl.DataFrame({"AGI": [1], "zip": ["a"], "zip4": ["b"]}))
    assert table.describe(quasi=["*"]).names("quasi") == ["AGI", "zip", "zip4"]
    assert table.describe(quasi="zip*", sensitive=["AGI"]).names("quasi") == ["zip", "zip4"]
    with pytest.raises(DescriptionError, match="did you mean 'AGI'"):
        table.describe(quasi=["agi"])
    with pytest.raises(DescriptionError, match="'x_\\*'"):
        table.describe(quasi=["x_*"])


def test_a_table_shows_its_roles():
    table = sd.read(pl.DataFrame({"a": [1], "b": [2], "c": [3]})).describe(quasi=["a"], insensitive=["b"])
    assert repr(table) == "Table(1 rows; quasi: a; insensitive: b; without a role: c)"


def test_repeated_and_unnamed_pandas_columns_are_one_sentence():
    with pytest.raises(DescriptionError, match="'a' appears more than once"):
        sd.read(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DescriptionError, match="0 is not text"):
        sd.read(pd.DataFrame([[1, 2]]))
    with pytest.raises(DescriptionError, match="is not a table"):
        sd.Table.from_frame([1, 2, 3])


@pytest.mark.parametrize("name", ["^a$", "^.*$"])
def test_names_that_polars_takes_for_patterns_are_refused(name):
    with pytest.raises(DescriptionError, match="rename it"):
        sd.read(pl.DataFrame({name: [1, 2]}))


def test_another_order_takes_the_codes_along():
    frame = pl.DataFrame({"age": [3, None, 1, 3], "sex": ["f", "m", None, "f"], "day": [None, "a", "b", "b"]})
    table, rows = sd.read(frame), np.array([2, 0, 3, 1])
    plain = {name: table.codes(name) for name in ("age", "sex")}
    moved = table.permuted(rows)
    assert moved.is_coded(["age", "sex"])
    assert not moved.is_coded(["day"])
    for name in frame.columns:
        fresh = encode(frame[name][rows])
        assert moved.codes(name).codes.tolist() == fresh.codes.tolist()
        assert moved.codes(name).values.equals(fresh.values)
        assert moved.codes(name).missing == fresh.missing
        assert not moved.codes(name).codes.flags.writeable
    assert not table.is_coded(["age"])
    assert all(table.codes(name).codes.tolist() == codes.codes.tolist() for name, codes in plain.items())


def test_what_a_table_forgets_it_finds_again():
    table = sd.read(pl.DataFrame({"word": ["HIV", "hiv ", None]}))
    exact, alike = table.codes("word").codes.tolist(), table.codes("word", "alike").codes.tolist()
    table.forget()
    assert not table.is_coded(["word"])
    assert (table.codes("word").codes.tolist(), table.codes("word", "alike").codes.tolist()) == (exact, alike)
