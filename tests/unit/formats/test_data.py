"""Data files: what is written is read back, spreadsheets run nothing, failures leave nothing."""

from __future__ import annotations

import csv
import errno
import io
import os
import tempfile
from datetime import date
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.errors import InputError, OutputError
from sudare.formats import data
from sudare.formats.data import EXTENSIONS, csv_text, read_data, write_data

CELL = st.one_of(
    st.none(),
    st.sampled_from(
        ["", "=1+1", "+3.2", "-5", "-x", "@a", "\tx", "\rx", "'", "''=", '"', "a,b", "x\r\ny", "00123", " "]
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=6),
    st.text("='\"+-@\t\r\n,;|a1日", max_size=5),
)
NAME = st.sampled_from(["*", "^a$", "^.*$"]) | st.text("ab=@-+'\"\t,\n日", min_size=1, max_size=4)


@st.composite
def text_frames(draw):
    names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(0, 5))
    cells = {name: draw(st.lists(CELL, min_size=rows, max_size=rows)) for name in names}
    return pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String))


def round_trip(frame, kind, *, escape_formulas=True):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{EXTENSIONS[kind]}"
        write_data(frame, path, format=kind, escape_formulas=escape_formulas)
        assert [entry.name for entry in Path(folder).iterdir()] == [path.name]
        return read_data(path, kind, escape_formulas=escape_formulas)


@given(text_frames(), st.sampled_from(["csv", "tsv", "parquet", "arrow"]), st.booleans())
def test_text_comes_back_exactly(frame, kind, escape):
    before = frame.clone()
    assert round_trip(frame, kind, escape_formulas=escape).equals(frame)
    assert frame.equals(before)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(text_frames(), st.booleans())
def test_text_comes_back_from_excel_exactly(frame, escape):
    assert round_trip(frame, "excel", escape_formulas=escape).equals(frame)


@given(text_frames())
def test_no_written_cell_is_a_formula(frame):
    for record in csv.reader(io.StringIO(csv_text(frame), newline="")):
        for cell in record:
            assert not cell or cell[0] not in "=+-@\t\r" or float(cell) is not None


@given(text_frames())
def test_python_reads_the_same_cells_except_for_missing(frame):
    """RFC 4180, judged by another reader; blank lines are the missing cells of tables of one column."""
    read = list(csv.reader(io.StringIO(csv_text(frame, escape_formulas=False), newline="")))
    wanted = [
        list(frame.columns),
        *(["" if cell is None else cell for cell in row] for row in frame.iter_rows()),
    ]
    assert [record or [""] for record in read] == wanted


NUMBERS = {
    "i": st.integers(-(2**63), 2**63 - 1),
    "f": st.floats(allow_nan=False),
    "d": st.dates(),
    "b": st.booleans(),
}
KINDS = {"i": pl.Int64, "f": pl.Float64, "d": pl.Date, "b": pl.Boolean}


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.fixed_dictionaries({n: st.none() | s for n, s in NUMBERS.items()}), max_size=5), st.data())
def test_typed_columns_come_back_as_their_text(rows, data):
    frame = pl.DataFrame(rows, schema=KINDS, orient="row")
    back = round_trip(frame, data.draw(st.sampled_from(["csv", "tsv", "excel"])))
    assert back.height == frame.height
    for row, texts in zip(frame.iter_rows(named=True), back.iter_rows(named=True), strict=True):
        assert {n for n, v in row.items() if v is None} == {n for n, v in texts.items() if v is None}
        if row["i"] is not None:
            assert texts["i"] == str(row["i"])
        if row["f"] is not None:
            assert float(texts["f"]) == row["f"]
            assert "e" not in texts["f"].lower()
        if row["d"] is not None:
            assert texts["d"] == row["d"].isoformat()
        if row["b"] is not None:
            assert texts["b"] == str(row["b"]).lower()


def test_the_bytes_of_a_csv():
    frame = pl.DataFrame(
        {"=h": ["-1", "-a", "", None, "'q", "日本"], "n": [1.0, 2.5, None, 1e-7, 1e20, -0.5]}
    )
    assert csv_text(frame) == (
        "'=h,n\n-1,1\n'-a,2.5\n\"\",\n,0.0000001\n''q,100000000000000000000\n日本,-0.5\n"
    )


def test_missing_at_the_end_of_excel_keeps_its_rows():
    frame = pl.DataFrame({"a": [None, "x", None, None], "b": [None, None, None, None]})
    assert round_trip(frame, "excel").equals(frame.cast(pl.String))


def test_sets_are_joined_and_unclear_ones_refused():
    frame = pl.DataFrame({"s": [["a", "b"], [], None, ["=c"]]})
    assert csv_text(frame.rename({"s": "^s$"})).startswith("^s$\na|b\n")
    for kind in ("csv", "excel"):
        assert round_trip(frame, kind)["s"].to_list() == ["a|b", "", None, "=c"]
    assert round_trip(pl.DataFrame({"s": [[1, 2], [3]]}), "csv")["s"].to_list() == ["1|2", "3"]
    assert round_trip(frame, "parquet").equals(frame)
    for item in ("a|b", "", None):
        with pytest.raises(OutputError, match=r"'s' has a set with the item .*'parquet'"):
            csv_text(pl.DataFrame({"s": [["x", item]]}))
    with pytest.raises(OutputError, match="sets of sets"):
        csv_text(pl.DataFrame({"s": [[["x"]]]}))


def test_categories_are_text_and_structures_refused():
    frame = pl.DataFrame({"c": pl.Series(["=a", None, "b"], dtype=pl.Categorical)})
    assert csv_text(frame) == "c\n'=a\n\nb\n"
    for value in (b"x", {"y": 1}):
        with pytest.raises(OutputError, match="'c' has the type"):
            csv_text(pl.DataFrame({"c": [value]}))
    with pytest.raises(OutputError, match="without columns"):
        csv_text(pl.DataFrame())


def test_dates_before_excels_calendar_are_text():
    frame = pl.DataFrame({"d": [date(1899, 1, 1), date(2020, 2, 29)]})
    assert round_trip(frame, "excel")["d"].to_list() == ["1899-01-01", "2020-02-29"]


def test_excel_limits_are_said():
    with pytest.raises(OutputError, match="32767"):
        round_trip(pl.DataFrame({"t": ["x" * 32_768]}), "excel")
    with pytest.raises(OutputError, match="1048575"):
        round_trip(pl.DataFrame({"t": pl.repeat(1, 1_048_576, eager=True)}), "excel")


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "excel"])
@pytest.mark.parametrize(
    ("code", "sentence"),
    [(errno.ENOSPC, "no space left"), (errno.EACCES, "not permitted"), (errno.EIO, "cannot be written")],
)
def test_a_failing_disk_gives_a_sentence_and_leaves_nothing(tmp_path, monkeypatch, kind, code, sentence):
    def fail(_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError, match=sentence):
        write_data(pl.DataFrame({"a": [1]}), tmp_path / "x", format=kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "excel"])
def test_a_full_disk(kind):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full on this machine")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.symlink_to("/dev/full")
        with pytest.raises(OutputError, match="no space left"):
            write_data(pl.DataFrame({"a": ["x" * 1000] * 1000}), path, format=kind)
        assert list(Path(folder).iterdir()) == [path]


def test_wrong_places_and_formats(tmp_path):
    frame = pl.DataFrame({"a": [1]})
    with pytest.raises(OutputError, match="does not exist"):
        write_data(frame, tmp_path / "no" / "x.csv", format="csv")
    with pytest.raises(OutputError, match="cannot be written"):
        write_data(frame, tmp_path, format="csv")
    with pytest.raises(OutputError, match="did you mean 'parquet'"):
        write_data(frame, tmp_path / "x", format="parket")  # type: ignore[arg-type]  # the mistake under test
    (tmp_path / "x").write_bytes(b"\0\1\2")
    for kind in ("csv", "parquet", "arrow", "excel"):
        with pytest.raises(InputError, match="write the release again"):
            read_data(tmp_path / "missing", kind, escape_formulas=True)
    for kind in ("parquet", "arrow", "excel"):
        with pytest.raises(InputError, match="write the release again"):
            read_data(tmp_path / "x", kind, escape_formulas=True)


def read_in_pieces(path, size, encoding="utf-8"):
    with mock.patch.object(data, "_PIECE", size):
        cells = data.text_categories(path, ",", encoding)
    assert set(cells.dtypes) == {pl.Categorical()}
    return cells.select(pl.all().cast(pl.String))


@given(text_frames(), st.sampled_from(["csv", "tsv"]), st.booleans(), st.sampled_from([1, 5, 17, 2**22]))
def test_text_comes_back_as_categories_piece_by_piece(frame, kind, escape, size):
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(data, "_PIECE", size):
        path = Path(folder) / "data"
        write_data(frame, path, format=kind, escape_formulas=escape)
        found = read_data(path, kind, escape_formulas=escape, categories=True)
    assert [dtype.base_type() for dtype in found.dtypes] == [pl.Categorical] * frame.width
    assert pl.DataFrame([column.cast(pl.String) for column in found]).equals(frame)


@pytest.mark.parametrize("size", [1, 4, 11, 2**22])
@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n\r\n3,4\r\n",
        "a,b\n",
        "a,b",
        "a,b\n1\n,\n\n2,3\n",
        '"a\nb",c\n"1\n""2""\n",3\n"",\n,""\n',
        "a\n\n\nb\n\n",
        "\n\na\nb\n",
        "\ufeffa,b\n\ufeff1,2\n\ufeff3,4\n",
        "a,a\n1,1\n1,日\n日,1\n",
        'a,b\n"1","2"\n"3","4"\n',
    ],
)
def test_pieces_are_read_as_the_whole(tmp_path, text, size):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8", newline="")
    whole = pl.read_csv(path, has_header=False, infer_schema=False)
    assert read_in_pieces(path, size).equals(whole)


@pytest.mark.parametrize("size", [1, 4, 11, 2**22])
@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n3,4,5\n6,7\n", 'a,b\n1,2\n"3,4\n5,6\n', 'a,b\n1,2\n"3"x,4\n5,6\n']
)
def test_what_no_reader_takes_is_refused_in_pieces_too(tmp_path, text, size):
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with mock.patch.object(data, "_PIECE", size), pytest.raises(InputError) as whole:
        read_data(path, "csv", escape_formulas=False)
    with mock.patch.object(data, "_PIECE", size), pytest.raises(InputError) as pieces:
        read_data(path, "csv", escape_formulas=False, categories=True)
    assert str(pieces.value) == str(whole.value)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp932"])
def test_pieces_of_other_encodings(tmp_path, encoding):
    frame = pl.DataFrame({"病名": ["感冒", None, "", "a,b"], "x": ["1", "2", "'", "=1"]})
    write_data(frame, path := tmp_path / "data.csv", format="csv", encoding=encoding)
    with mock.patch.object(data, "_PIECE", 7):
        found = read_data(path, "csv", escape_formulas=True, encoding=encoding, categories=True)
    assert pl.DataFrame([column.cast(pl.String) for column in found]).equals(frame)
