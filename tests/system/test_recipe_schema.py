"""Recipes: the JSON Schema takes what the parser takes and refuses what it refuses; YAML there and back."""

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from tests.system.conftest import RECIPE, changed

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.assess.catalogue import REQUIREMENTS
from sudare.describe.hierarchy.catalogue import CATALOGUE as HIERARCHIES
from sudare.release.recipe import table as recipe_module
from sudare.release.recipe.table import Recipe, json_schema

# Schema


@pytest.fixture(scope="module")
def validator():
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_schema_knows_the_recipes_that_sudare_writes(validator, demonstration, job, command):
    command.done("describe", "patients.csv")
    places = [
        demonstration / "recipe.yaml",
        demonstration / "release/internal/recipe.yaml",
        job / "patients.recipe.yaml",
    ]
    for place in places:
        faults = [error.message for error in validator.iter_errors(yaml.safe_load(place.read_text()))]
        assert (place.name, faults) == (place.name, [])


def documented():
    """The recipe in the text of the module."""
    return yaml.safe_load(recipe_module.__doc__.split("\n\n")[1])


SHORT = """\
source: {path: patients.csv}
columns: {name: {role: identifier}, age: {role: quasi}, disease: {role: sensitive}}
requirements: [k-anonymity k=5]
method: mondrian relaxed=true
output: {folder: release}
"""


@pytest.mark.parametrize("given", [documented(), yaml.safe_load(SHORT)], ids=["documented", "short"])
def test_the_schema_knows_what_the_parser_takes(validator, given):
    Recipe.parse(yaml.safe_dump(given))
    assert [error.message for error in validator.iter_errors(given)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("colour",), "red"),
        (("source",), None),
        (("source", "paht"), "x"),
        (("columns", "name", "role"), "ident"),
        (("columns", "name", "role"), None),
        (("columns", "age", "hierarchy", "type"), "interval"),
        (("columns", "age", "hierarchy", "colour"), "red"),
        (("requirements",), []),
        (("requirements", 0, "k"), None),
        (("requirements", 0, "k"), "many"),
        (("requirements", 0, "k"), 0),
        (("requirements", 0, "type"), "k-anonimity"),
        (("method",), [{"type": "mondrain"}]),
        (("output", "format"), "xml"),
        (("output", "folder"), None),
    ],
    ids=str,
)
def test_the_schema_refuses_what_the_parser_refuses(validator, path, value):
    bad = changed(documented(), path, value)
    with pytest.raises(sd.SudareError):
        Recipe.parse(yaml.safe_dump(bad))
    bad["method"] = bad["method"] if isinstance(bad["method"], list) else [bad["method"]]
    assert not validator.is_valid(bad)


EXAMPLES = [
    (REQUIREMENTS, "k-anonymity k=5"),
    (REQUIREMENTS, "l-diversity l=3"),
    (REQUIREMENTS, "t-closeness t=0.2"),
    (METHODS, "mondrian"),
    (METHODS, "pseudonyms columns=name"),
    (METHODS, "record-suppression"),
    (HIERARCHIES, "mask"),
    (HIERARCHIES, "suppress"),
    (HIERARCHIES, "dates"),
]


@pytest.mark.parametrize(("catalogue", "text"), EXAMPLES, ids=[text for _, text in EXAMPLES])
def test_one_and_only_one_branch_of_the_schema_fits(catalogue, text):
    entry = catalogue.dump(catalogue.build(text))
    schema = catalogue.schema()
    fitting = [branch["title"] for branch in schema["oneOf"] if Draft202012Validator(branch).is_valid(entry)]
    assert len(fitting) == 1
    assert Draft202012Validator(schema).is_valid(entry)


def test_every_branch_of_the_schema_has_a_type_of_its_own():
    for catalogue in (REQUIREMENTS, METHODS, HIERARCHIES):
        *branches, text = catalogue.schema()["oneOf"]
        assert text == {"type": "string"}
        types = [branch["properties"]["type"]["const"] for branch in branches]
        assert sorted(types) == sorted(catalogue.entries)
        assert all("type" in branch["required"] for branch in branches)
        for reference in re.findall(r'"\$ref": "([^"]+)"', json.dumps(branches)):
            pytest.fail(f"{reference} would point nowhere inside the schema of recipes")


# Recipes


@pytest.mark.parametrize(
    "text", [RECIPE, SHORT, yaml.safe_dump(documented())], ids=["test", "short", "documented"]
)
def test_a_recipe_survives_yaml(text):
    recipe = Recipe.parse(text)
    again = Recipe.parse(recipe.to_yaml())
    assert again == recipe
    assert again.to_yaml() == recipe.to_yaml()


def test_the_demonstration_survives_yaml(demonstration):
    recipe = Recipe.load(demonstration / "recipe.yaml")
    assert Recipe.parse(recipe.to_yaml()) == recipe


def test_a_full_recipe_survives_yaml(tmp_path):
    recipe = Recipe.parse(
        """
        version: 1
        source: {path: 患者.csv, delimiter: ";", encoding: cp932, header: true, missing: ["", "NA", "不明"]}
        columns:
          氏名: {role: identifier}
          年齢: {role: quasi, kind: numeric, missing: drop, hierarchy: {type: intervals, bounds: [0, 20, 65, 120]}}
          "no": {role: insensitive}
          郵便番号: {role: quasi, hierarchy: {type: mask, width: 7, pad: right}}
          病名: {role: sensitive, hierarchy: {type: csv, path: levels.csv}}
        requirements: [{type: k-anonymity, k: 3}, {type: t-closeness, t: 0.3}, {type: l-diversity, l: 2, kind: recursive, c: 3}]
        method: [{type: pseudonyms, columns: [氏名], key_file: key.txt}, {type: mondrian, relaxed: true}]
        measures: [loss]
        output: {folder: 公開, format: parquet, language: ja, reports: [internal], escape_formulas: false, overwrite: true}
        """,
        folder=tmp_path,
    )
    assert Recipe.parse(recipe.to_yaml(), folder=Path("/elsewhere")) == recipe
    recipe.save(tmp_path / "recipe.yaml")
    assert Recipe.load(tmp_path / "recipe.yaml") == recipe
