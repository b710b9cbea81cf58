"""The method that nobody named: one rule for Python, recipes, options of a command, and drafts."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import yaml

import sudare as sd
from sudare.cli import main
from sudare.release.recipe.table import Recipe

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
    ("asked", "method"), [("pk-anonymity k=3", sd.Randomize()), ("k-anonymity k=3", sd.Mondrian())]
)
def test_a_recipe_without_a_method(people, asked, method):
    assert Recipe.parse(RECIPE % f"'{asked}'").method == (method,)


def test_a_method_that_nobody_named_follows_other_requirements(people):
    recipe = Recipe.parse(RECIPE % "{type: k-anonymity, k: 3}")
    assert recipe.replaced(requirements=["pk-anonymity k=3"]).method == (sd.Randomize(),)
    named = Recipe.parse(RECIPE % "{type: k-anonymity, k: 3}" + "method: {type: mondrian}")
    assert named.replaced(requirements=["pk-anonymity k=3"]).method == (sd.Mondrian(),)
    assert recipe.replaced(method=["shuffling"]).method == (sd.Shuffle(),)


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
    refused = "no range for 'age'" if language == "en" else "列「age」の範囲が指定されていません"
    assert refused in " ".join(capsys.readouterr().err.split())
    [shown] = [line.removeprefix("#") for line in text.splitlines() if line.startswith("#   ranges")]
    filled = text.replace("- type: randomization", f"- type: randomization\n{shown[1:]}")
    recipe.write_text(filled.replace("[LOW, HIGH]", "[0, 120]"), encoding="utf-8")
    assert main(["run", "r.yaml"]) == 0
    assert main(["check", "people-release"]) == 0


def test_a_draft_without_numbers_runs_as_it_is(people, capsys):
    people.select("sex", town=pl.col("sex") + "-town").write_csv("people.csv")
    assert main(["describe", "people.csv", "--require", "pk-anonymity k=3", "-o", "r.yaml"]) == 0
    assert "Randomization needs" not in capsys.readouterr().out
    assert main(["run", "r.yaml"]) == 0
