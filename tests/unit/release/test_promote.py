"""A candidate becomes a release: copied, verified from the copy, entered; and runs whose data or number a caller has."""

from __future__ import annotations

import hashlib
import uuid

import polars as pl
import pytest

from sudare.errors import GuaranteeError, InputError, OutputError
from sudare.release.ledger.ledger import Ledger
from sudare.release.promote import promote
from sudare.release.recipe.draft import draft_of
from sudare.release.recipe.load import load_recipe
from sudare.release.run import run

RECIPE = """\
version: 1
source: {path: people.csv}
columns:
  name: {role: drop}
  age: {role: quasi}
  ill: {role: sensitive}
requirements: [{type: k-anonymity, k: 2}]
output: {folder: release, reports: []}
"""


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite")


@pytest.fixture
def recipe(tmp_path):
    names = [f"person {row:03}" for row in range(40)]
    ages = [20 + row % 5 for row in range(40)]
    pl.DataFrame({"name": names, "age": ages, "ill": ["a", "b"] * 20}).write_csv(tmp_path / "people.csv")
    place = tmp_path / "recipe.yaml"
    place.write_text(RECIPE, encoding="utf-8")
    return load_recipe(place)


@pytest.fixture
def candidate(recipe, ledger):
    return run(recipe, ledger=ledger).folder


def events(ledger):
    return [entry.event for entry in ledger.entries()]


def test_a_candidate_is_copied_verified_and_entered(candidate, recipe, ledger, tmp_path):
    number = str(uuid.uuid4())
    promoted = promote(candidate, tmp_path / "final", original=recipe.read(), ledger=ledger, number=number)
    assert all(finding.holds for finding in promoted.findings)
    for part in ("public", "internal"):
        for file in (candidate / part).iterdir():
            assert (tmp_path / "final" / part / file.name).read_bytes() == file.read_bytes()
    assert (tmp_path / "final" / "internal").stat().st_mode & 0o777 == 0o700
    [started, released] = ledger.entries(run=number)
    assert (started.event, released.event) == ("started", "released")
    assert released.details["data_sha256"] == promoted.manifest["data"]["sha256"]
    assert released.details["candidate"] == promoted.manifest["run"] != number
    assert released.details["rows"] == 40


def test_a_changed_candidate_is_refused_and_leaves_nothing(candidate, ledger, tmp_path):
    data = candidate / "public" / "data.csv"
    data.write_text(data.read_text(encoding="utf-8").replace("a", "b", 1), encoding="utf-8")
    with pytest.raises(GuaranteeError):
        promote(candidate, tmp_path / "final", ledger=ledger)
    assert not (tmp_path / "final").exists()
    assert not list(tmp_path.glob(".sudare-*"))
    assert events(ledger)[-2:] == ["started", "failed"]


def test_a_removed_value_that_came_back_is_found_with_the_original(candidate, recipe, ledger, tmp_path):
    data, manifest = candidate / "public" / "data.csv", candidate / "public" / "manifest.json"
    before = hashlib.sha256(data.read_bytes()).hexdigest()
    data.write_text(data.read_text(encoding="utf-8").replace(",a", ",person 007", 1), encoding="utf-8")
    after = hashlib.sha256(data.read_bytes()).hexdigest()
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    with pytest.raises(GuaranteeError):
        promote(candidate, tmp_path / "final", original=recipe.read(), ledger=ledger)
    assert not (tmp_path / "final").exists()


def test_only_whole_releases_to_free_places(candidate, ledger, tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").touch()
    with pytest.raises(OutputError):
        promote(candidate, tmp_path / "taken", ledger=ledger)
    for wrong in (tmp_path / "taken", tmp_path / "absent", candidate / "public"):
        with pytest.raises(InputError) as refused:
            promote(wrong, tmp_path / "final", ledger=ledger)
        assert "公開データのフォルダではありません" in refused.value.into("ja")
    (candidate / "public" / "link.csv").symlink_to("/etc/passwd")
    with pytest.raises(InputError):
        promote(candidate, tmp_path / "final", ledger=ledger)


def test_a_run_takes_what_was_read_and_the_number_it_is_given(recipe, ledger, tmp_path, monkeypatch):
    described, number = recipe.read(), str(uuid.uuid4())
    monkeypatch.setattr(type(recipe), "read", lambda _: pytest.fail("read again"))
    written = run(recipe, folder=tmp_path / "other", described=described, number=number, ledger=ledger)
    assert written.manifest["run"] == number
    assert [entry.event for entry in ledger.entries(run=number)] == ["started", "released"]


def test_a_draft_takes_what_was_read(recipe, tmp_path, monkeypatch):
    place = str(tmp_path / "people.csv")
    expected = draft_of(place, {}, folder=tmp_path).to_dict()
    already = recipe.source.load()
    monkeypatch.setattr(type(recipe.source), "load", lambda _: pytest.fail("read again"))
    assert draft_of(place, {}, folder=tmp_path, already=already).to_dict()["recipe"] == expected["recipe"]
