"""Tables so large that a search of seconds finds no bound that says anything: none is shown, and the release says why."""

import polars as pl
import pytest

import sudare as sd
from sudare.advise import bounds
from sudare.cli import main

FRAME = pl.DataFrame({"age": [row % 40 + 20 for row in range(200)], "ill": ["flu", "gout"] * 100})


@pytest.fixture
def table():
    return sd.read(FRAME).describe(quasi=["age"], sensitive=["ill"])


def test_a_small_table_has_bounds(table):
    release = sd.anonymize(table, sd.KAnonymity(10), method=sd.Mondrian())
    assert set(release.lower_bounds) == {"loss", "dis"}
    assert not release.bound_is_missing


def test_a_large_table_has_none_and_says_so(table, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bounds, "_COMPARISONS_EACH", bounds._BUDGET)
    release = sd.anonymize(table, sd.KAnonymity(10), method=sd.Mondrian())
    assert release.lower_bounds == {}
    assert release.bound_is_missing
    FRAME.write_csv(tmp_path / "people.csv")
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        "version: 1\nsource: {path: people.csv}\ncolumns: {age: {role: quasi}, ill: {role: sensitive}}\n"
        "requirements: [k-anonymity k=10]\nmethod: {type: mondrian}\noutput: {folder: out}\n",
        encoding="utf-8",
    )
    assert main(["run", str(recipe)]) == 0
    said = "No lower bound was computed"
    assert said in " ".join(capsys.readouterr().out.split())
    for part in ("public", "internal"):
        assert said in (tmp_path / "out" / part / "report.html").read_text(encoding="utf-8")


def test_values_that_are_replaced_have_no_bound_whatever_the_size(table, monkeypatch):
    monkeypatch.setattr(bounds, "_COMPARISONS_EACH", bounds._BUDGET)
    release = sd.anonymize(table, sd.KAnonymity(10), method=sd.Microaggregate())
    assert release.lower_bounds == {}
    assert not release.bound_is_missing
