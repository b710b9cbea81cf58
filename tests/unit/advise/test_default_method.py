"""The method that nobody named: one rule for Python, recipes, options of a command, and drafts."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import yaml

import sudare as sd
from sudare.advise.defaults import chosen
from sudare.cli import main
from sudare.release.recipe.table import Recipe
from sudare.release.warnings import ReleaseNote

RECIPE = """
source: {path: people.csv}
columns: {age: {role: quasi}, sex: {role: quasi}}
requirements: [%s]
output: {folder: release}
"""


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"age": [20 + row % 50 for row in range(200)], "sex": ["F", "M"] * 100})
    frame.write_csv("people.csv")
    return frame


@pytest.mark.parametrize(
    ("asked", "method"), [("pk-anonymity k=3", sd.Randomize()), ("k-anonymity k=3", sd.Generalize())]
)
def test_a_recipe_without_a_method(people, asked, method):
    recipe = Recipe.parse(RECIPE % f"'{asked}'")
    assert recipe.method == ()
    assert recipe.methods_for(recipe.read()) == (method,)


def test_a_method_that_nobody_named_follows_other_requirements(people):
    recipe = Recipe.parse(RECIPE % "{type: k-anonymity, k: 3}")
    assert recipe.replaced(requirements=["pk-anonymity k=3"]).methods_for(recipe.read()) == (sd.Randomize(),)
    named = Recipe.parse(RECIPE % "{type: k-anonymity, k: 3}" + "method: {type: mondrian}")
    assert named.replaced(requirements=["pk-anonymity k=3"]).method == (sd.Mondrian(),)
    assert recipe.replaced(method=["shuffling"]).method == (sd.Shuffle(),)


def measured(rows, **columns):
    """A table of numbers, and of texts where columns say so."""
    frame = pl.DataFrame({"height": [150 + row / 7 for row in range(rows)], **columns})
    return sd.read(frame).describe(quasi=list(frame.columns))


@pytest.mark.parametrize(
    ("table", "asked", "method", "reason"),
    [
        (lambda: measured(50), sd.KAnonymity(3), "Microaggregate(", "a number with many values"),
        (lambda: measured(50, sex=["F", "M"] * 25), sd.KAnonymity(3), "Generalize(", "the effort default"),
        (lambda: measured(50, code=[1, 2] * 25), sd.KAnonymity(3), "Generalize(", "2 quasi-identifiers"),
        (
            lambda: measured(400_000, sex=["F", "M"] * 200_000),
            sd.KAnonymity(3),
            "Generalize(objective='loss', cells='hierarchy', effort='fast'",
            "the effort fast",
        ),
        (
            lambda: measured(1_000_000, sex=["F", "M"] * 500_000),
            sd.KAnonymity(3),
            "Mondrian(",
            "1,000,000 rows and 2",
        ),
        (
            lambda: measured(20_000, sex=["F", "M"] * 10_000),
            sd.KAnonymity(300),
            "Mondrian(",
            "need 300 rows or more",
        ),
        (lambda: measured(50), sd.PkAnonymity(3), "Randomize(", "only noise"),
    ],
)
def test_the_table_and_the_requirement_choose(table, asked, method, reason):
    choice = chosen(table(), [asked])
    assert repr(choice.methods[0]).startswith(method)
    assert reason in ReleaseNote(f"chosen.{choice.reason}", **choice.figures)


def test_a_release_says_first_what_was_chosen_and_why(people):
    release = sd.anonymize(measured(60, sex=["F", "M"] * 30), sd.KAnonymity(3), measures=["loss"])
    assert release.notes[0].startswith("No method was named, and generalization was chosen")
    named = sd.anonymize(measured(60), sd.KAnonymity(3), method="mondrian", measures=["loss"])
    assert not any("No method" in note for note in named.notes)


def test_wrong_requirements_are_told_and_not_the_method(people):
    with pytest.raises(sd.errors.ParameterError, match="'k-anonimity'"):
        Recipe.parse(RECIPE % "{type: k-anonimity, k: 3}")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_draft_for_pk_anonymity_runs_with_the_ranges_it_asks_for(people, capsys, language):
    asked = ["--require", "pk-anonymity k=3", "-o", "r.yaml", "--lang", language]
    assert main(["describe", "people.csv", *asked]) == 0
    assert (
        "Randomization needs a range of age" if language == "en" else "乱数化には age の範囲"
    ) in " ".join(capsys.readouterr().out.split())
    recipe = Path("r.yaml")
    text = recipe.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["method"] == [{"type": "randomization"}]
    assert main(["run", "r.yaml"]) == 2
    refused = "no range for 'age'" if language == "en" else "列 'age' の範囲が指定されていません"
    assert refused in " ".join(capsys.readouterr().err.split())
    recipe.write_text(
        text.replace("  # ranges:", "  ranges:").replace("[LOW, HIGH]", "[0, 120]"), encoding="utf-8"
    )
    assert main(["run", "r.yaml"]) == 0
    assert main(["check", "people-release"]) == 0


def test_a_draft_without_numbers_runs_as_it_is(people, capsys):
    people.select("sex", town=pl.col("sex") + "-town").write_csv("people.csv")
    assert main(["describe", "people.csv", "--require", "pk-anonymity k=3", "-o", "r.yaml"]) == 0
    assert "Randomization needs" not in capsys.readouterr().out
    assert main(["run", "r.yaml"]) == 0
