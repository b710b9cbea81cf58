"""Views and queries of SQLite files end, read that file only, and give what the driver gave."""

import sqlite3
from contextlib import closing
from types import SimpleNamespace

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import InputError
from sudare.read import sqlite
from sudare.read.source import load

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS age FROM c"
RECIPE = """
source: {{path: {path}, {way}}}
columns: {{age: {{role: quasi}}}}
requirements: [k-anonymity k=2]
output: {{folder: out}}
"""


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "d.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE people (age INTEGER, weight REAL, name TEXT, born DATE, any, n NUMERIC)"
        )
        rows = [(n, n / 2, f"n{n}", "2000-01-01", None if n % 2 else n, n) for n in range(50)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.execute("CREATE VIEW everybody AS SELECT * FROM people")
        connection.execute(f"CREATE VIEW endless AS {ENDLESS}")
        connection.execute("CREATE VIEW long AS SELECT hex(zeroblob(300000000)) AS age")
    return path


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(sqlite, "QUERY_SECONDS", 0.2)


@pytest.mark.parametrize("way", ["table: endless", f"query: '{ENDLESS}'"])
@pytest.mark.parametrize("command", ["describe", "assess", "run", "check", "measure", "crosstab"])
def test_an_endless_view_is_stopped(database, tmp_path, monkeypatch, capsys, impatient, way, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "l.sqlite"))
    recipe = tmp_path / "r.yaml"
    recipe.write_text(RECIPE.format(path="d.sqlite", way=way))
    pl.DataFrame({"age": [1, 1]}).write_csv("after.csv")
    with closing(sqlite3.connect(database)) as connection, connection:  # the only one: nobody names it
        for name in ("everybody", "long"):
            connection.execute(f"DROP VIEW {name}")
        connection.execute("DROP TABLE people")
    name, _, value = way.partition(": ")
    arguments = {
        "describe": ["d.sqlite", f"--{name}", value.strip("'")],
        "assess": ["r.yaml"],
        "run": ["r.yaml"],
        "check": ["d.sqlite", "--quasi", "age", "--require", "k-anonymity k=2"],
        "measure": ["d.sqlite", "after.csv", "--recipe", "r.yaml"],
        "crosstab": ["d.sqlite", "--by", "age"],
    }
    assert main([command, *arguments[command]]) == 2
    said = capsys.readouterr().err
    assert "did not end within 0.2 seconds" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "query",
    [
        "ATTACH '{other}' AS x",
        "SELECT 1; ATTACH '{other}' AS x",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA user_version = 5",
        "VACUUM INTO '{other}'",
        "DROP TABLE people",
        "INSERT INTO people (age) VALUES (1) RETURNING age",
        "DELETE FROM people RETURNING age",
        "CREATE TABLE x (a)",
        "SELECT load_extension('{other}') AS a",
        "SELECT 1) AS a; DROP TABLE people; SELECT * FROM (SELECT 2",
    ],
)
def test_a_query_only_reads(database, tmp_path, query):
    before = database.read_bytes()
    with pytest.raises(InputError) as told:
        load(database, query=query.format(other=tmp_path / "other.db"))
    assert "\n" not in str(told.value)
    assert database.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["d.sqlite"]


@pytest.mark.parametrize("table", ["long", "computed"])
def test_a_cell_of_a_gigabyte_is_refused(database, table):
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE computed (a, age AS (hex(zeroblob(300000000))))")
        connection.execute("INSERT INTO computed VALUES (1)")
    with pytest.raises(InputError, match="too big"):
        load(database, table=table)


def test_a_result_that_fills_the_disk_is_refused(database, monkeypatch):
    monkeypatch.setattr(sqlite, "_MOST_BYTES", 1 << 20)
    with pytest.raises(InputError, match="gives more than 0 GB or the disk is full"):
        load(database, table="endless")


def test_a_view_gives_what_its_table_gives(database):
    frame, _ = load(database, table="people")
    assert load(database, table="everybody")[0].equals(frame)
    assert load(database, query="SELECT * FROM people; -- all")[0].equals(frame)
    assert load(database, query="SELECT * FROM main.people -- all")[0].equals(frame)
    assert load(database, query="WITH x AS (SELECT age FROM people) SELECT * FROM x")[0].equals(
        frame[["age"]]
    )
    assert load(database, query="VALUES (1, 'a')")[0].rows() == [(1, "a")]
    mixed = load(database, query="SELECT 1 AS a UNION ALL SELECT 1.5 UNION ALL SELECT NULL")[0]
    assert mixed["a"].to_list() == [1.0, 1.5, None]


def test_ctrl_c_stops_a_query(database, monkeypatch):
    calls = []

    def pressed():
        calls.append(1)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return 0.0

    monkeypatch.setattr(sqlite, "time", SimpleNamespace(monotonic=pressed))
    with pytest.raises(KeyboardInterrupt):
        load(database, table="endless")


def test_baskets_from_a_view_too(database, impatient):
    with pytest.raises(InputError, match="did not end"):
        sd.read_baskets(f"sqlite:///{database}", table="endless", items="age")
