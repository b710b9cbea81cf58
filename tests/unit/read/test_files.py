"""Reading files with types, SQLite, standard input; and a sentence for what cannot be read."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import io
import sqlite3
import sys
from pathlib import Path

import polars as pl
import pytest

from sudare.errors import InputError, redact
from sudare.read.source import load

FRAME = pl.DataFrame(
    {
        "zip": ["00123", "", None],
        "age": [39, None, 41],
        "height": [1.5, 2.0, None],
        "born": [dt.date(1980, 1, 2), None, dt.date(2000, 2, 29)],
        "氏名": ["山田", "NA", "鈴木"],
    }
)


@pytest.mark.parametrize("name", ["t.parquet", "t[1].pq", "t.arrow", "t.feather"])
def test_columnar_files(tmp_path, name):
    path = tmp_path / name
    write = FRAME.write_parquet if path.suffix in {".parquet", ".pq"} else FRAME.write_ipc
    write(path)
    frame, facts = load(path)
    assert frame.equals(FRAME)
    assert facts.name == name
    assert facts.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert load(path, missing=("NA", ""))[0]["氏名"].to_list() == ["山田", None, "鈴木"]
    assert load(path, missing=("NA", ""))[0]["zip"].to_list() == ["00123", "", None]


def test_arrow_stream_and_files_without_extension(tmp_path):
    FRAME.write_ipc_stream(tmp_path / "s.arrow")
    assert load(tmp_path / "s.arrow")[0].equals(FRAME)
    FRAME.write_parquet(tmp_path / "thing")
    assert load(tmp_path / "thing")[1].format == "parquet"
    (tmp_path / "other.xyz").write_text("a;b\n1;2\n")
    frame, facts = load(tmp_path / "other.xyz")
    assert (frame.rows(), facts.format, facts.delimiter) == ([(1, 2)], "csv", ";")
    (tmp_path / "t.tsv").write_text("a,b\tc\n1,2\t3\n")
    assert load(tmp_path / "t.tsv")[0].columns == ["a,b", "c"]
    assert load(tmp_path / "other.xyz", format="tsv")[0].columns == ["a;b"]


def write_excel(path, sheets):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with contextlib.closing(xlsxwriter.Workbook(str(path))) as workbook:
        day = workbook.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for row, values in enumerate(rows):
                for column, value in enumerate(values):
                    if isinstance(value, dt.date):
                        sheet.write_datetime(row, column, value, day)
                    elif value is not None:
                        sheet.write(row, column, value)


def test_excel(tmp_path):
    path = tmp_path / "t.xlsx"
    rows = [
        ["zip", "age", "born", None, None, "mixed"],
        ["00123", 39, dt.date(1980, 1, 2), "x", None, 1],
        [None, None, None, None, None, None],
        ["NA", 40.0, None, None, None, "two"],
    ]
    write_excel(path, {"first": rows, "二": [["a"], [1]], "twice": [["a", "a"], [1, 2]], "none": []})
    frame, facts = load(path, missing=("", "NA"), sheet="first")
    assert frame.columns == ["zip", "age", "born", "column_4", "mixed"]
    assert frame.rows() == [("00123", 39, dt.date(1980, 1, 2), "x", "1"), (None, 40, None, None, "two")]
    assert facts.format == "excel"
    assert load(path, sheet="二")[0].rows() == [(1,)]
    assert load(path, sheet="二", header=False)[0].height == 2
    with pytest.raises(InputError, match="two columns named 'a'"):
        load(path, sheet="twice")
    with pytest.raises(InputError, match=r"'none' of 't\.xlsx' is empty"):
        load(path, sheet="none")
    with pytest.raises(InputError, match="no sheet 'frist'; did you mean 'first'"):
        load(path, sheet="frist")


@pytest.mark.parametrize("extension", ["sav", "zsav", "dta", "xpt"])
def test_statistical_files(tmp_path, extension):
    pyreadstat = pytest.importorskip("pyreadstat")
    path = tmp_path / f"t.{extension}"
    data = FRAME.select(
        pl.Series("sex", [1.0, 2.0, None]),
        pl.Series("visits", [0.0, 98.0, 3.0]),
        pl.Series("height", [1.5, 2.0, None]),
        pl.Series("zip", ["00123", "x", "y"]),
    ).to_pandas()
    labels = {"sex": {1: "male", 2: "female"}, "visits": {98: "refused"}}
    if extension == "xpt":
        pyreadstat.write_xport(data, str(path))
        labels = {}
    elif extension == "dta":
        pyreadstat.write_dta(data, str(path), variable_value_labels=labels)
    else:
        pyreadstat.write_sav(data, str(path), variable_value_labels=labels, compress=extension == "zsav")
    frame, facts = load(path)
    assert frame["sex"].to_list() == (["male", "female", None] if labels else [1, 2, None])
    assert frame["visits"].to_list() == [0, 98, 3]
    assert frame["height"].to_list() == [1.5, 2.0, None]
    assert frame["zip"].to_list() == ["00123", "x", "y"]
    assert facts.format == {"dta": "stata", "xpt": "sas"}.get(extension, "spss")


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "d #1%.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "people; DROP TABLE x" (zip TEXT, age, "氏名" TEXT)')
        rows = [("00123", None, "山田")] * 2000 + [("", 40, None)]
        connection.executemany('INSERT INTO "people; DROP TABLE x" VALUES (?, ?, ?)', rows)
        connection.commit()
    return path


def test_sqlite(database):
    frame, facts = load(database)
    assert frame.shape == (2001, 3)
    assert frame.row(-1) == ("", 40, None)
    assert facts.format == "sqlite"
    assert facts.name == "d #1%.sqlite#people; DROP TABLE x"
    assert load(f"sqlite:///{database}", table="people; DROP TABLE x")[0].equals(frame)
    assert load(f"sqlite:///{database}")[1].sha256 == facts.sha256
    assert load(database, query="SELECT 1 AS one")[0].rows() == [(1,)]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"table": "nope"}, "has no table 'nope'"),
        ({"query": "SELEC 1"}, "The query for .* failed .*syntax error"),
        ({"query": "SELECT * FROM nope"}, "no such table: nope"),
        ({"query": 'DELETE FROM "people; DROP TABLE x"'}, "something other than read"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "two columns named 'a'"),
        ({"query": ""}, "The query for .* (failed|does not return a table)"),
        ({"query": "SELECT x'00ff' AS blob"}, "'blob' has the type"),
        ({"query": "SELECT 1", "table": "t"}, "both the table 't' and a query"),
        ({"delimiter": ","}, "'delimiter' .* does not apply"),
    ],
)
def test_sqlite_mistakes(database, options, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        load(database, **options)
    assert "\n" not in str(caught.value)


def test_sqlite_needs_a_table_where_there_are_two(tmp_path):
    path = tmp_path / "d.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE one (a)")
        connection.execute("CREATE TABLE two (a)")
        connection.commit()
    with pytest.raises(InputError, match="2 tables, so you must name one; choose one of 'one', 'two'"):
        load(path)
    (tmp_path / "empty.db").touch()
    with pytest.raises(InputError, match=r"'empty\.db' has no tables"):
        load(tmp_path / "empty.db")
    (tmp_path / "text.db").write_text("a,b\n")
    with pytest.raises(InputError, match="is not an SQLite file"):
        load(tmp_path / "text.db")
    with pytest.raises(InputError, match="no file"):
        load(f"sqlite:///{tmp_path}/absent.db")
    assert not (tmp_path / "absent.db").exists()


def test_standard_input(monkeypatch):
    data = "名,数\n山,1\n".encode("cp932")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    frame, facts = load("-")
    assert frame.rows() == [("山", 1)]
    assert (facts.name, facts.encoding, facts.sha256) == ("stdin", "cp932", hashlib.sha256(data).hexdigest())
    with pytest.raises(InputError, match="Standard input is read as CSV"):
        load("-", format="parquet")


def test_unreadable_sources(tmp_path, monkeypatch):
    for source, sentence in [
        (tmp_path / "no.csv", "There is no file"),
        (tmp_path, "is a folder"),
        ("mysql://u:pw@h/d", "begin with 'mysql://'"),
    ]:
        with pytest.raises(InputError, match=sentence) as caught:
            load(source)
        assert "pw" not in str(caught.value)
    for extension in ("parquet", "arrow", "xlsx", "sav", "dta", "sas7bdat", "xpt", "ods"):
        path = tmp_path / f"garbage.{extension}"
        path.write_bytes(bytes(range(256)) * 8)
        with pytest.raises(InputError, match="cannot be read as a file of the format"):
            load(path)
    (tmp_path / "garbage").write_bytes(bytes(range(256)) * 8)
    with pytest.raises(InputError, match="does not look like text"):
        load(tmp_path / "garbage")
    with pytest.raises(InputError, match="did you mean 'parquet'"):
        load(tmp_path / "garbage", format="parket")
    with pytest.raises(InputError, match="must begin with 'postgresql://'"):
        load(tmp_path / "garbage", format="postgresql")
    with pytest.raises(InputError, match=r"'sheet' .* does not apply .* 'csv', only to excel"):
        load(tmp_path / "garbage", sheet="x")
    with pytest.raises(InputError, match="only to csv, excel; leave it out") as caught:
        load("sqlite:///garbage", header=False)
    assert caught.value.into("ja").endswith(
        "使えるのは csv、excel だけです。このオプションを省いてください。"
    )

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="not permitted to read"):
        load(tmp_path / "garbage")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:s3cret@h:5/d",
        "postgresql://ann:s3@cret@h/d",
        "postgresql://ann:s3?cret@h/d",
        "postgresql://ann:s3/cr:et@h/d",
        "postgresql://h/d?user=ann&password=s3cret",
        "postgres://ann@h/d?password=s3@cret",
        "postgresql://ann:s3cret@",
    ],
)
def test_no_part_of_a_password_is_shown(address):
    shown = redact(address)
    assert shown.startswith(address.partition("://")[0] + "://")
    assert "s3" not in shown
    assert "cret" not in shown
    assert "cr:et" not in shown
