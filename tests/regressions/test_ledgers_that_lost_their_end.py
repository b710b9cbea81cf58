"""Entries dropped from the end of a ledger are missed by whoever kept a head; a ledger confirms no guess of an input."""

import hashlib
import json
import os
import sqlite3
import stat
from contextlib import closing

import polars as pl
import pytest

from sudare.cli import main
from sudare.errors import InputError, ParameterError
from sudare.release.ledger.ledger import Head, Ledger

RUN = "00000000-0000-0000-0000-00000000000{}"
RECIPE = """
source: {path: people.csv}
columns: {age: {role: quasi}, ill: {role: sensitive}}
requirements: [k-anonymity k=2]
output: {folder: out}
"""


@pytest.fixture
def ledger(tmp_path):
    book = Ledger(tmp_path / "ledger.sqlite")
    for number in range(3):
        book.append("started", RUN.format(number), {"folder": f"f{number}"})
    return book


def shorten(book, entries=1):
    """Drop entries from the end, as somebody who knows the file does it: nothing in the file tells any more."""
    with closing(sqlite3.connect(book.path)) as connection, connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        last = "(SELECT max(number) FROM entry)"
        for _ in range(entries):
            connection.execute(f"DELETE FROM entry WHERE number = {last}")
        connection.execute(f"UPDATE sqlite_sequence SET seq = {last}")
        for _, statement in triggers:
            connection.execute(statement)


def test_a_dropped_end_is_missed_by_its_head(ledger, capsys):
    head = ledger.head()
    assert ledger.missing(head) is None
    shorten(ledger)
    assert ledger.verify() == []  # nothing in the file itself shows it
    assert "has no entry 3" in str(ledger.missing(head))
    assert main(["ledger", "--ledger", str(ledger.path), "--expect", str(head)]) == 1
    assert "has no entry 3" in " ".join(capsys.readouterr().out.split())
    ledger.append("failed", RUN.format(9), {})  # a new entry takes the number
    assert "another chain value" in str(ledger.missing(head))


def test_an_earlier_head_stays_in_a_ledger_that_grew(ledger, capsys):
    head = ledger.head()
    ledger.append("failed", RUN.format(0), {})
    for language, words in (("en", "contains the head 3"), ("ja", "記載 3 の末尾の値")):
        assert main(["ledger", "--ledger", str(ledger.path), "--expect", str(head), "--lang", language]) == 0
        said = capsys.readouterr().out
        assert words in said
        assert str(ledger.head()) in said
    assert main(["ledger", "--ledger", str(ledger.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["head"] == str(ledger.head())


@pytest.mark.parametrize(
    "text", ["", "3", "3:", "3:abc", "x:" + "0" * 64, "3:" + "g" * 64, "-1:" + "0" * 64, "３:" + "0" * 64]
)
def test_what_is_not_a_head_is_refused(ledger, text, capsys):
    with pytest.raises(ParameterError, match="not of the form"):
        Head.parse(text)
    assert main(["ledger", "--ledger", str(ledger.path), f"--expect={text}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_empty_ledger_has_no_head(tmp_path, capsys):
    book = Ledger(tmp_path / "ledger.sqlite")
    assert book.head() is None
    assert main(["ledger", "--ledger", str(book.path), "--expect", "1:" + "0" * 64]) == 1
    capsys.readouterr()


def test_every_release_proves_an_earlier_head(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    pl.DataFrame({"age": [1, 1, 2, 2], "ill": list("abab")}).write_csv("people.csv")
    (tmp_path / "r.yaml").write_text(RECIPE)
    assert main(["run", "r.yaml"]) == 0
    assert main(["run", "r.yaml", "--out", "second"]) == 0
    capsys.readouterr()
    for folder, number in (("out", 1), ("second", 3)):
        for part in ("public", "internal"):
            head = json.loads((tmp_path / folder / part / "manifest.json").read_text())["ledger"]
            assert head.startswith(f"{number}:")
            assert head in (tmp_path / folder / part / "report.html").read_text(encoding="utf-8")
            assert main(["ledger", "--expect", head]) == 0
    shorten(Ledger(), 2)
    assert main(["ledger"]) == 0
    assert main(["ledger", "--expect", head]) == 1
    capsys.readouterr()


def test_the_ledger_confirms_no_guess_of_the_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # With names: without them, the released file would be the input, byte by byte.
    pl.DataFrame({"name": list("wxyz"), "age": [1, 1, 2, 2], "ill": list("abab")}).write_csv("people.csv")
    (tmp_path / "r.yaml").write_text(RECIPE.replace("{age:", "{name: {role: identifier}, age:"))
    for book, folder in (("a.sqlite", "one"), ("a.sqlite", "two"), ("b.sqlite", "three")):
        assert main(["run", "r.yaml", "--ledger", book, "--out", folder]) == 0
    digest = hashlib.sha256((tmp_path / "people.csv").read_bytes()).hexdigest()
    assert digest.encode() not in (tmp_path / "a.sqlite").read_bytes()
    first, second = [entry.details["input_hmac"] for entry in Ledger(tmp_path / "a.sqlite").entries()[1::2]]
    [third] = [entry.details["input_hmac"] for entry in Ledger(tmp_path / "b.sqlite").entries()[1::2]]
    assert (
        first == second == Ledger(tmp_path / "a.sqlite").keyed(digest)
    )  # the owner recognizes the same input
    assert third != first


@pytest.mark.parametrize("umask", [0, 0o077], ids=oct)
def test_the_key_is_for_its_owner(ledger, umask):
    before = os.umask(umask)
    try:
        digest = ledger.keyed("a")
    finally:
        os.umask(before)
    key = ledger.path.with_name("ledger.sqlite.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_bytes()) == 32
    assert Ledger(ledger.path).keyed("a") == digest
    assert not list(key.parent.glob(".*"))
    key.write_bytes(b"short")
    with pytest.raises(InputError, match="5 bytes instead of 32"):
        ledger.keyed("a")
