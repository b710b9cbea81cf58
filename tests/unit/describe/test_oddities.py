"""What `describe` points out in the values, and the roles of columns of real registers."""

import json
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.fresh_columns import FRESH, PUBLISHED, fresh, held_out
from tests.cases.register_columns import REGISTERS, register

from sudare.cli import main
from sudare.describe.guess.guess import guess_roles
from sudare.describe.guess.oddities import hidden_kind, missing_codes, oddities_of, words_read_as_missing
from sudare.release.recipe.table import Recipe
from sudare.words.sentence import loaded

# The examination: columns as registers and surveys name them


def examined(tables, made, counted=lambda name: True):
    """The number of columns, those guessed wrong, and the identifiers called anything else."""
    columns, wrong, missed = 0, [], []
    for table, described in tables.items():
        for column, guess in zip(described, guess_roles(made(table)), strict=True):
            if not counted(column.name):
                continue
            columns += 1
            if guess.role not in column.roles:
                wrong.append((column.name, guess.role))
            if column.roles == ("identifier",) and guess.role != "identifier":
                missed.append(column.name)
    return columns, wrong, missed


def test_roles_of_register_columns_are_guessed():
    """At least 95 of 100 are right, and no identifier is called anything else."""
    columns, wrong, missed = examined(REGISTERS, register)
    assert columns >= 150
    assert missed == []
    assert len(wrong) <= 0.05 * columns, wrong


@pytest.mark.parametrize(
    ("tables", "counted", "fewest", "most_wrong"),
    [
        (FRESH, lambda name: not held_out(name), 103, 0),
        (FRESH, held_out, 109, 1),
        (PUBLISHED, lambda name: True, 83, 2),
    ],
    ids=["tuning", "held out", "published"],
)
def test_roles_of_fresh_columns_are_guessed(tables, counted, fewest, most_wrong):
    """What is reached today; no identifier is called anything else."""
    columns, wrong, missed = examined(tables, fresh, counted)
    assert columns == fewest
    assert missed == []
    assert len(wrong) <= most_wrong, wrong


BELL = [int(3000 + 800 * math.tan((n * 389 % 1000 - 500) / 400)) for n in range(1000)]
"""Different numbers of money, frequent in the middle, in no order."""


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("UTILITYID", [17 * number % 9973 for number in range(1, 200)], "identifier"),
        ("CASENUMBER", [f"{number * 7919 % 10**6:06}" for number in range(200)], "identifier"),
        ("OWNERNAME", [f"{'AB'[n % 2]}nn {chr(65 + n % 26)}ay {n}" for n in range(200)], "identifier"),
        ("PAID", ["yes", "no"] * 50, "quasi"),
        ("通院状況", ["通院中", "なし"] * 50, "sensitive"),
        ("要介護度", ["要介護1", "自立"] * 50, "sensitive"),
        (
            "担当",
            [f"{family} {given}" for family in ("佐藤", "鈴木", "高橋", "森") for given in ("太郎", "花子")]
            * 20,
            "identifier",
        ),
        ("diagnosis_notes", ["red", "blue"] * 5, "identifier"),
        ("claim_no", [f"C-{n // 3}" for n in range(300)], "identifier"),
        ("vehicle", [f"AB{n:02} XYZ" for n in range(60)], "identifier"),
        ("route", ["00:1A:2B:3C:4D:5E", "00:1A:2B:3C:4D:5F"] * 20, "identifier"),
        ("x", ["12 Oak Street", "7 Elm Rd"] * 20, "identifier"),
        ("x", ["東京都中央区本町1-2", "大阪府大阪市北区栄町3-4-5"] * 20, "identifier"),
        ("reviewed_by_manager", ["A. Smith", "B. Jones", "C. Lee"] * 40, "identifier"),
        ("契約者", ["佐藤 太郎", "森 花子", "林 一郎"] * 40, "identifier"),
        ("保険者番号", ["06130012", "06130013"] * 40, "quasi"),
        ("age_at_diagnosis", [40, 51] * 40, "quasi"),
        ("household_income", [4000, 5100] * 40, "sensitive"),
        ("number_outpatient_visits", [1, 2] * 40, "sensitive"),
        ("atorvastatin", ["no", "up"] * 40, "sensitive"),
        ("x", ["喘息", "高血圧", "なし"] * 40, "sensitive"),
        ("x", ["I10", "E11.9", "J45.0", "K35.8", "F32.9"] * 40, "sensitive"),
        ("diagnosis_description", ["red", "blue"] * 40, "sensitive"),
        ("atorvastatin", ["No"] * 40, "insensitive"),
        ("PERWT", [100.5, 200.25] * 40, "weight"),
        ("birthwt", [3100, 2900] * 40, "sensitive"),
        ("備考", ["娘に連絡 090-1234-5678", "なし", "息子に連絡 03-1234-5678"] * 40, "identifier"),
        ("x", ["call (555) 234-5678 first", "none"] * 40, "identifier"),
        ("note", ["mail ann@example.org", "none"] * 40, "identifier"),
        ("room", ["B 012", "A 013-1"] * 40, "quasi"),
        ("medicaid", ["Yes", "No"] * 40, "sensitive"),
        ("moved_last_year", ["Yes", "No"] * 40, "quasi"),
        ("gave_birth_last_year", ["Yes", "No"] * 40, "sensitive"),
        ("EMCONTRB", BELL, "sensitive"),
        ("x", sorted(BELL), "identifier"),
        ("x", [17 * number % 997 for number in range(900)], "identifier"),
        ("county", ["James", "Mary", "John", "Robert", "Linda", "David"] * 20, "quasi"),
    ],
)
def test_names_and_values_that_were_guessed_wrong(name, values, role):
    assert guess_roles(pl.DataFrame({name: values}))[0].role == role


def test_numbers_that_are_codes_have_no_intervals():
    guess = guess_roles(pl.DataFrame({"admission_source_id": [1, 4, 7] * 40}))[0]
    assert (guess.kind, guess.hierarchy) == ("nominal", {"type": "suppress"})


@pytest.mark.parametrize(
    ("name", "values", "about"),
    [
        ("medicaid", ["Yes", "No"], "money"),
        ("owns_home", ["Yes", "No"], "housing"),
        ("household_weight", [10.5, 20.25], "the weight of a record"),
        ("moved_last_year", ["Yes", "No"], "An outsider might know it"),
    ],
)
def test_reasons_are_those_a_reader_would_give(name, values, about):
    assert about in guess_roles(pl.DataFrame({name: values * 40}))[0].reason


# Forms that the guess reads


@pytest.mark.parametrize(
    ("values", "kind", "written"),
    [
        (["1985/03/21", "1990/01/02"], "date", "%Y/%m/%d"),
        (["昭和60年3月21日", "平成2年1月2日"], "date", "%EY年%m月%d日"),
        (["31/12/1985", "01/02/1990"], "date", "%d/%m/%Y"),
        (["1985年3月", "1990年1月"], "date", "%Y年%m月"),
        (["8:30", "14:05"], "ordinal", "%H:%M"),
        (["1,234", "17"], "numeric", None),
        ([" 42 ", "７"], "numeric", None),
        (["01/02/1985", "02/03/1990"], "nominal", None),
        (["007", "042"], "string", None),
        (["1985/03/21", "昭和60年3月21日"], "date", ("%Y/%m/%d", "%EY年%m月%d日")),
        (["1985/03/21", "01/02/1985"], "nominal", None),
    ],
)
def test_the_guess_reads_what_people_write(values, kind, written):
    frame = pl.DataFrame({"x": values * 30})
    guess = guess_roles(frame, {"quasi": ["x"]})[0]
    assert (guess.kind, guess.format) == (kind, written)
    assert guess_roles(frame, {"drop": ["x"]})[0].format is None


def test_eight_digits_are_days_only_where_the_name_says_so():
    values = [f"19850{1 + n % 9}{10 + n % 19}" for n in range(60)]
    guesses = guess_roles(pl.DataFrame({"birth": values, "x": values}))
    assert [guess.format for guess in guesses] == ["%Y%m%d", None]
    assert guess_roles(pl.DataFrame({"birth_date": [int(value) for value in values]}))[0].kind == "date"


# Codes for missing values


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([41, 17, 999999, 999999, 23], ("999999",)),
        ([41.5, 17.0, 999.0, 999.0, 23.0], ("999",)),
        ([-1, -1, 3, 4], ("-1",)),
        ([-1, -1, 3, 4, 99, 99], ("-1", "99")),
        ([-3, -1, -1, 3, 4], ()),
        ([-9, -1, -9, -1, 3, 4], ("-9", "-1")),
        ([-9, -1, -1, 3, 4], ()),
        ([-9, -9, -1, -1, 3], ()),
        ([1, 2, 998, 998, 999, 999], ("998", "999")),
        ([1, 2, 98, 99, 99], ()),
        ([97, 98, 99, 99, 96], ()),
        ([1, 0, 9, 9], ()),
        ([41, 17, 999999, 23], ()),
        (["a", "不明", "b", "N/A", "?"], ("不明", "N/A", "?")),
        (["a", "Ｎ／Ａ", " unknown "], ("Ｎ／Ａ", " unknown ")),
        (["a", "なし", "none"], ()),
        (["80,904", "-1", "999999", "1,680", "-1", "999999"], ("-1", "999999")),
        (["0230", "4110", "-1", "-1"], ("-1",)),
        (["0230", "4110", "-1", "-1", "?"], ("?", "-1")),
        (["0230", "A110", "-1", "-1"], ()),
        (["EN", "ES", "-9", "-9", "?"], ("?", "-9")),
        (["EN", "ES", "-9"], ()),
        ([], ()),
        ([None, None], ()),
    ],
)
def test_codes_for_missing_values(values, codes):
    assert missing_codes(pl.Series(values)) == codes


def test_days_that_stand_for_missing_ones():
    days = pl.Series(["9999-12-31", "9999-12-31", "2024-01-01", "2024-02-01"]).str.to_date()
    assert missing_codes(days) == ("9999-12-31",)
    assert (
        missing_codes(pl.Series(["1900-01-01", "1899-01-01", "1900-01-01", "1950-01-01"]).str.to_date()) == ()
    )


@given(st.lists(st.one_of(st.none(), st.integers(-5, 1000)), max_size=30))
def test_codes_of_numbers_are_those_of_a_plain_twin(values):
    """The twin counts by hand: a code is at an end, at least twice, negative below zero or nines above a gap."""
    present = [value for value in values if value is not None]
    distinct = sorted(set(present))
    negative = [value for value in distinct if value < 0]
    others = [value for value in distinct if value >= 0]
    expected = []
    if len(others) >= 2 and set(negative) <= {-1, -2} and all(present.count(each) >= 2 for each in negative):
        expected += negative
    for number in range(3, 0, -1):  # at most three of them stand together
        high, rest = distinct[-number:], distinct[:-number]
        of_one_length = {len(str(each)) for each in high} in ({2}, {3})
        if len(rest) < 2 or not of_one_length or not set(high) <= {99, 888, 997, 998, 999}:
            continue
        rows = min(present.count(each) for each in high)
        far = high[0] >= 2 * abs(rest[-1])
        frequent = rows >= 5 * present.count(rest[-1]) and high[0] >= 999 and rest[-1] < 0.99 * high[0]
        if rows >= 2 and (far or frequent):
            expected += high
            break
    assert list(missing_codes(pl.Series(values, dtype=pl.Int64))) == [str(code) for code in expected]


@pytest.mark.parametrize(
    ("values", "codes", "kind"),
    [
        (["34", "不明", "51"], ["不明"], "numeric"),
        (["1,234", "?", "7"], ["?"], "numeric"),
        (["３４", "不明", "５１"], ["不明"], "numeric"),
        (["2024-01-01", "unknown", None], ["unknown"], "date"),
        (["0600001", "?", "1500002"], ["?"], None),
        (["a", "?", "1"], ["?"], None),
        (["?", "?"], ["?"], None),
        (["34", "-9"], ["-9"], None),
        (["34", "51"], [], None),
    ],
)
def test_words_may_hide_numbers_or_dates(values, codes, kind):
    assert hidden_kind(pl.Series("x", values), codes) == kind


# What is said


TABLE = {
    "born": ["01/02/1985", "03/04/1990", "05/06/1991", "05/06/1991"] * 10,
    "seen": ["2024/03/21", "令和6年3月21日", "2024/04/01", "令和6年4月1日"] * 10,
    "paid": ["2024/03/21", "2024/03/22", "2024/04/01", "soon"] * 10,
    "due": ["2024/03/21", "2024/03/22", "2024/04", "2024/05/01"] * 10,
    "workclass": ["Private", "State", "?", "?"] * 10,
    "job": ["clerk", "cook", "?", "?"] * 10,
    "answers": ["1", "2", "N/A", "3"] * 10,
    "income": [100, 200, 999999, 300] * 10,
    "wage": ["80,904", "-1", "1,680", "999999"] * 10,
    "zip": [2139, 2140, 10115, 2141] * 10,
    "secret": ["?", "b", "?", "a"] * 10,
}


def test_everything_odd_is_said_once():
    frame = pl.DataFrame(
        {**TABLE, **{f"more{n}": TABLE["job"] for n in range(5)}, "status": ["unknown", "a"] * 20}
    )
    found = [
        *words_read_as_missing({"answers": ["N/A"]}),
        *oddities_of(frame, guess_roles(frame, {"drop": ["secret"]})),
    ]
    assert {oddity.key for oddity in found} | {"missing.more", "form", "many_quasi"} == loaded(
        "oddities", "en"
    ).keys()
    text = "\n".join(found)
    assert "born has dates such as '01/02/1985' that can be written %d/%m/%Y or %m/%d/%Y" in text
    assert "seen has dates written %Y/%m/%d (20 rows), %EY年%m月%d日 (20 rows); all are read." in text
    assert "paid has dates written %Y/%m/%d (30 rows), but also 10 values such as 'soon'" in text
    assert "due has dates written %Y/%m/%d (30 rows), %Y/%m (10 rows), so it stays text." in text
    assert "workclass, job, more0, more1 and 3 more have the value '?'" in text
    assert "`missing_values: ['?']`" in text
    assert "answers has numbers and 'N/A', so it is read as texts." in text
    assert "income has the value '999999'" in text
    assert "`missing_values: [999999]`" in text
    assert "postal codes such as 2141 that seem to have lost their leading zeros (02141 has 5 digits)" in text
    assert "secret" not in text


@pytest.mark.parametrize(
    ("name", "values", "width"),
    [
        ("zip", [2139, 2140], 5),
        ("ZIPCODE", [2139, 10115], 5),
        ("郵便番号", [600001, 1000001], 7),
        ("郵便番号", [600001, 640001], 7),
        ("postcode", [1010, 8010], None),
        ("zip", [10115, 20099], None),
        ("age", [7, 10115], None),
    ],
)
def test_postal_codes_without_their_zeros(name, values, width):
    frame = pl.DataFrame({name: values * 10})
    found = [
        oddity
        for oddity in oddities_of(frame, guess_roles(frame, {"quasi": [name]}))
        if oddity.key == "lost_zeros"
    ]
    assert [oddity.values["width"] for oddity in found] == ([] if width is None else [width])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_describe_points_them_out_and_the_recipe_runs(tmp_path, capsys, language):
    place = tmp_path / "a.csv"
    pl.DataFrame(TABLE).write_csv(place)
    recipe = tmp_path / "a.yaml"
    assert main(["describe", str(place), "-o", str(recipe), "--lang", language, "--drop", "secret"]) == 0
    out, text = capsys.readouterr().out, recipe.read_text()
    assert "999999" in out
    assert "    # missing_values: [999999]" in text
    assert "    # missing_values: [-1, 999999]" in text
    assert Recipe.load(recipe).read().rows == 40
    ready = text.replace("    # missing_values", "    missing_values")
    recipe.write_text(ready, encoding="utf-8")
    read = Recipe.load(recipe).read()
    assert [read.frame[name].null_count() for name in ("wage", "income", "job")] == [20, 10, 20]
    assert main(["run", str(recipe)]) == 0


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_run_warns_of_codes_in_the_internal_part_only(tmp_path, capsys, language):
    place, recipe = tmp_path / "a.csv", tmp_path / "a.yaml"
    pl.DataFrame({"age": [30, 40] * 10, "wage": [900, 800, 700, 999999] * 5}).write_csv(place)
    options = ["--quasi", "age", "--sensitive", "wage", "--require", "k-anonymity k=2"]
    assert main(["describe", str(place), "-o", str(recipe), "--lang", language, *options]) == 0
    capsys.readouterr()
    assert main(["run", str(recipe), "--out", str(tmp_path / "release"), "--lang", language]) == 0
    assert "missing_values: [999999]" in "".join(capsys.readouterr().out.split("\n"))
    public, internal = (
        json.loads((tmp_path / "release" / part / "manifest.json").read_text(encoding="utf-8"))
        for part in ("public", "internal")
    )
    assert public["warnings"] == []
    assert ["missing_values: [999999]" in text for text in internal["warnings"]] == [True]


@given(
    st.lists(st.one_of(st.none(), st.text(max_size=6)), max_size=20),
    st.sampled_from(["zip", "date", "x", "年月日"]),
)
def test_no_column_is_too_odd(values, name):
    frame = pl.DataFrame({name: pl.Series(values, dtype=pl.String)})
    oddities_of(frame, guess_roles(frame))
