"""Pseudonyms and the removal of identifiers."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import hashlib
import hmac
from typing import Any

import polars as pl
import pytest
from tests.cases.steps import step, table_of

import sudare as sd
from sudare.errors import InputError, SudareError

KEY = "a key of more than sixteen bytes"


# --- pseudonyms -------------------------------------------------------------------------------------------


def hmac_of(value, key=KEY, length=32):
    return hmac.new(key.encode(), value.encode(), hashlib.sha256).hexdigest()[:length]


@pytest.mark.parametrize("length", [8, 32, 64])
def test_pseudonyms_are_hmac_sha_256(monkeypatch, length):
    monkeypatch.setenv("SUDARE_TEST_KEY", KEY)
    table = table_of(
        pl.DataFrame({"name": ["山田", "Ann", None, "Ann", ""], "n": [1, 2, 2, 10**15, None]}),
        identifier=["name"],
    )
    method = sd.Pseudonymize(["name", "n"], key_variable="SUDARE_TEST_KEY", length=length)
    frame = step(method, table).table.frame
    names = [
        None if value is None else hmac_of(value, length=length) for value in ["山田", "Ann", None, "Ann", ""]
    ]
    assert frame["name"].to_list() == names
    numbers = [
        None if value is None else hmac_of(value, length=length)
        for value in ["1", "2", "2", "1000000000000000", None]
    ]
    assert frame["n"].to_list() == numbers


def test_the_key_can_be_in_a_file(tmp_path):
    (tmp_path / "key").write_text(f"  {KEY}\n", encoding="utf-8")
    table = table_of(pl.DataFrame({"name": ["Ann"]}))
    frame = step(sd.Pseudonymize("name", key_file=tmp_path / "key"), table).table.frame
    assert frame["name"].to_list() == [hmac_of("Ann")]


def test_without_a_key_pseudonyms_link_within_one_release_only():
    table = table_of(pl.DataFrame({"name": ["Ann", "Bob", "Ann"]}), identifier=["name"])
    keep: Any = "keep"
    releases = [sd.anonymize(table, method=sd.Pseudonymize("name"), order=keep) for _ in range(2)]
    first, second = (release.frame["name"].to_list() for release in releases)
    assert first[0] == first[2] != first[1]
    assert set(first).isdisjoint(second)
    assert hmac_of("Ann", "") not in first


def test_pseudonyms_survive_the_removal_of_identifiers():
    table = table_of(pl.DataFrame({"name": ["Ann", "Bob"], "id": ["x", "y"]}), identifier=["name", "id"])
    assert sd.anonymize(table, method=sd.Pseudonymize("name")).frame.columns == ["name"]


def test_the_key_is_never_in_the_release(monkeypatch, tmp_path):
    monkeypatch.setenv("SUDARE_TEST_KEY", KEY)
    table = table_of(
        pl.DataFrame({"name": ["Ann", "Bob"] * 3, "q": [1] * 6}), identifier=["name"], quasi=["q"]
    )
    method = sd.Pseudonymize("name", key_variable="SUDARE_TEST_KEY")
    release = sd.anonymize(table, sd.KAnonymity(2), method=[method, sd.Mondrian()])
    assert KEY not in repr(release) + repr(release.methods) + repr(release.notes)
    release.write(tmp_path / "out")
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert written
    for path in written:
        assert KEY.encode() not in path.read_bytes(), path.name
        assert b"Bob" not in path.read_bytes(), path.name


@pytest.mark.parametrize("short", ["", "short", "15 bytes long.."])
def test_a_short_key_is_refused_without_being_shown(monkeypatch, tmp_path, short):
    monkeypatch.setenv("SUDARE_TEST_KEY", short)
    (tmp_path / "key").write_text(short + " " * 20, encoding="utf-8")
    table = table_of(pl.DataFrame({"name": ["Ann"]}))
    for method in (
        sd.Pseudonymize("name", key_variable="SUDARE_TEST_KEY"),
        sd.Pseudonymize("name", key_file=tmp_path / "key"),
    ):
        with pytest.raises(SudareError, match="16") as caught:
            step(method, table)
        assert not short or f"'{short}'" not in str(caught.value)


def test_an_absent_key_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.delenv("SUDARE_TEST_KEY", raising=False)
    table = table_of(pl.DataFrame({"name": ["Ann"]}))
    with pytest.raises(InputError, match="SUDARE_TEST_KEY"):
        step(sd.Pseudonymize("name", key_variable="SUDARE_TEST_KEY"), table)
    with pytest.raises(InputError, match="absent"):
        step(sd.Pseudonymize("name", key_file=tmp_path / "absent"), table)


# --- removal ----------------------------------------------------------------------------------------------


def test_identifiers_are_removed_even_when_nobody_asked():
    table = table_of(pl.DataFrame({"name": ["a", "b"], "x": [1, 2], "y": [1, 2]}), identifier=["name"])
    assert step(sd.RemoveIdentifiers(), table).table.frame.columns == ["x", "y"]
    assert step(sd.RemoveIdentifiers("x"), table).table.frame.columns == ["name", "y"]
    assert sd.anonymize(table, method=sd.RemoveIdentifiers("x")).frame.columns == ["y"]
    assert sd.anonymize(table, method=sd.Shuffle()).frame.columns == ["x", "y"]
