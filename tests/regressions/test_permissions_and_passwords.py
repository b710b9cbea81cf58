"""What is for the custodian alone: no other user can read it, and no password is kept or shown."""

import os
import re
import sqlite3
import stat

import polars as pl
import pytest
import yaml

import sudare as sd
from sudare.cli import main
from sudare.errors import SudareError
from sudare.release.ledger.ledger import Ledger
from sudare.release.recipe.baskets import BasketRecipe
from sudare.release.recipe.draft import draft_table
from sudare.release.recipe.table import Recipe

RECIPE = """
source: {path: people.csv}
columns: {age: {role: quasi}, ill: {role: sensitive}}
requirements: [k-anonymity k=2]
output: {folder: out}
"""
RUN = "00000000-0000-0000-0000-000000000001"


@pytest.fixture(params=[0, 0o022, 0o077], ids=oct)
def umask(request):
    if os.name == "nt":
        pytest.skip("Windows has no umask")
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_internal_part_is_for_its_owner(tmp_path, monkeypatch, umask):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [1, 1, 2, 2], "ill": list("abab")}).write_csv("people.csv")
    (tmp_path / "r.yaml").write_text(RECIPE)
    assert main(["run", "r.yaml", "--ledger", "deep/ledger.sqlite"]) == 0
    internal = tmp_path / "out" / "internal"
    assert mode(internal) == 0o700
    assert {path.name: mode(path) for path in internal.iterdir()} == {
        "manifest.json": 0o600,
        "recipe.yaml": 0o600,
        "report.html": 0o600,
        "rows.parquet": 0o600,
    }
    assert mode(tmp_path / "out") == mode(tmp_path / "out" / "public") == 0o777 & ~umask
    assert mode(tmp_path / "deep") == 0o700
    assert {mode(path) for path in (tmp_path / "deep").iterdir()} == {0o600}


def test_the_sensitive_items_of_users_are_for_their_owner(tmp_path, umask):
    baskets = sd.read_baskets([["a", "b"], ["a", "b"], ["b"]]).describe(sensitive=[["a"], [], []])
    release = sd.anonymize(baskets, sd.RhoUncertainty(0.9), method=sd.SuppressItems())
    release.write(tmp_path / "out")
    assert mode(tmp_path / "out" / "internal" / "sensitive.parquet") == 0o600


def test_a_ledger_is_for_its_owner(tmp_path, umask):
    path = tmp_path / "new" / "ledger.sqlite"
    book = Ledger(path)
    book.append("started", RUN, {})
    assert mode(path.parent) == 0o700
    with sqlite3.connect(path) as open_meanwhile:  # its write-ahead log stays
        open_meanwhile.execute("SELECT * FROM entry").fetchall()
        book.append("failed", RUN, {})
        assert {mode(file) for file in path.parent.iterdir()} == {0o600}
    open_meanwhile.close()
    assert mode(tmp_path) != 0  # a folder that was there before stays as it is


def test_a_ledger_of_an_older_version_is_closed_to_others(tmp_path, monkeypatch):
    folder = tmp_path / "sudare"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    Ledger(folder / "ledger.sqlite")
    (folder / "ledger.sqlite").chmod(0o644)
    monkeypatch.delenv("SUDARE_LEDGER", raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", lambda name: tmp_path / name)
    assert Ledger().path == folder / "ledger.sqlite"
    assert mode(folder / "ledger.sqlite") == 0o600
    assert mode(folder) == 0o700


@pytest.mark.parametrize(
    "source",
    [
        "{path: 'postgresql://ann:QQQ@127.0.0.1:1/d', table: t}",
        "{path: 'postgresql://ann:Q%51Q@127.0.0.1:1/d', table: t}",
        "{path: 'postgresql://ann@127.0.0.1:1/d?password=QQQ', table: t}",
        "{path: 'postgresql:/ann:QQQ@127.0.0.1:1/d', table: t}",
        "{path: 'postgresql:ann:QQQ@127.0.0.1:1/d', table: t}",
        "{path: 'host=127.0.0.1 port=1 user=ann password=QQQ', table: t}",
        "{path: \"host=127.0.0.1 password='Q QQ'\", table: t}",
        "{path: 'mysql://ann:QQQ@127.0.0.1:1/d', table: t}",
        "{path: ['postgresql://ann:QQQ@127.0.0.1:1/d']}",
        "{path: {host: h, password: QQQ}}",
        "{pth: 'postgresql://ann:QQQ@127.0.0.1:1/d'}",
        "{path: people.csv, table: 'host=h password=QQQ'}",
        "{path: people.csv, format: 'postgresql://ann:QQQ@h'}",
        "{path: people.csv, encoding: 'postgresql://ann:QQQ@h'}",
        "'postgresql://ann:QQQ@127.0.0.1:1/d'",
        "['postgresql://ann:QQQ@127.0.0.1:1/d']",
        "{'postgresql://ann:QQQ@h': x}",
        "'host=h password=QQQ'",
    ],
)
@pytest.mark.parametrize("command", ["run", "assess"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_error_and_no_ledger_has_a_password(tmp_path, monkeypatch, capsys, source, command, language):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    (tmp_path / "r.yaml").write_text(RECIPE.replace("{path: people.csv}", source))
    assert main([command, "r.yaml", "--lang", language]) == 2
    said = capsys.readouterr()
    assert "Q" not in re.sub(r"SQL", "", said.out + said.err), said
    assert all(b"QQ" not in file.read_bytes() for file in tmp_path.glob("ledger*"))


@pytest.mark.parametrize("source", ["'postgresql://ann:QQQ@h/d'", "{path: 'postgresql:/ann:QQQ@h/d'}"])
def test_no_error_about_baskets_has_a_password(source):
    text = f"baskets: {source}\nrequirements: [km-anonymity k=2 m=1]\noutput: {{folder: out}}\n"
    with pytest.raises(SudareError) as told:
        BasketRecipe.parse(text).read()
    assert "Q" not in str(told.value)
    assert "Q" not in told.value.into("ja")


def test_nothing_that_is_kept_or_shown_has_a_password():
    address = "postgresql://ann:QQQ@h/d?sslmode=require&password=QQQ"
    recipe = Recipe.parse(RECIPE.replace("people.csv", f"'{address}', query: \"f('host=h password=QQQ')\""))
    assert "Q" not in recipe.without_secrets().to_yaml().replace("SQL", "")
    assert "Q" not in repr(recipe)
    assert "QQQ" in recipe.to_yaml()  # the user's own recipe


def test_a_draft_has_no_password(tmp_path):
    options = {"table": "t", "query": "dblink('host=h password=QQQ')"}
    for address in ("postgresql://ann:QQQ@h:5/d?sslmode=require", "postgresql://h/d?user=ann&password=QQQ"):
        draft = draft_table(address, 2, [], options)
        draft.write(tmp_path / "r.yaml", overwrite=True)
        text = (tmp_path / "r.yaml").read_text()
        assert "QQ" not in text
        assert "PGPASSWORD" in text
        assert "QQ" not in str(draft.to_dict())
    draft = draft_table("postgresql://ann@h/d?sslmode=require", 2, [], {"table": "t"})
    draft.write(tmp_path / "r.yaml", overwrite=True)
    assert "PGPASSWORD" not in (tmp_path / "r.yaml").read_text()
    assert yaml.safe_load((tmp_path / "r.yaml").read_text())["source"]["path"].endswith("?sslmode=require")


def test_the_details_of_a_ledger_lose_passwords(tmp_path):
    book = Ledger(tmp_path / "ledger.sqlite")
    entry = book.append("started", RUN, {"a": ["postgresql://ann:QQQ@h/d", {"b": "host=h password=QQQ"}]})
    assert entry.details == {"a": ["postgresql://ann@h/d", {"b": "host=h password=…"}]}
    assert book.entries() == [entry]
    assert book.verify() == []
