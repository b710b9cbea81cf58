"""The ledger: what is appended comes back, nothing can be changed unseen, mistakes get a sentence."""

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.errors import InputError, OutputError, ParameterError
from sudare.release.ledger.ledger import Ledger

RUN = "6f1c2a1e-5d7b-4a55-9d0e-0c5f6a3b8e11"
OTHER = "0b0e7c52-9a40-4d38-8b3f-2f8d5f1c7a22"


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite")


@pytest.fixture
def filled(ledger):
    for number in range(1, 6):
        ledger.append("started" if number % 2 else "released", RUN, {"number": number})
    return ledger


def tamper(ledger, *statements, triggers=False):
    """Act as somebody with the file and sqlite3; with triggers=False they are dropped first and made again."""
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        kept = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        if not triggers:
            for name, _ in kept:
                connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        if not triggers:
            for _, sql in kept:
                connection.execute(sql)


def test_appended_entries_come_back(ledger):
    first = ledger.append("started", RUN, {"recipe": "病院.yaml", "rows": 3, "時間": [1.5, None, True]})
    second = ledger.append("released", RUN, {})
    assert ledger.entries() == [first, second]
    assert (first.number, second.number) == (1, 2)
    assert first.details == {"recipe": "病院.yaml", "rows": 3, "時間": [1.5, None, True]}
    assert datetime.fromisoformat(first.time).utcoffset() == timedelta(0)
    assert Ledger(ledger.path).entries() == [first, second]
    assert ledger.verify() == []


def test_entries_of_one_run_and_the_last_ones(ledger):
    for run in (RUN, OTHER, RUN, OTHER):
        ledger.append("started", run, {})
    assert [entry.number for entry in ledger.entries(run=RUN)] == [1, 3]
    assert [entry.number for entry in ledger.entries(run=RUN.replace("-", "").upper())] == [1, 3]
    assert [entry.number for entry in ledger.entries(last=3)] == [2, 3, 4]
    assert [entry.number for entry in ledger.entries(run=OTHER, last=1)] == [4]
    assert ledger.entries(last=0) == []
    with pytest.raises(ParameterError, match="last=-1"):
        ledger.entries(last=-1)


@pytest.mark.parametrize("end", ["released", "failed", "cancelled"])
def test_unfinished_are_the_runs_without_an_end(ledger, end):
    ledger.append("started", RUN, {})
    killed = ledger.append("started", OTHER, {})
    ledger.append(end, RUN, {})
    assert ledger.unfinished() == [killed]


def test_empty_ledger_is_intact(ledger):
    assert ledger.entries() == []
    assert ledger.unfinished() == []
    assert ledger.verify() == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=9), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.dictionaries(st.text(min_size=9), json_values, max_size=3), min_size=1, max_size=3))
def test_any_json_survives(many):
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder, "ledger.sqlite"))
        for details in many:
            before = json.dumps(details)
            ledger.append("started", str(uuid4()), details)
            assert json.dumps(details) == before
        assert [entry.details for entry in ledger.entries()] == many
        assert ledger.verify() == []


def test_a_name_with_undecodable_bytes_is_recorded(ledger):
    details = {"path": os.fsdecode(b"\xff\xfe.csv")}
    assert ledger.append("started", RUN, details).details == details
    assert ledger.entries()[0].details == details
    assert ledger.verify() == []


@pytest.mark.parametrize(
    ("event", "run", "details", "words"),
    [
        ("relaesed", RUN, {}, "did you mean 'released'"),
        ("started", "run 1", {}, "'run 1' is not the name of a run"),
        ("started", None, {}, "'None' is not the name of a run"),
        ("started", RUN, {"loss": float("nan")}, "JSON cannot"),
        ("started", RUN, {"path": Path("x")}, "JSON cannot"),
        ("started", RUN, {1: 0, "1": 0}, "JSON cannot"),
        ("started", RUN, ["a"], "give a dictionary"),
        ("started", RUN, {"key": "x"}, "'key'"),
        ("started", RUN, {"method": [{"Seed": 7}]}, "'Seed'"),
        ("started", RUN, {"a": {"b": {"password ": ""}}}, "'password '"),
        ("started", RUN, {"SECRET": None}, "'SECRET'"),
    ],
)
def test_what_cannot_be_recorded_gets_a_sentence(ledger, event, run, details, words):
    with pytest.raises(ParameterError, match=words) as caught:
        ledger.append(event, run, details)
    assert "\n" not in str(caught.value)
    assert ledger.entries() == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET details = '{}' WHERE number = 2",
        "UPDATE entry SET number = 9 WHERE number = 5",
        "DELETE FROM entry WHERE number = 5",
        "DELETE FROM entry",
        "INSERT OR REPLACE INTO entry SELECT 2, time, event, run, '{}', chain FROM entry WHERE number = 2",
        "INSERT INTO entry SELECT 9, time, event, run, '{}', chain FROM entry WHERE number = 2",
    ],
)
def test_raw_sqlite_is_refused(filled, statement):
    before = filled.entries()
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        tamper(filled, statement, triggers=True)
    assert filled.entries() == before
    assert filled.verify() == []


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE entry SET details = '{}' WHERE number = 2", ["Entry 2 does not fit"]),
        ("UPDATE entry SET details = '{\"number\": 2}' WHERE number = 2", ["Entry 2 does not fit"]),
        ("UPDATE entry SET time = '2001-01-01' WHERE number = 1", ["Entry 1 does not fit"]),
        ("UPDATE entry SET event = 'failed' WHERE number = 5", ["Entry 5 does not fit"]),
        (f"UPDATE entry SET run = '{OTHER}' WHERE number = 3", ["Entry 3 does not fit"]),
        ("UPDATE entry SET details = x'00' WHERE number = 2", ["Entry 2 does not fit"]),
        ("UPDATE entry SET chain = 'x' WHERE number = 2", ["Entry 2 does not fit", "Entry 3 does not fit"]),
        ("DELETE FROM entry WHERE number = 1", ["Entry 1 is missing"]),
        ("DELETE FROM entry WHERE number IN (2, 3)", ["The entries 2 to 3 are missing"]),
        ("DELETE FROM entry WHERE number > 3", ["The entries 4 to 5 are missing"]),
        ("DELETE FROM entry", ["The entries 1 to 5 are missing"]),
        ("DELETE FROM sqlite_sequence", ["The counter of the entries was set back"]),
        ("DROP TABLE entry", ["damaged"]),
    ],
)
def test_tampering_with_the_triggers_dropped_is_found(filled, statement, words):
    if statement.startswith("DROP"):
        with closing(sqlite3.connect(filled.path)) as connection:
            connection.execute(statement)
    else:
        tamper(filled, statement)
    findings = filled.verify()
    assert len(findings) == len(words) or statement.startswith("DROP")
    for finding, expected in zip(findings, words, strict=False):
        assert expected in finding


def test_entries_cut_off_the_end_stay_missing_after_the_next_append(filled):
    tamper(filled, "DELETE FROM entry WHERE number > 3")
    assert filled.append("started", OTHER, {}).number == 6
    assert filled.verify() == ["The entries 4 to 5 are missing."]


def test_a_dropped_trigger_is_found(filled):
    tamper(filled, "DROP TRIGGER entry_delete", triggers=True)
    assert filled.verify() == [
        "The trigger 'entry_delete' that keeps the ledger append-only is missing or was changed."
    ]


def test_a_damaged_page_is_found(ledger):
    for _ in range(40):
        ledger.append("started", RUN, {"text": "x" * 1000})
    content = bytearray(ledger.path.read_bytes())
    content[5 * 4096 : 6 * 4096] = os.urandom(4096)
    ledger.path.write_bytes(content)
    assert ledger.verify() != []


def test_an_unreadable_entry_gets_a_sentence(filled):
    tamper(filled, "UPDATE entry SET details = '{' WHERE number = 2")
    with pytest.raises(InputError, match=r"Entry 2 .* verify the ledger"):
        filled.entries()


def test_default_path(monkeypatch, tmp_path):
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "a" / "台帳.sqlite"))
    assert Ledger().path == tmp_path / "a" / "台帳.sqlite"
    monkeypatch.setenv("SUDARE_LEDGER", "")
    monkeypatch.setattr("platformdirs.user_data_path", lambda name: tmp_path / name)
    assert Ledger().path == tmp_path / "sudare" / "ledger.sqlite"


@pytest.mark.parametrize("name", ["a?b#c%20.sqlite", ":memory:", "台帳 1.sqlite", "file:x"])
def test_odd_file_names(tmp_path, name):
    ledger = Ledger(tmp_path / name)
    ledger.append("started", RUN, {})
    assert (tmp_path / name).is_file()
    assert len(Ledger(tmp_path / name).entries()) == 1


def test_not_a_database(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be looked at " * 100)
    before = path.read_bytes()
    with pytest.raises(InputError, match="is not a ledger"):
        Ledger(path)
    assert path.read_bytes() == before


def test_another_programs_database_stays_untouched(tmp_path):
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE thing (a)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="database of another program"):
        Ledger(path)
    assert path.read_bytes() == before


def test_newer_version(ledger):
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(InputError, match="has version 2, but this Sudare knows only versions up to 1"):
        Ledger(ledger.path)


@pytest.mark.parametrize("path", ["/dev/null/ledger.sqlite", "/sys/ledger.sqlite", "/tmp", "/tmp/a\0b"])
def test_unwritable_places_get_a_sentence(path):
    with pytest.raises(OutputError, match="choose another path") as caught:
        Ledger(Path(path))
    assert "\n" not in str(caught.value)


def test_a_removed_ledger_is_not_made_again_behind_the_back(ledger):
    shutil.rmtree(ledger.path.parent)
    with pytest.raises(OutputError, match="cannot be opened"):
        ledger.append("started", RUN, {})


def test_a_locked_ledger_gets_a_sentence(ledger, monkeypatch):
    monkeypatch.setattr("sudare.release.ledger.file._PATIENCE_SECONDS", 0.1)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(OutputError, match="locked by another program"):
            ledger.append("started", RUN, {})
        assert ledger.entries() == []
    ledger.append("started", RUN, {})
    assert len(ledger.entries()) == 1
