"""Faults that an hour of fuzzing found in readers, and their neighbors: numbers, names and claims that cannot be."""

import json
import sqlite3
from contextlib import closing

import polars as pl
import pyreadstat
import pytest
from tests.cases.hostile import sentence

import sudare as sd
from sudare.api import read
from sudare.cli import main
from sudare.describe.baskets.sources import read_baskets
from sudare.errors import InputError, SudareError
from sudare.release.ledger.ledger import Ledger

RUN = "6f1c2a1e-5d7b-4a55-9d0e-0c5f6a3b8e11"
LONG = "x" * 5000
HALF = "\ud800"


# Baskets in JSON


def baskets_of(tmp_path, content):
    path = tmp_path / "baskets.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return read_baskets(path)


def test_users_numbered_beyond_all_integers_are_texts(tmp_path):
    huge = int("39" * 200)
    ids = baskets_of(tmp_path, [{"id": huge, "items": ["a"]}, {"id": 1, "items": ["b"]}]).ids
    assert ids is not None
    assert ids.to_list() == [str(huge), "1"]
    ids = baskets_of(tmp_path, [{"id": 2**63 - 1, "items": ["a"]}, {"id": -1, "items": ["b"]}]).ids
    assert ids is not None
    assert ids.to_list() == [2**63 - 1, -1]


@pytest.mark.parametrize("content", [[{"id": HALF, "items": ["a"]}], [["a", HALF]]], ids=["id", "item"])
def test_half_a_sign(tmp_path, content):
    with pytest.raises(InputError, match="half a character") as error:
        baskets_of(tmp_path, content)
    sentence(error)


@pytest.mark.parametrize(
    "content", [[[["y" * 9_000]]], ["y" * 9_000, []], [{"items": 7.5}], [[{"a": "y" * 9_000}]]]
)
def test_items_that_are_none_are_quoted_in_part(tmp_path, content):
    with pytest.raises(InputError) as error:
        baskets_of(tmp_path, content)
    assert len(sentence(error)) < 600


# Ledgers


def loosened(path, *statements):
    """A ledger of three entries in a table that takes anything, as after damage to its schema; then changed."""
    book = Ledger(path)
    for number in range(3):
        book.append("started" if number % 2 else "released", RUN, {"number": number})
    with closing(sqlite3.connect(path)) as connection, connection:
        for name in ("entry_update", "entry_delete", "entry_insert"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("CREATE TABLE loose AS SELECT * FROM entry")
        connection.execute("DROP TABLE entry")
        connection.execute("ALTER TABLE loose RENAME TO entry")
        connection.execute("INSERT INTO sqlite_sequence VALUES ('entry', 3)")
        for statement in statements:
            connection.execute(statement)
    return book


VALUES = ["NULL", "x'ff00'", "7.5", "-7", "9e999", "CAST(x'e3' AS TEXT)", "'[1]'"]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("column", ["number", "time", "event", "run", "details", "chain"])
def test_ledger_with_any_value_anywhere(tmp_path, capsys, column, value):
    book = loosened(tmp_path / "l.sqlite", f"UPDATE entry SET {column} = {value} WHERE rowid = 2")
    assert [fault for fault in book.verify() if "trigger" not in fault]
    for call in (book.entries, book.unfinished, lambda: book.append("failed", RUN, {})):
        try:
            call()
        except SudareError as error:
            assert "\n" not in str(error)  # noqa: PT017  # either is well
    for options in ([], ["--json"]):
        assert main(["ledger", "--ledger", str(book.path), *options]) in {1, 2}
    assert capsys.readouterr().err.count("\n") <= 2


@pytest.mark.parametrize("value", VALUES)
def test_ledger_whose_counter_is_anything(tmp_path, value):
    book = loosened(tmp_path / "l.sqlite", f"UPDATE sqlite_sequence SET seq = {value}")
    assert [fault for fault in book.verify() if "trigger" not in fault]
    try:
        book.append("failed", RUN, {})
    except SudareError as error:
        assert "\n" not in str(error)  # noqa: PT017  # either is well


def test_ledger_without_a_column(tmp_path):
    book = loosened(tmp_path / "l.sqlite", "ALTER TABLE entry DROP COLUMN time")
    [fault] = book.verify()
    assert "no such column: time" in fault
    with pytest.raises(InputError, match="is damaged") as error:
        book.entries()
    sentence(error)


def test_ledger_names_entries_out_of_turn(tmp_path):
    book = loosened(tmp_path / "l.sqlite", "UPDATE entry SET number = -5 WHERE rowid = 2")
    faults = [fault for fault in book.verify() if "trigger" not in fault]
    assert faults == [
        "An entry has the number -5 after 0: it was changed afterwards.",
        "Entry 2 is missing.",
    ]


# SPSS, Stata, SAS


FRAME = pl.DataFrame({"name": ["a", "b", "c"], "age": [20, 30, 40]})


def claiming(path, rows):
    """A file of three rows that claims to have others."""
    if path.suffix == ".dta":
        pyreadstat.write_dta(FRAME, str(path), version=10)
        place, width = 6, 4
    else:
        pyreadstat.write_sav(FRAME, str(path), compress=path.suffix == ".zsav")
        place, width = 80, 4
    content = bytearray(path.read_bytes())
    assert content[place : place + width] == (3).to_bytes(width, "little")
    content[place : place + width] = rows.to_bytes(width, "little")
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta"])
def test_statistical_file_that_claims_too_much(tmp_path, monkeypatch, ending):
    path = claiming(tmp_path / f"a{ending}", 33_555_720)
    for name in ("read_sav", "read_dta"):  # no cell is asked for: a place for each would be reserved
        original = getattr(pyreadstat, name)

        def looks(*given, original=original, **options):
            assert options["metadataonly"]
            return original(*given, **options)

        monkeypatch.setattr(pyreadstat, name, looks)
    with pytest.raises(
        InputError, match=r"claims to contain 33,555,720 × 2 cells \(rows × columns\)"
    ) as error:
        read(path)
    sentence(error)


@pytest.mark.parametrize("rows", [1, 10, 5_000])
@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "xpt"])
def test_what_compresses_well_is_read(tmp_path, ending, rows):
    path = tmp_path / f"a.{ending}"
    frame = pl.DataFrame({f"c{n}": [7] * rows for n in range(40)})
    if ending.endswith("sav"):
        pyreadstat.write_sav(frame, str(path), compress=ending == "zsav", row_compress=ending == "sav")
    else:
        {"dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}[ending](frame, str(path))
    assert read(path).frame.equals(frame)


# Databases


def database(tmp_path, *statements, spoiled=b"QQQ"):
    """A database in which the bytes of Q were made no UTF-8."""
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    path.write_bytes(path.read_bytes().replace(spoiled, b"Q\xe3Q"))
    return path


@pytest.mark.parametrize(
    ("statements", "table", "part"),
    [
        (["CREATE TABLE t (a INT, QQQ INT)"], None, "has a column whose name is not UTF-8"),
        (
            ["CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT a AS QQQ FROM t"],
            "v",
            "has a column whose name is not UTF-8",
        ),
        (["CREATE TABLE QQQ (a INT)"], None, "has a table whose name is not UTF-8"),
        (["CREATE TABLE QQQ (a INT)", "CREATE TABLE t (a INT)"], "t", "has a table whose name is not UTF-8"),
        (
            ["CREATE TABLE t (a INT, b TEXT)", "INSERT INTO t VALUES (1, 'QQQ')"],
            None,
            "The column 'b' of 'a.sqlite' contains text that is not UTF-8",
        ),
    ],
)
def test_database_that_is_not_utf8(tmp_path, statements, table, part):
    with pytest.raises(InputError) as error:
        read(database(tmp_path, *statements), table=table)
    assert part in sentence(error)


def test_query_around_what_is_not_utf8(tmp_path):
    path = database(tmp_path, "CREATE TABLE t (a INT, b TEXT)", "INSERT INTO t VALUES (1, 'QQQ')")
    assert read(path, query="SELECT a FROM t").frame.rows() == [(1,)]


# Names of files


def test_names_longer_than_names_may_be(tmp_path, capsys):
    for arguments in (
        ["check", LONG],
        ["measure", "a.csv", LONG],
        ["compare", LONG, LONG],
        ["demo", "--out", LONG],
        ["describe", f"sqlite:///{LONG}"],
        ["check", str(tmp_path), "--original", LONG],
    ):
        assert main(arguments) == 2
        assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(InputError, match="There is no folder or file") as error:
        sd.crosstab(LONG, ["a"])
    sentence(error)
    with pytest.raises(SudareError, match="No basket has the sensitive item") as other:
        read_baskets([["a"]]).describe(sensitive=LONG)
    sentence(other)


@pytest.mark.parametrize("reader", [read, read_baskets])
@pytest.mark.parametrize("name", ["a\0b", f"a{HALF}", f"a{HALF}.csv", "a\0.sqlite"])
def test_names_that_no_file_can_have(reader, name):
    with pytest.raises(InputError, match="is not a valid file name") as error:
        reader(name)
    sentence(error)
