"""Recipes of baskets: the JSON Schema takes what the parser takes and refuses what it refuses; YAML there and back."""

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from tests.system.conftest import changed

import sudare as sd
from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.assess.baskets.catalogue import BASKET_REQUIREMENTS
from sudare.cli import main
from sudare.errors import ParameterError
from sudare.release.recipe import baskets as recipe_module
from sudare.release.recipe.baskets import BasketRecipe, json_schema


def documented():
    """The recipe in the text of the module."""
    return yaml.safe_load(recipe_module.__doc__.split("\n\n")[1])


SHORT = """\
baskets: {path: clicks.txt}
sensitive: 're:^health'
requirements: [rho-uncertainty rho=1/3 m=2, km-anonymity k=3 m=2]
method: item-suppression strategy=paper
output: {folder: release}
"""
FULL = """\
version: 1
baskets: {path: 買い物.csv, layout: long, delimiter: ";", encoding: cp932, id: 会員, items: 品目}
sensitive: {file: private.csv}
unknown: ignore
requirements: [{type: rho-uncertainty, rho: 0.5, m: 3, eps: 0.01, delta: 0.05, rule: paper}]
method: [{type: item-suppression}]
measures: [util1, rule_distance]
output: {folder: 公開, layout: json, language: ja, reports: [internal], overwrite: true}
"""
GROUPS = """\
baskets: {path: clicks.txt}
requirements: [{type: km-anonymity, k: 3, m: 2}]
method: {type: item-generalization, hierarchy: {type: csv, path: groups.csv}}
output: {folder: release}
"""
RECIPES = {
    "documented": yaml.safe_dump(documented()),
    "short": SHORT,
    "full": FULL,
    "groups": GROUPS,
    "numbers": SHORT.replace("'re:^health'", "[17, shop]"),
}


@pytest.fixture(scope="module")
def validator():
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", RECIPES)
def test_the_schema_knows_what_the_parser_takes(validator, name):
    BasketRecipe.parse(RECIPES[name])
    assert [error.message for error in validator.iter_errors(yaml.safe_load(RECIPES[name]))] == []


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_survives_yaml(validator, name, tmp_path):
    recipe = BasketRecipe.parse(RECIPES[name], folder=tmp_path)
    again = BasketRecipe.parse(recipe.to_yaml(), folder=Path("/elsewhere"))
    assert again == recipe
    assert again.to_yaml() == recipe.to_yaml()
    assert validator.is_valid(recipe.to_dict())


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("version",), 2, "'version' is 2"),
        (("colour",), "red", "'colour' is not one of its parameters"),
        (("baskets",), None, "'baskets' is missing"),
        (("baskets",), "clicks.txt", "'baskets' is 'clicks.txt', but it should be a mapping"),
        (("baskets", "paht"), "x", "'baskets.paht' is not one of its parameters"),
        (("baskets", "layout"), "rows", "'baskets.layout' is 'rows', but it should be 'lines', 'json'"),
        (("sensitive",), 3, "'sensitive' is 3, but it should be a list of items"),
        (("sensitive",), "shop", "'sensitive' is 'shop', but it should be a list of items"),
        (("sensitive",), [True], "'sensitive' is [True]"),
        (("sensitive",), {"fil": "x"}, "a mapping should name a file"),
        (("sensitive",), {"file": "x", "more": 1}, "a mapping should name a file"),
        (("unknown",), "maybe", "'unknown' is 'maybe'"),
        (("requirements",), [], "'requirements' is []"),
        (("requirements", 0, "rho"), None, "'rho' is missing"),
        (("requirements", 0, "sigma"), 1, "'sigma' is not one of its parameters"),
        (("requirements", 0, "m"), 0, "'m' is 0"),
        (
            ("requirements", 0, "type"),
            "k-anonymity",
            "'k-anonymity' is a requirement on tables, but these data are baskets",
        ),
        (
            ("method",),
            [{"type": "mondrian"}],
            "'mondrian' is a method for tables, but these data are baskets",
        ),
        (("method",), [{"type": "item-suppression", "strategy": "mine"}], "'strategy' is 'mine'"),
        (("output", "language"), "fr", "'output.language' is 'fr'"),
        (("output", "reports"), ["secret"], "'output.reports.0' is 'secret'"),
        (("output", "format"), "csv", "'output.format' is not one of its parameters"),
        (("output", "folder"), None, "'output.folder' is missing"),
    ],
    ids=str,
)
def test_the_schema_refuses_what_the_parser_refuses_in_one_sentence(validator, path, value, words):
    bad = changed(documented(), path, value)
    with pytest.raises(sd.SudareError) as caught:
        BasketRecipe.parse(yaml.safe_dump(bad))
    sentence = str(caught.value)
    assert words in sentence
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    assert not validator.is_valid(bad)


def test_what_only_the_parser_knows_is_one_sentence():
    with pytest.raises(sd.SudareError, match="should be a number from 0 to 1"):
        BasketRecipe.parse(SHORT.replace("rho=1/3", "rho=1.5"))
    with pytest.raises(sd.SudareError, match=r"'util9' is not a measure of baskets; did you mean 'util\d'"):
        BasketRecipe.parse(SHORT + "measures: [util9]\n")
    with pytest.raises(sd.SudareError, match="'baskets' is given twice"):
        BasketRecipe.parse(SHORT + "baskets: {path: other.txt}\n")
    with pytest.raises(sd.SudareError, match="is not a mapping; start with 'version: 1' and 'baskets:'"):
        BasketRecipe.parse("- baskets\n")


def test_every_branch_of_the_schema_has_a_type_of_its_own():
    for catalogue in (BASKET_REQUIREMENTS, BASKET_METHODS):
        *branches, text = catalogue.schema()["oneOf"]
        assert text == {"type": "string"}
        types = [branch["properties"]["type"]["const"] for branch in branches]
        assert sorted(types) == sorted(catalogue.entries)
        for reference in re.findall(r'"\$ref": "([^"]+)"', json.dumps(branches)):
            pytest.fail(f"{reference} would point nowhere inside the schema of recipes")


def test_the_command_prints_both_schemas(capsys):
    assert main(["schema", "--baskets"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json_schema()
    assert set(documented()) <= set(printed["properties"])
    assert main(["schema"]) == 0
    assert "columns" in json.loads(capsys.readouterr().out)["properties"]


@pytest.mark.parametrize(
    "sensitive",
    [
        "{file: 'postgresql://ann:s3cret@db/clinic'}",
        "{file: 'postgresql://ann:s3cret@db/clinic', table: private}",
        "'postgresql://ann:s3cret@db/clinic'",
        "{file: '-'}",
    ],
)
def test_sensitive_items_at_an_address_are_refused_without_repeating_it(sensitive):
    text = SHORT.replace("'re:^health'", sensitive)
    with pytest.raises(ParameterError, match="Write them to a file and name it") as told:
        BasketRecipe.parse(text)
    assert "s3cret" not in str(told.value)
    assert not Draft202012Validator(json_schema()).is_valid(yaml.safe_load(text))


def test_items_may_look_like_addresses():
    assert BasketRecipe.parse(SHORT.replace("'re:^health'", "['http://a/b']")).sensitive == ("http://a/b",)
    assert BasketRecipe.parse(SHORT.replace("^health", "^http://")).sensitive == "re:^http://"


def test_a_password_is_not_kept():
    recipe = BasketRecipe.parse(SHORT.replace("clicks.txt", "'postgresql://ann:pass@db/clinic'"))
    assert "pass@" not in recipe.without_secrets().to_yaml()
    assert recipe.baskets.path == "postgresql://ann:pass@db/clinic"
