"""Faults of a recipe's YAML in plain words, whichever of PyYAML's two parsers found them."""

from __future__ import annotations

import pytest
import yaml

from sudare.errors import InputError
from sudare.release.recipe.parts import parse_yaml
from sudare.release.recipe.yaml_faults import fault_in_words

PARSERS = [getattr(yaml, name) for name in ("CSafeLoader", "SafeLoader") if hasattr(yaml, name)]

FAULTS = {
    "a tab": (
        "version: 1\nsource:\n  path: a.csv\n\tformat: csv\n",
        "Line 4 is indented with a tab; use spaces.",
    ),
    "a tab after spaces": (
        "columns:\n  age:\n  \trole: quasi\n",
        "Line 3 is indented with a tab; use spaces.",
    ),
    "a tab after a dash": (
        "method:\n  -\ttype: mondrian\n",
        "Line 2 contains a tab between its parts; use spaces.",
    ),
    "an open quote": (
        "version: 1\nsource: {path: 'a.csv}\ncolumns: {}\n",
        "The quote that opens in line 2 is never closed; close it.",
    ),
    "a quote that another closes": (
        'source:\n  path: "a.csv\nname: "b"\n',
        "Line 3 goes on after a closing quote or bracket; check the quotes and brackets in it and in the lines above.",
    ),
    "an apostrophe": (
        "label: 'it's'\n",
        "Line 1 goes on after a closing quote or bracket; check the quotes and brackets in it and in the lines above.",
    ),
    "an open bracket": (
        "requirements: [{type: k-anonymity, k: 5}\nmethod: {type: mondrian}\n",
        "The '[' in line 1 is not closed, or a comma is missing after it; add ']' or the comma.",
    ),
    "an open brace": (
        "version: 1\nsource: {path: a.csv\ncolumns: {}\n",
        "The '{' in line 2 is not closed, or a comma is missing after it; add '}' or the comma.",
    ),
    "an open bracket at the end": (
        "version: 1\nmethod: [mondrian,\n",
        "The file ends in line 2 before every bracket is closed; add the missing ']' or '}'.",
    ),
    "a comma left out": (
        "source: {path: a.csv format: csv}\n",
        "The '{' in line 1 is not closed, or a comma is missing after it; add '}' or the comma.",
    ),
    "a bracket too many": (
        "source: {path: a.csv}}\nversion: 1\n",
        "Line 1 goes on after a closing quote or bracket; check the quotes and brackets in it and in the lines above.",
    ),
    "no space after the first colon": (
        "version:1\nsource: {path: a.csv}\n",
        "Line 1 has no space after the colon; write 'name: value'.",
    ),
    "no space after the last colon": (
        "source:\n  format: csv\n  path:a.csv\nversion: 1\n",
        "Line 3 has no space after the colon; write 'name: value'.",
    ),
    "no colon": (
        "version: 1\nsource\ncolumns: {}\n",
        "Line 2 is not of the form 'name: value'; write a colon and a space after the name.",
    ),
    "a colon in a value": (
        "version: 1\nlabel: age: young\n",
        "Line 2 has a second colon followed by a space; put the value in quotes.",
    ),
    "too little indentation": (
        "source:\n    path: a.csv\n  format: csv\n",
        "Line 3 is not indented like the lines it belongs to; align it with them.",
    ),
    "too much indentation": (
        "source:\n  path: a.csv\n    format: csv\n",
        "Line 3 is not indented like the lines it belongs to; align it with them.",
    ),
    "the first line alone is indented": (
        " version: 1\nsource: {path: a.csv}\n",
        "Line 2 is not indented like the lines it belongs to; align it with them.",
    ),
    "no dash": (
        "method:\n  - mondrian\n  shuffling: {}\n",
        "Line 3 is in a list but does not begin with '- '; add the dash, or change the indentation.",
    ),
    "a sign": (
        "source:\n  path: @data.csv\n",
        "Line 2 has a value that begins with '@', which has a meaning of its own in YAML; put the value in quotes.",
    ),
    "a star": (
        "source: {path: *.csv}\n",
        "Line 1 has a value that begins with '*', which has a meaning of its own in YAML; put the value in quotes.",
    ),
    "a name that nothing has": (
        "source: *path\n",
        "Line 1 has a value that begins with '*', which has a meaning of its own in YAML; put the value in quotes.",
    ),
    "a path of Windows": (
        'source: {path: "C:\\data.csv"}\n',
        (
            "Line 1 has a backslash in double quotes that does not begin a known escape; use single quotes, or double the "
            "backslash."
        ),
    ),
    "two documents": (
        "version: 1\n---\nversion: 1\n",
        "A recipe is one document, but line 2 begins a second one; remove the '---' there.",
    ),
    "a control character": (
        "label: \x01\n",
        "It contains the character U+0001, which YAML does not allow; remove it.",
    ),
}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_in_plain_words(fault, parser):
    text, said = FAULTS[fault]
    with pytest.raises(yaml.YAMLError) as error:
        yaml.load(text, parser)  # one of the safe loaders
    assert fault_in_words(error.value, text) == said


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sentence_names_the_recipe(fault):
    text, said = FAULTS[fault]
    with pytest.raises(InputError) as error:
        parse_yaml(text, "r.yaml")
    assert str(error.value) == f"The recipe 'r.yaml' is not valid YAML. {said}"
    assert error.value.into("ja").startswith("レシピ「r.yaml」は正しい YAML ではありません。")


def test_a_key_given_twice():
    with pytest.raises(
        InputError, match=r"'age' is given twice, the second time in line 4; keep one of them\."
    ):
        parse_yaml("columns:\n  age: {role: quasi}\n  sex: {role: quasi}\n  age: {role: quasi}\n", "r.yaml")


def test_other_faults_keep_the_words_of_the_parser():
    with pytest.raises(InputError, match=r"Line 1: could not determine a constructor for the tag '!x'\."):
        parse_yaml("a: !x y\n", "r.yaml")
