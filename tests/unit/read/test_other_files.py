"""Commands that are given the files of something else: other tables, edited manifests, ledgers that are not there."""

from __future__ import annotations

import json
import sqlite3

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.measure.compare import compare


@pytest.fixture
def released(tmp_path, monkeypatch):
    """A table, its release, and the way to run commands beside them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    for seed, name in enumerate(("one", "other")):
        chosen = ("patient_id", "name", "sex", "nationality", "disease")
        sd.hospital(60, seed=seed).select(chosen).write_csv(f"{name}.csv")
        (tmp_path / f"{name}.yaml").write_text(
            f"""
version: 1
source: {{path: {name}.csv}}
columns:
  patient_id: {{role: identifier}}
  name: {{role: identifier}}
  sex: {{role: quasi}}
  nationality: {{role: quasi}}
  disease: {{role: sensitive}}
requirements: [{{type: k-anonymity, k: 2}}]
method: {{type: mondrian}}
output: {{folder: {name}-release}}
""",
            encoding="utf-8",
        )
        assert main(["run", f"{name}.yaml"]) == 0
    return tmp_path / "one-release"


def _edit(path, change):
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.slow
def test_another_table_is_not_measured(released, capsys):
    assert main(["measure", "one.csv", str(released)]) == 0
    assert main(["measure", "other.csv", str(released)]) == 2
    assert "'other.csv' is not what the release in" in capsys.readouterr().err
    pl.DataFrame({"height": [1, 2, 3]}).write_csv("heights.csv")
    assert main(["measure", "heights.csv", str(released)]) == 2
    assert "'heights.csv' is not what the release in" in capsys.readouterr().err


@pytest.mark.slow
def test_releases_of_different_tables_are_not_compared_silently(released, capsys):
    assert main(["compare", "one-release", "other-release"]) == 0
    assert "made from different data" in " ".join(capsys.readouterr().out.split())
    table = sd.read(sd.hospital(60)).describe(quasi=["sex"])
    releases = {str(k): sd.anonymize(table, sd.KAnonymity(k)) for k in (2, 3)}
    assert not compare(releases).several_tables
    other = sd.anonymize(sd.read(sd.hospital(60)).describe(quasi=["sex", "zip"]), sd.KAnonymity(1))
    assert not compare({**releases, "zip": other}).several_tables
    more = sd.anonymize(sd.read(sd.hospital(61)).describe(quasi=["sex"]), sd.KAnonymity(2))
    assert compare({**releases, "more": more}).several_tables


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.update(requirements=[]),
        lambda manifest: manifest["requirements"][0].update(k=1),
        lambda manifest: manifest["columns"]["sex"].update(role="insensitive"),
    ],
)
def test_an_edited_manifest_differs_from_the_internal_one(released, change, capsys):
    _edit(released / "public" / "manifest.json", change)
    assert main(["check", str(released)]) == 1
    assert "the internal manifest beside it has another" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("k", [0, -1])
def test_a_requirement_that_asks_for_nothing_does_not_hold(released, k, capsys):
    (released / "internal" / "manifest.json").unlink()
    _edit(released / "public" / "manifest.json", lambda manifest: manifest["requirements"][0].update(k=k))
    assert main(["check", str(released)]) == 1
    assert "below 1 it asks for nothing" in " ".join(capsys.readouterr().out.split())


def test_a_name_that_stands_twice_is_refused(released, capsys):
    path = released / "public" / "manifest.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"requirements"', '"requirements": [], "requirements"', 1), encoding="utf-8")
    assert main(["check", str(released)]) == 2
    assert "has 'requirements' twice" in " ".join(capsys.readouterr().err.split())


def test_columns_without_a_role_are_named_by_the_check(tmp_path, capsys):
    frame = pl.DataFrame({"name": list("abcd"), "sex": ["f"] * 4})
    sd.anonymize(sd.read(frame).describe(quasi=["sex"]), sd.KAnonymity(2)).write(tmp_path / "release")
    assert main(["check", str(tmp_path / "release")]) == 0
    assert "nobody has said what the column name is" in " ".join(capsys.readouterr().out.split())
    report = (tmp_path / "release" / "public" / "report.html").read_text(encoding="utf-8")
    assert "nobody has said what the column name is" in report
    assert "is an identifier." not in report


def test_a_ledger_that_is_not_there_is_not_intact(tmp_path, capsys):
    assert main(["ledger", "--ledger", str(tmp_path / "none" / "x.sqlite")]) == 2
    assert "There is no ledger" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_items_that_nobody_has_are_not_safe(tmp_path, capsys):
    baskets = sd.read_baskets([["a", "b"], ["a", "b"], ["a", "c"], ["b", "c"]]).describe(sensitive=["c"])
    sd.anonymize(baskets, sd.RhoUncertainty(0.5)).write(tmp_path / "release")
    public = str(tmp_path / "release" / "public")
    capsys.readouterr()
    assert main(["check", public, "--sensitive", "zzz"]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "✗ None of the sensitive items named occurs in the release (zzz)" in told


@pytest.mark.slow
def test_numbers_that_were_drawn_need_not_be_in_the_hierarchy():
    frame = pl.DataFrame({"age": [20, 30, 40, 50] * 10, "sex": ["f", "m"] * 20})
    tree = {"young": ["20", "30"], "old": ["40", "50"]}
    table = sd.read(frame).describe(quasi=["age", "sex"], hierarchies={"age": sd.hierarchy.tree(tree)})
    method = sd.Randomize(ranges={"age": (0, 110)})
    assert sd.anonymize(table, sd.PkAnonymity(3), method=method, seed=1).losses["ild"] <= 1
    free = sd.Microaggregate(integers=False)
    assert 0 <= sd.anonymize(table, sd.KAnonymity(3), method=free, seed=1).losses["ild"] <= 1


def test_values_beyond_the_hierarchy_may_be_drawn():
    frame = pl.DataFrame({"city": ["Oslo", "Rome"] * 20})
    table = sd.read(frame).describe(
        quasi=["city"], hierarchies={"city": sd.hierarchy.tree({"north": ["Oslo"], "south": ["Rome"]})}
    )
    method = sd.Randomize(values={"city": ("Oslo", "Rome", "Lyon")})
    assert sd.anonymize(table, sd.PkAnonymity(2), method=method, seed=1).holds


def test_a_database_is_measured_by_what_it_answers(tmp_path, monkeypatch):
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    address = f"sqlite:///{tmp_path / 'people.sqlite'}"
    with sqlite3.connect(tmp_path / "people.sqlite") as connection:
        connection.execute("CREATE TABLE people (sex TEXT, disease TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [("f", "flu"), ("m", "gout")] * 6)
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        f"""
version: 1
source: {{path: "{address}", table: people}}
columns:
  sex: {{role: quasi}}
  disease: {{role: sensitive}}
requirements: [{{type: k-anonymity, k: 2}}]
output: {{folder: {tmp_path / "release"}}}
""",
        encoding="utf-8",
    )
    assert main(["run", str(recipe)]) == 0
    assert main(["measure", address, str(tmp_path / "release")]) == 0
    with sqlite3.connect(tmp_path / "people.sqlite") as connection:
        connection.execute("UPDATE people SET disease = 'mumps'")
    assert main(["measure", address, str(tmp_path / "release")]) == 2


def test_the_manifest_of_baskets_is_compared_too(tmp_path, capsys, monkeypatch):
    baskets = sd.read_baskets([["a", "b"], ["a", "b"], ["a", "c"], ["b", "c"]]).describe(sensitive=["c"])
    sd.anonymize(baskets, sd.RhoUncertainty(0.5)).write(tmp_path / "release")
    _edit(
        tmp_path / "release" / "public" / "manifest.json", lambda manifest: manifest.update(requirements=[])
    )
    monkeypatch.chdir(tmp_path / "release" / "public")
    for place in (str(tmp_path / "release"), str(tmp_path / "release" / "public"), "."):
        assert main(["check", place]) == 1
        assert "has another 'requirements'" in " ".join(capsys.readouterr().out.split())


def test_an_internal_manifest_that_cannot_be_read_is_a_difference(released, capsys, monkeypatch):
    (released / "internal" / "manifest.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(released / "public")
    assert main(["check", "."]) == 1
    assert "the internal manifest beside it cannot be read" in " ".join(capsys.readouterr().out.split())
