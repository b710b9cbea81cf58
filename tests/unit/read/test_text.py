"""Reading text: encodings, delimiters, structure, lossless types, and a sentence for what is wrong."""

from __future__ import annotations

import csv
import io
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.places import DATA

from sudare.errors import InputError
from sudare.read.source import load
from sudare.read.text import detect_encoding, narrow_column, read_text, sniff_dialect

SHARED = DATA


def read(text, written_as="utf-8", **options):
    data = text if isinstance(text, bytes) else text.encode(written_as)
    return read_text(data, "t.csv", **options)


def sentence_or_frame(text, **options):
    try:
        frame, _, dialect = read(text, **options)
    except InputError as error:
        return str(error)
    assert frame.width >= 1
    assert dialect.delimiter in {",", ";", "\t", "|"}
    return ""


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("氏名,都道府県\n山田,東京\n", "cp932"),
        ("名\n愛\n", "cp932"),
        ("a\nア\n", "cp932"),
        ("a,b\nﾔﾏﾀﾞ ﾀﾛｳ,1\nｻﾄｳ,2\n", "cp932"),
        ("品名\n①〜髙\n".replace("〜", "～"), "cp932"),
        ("氏名,都道府県\n山田,東京\nあいう,カタカナ\n", "euc_jp"),
        ("a\nあ\n", "euc_jp"),
        ("name,city\nJosé,Genève\nMüller,MÜNCHEN\n", "latin-1"),
        ("a\né\n", "latin-1"),
        ("name\nStraße\n“quoted” €5\n", "cp1252"),
        ("氏名\n山田\n", "utf-8"),
        ("plain,ascii\n1,2\n", "utf-8"),
        ("氏名\n山田\n", "utf-8-sig"),
        ("氏名\n山田\n", "utf-16"),
        ("имя\nАлександр\nМария Ивановна\nСергей Петрович\n", "cp1251"),
    ],
)
def test_encodings_are_recognized(text, encoding):
    data = text.encode(encoding)
    detected = detect_encoding(data)
    assert data.decode(detected).removeprefix("\ufeff") == text
    frame, found, _ = read(data)
    assert found == detected
    assert frame.columns == text.split("\n", 1)[0].split(",")


def test_utf16_big_endian():
    frame, found, _ = read(b"\xfe\xff" + "a,b\n東,1\n".encode("utf-16-be"))
    assert (frame.rows(), found) == ([("東", 1)], "utf-16")


JAPANESE = st.text(
    "あいうえおかきくけこさしすせそアイウエオカキクケコ東京大阪山田太郎花子病院", min_size=2, max_size=8
)


@given(st.lists(JAPANESE, min_size=1, max_size=20), st.sampled_from(["cp932", "euc_jp", "utf-8", "utf-16"]))
def test_japanese_is_decoded_whatever_the_encoding(words, encoding):
    frame, *_ = read("\n".join(["name", *words]) + "\n", encoding)
    assert frame["name"].to_list() == words


SAFE = st.text("abcdeXYZ 01.é-_'", max_size=6).map(lambda text: f"w{text}")


@given(
    st.lists(st.lists(SAFE, min_size=3, max_size=3), min_size=1, max_size=8),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_delimiters_are_detected(rows, delimiter, encoding, end):
    text = end.join(delimiter.join(row) for row in [["n1", "n2", "n3"], *rows]) + end
    frame, _, dialect = read(text, encoding)
    assert dialect.delimiter == delimiter
    assert frame.rows() == [tuple(row) for row in rows]


ANY = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=5) | st.sampled_from(
    ['"', "a\nb", "a,b", "x\r\ny", " x", "00123", "", "1", "-2.5", '5" pipe']
)


@given(
    st.integers(1, 4).flatmap(
        lambda w: st.lists(st.lists(ANY, min_size=w, max_size=w), min_size=1, max_size=6)
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_any_well_formed_table_is_cut_as_pythons_reader_does(rows, delimiter, end, all_quoted):
    buffer = io.StringIO(newline="")
    writer = csv.writer(
        buffer,
        delimiter=delimiter,
        lineterminator=end,
        quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL,
    )
    writer.writerows([[f"n{i}" for i in range(len(rows[0]))], *rows])
    frame, *_ = read(buffer.getvalue(), delimiter=delimiter, missing=())
    records = frame.height
    assert records == len(rows)
    blanks = len(rows[0]) > 1 and all(cell.startswith(" ") for row in rows for cell in row[1:])
    for index, name in enumerate(frame.columns):
        if frame[name].dtype == pl.String and not blanks:
            assert frame[name].to_list() == [row[index] for row in rows]


@given(st.text(st.sampled_from("a1,;\"\n\r' |\t"), max_size=40), st.booleans())
def test_any_text_gives_a_frame_or_a_sentence(text, header):
    sentence = sentence_or_frame(text, header=header)
    assert "\n" not in sentence


@given(st.binary(max_size=200))
def test_any_bytes_give_a_frame_or_a_sentence(data):
    assert "\n" not in sentence_or_frame(data)


def test_blank_after_every_delimiter_is_not_part_of_the_cells():
    frame, *_ = read('a, b, c\n39, x, "p, q"\n40, , z\n')
    assert frame.rows() == [(39, "x", "p, q"), (40, None, "z")]
    assert frame.columns == ["a", "b", "c"]
    assert read("a,b\n1, x\n2, y\n")[0].rows() == [(1, "x"), (2, "y")]
    assert read("a,b\n1, x\n2,y\n")[0].rows() == [(1, " x"), (2, "y")]


def test_adult_as_published():
    path = SHARED / "adult" / "adult.data"
    if not path.exists():
        pytest.skip("the shared data are not on this machine")
    frame, facts = load(path, header=False, missing=("?",))
    assert frame.shape == (32_561, 15)
    assert frame.row(0)[:3] == (39, "State-gov", 77_516)
    assert frame["column_2"].null_count() == 1836
    assert (facts.delimiter, facts.format, facts.name) == (",", "csv", "adult.data")


def test_semicolons_of_the_hierarchies():
    path = SHARED / "adult_hierarchies" / "adult.csv"
    if not path.exists():
        pytest.skip("the shared data are not on this machine")
    frame, facts = load(path)
    assert (facts.delimiter, frame.width) == (";", 9)
    assert frame["age"].dtype == pl.Int64


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-20", None], pl.Int64),
        (["0", "999999999999999999"], pl.Int64),
        (["1234567890123456789"], pl.String),
        (["00123", "12"], pl.String),
        (["-0"], pl.String),
        (["+1"], pl.String),
        (["1e5"], pl.String),
        (["1,000"], pl.String),
        (["１２"], pl.String),
        (["1", "2.50", "-.5"], pl.Float64),
        (["0.10000000000000001", "0.30000000000000004"], pl.Float64),
        (["0.3333333333333333333"], pl.String),
        (["00.5"], pl.String),
        (["12345678901234567.5"], pl.String),
        (["NaN"], pl.String),
        (["2020-02-29", None], pl.Date),
        (["2021-02-29"], pl.String),
        (["0000-01-01"], pl.String),
        (["2020-1-1"], pl.String),
        (["true", "false"], pl.String),
        (["1\n"], pl.String),
        ([None, None], pl.String),
        ([], pl.String),
    ],
)
def test_types_only_where_nothing_is_lost(cells, kind):
    column = narrow_column(pl.Series("c", cells, dtype=pl.String))
    assert column.dtype == kind
    assert column.null_count() == sum(cell is None for cell in cells)


@given(st.lists(st.text("0123456789.-+e ", max_size=20), min_size=1, max_size=4))
def test_numbers_print_back_to_their_text(cells):
    column = narrow_column(pl.Series(cells))
    if column.dtype == pl.Int64:
        assert [str(value) for value in column] == cells
    if column.dtype == pl.Float64:
        for value, text in zip(column, cells, strict=True):
            full = (
                text.replace("-.", "-0.") if text.startswith("-.") else "0" + text if text[0] == "." else text
            )
            assert f"{value:.{len(text.partition('.')[2])}f}" == full


def test_dates_far_and_near():
    assert narrow_column(pl.Series(["0001-01-01", "9999-12-31"])).to_list() == [date.min, date.max]


def test_missing_is_what_the_caller_says():
    text = 'a,b\n,""\nNA,x\n?,y\n'
    assert read(text)[0].rows() == [(None, None), ("NA", "x"), ("?", "y")]
    assert read(text, missing=("NA", "?"))[0].rows() == [("", ""), (None, "x"), (None, "y")]
    assert read(text, missing=())[0].rows() == [("", ""), ("NA", "x"), ("?", "y")]


def test_names_header_and_blank_lines():
    assert read("a,b\n")[0].schema == {"a": pl.String, "b": pl.String}
    assert read("a,,c\n1,2,3")[0].columns == ["a", "column_2", "c"]
    assert read("1,2\n\n3,4\n\n", header=False)[0].to_dict(as_series=False) == {
        "column_1": [1, 3],
        "column_2": [2, 4],
    }
    assert read("a\n1\n\n2\n")[0]["a"].to_list() == [1, None, 2]
    assert read("*,^a$\n1,=2\n")[0].rows() == [(1, "=2")]
    assert read("a,b\r1,2\r3,4\r")[0].rows() == [(1, 2), (3, 4)]
    assert read('a,b\n5" pipe,x\ny,z\n')[0].rows() == [('5" pipe', "x"), ("y", "z")]
    assert read("'a','b'\n'x, y','it''s'\n")[0].rows() == [("x, y", "it's")]
    assert read("a,b\n'tis,x\n")[0].rows() == [("'tis", "x")]


@pytest.mark.parametrize(
    ("data", "options", "sentence"),
    [
        (b"", {}, "'t.csv' is empty"),
        (b"\n \n", {}, "'t.csv' is empty"),
        (b"a,b,a\n1,2,3\n", {}, r"two columns named 'a' \(columns 1 and 3\)"),
        (b"a,b\n1,2\n1,2,3\n", {}, "Line 3 of 't.csv' has 3 cells, but the first line has 2"),
        (b'a,b\n"x\ny",2\n\n1\n', {}, "Line 5 of 't.csv' has 1 cell, but the first line has 2"),
        (b'a,b\n1,"x\n3,4\n', {}, "cannot be split into cells at line 2"),
        (b'a,b\n1,"x"y\n', {}, "cannot be split into cells at line 2"),
        (b"a,b\n1,x\0y\n", {}, "NUL character in line 2"),
        (bytes(range(256)) * 4, {}, "does not look like text"),
        (b"a\n1\n", {"delimiter": ",,"}, "delimiter ',,' is not a single ASCII character"),
        (b"a\n1\n", {"encoding": "klingon"}, "encoding 'klingon' is not known"),
        (b"a\n1\n", {"encoding": "hex"}, "encoding 'hex' is not known"),
        ("a\n山\n".encode("cp932"), {"encoding": "utf-8"}, r"not valid utf-8 in line 2 \(byte 3\)"),
        ("東京大阪山田\n".encode() * 9 + b"\xff\n", {}, "not valid utf-8 in line 10"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(data, options, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        read(data, **options)
    assert "\n" not in str(caught.value)


def test_forced_encoding_and_delimiter():
    assert read("a;b\n1;2\n".encode("utf-16-le"), encoding="utf-16-le")[0].rows() == [(1, 2)]
    assert read("a,b;c\n1,2;3\n", delimiter=";")[0].columns == ["a,b", "c"]
    assert read("a b\n1 2\n", delimiter=" ")[0].rows() == [(1, 2)]
    assert read("a\tb\n1\t2\n", delimiter="tab")[0].rows() == [(1, 2)]


def test_european_decimals_do_not_fool_the_delimiter():
    assert sniff_dialect(b"x;y\n1,5;2,5\n3,5;4,5\n").delimiter == ";"
    assert sniff_dialect(b'a,b\n"x;y;z",1\n"p;q;r",2\n').delimiter == ","
    assert sniff_dialect(b"one\ntwo\n").delimiter == ","


@pytest.mark.slow
def test_ten_thousand_columns():
    names = ",".join(f"c{i}" for i in range(10_000))
    cells = ",".join(str(i) for i in range(10_000))
    frame, *_ = read(f"{names}\n{cells}\n{cells}\n")
    assert frame.shape == (2, 10_000)
    assert frame["c9999"].to_list() == [9999, 9999]


def test_many_rows():
    rows = 200_000
    line = b'12345,3.25,2020-01-02,"quoted, text",00123,abc,7,8,9,longer text cell\n'
    frame, *_ = read(b"a,b,c,d,e,f,g,h,i,j\n" + line * rows)
    assert frame.height == rows
