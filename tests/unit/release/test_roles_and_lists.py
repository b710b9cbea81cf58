"""Roles that are given: lists and patterns in recipes and on the command line, and columns that are dropped."""

import json
from fnmatch import fnmatchcase

import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import sudare as sd
from sudare.anonymize.protocol import Outcome
from sudare.cli import main
from sudare.describe.kinds import Role
from sudare.describe.table import roles_by_name
from sudare.errors import DescriptionError, ParameterError, SudareError
from sudare.release.recipe.draft import TableDraft, draft_of
from sudare.release.recipe.table import Recipe, json_schema
from sudare.verify.leftovers import check_leftovers
from sudare.verify.verify import verify_frame

WIDE = "".join(f",q_{number}" for number in range(50))
HEAD = "id,age,sex,zip,zip4,disease,remarks,score,w,drop" + WIDE
LINES = [
    f"P{row:05},{20 + row % 50},{'FM'[row % 2]},{10000 + row % 7},{row % 3:04},{('flu', 'gout', 'asthma')[row % 3]},"
    f"secret{row},{row % 11},1.5,{'xy'[row % 2]}" + f",{row % 4}" * 50
    for row in range(200)
]
RECIPE = """
source: {path: wide.csv}
columns:
  age: {role: quasi}
  quasi: [sex, "zip*"]
  sensitive: disease
  identifier: [id]
  drop: [remarks, "q_*", score, w, drop]
requirements: [k-anonymity k=5]
output: {folder: out}
"""


@pytest.fixture
def wide(tmp_path):
    (tmp_path / "wide.csv").write_text("\n".join([HEAD, *LINES]) + "\n")
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    return tmp_path


def sudare(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


# Names and patterns


NAMES = st.lists(st.text("ab*?[]", min_size=1, max_size=4), min_size=1, max_size=8, unique=True)


@given(NAMES, st.dictionaries(st.sampled_from(["quasi", "drop", "sensitive"]), NAMES))
def test_roles_by_name_are_those_of_a_plain_loop(names, lists):
    """The twin asks of every column which lists have it, by its own name or else by a pattern."""
    expected: dict[str, str] = {}
    fits = True
    for role, entries in lists.items():
        for entry in entries:
            found = [name for name in names if name == entry] or [n for n in names if fnmatchcase(n, entry)]
            fits = fits and bool(found)
            for name in found:
                fits = fits and expected.setdefault(name, role) == role
    if fits:
        assert roles_by_name(lists, names) == expected
    else:
        with pytest.raises(DescriptionError):
            roles_by_name(lists, names)


def test_the_case_of_a_pattern_is_as_written():
    assert roles_by_name({"drop": ["Q*"]}, ["Q1", "q1"]) == {"Q1": "drop"}
    with pytest.raises(
        DescriptionError, match=r"No column matches the pattern 'Zip\*'; did you mean 'zip4'\?"
    ):
        roles_by_name({"quasi": ["Zip*"]}, ["zip4"])


# Recipes


def test_a_recipe_lists_columns_under_their_role(wide):
    recipe = Recipe.load(wide / "recipe.yaml")
    table = recipe.read()
    assert table.names("quasi") == ["age", "sex", "zip", "zip4"]
    assert table.names("sensitive") == ["disease"]
    assert len(table.names("drop")) == 54
    assert Recipe.parse(recipe.to_yaml()) == recipe
    assert recipe.to_dict()["columns"]["quasi"] == ["sex", "zip*"]
    assert list(Draft202012Validator(json_schema()).iter_errors(yaml.safe_load(RECIPE))) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "remarks,",
            "remarks, age,",
            "Column 'age' is described twice under columns, by itself and in the list 'drop'",
        ),
        ("remarks,", "remarks, id,", "in the list 'identifier' and in the list 'drop'; keep one of them."),
        (
            "drop: [rem",
            "dorp: [rem",
            "has a list under 'dorp', but only a role has a list of columns; did you mean",
        ),
        ("[id]", "[7]", "'names.0' is 7, but it should be a text"),
    ],
)
def test_a_wrong_list_is_told_before_anything_is_read(old, new, sentence):
    with pytest.raises(ParameterError, match=r".") as error:
        Recipe.parse(RECIPE.replace(old, new, 1))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            '"zip*"',
            '"zip*", "a*"',
            "Column 'age' is described twice under columns, by itself and in the list 'quasi'",
        ),
        ('"q_*"', '"q_*", "z*"', "Column 'zip' is given two roles, quasi and drop; keep one of them."),
        ('"q_*"', '"r_*"', "No column matches the pattern 'r_*'; "),
        ("score", "scores", "There is no column 'scores'; did you mean 'score'?"),
        ("score,", "", "The recipe gives no role to column 'score'; "),
    ],
)
def test_a_list_that_does_not_fit_the_table_is_told(wide, old, new, sentence):
    recipe = Recipe.parse(RECIPE.replace(old, new, 1), folder=wide)
    with pytest.raises(SudareError, match=r".") as error:
        recipe.read()
    assert sentence in str(error.value)


def test_a_column_may_be_named_like_a_role():
    text = RECIPE.replace("drop]", '"no"]').replace("age: {role: quasi}", "weight: {role: quasi}")
    assert Recipe.parse(text).columns["weight"].role == "quasi"


def test_a_crosstab_of_a_dropped_column_is_refused():
    text = RECIPE.replace("{folder: out}", "{folder: out, crosstab: [remarks]}")
    with pytest.raises(ParameterError, match="'remarks', which is dropped and therefore not released"):
        Recipe.parse(text)


# Dropped columns


def test_a_dropped_column_is_left_out_and_not_called_an_identifier(wide, capsys):
    code, _, err = sudare(capsys, "run", wide / "recipe.yaml", "--out", wide / "out")
    assert (code, err) == (0, "")
    data = (wide / "out/public/data.csv").read_text()
    assert data.splitlines()[0] == "age,sex,zip,zip4,disease"
    assert "secret" not in data
    internal = json.loads((wide / "out/internal/manifest.json").read_text())
    assert internal["left_out"]["identifier"] == ["id"]
    assert internal["left_out"]["drop"][:2] == ["remarks", "score"]
    assert "left_out" not in json.loads((wide / "out/public/manifest.json").read_text())
    notes = internal["notes"]
    assert [note for note in notes if "the identifier" in note] == ["Removed the identifier id."]
    assert any(note.startswith("Removed the columns remarks, score, w, drop") for note in notes)
    assert sudare(capsys, "check", wide / "out", "--original", wide / "wide.csv")[0] == 0


def test_the_verifier_finds_a_dropped_column_in_the_data(wide, capsys):
    assert sudare(capsys, "run", wide / "recipe.yaml", "--out", wide / "out")[0] == 0
    for part in ("public", "internal"):
        place = wide / "out" / part / "manifest.json"
        manifest = json.loads(place.read_text())
        manifest["left_out"] = {"drop": ["disease"]}
        place.write_text(json.dumps(manifest))
    code, out, _ = sudare(capsys, "check", wide / "out")
    assert code == 1
    assert "The data still contain the column disease, which was to be left out." in " ".join(out.split())
    columns = {"a": {"role": "drop", "kind": "string"}, "b": {"role": "quasi", "kind": "string"}}
    finding = verify_frame(pl.DataFrame({"a": ["x"], "b": ["y"]}), columns, [])[0]
    assert not finding.holds


def test_the_leftovers_search_includes_values_of_dropped_columns(wide):
    original = Recipe.load(wide / "recipe.yaml").read()
    texts = pl.Enum(["x", *original.frame["remarks"]])
    released = pl.DataFrame({"disease": pl.Series(["x"] * 5, dtype=texts)})
    place = wide / "data.arrow"
    released.write_ipc(place)
    finding = check_leftovers(place, pl.read_ipc(place.read_bytes()), original.frame)
    assert not finding.holds
    assert "remarks" in finding.sentence


class _Publishes:
    """A method of somebody's that makes a dropped column harmless."""

    def apply(self, table, context):
        from dataclasses import replace

        columns = [
            replace(column, role="insensitive") if column.role == "drop" else column
            for column in table.columns
        ]
        return Outcome(table.changed(columns=columns), None, ())


def test_a_method_cannot_publish_a_dropped_column():
    table = sd.read(sd.hospital(100)).describe(quasi=["sex"], drop=["name"], identifier=["patient_id"])
    with pytest.raises(ParameterError, match="changes the role of column 'name' from drop to insensitive"):
        sd.anonymize(table, sd.KAnonymity(2), method=[_Publishes(), sd.Mondrian()])


def test_a_dropped_column_may_contain_anything():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "b": [float("inf"), 1.0, 2.0, 3.0], "c": [[1], [2], [3], None]})
    table = sd.read(frame).describe(quasi=["a"], drop=["b", "c"])
    release = sd.anonymize(table, sd.KAnonymity(2), seed=1)
    assert release.table.frame.columns == ["a"]
    assert "inf" not in table._repr_html_()


def test_pseudonyms_of_a_dropped_column_are_refused():
    table = sd.read(sd.hospital(100)).describe(quasi=["sex"], drop=["name"])
    with pytest.raises(ParameterError, match="the role of column 'name' is drop"):
        sd.anonymize(table, sd.KAnonymity(2), method=[sd.Pseudonymize(("name",)), sd.Mondrian()])


# The command line


def test_describe_takes_roles_and_writes_a_short_recipe(wide, capsys):
    place = wide / "draft.yaml"
    code, out, _ = sudare(
        capsys, "describe", wide / "wide.csv", "--quasi", "age,sex,zip*", "--sensitive", "disease",
        "--identifier", "id", "--insensitive", "score", "--weight", "w", "--rest", "drop", "-o", place,
    )  # fmt: skip
    assert code == 0
    assert "You gave it this role." in out
    text = place.read_text()
    assert len(text.splitlines()) < 35
    columns = yaml.safe_load(text)["columns"]
    assert columns["zip"]["hierarchy"] == {"type": "mask"}
    assert columns["identifier"] == ["id"]
    assert columns["sensitive"] == ["disease"]
    assert columns["insensitive"] == ["score"]
    assert columns["weight"] == ["w"]
    assert columns["drop"][:2] == ["remarks", "drop"]
    assert sudare(capsys, "run", place, "--out", wide / "out")[0] == 0


@pytest.mark.parametrize("rest", ["drop", "insensitive", "quasi", "identifier", "guess"])
def test_the_rest_gets_one_role(wide, rest):
    table = sd.read(wide / "wide.csv")
    role = None if rest == "guess" else rest
    guesses = {guess.column: guess for guess in sd.guess_roles(table, {"sensitive": ["disease"]}, role)}
    assert guesses["disease"].confidence == 1
    if rest != "guess":
        assert {guess.role for name, guess in guesses.items() if name != "disease"} == {rest}
    else:
        assert guesses["id"].role == "identifier"


def test_explain_writes_reasons_above_single_columns(wide, capsys):
    assert sudare(capsys, "describe", wide / "wide.csv", "-o", wide / "long.yaml", "--explain")[0] == 0
    text = (wide / "long.yaml").read_text()
    assert "  # The name refers to age, which an outsider could know.\n  age:\n    role: quasi\n" in text
    assert len(Recipe.load(wide / "long.yaml").columns) == 60


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--quasi", "agee"], "There is no column 'agee'; did you mean 'age'?"),
        (["--drop", "r_*"], "No column matches the pattern 'r_*'; "),
        (
            ["--quasi", "a*", "--drop", "age"],
            "Column 'age' is given two roles, quasi and drop; keep one of them.",
        ),
        (
            ["--rest", "weight"],
            "--rest is 'weight', but it must be one of drop, insensitive, quasi, identifier, guess",
        ),
        (["--quasi", "age", "--baskets"], "Roles were given to columns, but baskets have none"),
        (["--weight", "w,age"], "Columns 'age' and 'w' are both weights"),
    ],
)
def test_wrong_roles_are_one_sentence(wide, capsys, options, sentence):
    code, _, err = sudare(capsys, "describe", wide / "wide.csv", "-o", wide / "new.yaml", *options)
    assert code == 2
    assert sentence in " ".join(err.split())
    assert not (wide / "new.yaml").exists()


def test_an_unknown_role_in_python_is_one_sentence():
    with pytest.raises(DescriptionError, match=r"'quasy' is not a role; did you mean 'quasi'\?"):
        sd.guess_roles(sd.hospital(100), {"quasy": ["age"]})


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_drafted_recipe_reads_back_whatever_its_columns_are_called(tmp_path, language):
    names = ["drop", "quasi", "a,b", "x: y", "#", "*", "- no", "on", "3", "長い" * 90, "'q'", '"', "{", "a?"]
    frame = pl.DataFrame(
        {name: [number % (place + 2) for number in range(60)] for place, name in enumerate(names)}
    )
    frame.write_csv(tmp_path / "odd.csv")
    roles = {"drop": ["a,b", "3", "a?"], "sensitive": ["*"]}
    draft = draft_of(
        str(tmp_path / "odd.csv"), {"header": True}, roles=roles, language=language, folder=tmp_path
    )
    draft.write(tmp_path / "odd.yaml", overwrite=False)
    table = Recipe.load(tmp_path / "odd.yaml").read()
    assert isinstance(draft, TableDraft)
    found = {guess.column: guess.role for guess in draft.guesses}
    assert {column.name: column.role for column in table.columns} == found
    assert table.names("drop") == ["a,b", "3", "a?"]
    assert table.names("sensitive") == ["*"]


def test_every_role_has_an_option_and_a_keyword():
    from inspect import signature
    from typing import get_args

    from sudare.cli.describe_command import command
    from sudare.describe.table import Table

    for role in get_args(Role):
        assert role in signature(command).parameters
        assert role in signature(Table.describe).parameters
