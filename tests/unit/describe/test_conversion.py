"""Dates, times and numbers as people write them: converted as told or as found, and every fault in one sentence."""

import unicodedata
from datetime import date, datetime, time

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sudare as sd
from sudare.describe.conversion import (
    FORMATS,
    fitting_formats,
    forms_of,
    found_dates,
    number_of,
    read_dates,
    read_numbers,
    unit_of,
)
from sudare.errors import DescriptionError
from sudare.release.recipe.table import Recipe

ERAS = [
    ("明治", "M", 1868),
    ("大正", "T", 1912),
    ("昭和", "S", 1926),
    ("平成", "H", 1989),
    ("令和", "R", 2019),
]
LAST = {"明治": 45, "大正": 15, "昭和": 64, "平成": 31, "令和": 20}


def moment(*parts):
    return datetime(*parts)  # noqa: DTZ001  # columns have no time zones


def one(*texts, written=None):
    reading = read_dates(pl.Series("x", list(texts), dtype=pl.String), written)
    return reading.series.to_list(), reading.format


# Forms


@pytest.mark.parametrize(
    ("text", "expected", "written"),
    [
        ("1985/03/21", date(1985, 3, 21), "%Y/%m/%d"),
        ("1985/3/21", date(1985, 3, 21), "%Y/%m/%d"),
        ("1985-03-21", date(1985, 3, 21), "%Y-%m-%d"),
        ("1985.3.21", date(1985, 3, 21), "%Y.%m.%d"),
        ("31/12/1985", date(1985, 12, 31), "%d/%m/%Y"),
        ("12/31/1985", date(1985, 12, 31), "%m/%d/%Y"),
        ("31.12.1985", date(1985, 12, 31), "%d.%m.%Y"),
        ("1985年3月21日", date(1985, 3, 21), "%Y年%m月%d日"),
        ("１９８５年３月２１日", date(1985, 3, 21), "%Y年%m月%d日"),
        ("昭和60年3月21日", date(1985, 3, 21), "%EY年%m月%d日"),
        ("㍼60年3月21日", date(1985, 3, 21), "%EY年%m月%d日"),
        ("令和元年5月1日", date(2019, 5, 1), "%EY年%m月%d日"),
        ("S60.3.21", date(1985, 3, 21), "%EY.%m.%d"),
        ("H1/1/8", date(1989, 1, 8), "%EY/%m/%d"),
        ("昭和60年", date(1985, 1, 1), "%EY年"),
        ("昭和60年3月", date(1985, 3, 1), "%EY年%m月"),
        ("1985-03", date(1985, 3, 1), "%Y-%m"),
        ("1985年3月", date(1985, 3, 1), "%Y年%m月"),
        ("21 Mar 1985", date(1985, 3, 21), "%d %b %Y"),
        ("21-MAR-1985", date(1985, 3, 21), "%d-%b-%Y"),
        ("March 21, 1985", date(1985, 3, 21), "%b %d, %Y"),
        ("1985/03/21 14:05", moment(1985, 3, 21, 14, 5), "%Y/%m/%d %H:%M"),
        ("31/12/1985 23:59:58", moment(1985, 12, 31, 23, 59, 58), "%d/%m/%Y %H:%M:%S"),
        ("1985-03-21T14:05:06.25", moment(1985, 3, 21, 14, 5, 6, 250000), "%Y-%m-%dT%H:%M:%S"),
        ("14:05", time(14, 5), "%H:%M"),
        ("8時30分", time(8, 30), "%H時%M分"),
        ("12:30 AM", time(0, 30), "%I:%M %p"),
        (" 1985/03/21 ", date(1985, 3, 21), "%Y/%m/%d"),
    ],
)
def test_a_form_is_found_and_told(text, expected, written):
    found, told = one(text)
    assert told.replace("T", " ") == written.replace("T", " ")
    assert found == [expected]
    assert one(text, written=written)[0] == [expected]


@given(
    st.dates(date(1868, 12, 1), date(2030, 12, 31)),
    st.sampled_from([f for f in FORMATS if unit_of(f) == "day"]),
)
def test_days_are_those_of_a_plain_twin(day, written):
    """The twin writes the day with `strftime`, and the era by hand."""
    era, letter, first = max((one for one in ERAS if one[2] <= day.year), key=lambda one: one[2])
    assume(day.year - first + 1 <= LAST[era])
    for name in (era, letter, letter.lower()):
        text = day.strftime(written.replace("%EY", "@")).replace("@", f"{name}{day.year - first + 1}")
        assert one(text, None, written=written)[0] == [day, None]
        assert written in fitting_formats(pl.Series([text])) or one(text)[0] == [day]


@given(st.lists(st.datetimes(moment(1900, 1, 1), moment(2100, 1, 1)), min_size=1, max_size=20))
def test_moments_are_those_of_strptime(moments):
    for written in ("%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M", "%d %b %Y %H:%M:%S"):
        texts = [each.strftime(written) for each in moments]
        assert one(*texts, written=written)[0] == [datetime.strptime(text, written) for text in texts]  # noqa: DTZ007


@given(st.lists(st.text("0123456789/-.年月日SH元: ", max_size=12), max_size=8))
def test_any_texts_are_read_or_refused_in_one_sentence(texts):
    if found_dates(pl.Series(texts, dtype=pl.String)) is not None:
        assert len(one(*texts)[0]) == len(texts)
    else:
        with pytest.raises(DescriptionError, match="Column 'x' is described as a date"):
            one(*texts)


def test_days_that_do_not_exist_are_no_days():
    assert fitting_formats(pl.Series(["30/02/1985"])) == []
    assert fitting_formats(pl.Series(["昭和0年1月1日"])) == []
    assert fitting_formats(pl.Series(["99999999"])) == []


# Several forms in one column


MIXED = ["1985/03/21", "昭和60年3月21日", "令和元年5月1日", "1990/1/2", "S60.3.21"]
MIXED_DAYS = [date(1985, 3, 21), date(1985, 3, 21), date(2019, 5, 1), date(1990, 1, 2), date(1985, 3, 21)]
MIXED_FORMATS = ("%Y/%m/%d", "%EY年%m月%d日", "%EY.%m.%d")


def test_a_column_of_several_forms_is_read():
    assert one(*MIXED) == (MIXED_DAYS, MIXED_FORMATS)
    assert one(*MIXED, written=MIXED_FORMATS)[0] == MIXED_DAYS
    assert read_dates(pl.Series(MIXED)).unit == "day"


def test_forms_are_told_apart_by_the_texts_of_their_shape():
    """31/12/1985 says how 01/02/1985 is written, and 1985/03/21 does not."""
    assert one("01/02/1985", "1985/03/21", "31/12/1985")[0] == [
        date(1985, 2, 1),
        date(1985, 3, 21),
        date(1985, 12, 31),
    ]
    with pytest.raises(DescriptionError, match="'01/02/1985' may be written %d/%m/%Y or %m/%d/%Y"):
        one("01/02/1985", "1985/03/21")


def test_a_month_among_days_is_not_read_as_its_first_day_unless_told():
    with pytest.raises(DescriptionError, match="is not a date written"):
        one("1985/03/21", "1985/03/22", "昭和60年3月")
    found = read_dates(pl.Series(["1985/03/21", "昭和60年3月"]), ("%Y/%m/%d", "%EY年%m月"))
    assert (found.series.to_list(), found.unit) == ([date(1985, 3, 21), date(1985, 3, 1)], "month")


def test_days_among_moments_are_midnights():
    assert one("1985/03/21", "1985/03/21 14:05", written=("%Y/%m/%d", "%Y/%m/%d %H:%M"))[0] == [
        moment(1985, 3, 21),
        moment(1985, 3, 21, 14, 5),
    ]


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (("%d/%m/%Y", "%m/%d/%Y"), "'01/02/1985' may be written %d/%m/%Y or %m/%d/%Y"),
        (("%d/%m/%Y", "%H:%M"), "'%d/%m/%Y, %H:%M' is not a format of dates"),
        (("%Y.%m.%d", "%Y-%m-%d"), "'01/02/1985' in row 1 is not a date written %Y.%m.%d, %Y-%m-%d"),
        (("%d/%m/%Y", "%Q"), "'%Q' is not a format of dates"),
        ((), "'' is not a format of dates"),
    ],
)
def test_a_fault_of_several_formats_is_one_sentence(written, sentence):
    with pytest.raises(DescriptionError) as error:
        one("01/02/1985", written=written)
    assert sentence in str(error.value)


def test_rows_of_each_form_are_counted():
    rows, others = forms_of(pl.Series([*MIXED, *MIXED, "soon", "01/02/1985", None]))
    assert rows == {"%EY年%m月%d日": 4, "%Y/%m/%d": 4, "%EY.%m.%d": 2}
    assert others.to_list() == ["soon", "01/02/1985"]


@pytest.mark.parametrize("told", [True, False])
def test_a_recipe_reads_several_forms(tmp_path, told):
    pl.DataFrame({"born": MIXED * 4}).write_csv(tmp_path / "a.csv")
    written = f", format: {list(MIXED_FORMATS)}" if told else ""
    recipe = Recipe.parse(
        f"""
        source: {{path: a.csv}}
        columns:
          born: {{role: quasi, kind: date{written}}}
        requirements: [k-anonymity k=2]
        output: {{folder: out}}
        """,
        folder=tmp_path,
    )
    table = recipe.read()
    assert table.frame["born"].to_list() == MIXED_DAYS * 4
    assert table.column("born").format == MIXED_FORMATS
    assert Recipe.parse(recipe.to_yaml()) == recipe
    release = sd.anonymize(table, sd.KAnonymity(2), seed=1)
    assert "Read born as dates written %Y/%m/%d, %EY年%m月%d日, %EY.%m.%d." in release.notes


# Faults


@pytest.mark.parametrize(
    ("texts", "written", "sentence"),
    [
        (
            ["01/02/1985", "03/04/1990"],
            None,
            "'01/02/1985' may be written %d/%m/%Y or %m/%d/%Y, which are different days",
        ),
        (
            ["1985/03/21", "1985/03/22", "?"],
            None,
            "but '?' in row 3 is not a date written %Y/%m/%d; correct it",
        ),
        (["1985/03/21"], "%d/%m/%Y", "'1985/03/21' in row 1 is not a date written %d/%m/%Y"),
        (["yesterday"], None, "'yesterday' has none of the forms that are found; give its format"),
        (["1985"], "%Q", "'%Q' is not a format of dates; write it with %Y (year)"),
        (["1985"], "%d", "'%d' is not a format of dates"),
        (["1985"], "%Y%Y", "'%Y%Y' is not a format of dates"),
    ],
)
def test_a_fault_of_dates_is_one_sentence(texts, written, sentence):
    formats = None if written is None else {"x": written}
    with pytest.raises(DescriptionError) as error:
        sd.read(pl.DataFrame({"x": texts})).describe(quasi=["x"], kinds={"x": "date"}, formats=formats)
    assert sentence in str(error.value)


def test_days_and_months_that_agree_are_not_ambiguous():
    assert one("05/05/1985", "31/12/1985")[1] == "%d/%m/%Y"
    assert one("05/05/1985")[0] == [date(1985, 5, 5)]


# Tables and recipes


def test_a_described_date_is_converted_and_told():
    frame = pl.DataFrame(
        {"born": ["31/12/1985", None, "01/02/1990", "02/03/1991"], "sex": ["f", "m", "f", "m"]}
    )
    table = sd.read(frame).describe(quasi=["born", "sex"], kinds={"born": "date"})
    assert table.frame["born"].dtype == pl.Date
    assert table.column("born").format == "%d/%m/%Y"
    assert frame["born"].dtype == pl.String
    release = sd.anonymize(table, sd.KAnonymity(2), seed=1)
    assert "Read born as dates written %d/%m/%Y." in release.notes


def test_times_become_ordinal_and_digits_become_days():
    frame = pl.DataFrame({"at": ["8:30", "14:05"], "day": [19850321, 20240229]})
    table = sd.read(frame).describe(quasi=["at", "day"], kinds={"at": "date"}, formats={"day": "%Y%m%d"})
    assert table.column("at").kind == "ordinal"
    assert table.column("day").kind == "date"
    assert table.frame["day"].to_list() == [date(1985, 3, 21), date(2024, 2, 29)]


def test_a_format_goes_with_dates():
    table = sd.read(pl.DataFrame({"x": ["1", "2"]}))
    with pytest.raises(DescriptionError, match="has a format of dates, but its kind is numeric"):
        table.describe(kinds={"x": "numeric"}, formats={"x": "%Y"})
    dates = sd.read(pl.DataFrame({"x": [date(2024, 1, 1)]})).describe(formats={"x": "%d/%m/%Y"})
    assert dates.frame["x"].to_list() == [date(2024, 1, 1)]


def test_a_recipe_converts(tmp_path):
    lines = "".join(
        f'{20 + n % 9}/{1 + n % 12}/1985,"1,{n:03}",{n % 5 or 999999},{n % 3 or "?"}\n' for n in range(60)
    )
    (tmp_path / "a.csv").write_text("born,cost,score,children\n" + lines)
    recipe = Recipe.parse(
        """
        source: {path: a.csv}
        columns:
          born: {role: quasi, kind: date, format: "%d/%m/%Y"}
          cost: {role: sensitive, kind: numeric}
          score: {role: quasi, missing_values: 999999}
          children: {role: quasi, kind: numeric, missing_values: ["?"], missing: own}
        requirements: [k-anonymity k=2]
        output: {folder: out}
        """,
        folder=tmp_path,
    )
    frame = recipe.read().frame
    assert frame.dtypes == [pl.Date, pl.Int64, pl.Int64, pl.Int64]
    assert frame["score"].null_count() == 12
    assert frame["children"].null_count() == 20
    assert Recipe.parse(recipe.to_yaml()) == recipe


# Numbers


@given(st.integers(-(10**15), 10**15), st.sampled_from(["", " ", "\u3000"]), st.booleans())
def test_numbers_are_those_of_a_plain_twin(number, blank, wide):
    for text in (str(number), f"{number:,}", f"+{number:,}" if number >= 0 else f"{number}"):
        written = "".join(chr(ord(sign) + 0xFEE0) for sign in text) if wide else text
        assert unicodedata.normalize("NFKC", written) == text
        assert number_of(blank + written + blank) == int(text.replace(",", ""))


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_fractions_are_those_of_python(number):
    assert number_of(repr(number)) == number


@pytest.mark.parametrize(
    "text", ["", "abc", "1,23", "12,34,567", "1 234", "--1", "12 kg", "1.2.3", "NaN", "inf", "?"]
)
def test_other_texts_are_not_numbers(text):
    assert number_of(text) is None


def test_a_value_that_is_not_a_number_is_named_with_its_row():
    table = sd.read(pl.DataFrame({"age": ["41", " 42 ", "x", "７"]}))
    with pytest.raises(
        DescriptionError, match=r"but 'x' in row 3 is not a number; correct it, list it in missing_values"
    ):
        table.describe(quasi=["age"], kinds={"age": "numeric"})
    described = table.describe(quasi=["age"], kinds={"age": "numeric"}, missing_values={"age": ["x"]})
    assert described.frame["age"].to_list() == [41, 42, None, 7]


def test_large_and_broken_numbers_become_floats():
    assert read_numbers(pl.Series(["1", "2.5"])).to_list() == [1.0, 2.5]
    assert read_numbers(pl.Series([str(2**70)])).to_list() == [2.0**70]


def test_missing_values_keep_the_type_of_their_column():
    frame = pl.DataFrame(
        {"a": [1, -1, 3], "b": [1.5, 999.0, None], "c": [date(1900, 1, 1), date(2024, 1, 1), None]}
    )
    table = sd.read(frame).describe(missing_values={"a": [-1], "b": "999", "c": ["1900-01-01"]})
    assert table.frame.to_dict(as_series=False) == {
        "a": [1, None, 3],
        "b": [1.5, None, None],
        "c": [None, date(2024, 1, 1), None],
    }
    assert table.frame.schema == frame.schema
