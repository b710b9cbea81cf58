"""Guesses of roles and kinds: names in two languages, forms of values, counts, and odd columns."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.places import DATA

from sudare.describe.guess.guess import Guess, guess_roles
from sudare.describe.guess.hierarchies import suggested_hierarchy
from sudare.describe.guess.topics import is_about_person, is_key, topic_of, words
from sudare.describe.guess.values import Values, guess_kind
from sudare.describe.hierarchy.catalogue import CATALOGUE
from sudare.read.examples.hospital import hospital, hospital_columns

ADULT = DATA / "adult_hierarchies" / "adult.csv"
ADULT_DATA = ADULT.parents[1] / "adult" / "adult.data"
ADULT_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]


def guess_one(name, values, dtype=None) -> Guess:
    return guess_roles(pl.DataFrame({name: pl.Series(values, dtype=dtype)}))[0]


def assert_buildable(guess, series):
    """The suggested hierarchy, if any, covers the column's values (in a Table, where NaN is missing)."""
    if guess.hierarchy is not None:
        if series.dtype.is_float():
            series = series.fill_nan(None)
        CATALOGUE.build(guess.hierarchy).build(series.drop_nulls().unique().sort(), guess.column)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("rows", [100, 20_000])
def test_the_hospital_table_is_guessed_right(language, rows):
    described = hospital_columns(language)
    for guess in guess_roles(hospital(rows, seed=3, language=language)):
        assert guess.role == described[guess.column]["role"], guess
        assert guess.kind == described[guess.column]["kind"], guess
        if guess.role == "quasi":
            wanted = described[guess.column]["hierarchy"]["type"]
            # Nobody can guess a tree of nationalities from the values alone.
            assert guess.hierarchy is not None
            assert guess.hierarchy["type"] == {"tree": "suppress"}.get(wanted, wanted)


def test_japanese_names_over_english_values():
    names = {new: old for old, new in zip(hospital_columns("en"), hospital_columns("ja"), strict=True)}
    frame = hospital(500).rename({old: new for new, old in names.items()})
    for guess in guess_roles(frame):
        assert guess.role == hospital_columns("ja")[guess.column]["role"]


@pytest.mark.skipif(not ADULT.exists(), reason="shared data are not here")
def test_adult_as_published_with_hierarchies():
    guesses = {guess.column: guess for guess in guess_roles(pl.read_csv(ADULT, separator=";"))}
    assert guesses.pop("salary-class").role == "sensitive"
    assert {guess.role for guess in guesses.values()} == {"quasi"}
    assert guesses["age"].hierarchy == {"type": "intervals", "width": 5}
    assert guesses["occupation"].kind == "nominal"


@pytest.mark.skipif(not ADULT_DATA.exists(), reason="shared data are not here")
def test_adult_with_all_columns():
    frame = pl.read_csv(ADULT_DATA, has_header=False, new_columns=ADULT_COLUMNS)
    whole = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
    frame = frame.with_columns(
        pl.col(name).cast(pl.String).str.strip_chars().cast(pl.Int64) for name in whole
    )
    roles = {guess.column: guess.role for guess in guess_roles(frame)}
    assert roles.pop("fnlwgt") == "weight"
    assert {name for name, role in roles.items() if role == "sensitive"} == {
        "capital-gain",
        "capital-loss",
        "income",
    }
    assert set(roles.values()) == {"quasi", "sensitive"}


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("dateOfBirth", "birth"),
        ("DOB", "birth"),
        ("ZIPCode", "postal code"),
        ("zipcode", "postal code"),
        ("marital-status", "family"),
        ("disease_name", "health"),
        ("ICD10", "health"),
        ("HbA1c", "health"),
        ("diagnoses", "health"),
        ("Home Country", "nationality"),
        ("annual income (USD)", "money"),
        ("first_name", "person name"),
        ("body_weight", "body"),
        ("sampling weight", "weight"),
        ("年齢（歳）", "age"),
        ("生年月日", "birth"),
        ("都道府県", "place"),
        ("職業", "occupation"),
        ("疾患コード", "health"),
        ("診断", "health"),
        ("給与", "money"),
        ("年収", "money"),
        ("郵便番号", "postal code"),
        ("住所", "address"),
        ("名前", "person name"),
        ("入院日", "event"),
        ("国籍", "nationality"),
        ("体重", "body"),
        ("重み", "weight"),
        ("宗教", "belief"),
        ("ﾒｰﾙ", "contact"),
    ],
)
def test_topics_of_names(name, topic):
    found = topic_of(name)
    assert found is not None
    assert found.key == topic


@pytest.mark.parametrize("name", ["stage", "average", "x", "", "列", "Unnamed: 0", "\x00", "🙂"])
def test_names_without_topic(name):
    assert topic_of(name) is None


def test_names_are_cut_into_words():
    assert words("PatientHTTPCode_2-b") == ["patient", "http", "code", "2", "b"]
    assert is_key("患者番号")
    assert is_key("userID")
    assert not is_key("idea")
    assert is_about_person("患者ID")
    assert not is_about_person("ward_id")


@pytest.mark.parametrize(
    "values",
    [
        [f"user{i}@example.org" for i in range(30)],
        [f"03-1234-{i:04d}" for i in range(30)],
        [f"+81 90 1234 {i:04d}" for i in range(30)],
        [f"0901234{i:04d}" for i in range(30)],
        [f"123-45-{i:04d}" for i in range(30)],
        [f"10.0.0.{i}" for i in range(30)],
        [f"https://example.org/{i}" for i in range(30)],
        [f"MRN-{i:06d}" for i in range(30)],
        [
            f"{first} {last}"
            for first in ("Ann", "Bob", "Cid", "Dan", "Eve")
            for last in ("Lee", "O'Neil", "Fox")
        ],
        [f"{last} {first}" for last in ("佐藤", "佐々木", "林") for first in ("葵", "さくら", "太郎")],
        [f"The patient number {i} came with pain and asked for doctor Miller" for i in range(30)],
        list(range(1000, 1100)),
        [10_000_000 + 7919 * i * i for i in range(100)],
    ],
)
def test_values_that_identify(values):
    guess = guess_one("x", values)
    assert guess.role == "identifier"
    assert guess.kind == "string"
    assert guess.hierarchy is None


def test_values_that_locate_or_date():
    zips = guess_one("x", ["02139", "02140", "02139", "10001"] * 10)
    assert (zips.role, zips.kind, zips.hierarchy) == ("quasi", "string", {"type": "mask"})
    assert guess_one("x", ["100-0001", "530-0002"] * 20).hierarchy == {"type": "mask"}
    dates = guess_one("x", ["2024-01-31", "2024-02-29"] * 20)
    assert (dates.role, dates.kind, dates.hierarchy) == ("quasi", "nominal", {"type": "dates"})
    assert guess_one("x", ["2024/1/31", "2024/2/9"] * 20).role == "quasi"
    assert guess_one("surgery_date", [dt.date(2024, 1, 1), None]).role == "quasi"


def test_postal_codes_read_as_numbers_are_still_masked():
    guess = guess_one("zip", [2139, 10001, 94103])
    assert (guess.role, guess.kind, guess.hierarchy) == ("quasi", "string", {"type": "mask"})


def test_keys_of_people_and_of_groups():
    assert guess_one("patient_id", [1, 2] * 500).role == "identifier"
    assert guess_one("ward_no", [1, 2] * 500).role == "quasi"
    assert guess_one("team_id", [1, 2] * 500).role == "quasi"
    assert guess_one("test_result_id", list(range(50))).role == "identifier"
    assert guess_one("test_result", [0, 1] * 25).role == "sensitive"


def test_names_of_people_identify_even_when_they_repeat():
    assert guess_one("name", ["Ann Lee", "Bob Fox"] * 500).role == "identifier"
    assert guess_one("first_name", ["Ann", "Bob"] * 500).role == "identifier"
    assert guess_one("氏名", ["田中", "林"] * 500).role == "identifier"
    assert guess_one("product_name", ["soap", "milk"] * 500).role == "quasi"


def test_weights_and_body_weights():
    weights = [1.5, 2.5, 80.0]
    assert guess_one("weight", weights).role == "weight"
    assert guess_one("標本ウェイト", weights).role == "weight"
    assert guess_one("weight", ["light", "heavy"]).role == "quasi"
    assert guess_one("sample_weight", [-1.0, 2.0]).role != "weight"
    two = guess_roles(
        pl.DataFrame({"person_weight": [1.5, 2.5, 3.5], "household_weight": [10.5, 20.5, 30.5]})
    )
    assert [guess.role for guess in two] == ["weight", "quasi"]  # not published as it is
    assert two[1].hierarchy is not None
    bodies = guess_roles(pl.DataFrame({"height": [160, 170, 180], "weight": [60, 70, 80]}))
    assert [guess.role for guess in bodies] == ["quasi", "quasi"]


def test_cautious_where_nothing_is_known():
    unknown = guess_one("x17", ["a", "b", "c"] * 30)
    assert unknown.role == "quasi"
    assert "cautious" in unknown.reason
    exact = guess_one("x18", [1.0 + i**1.5 for i in range(500)])
    assert exact.role == "sensitive"
    assert "cautious" in exact.reason
    assert max(unknown.confidence, exact.confidence) < 0.5
    assert guess_one("x19", [["a", "b"], ["a"]] * 20).role == "sensitive"


def test_constant_and_empty_columns_tell_nobody_apart():
    assert guess_one("x", ["same"] * 10).role == "insensitive"
    assert guess_one("x", [None] * 10).role == "insensitive"
    assert guess_one("x", []).role == "insensitive"
    assert guess_one("x", ["same", None] * 10).role == "quasi"
    assert guess_one("disease", ["HIV"] * 10).role == "sensitive"
    assert guess_one("x", ["only"]).role == "quasi"


@pytest.mark.parametrize(
    ("values", "dtype", "kind"),
    [
        ([1, 2], pl.Int8, "numeric"),
        ([1.5, None], pl.Float64, "numeric"),
        (["1.10"], pl.Decimal(10, 2), "numeric"),
        ([True, False], pl.Boolean, "nominal"),
        ([dt.date(2024, 1, 1)], pl.Date, "date"),
        ([dt.datetime(2024, 1, 1)], pl.Datetime("us"), "date"),  # noqa: DTZ001  # tables have times without a zone
        ([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], pl.Datetime("ms", "UTC"), "date"),
        ([dt.time(12)], pl.Time, "ordinal"),
        ([dt.timedelta(1)], pl.Duration, "nominal"),
        (["low", "high"], pl.Enum(["low", "high"]), "ordinal"),
        (["a", "b"], pl.Categorical, "nominal"),
        ([["a"], []], pl.List(pl.String), "set"),
        ([["a", "b"]], pl.Array(pl.String, 2), "set"),
        ([{"a": 1}], pl.Struct({"a": pl.Int64}), "string"),
        ([b"a"], pl.Binary, "string"),
        ([None], pl.Null, "nominal"),
        (["2024-02-29"], pl.String, "nominal"),
        (["2024-02-29T12:00:00Z", "2024-02-29 12:00"], pl.String, "nominal"),
        (["2023-02-29"], pl.String, "nominal"),
        (["001", "002"], pl.String, "string"),
        (["男", "女"], pl.String, "nominal"),
        ([f"word {i} here" for i in range(200)], pl.String, "string"),
        ([], pl.String, "nominal"),
    ],
)
def test_kinds(values, dtype, kind):
    if isinstance(dtype, pl.Decimal):
        series = pl.Series("x", values).cast(dtype)
    else:
        series = pl.Series("x", values, dtype=dtype)
    assert guess_kind(series) == kind
    assert guess_roles(series.to_frame())[0].column == "x"


@pytest.mark.parametrize(
    ("values", "width"),
    [
        (range(101), 5),
        (range(11), 2),
        (range(0, 10**9, 10**6), 5 * 10**7),
        ([*range(100), 10**9], 5),
        ([0.0, 0.5, 0.25, 1.5], 0.1),
        ([10.0**15, 10.0**15 + 50, 10.0**15 + 100], 5),
    ],
)
def test_widths_are_round_and_few(values, width):
    values = Values(pl.Series(list(values)))
    hierarchy = suggested_hierarchy(values, "numeric", None)
    assert hierarchy == {"type": "intervals", "width": pytest.approx(width)}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_suggested_hierarchies_can_be_built(language):
    frame = hospital(300, language=language)
    for guess in guess_roles(frame):
        assert_buildable(guess, frame[guess.column])


def test_columns_keep_their_order_and_the_frame_is_untouched():
    frame = hospital(50)
    before = frame.clone()
    assert [guess.column for guess in guess_roles(frame)] == frame.columns
    assert frame.equals(before)
    assert guess_roles(pl.DataFrame()) == []


TEXTS = st.one_of(
    st.none(), st.text(max_size=12), st.sampled_from(["02139", "a@b.cd", "2024-01-01", "佐藤 葵"])
)
COLUMNS = st.one_of(
    st.lists(TEXTS, max_size=40).map(lambda values: pl.Series(values, dtype=pl.String)),
    st.lists(st.one_of(st.none(), st.floats()), max_size=40).map(
        lambda values: pl.Series(values, dtype=pl.Float64)
    ),
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=40).map(
        lambda values: pl.Series(values, dtype=pl.Int64)
    ),
    st.lists(st.one_of(st.none(), st.booleans()), max_size=40).map(
        lambda values: pl.Series(values, dtype=pl.Boolean)
    ),
    st.lists(st.one_of(st.none(), st.dates()), max_size=40).map(
        lambda values: pl.Series(values, dtype=pl.Date)
    ),
)
NAMES = st.one_of(
    st.text(max_size=10), st.sampled_from(["age", "weight", "名前", "zip", "user_id", "病名", "cost"])
)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(name=NAMES, column=COLUMNS)
def test_any_column_gets_a_guess_with_a_sentence(name, column):
    (guess,) = guess_roles(column.alias(name).to_frame())
    assert guess.reason.endswith(".")
    assert guess.reason.into("ja").endswith("。")
    assert 0 <= guess.confidence <= 1
    assert guess.hierarchy is None or guess.role == "quasi"
    if guess.hierarchy is not None and guess.hierarchy["type"] == "intervals":
        width = guess.hierarchy["width"]
        assert isinstance(width, int | float)
        assert width > 0
    assert_buildable(guess, column)
