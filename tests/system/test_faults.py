"""Tables, recipes and releases that are wrong: one clear sentence, a non-zero exit code, nothing written."""

import json
import os
from pathlib import Path

import polars as pl
import pytest
from tests.system.conftest import PATIENTS, RECIPE, one_sentence

from sudare.release.ledger.ledger import Ledger


def events():
    return [entry.event for entry in Ledger().entries()]


# Tables


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "is empty"),
        (b"\n\n\n", "is empty"),
        (b"name,age,sex,zip,disease\n", "no rows"),
        (bytes(range(256)) * 20, "does not look like text"),
        (b"\x89PNG\r\n\x1a\n" + os.urandom(3000), ""),
        (PATIENTS.replace("sex", "age").encode(), "two columns named 'age'"),
        (PATIENTS.replace("Person007", "Person\x00007").encode(), "NUL character in line 9"),
        (PATIENTS.replace("Person007,", "Person007,extra,").encode(), "Line 9 of 'patients.csv' has 6 cells"),
        (PATIENTS.replace("Person007", '"Person007').encode(), "line"),
        (PATIENTS.replace("name,", "").encode(), "Line 2"),
        (PATIENTS.encode("utf-16")[:-1], "utf-16"),
    ],
    ids=[
        "empty",
        "blank lines",
        "header only",
        "binary",
        "picture",
        "same name twice",
        "NUL",
        "ragged",
        "open quote",
        "short header",
        "cut UTF-16",
    ],
)
def test_table_that_is_no_table(job, fails, content, part):
    (job / "patients.csv").write_bytes(content)
    assert part in fails(2, "run", "recipe.yaml")
    assert events() == ["started", "failed"]


@pytest.mark.parametrize("content", [b"", b"a,a\n1,2\n", b"a\n1\x002\n", b"a,b\n1\n"])
def test_describe_of_no_table_writes_no_recipe(job, fails, content):
    (job / "patients.csv").write_bytes(content)
    fails(2, "describe", "patients.csv")


def test_describe_of_a_header_only(job, command):
    (job / "patients.csv").write_text("a,b\n", encoding="utf-8")
    result = command("describe", "patients.csv")
    assert result.code in {0, 2}
    if result.code:
        one_sentence(result.err)
        assert not (job / "patients.recipe.yaml").exists()


def test_missing_file(job, fails):
    (job / "patients.csv").unlink()
    assert "There is no file" in fails(2, "run", "recipe.yaml")
    assert "There is no file" in fails(2, "describe", "absent.csv")
    assert "cannot be read" in fails(2, "run", "absent.yaml")
    assert "There is no folder" in fails(2, "check", "absent")
    assert "is a folder" in fails(2, "describe", ".")


def test_wrong_encoding(job, fails, edit):
    (job / "patients.csv").write_text(PATIENTS.replace("Person007", "山田太郎"), encoding="utf-8")
    for name in ("ascii", "euc_jp", "utf-32"):
        assert name in fails(2, "describe", "patients.csv", "--encoding", name)
    assert "klingon" in fails(2, "describe", "patients.csv", "--encoding", "klingon")
    edit("path: patients.csv", "path: patients.csv, encoding: ascii")
    assert "is not valid ascii in line 9" in fails(2, "run", "recipe.yaml")


def test_wrong_delimiter(fails):
    assert "delimiter" in fails(2, "describe", "patients.csv", "--delimiter", "ab")


@pytest.mark.slow
def test_ten_thousand_columns(command, tmp_path):
    names = ["age", "disease", *(f"c{number}" for number in range(9_998))]
    rows = [[str(row % 4), "ab"[row // 4 % 2], *["x"] * 9_998] for row in range(24)]
    text = "\n".join(",".join(cells) for cells in [names, *rows])
    (tmp_path / "wide.csv").write_text(text, encoding="utf-8")
    columns = {name: {"role": "insensitive"} for name in names}
    columns |= {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}}
    recipe = {
        "source": {"path": "wide.csv"},
        "columns": columns,
        "requirements": [{"type": "k-anonymity", "k": 3}],
        "output": {"folder": "release", "reports": []},
    }
    (tmp_path / "recipe.yaml").write_text(json.dumps(recipe), encoding="utf-8")
    command.done("run", "recipe.yaml")
    assert len(pl.read_csv(tmp_path / "release/public/data.csv", infer_schema=False).columns) == 10_000


# Recipes


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("version: 1", "version: [1", ["not valid YAML", "line"]),
        ("version: 1", "version: 1\nversion: 1", ["'version' is given twice"]),
        ("  name:", "  age: {role: quasi}\n  name:", ["'age' is given twice"]),
        ("version: 1", "version: 2", ["version", "1"]),
        ("version: 1", "verison: 1", ["verison"]),
        ("output: {folder: release,", "output: {folder: release, colour: red,", ["colour"]),
        ("name: {role: identifier}", "name: {role: ident}", ["ident", "identifier"]),
        ("name: {role: identifier}", "name: {}", ["name", "without a role", "identifier"]),
        ("type: mondrian", "type: mondrain", ["mondrain", "did you mean 'mondrian'?"]),
        ("type: mondrian", "type: mondrian, relax: true", ["relax", "did you mean 'relaxed'?"]),
        ("type: l-diversity", "type: l-diversty", ["did you mean 'l-diversity'?"]),
        ("k: 5", "k: five", ["five", "k"]),
        ("k: 5", "k: 0", ["k", "0"]),
        ("k: 5", "", ["k", "missing"]),
        ("type: intervals", "type: interval", ["age", "did you mean 'intervals'?"]),
        ("width: 5", "width: -5", ["age", "-5"]),
        ("reports: []", "reports: [private]", ["private"]),
        ("reports: []", "language: fr", ["fr"]),
        ("reports: []", "format: xml", ["xml"]),
        ("method:", "measures: [los]\nmethod:", ["los", "did you mean 'loss'?"]),
        ("requirements: [{type: k-anonymity, k: 5}, {type: l-diversity, l: 2}]\n", "", ["requirements"]),
        ("output: {folder: release, reports: []}\n", "", ["output", "missing"]),
    ],
)
def test_recipe_that_is_none(fails, edit, old, new, parts):
    edit(old, new)
    for command_name in ("run", "assess"):
        sentence = fails(2, command_name, "recipe.yaml")
        assert all(part in sentence for part in parts), sentence
    assert not Path("ledger.sqlite").exists() or events() == []


@pytest.mark.parametrize(
    "content", [b"", b"- a\n- b\n", b"just words", b"\xff\xfe\xfa", b"a: !!python/none x", b"a: \x00"]
)
def test_file_that_is_no_recipe(job, fails, content):
    (job / "recipe.yaml").write_bytes(content)
    fails(2, "run", "recipe.yaml")


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        (
            "  disease: {role: sensitive}\n",
            "  disease: {role: sensitive}\n  blood: {role: quasi}\n",
            ["blood"],
        ),
        ("  sex: {role: quasi, hierarchy: {type: suppress}}\n", "", ["no role to column 'sex'"]),
        (
            "hierarchy: {type: suppress}",
            "hierarchy: {type: tree, mapping: {any: [M, X]}}",
            ["sex", "F"],
        ),
        ("hierarchy: {type: suppress}", "hierarchy: {type: csv, path: absent.csv}", ["absent.csv"]),
        ("disease: {role: sensitive}", "disease: {role: insensitive}", ["sensitive"]),
        ("type: mondrian", "type: pseudonyms, columns: [name], key_file: absent.key", ["absent.key"]),
        ("type: mondrian", "type: pseudonyms, columns: [nme]", ["nme"]),
        ("l: 2", "l: 2, sensitive: [diesease]", ["diesease"]),
        ("age: {role: quasi,", "age: {role: quasi, kind: date,", ["age"]),
    ],
    ids=[
        "column missing in the table",
        "column missing in the recipe",
        "value not covered",
        "hierarchy file missing",
        "no sensitive column",
        "key file missing",
        "column of a method unknown",
        "column of a requirement unknown",
        "kind does not fit",
    ],
)
def test_recipe_that_does_not_fit_the_table(fails, edit, old, new, parts):
    edit(old, new)
    sentence = fails(2, "run", "recipe.yaml")
    assert all(part in sentence for part in parts), sentence
    assert events() == ["started", "failed"]


def test_no_quasi_identifier(job, fails):
    text = RECIPE.replace("role: quasi", "role: insensitive")
    (job / "recipe.yaml").write_text(text, encoding="utf-8")
    assert "quasi-identifier" in fails(2, "run", "recipe.yaml")


def test_missing_value_where_it_is_refused(job, fails, edit):
    (job / "patients.csv").write_text(PATIENTS.replace(",M,", ",,", 1), encoding="utf-8")
    edit("hierarchy: {type: suppress}", "hierarchy: {type: suppress}, missing: reject")
    assert "sex" in fails(2, "run", "recipe.yaml")


def test_more_asked_than_there_is(fails):
    assert "61" in fails(1, "run", "recipe.yaml", "--require", "k-anonymity k=61")
    assert events() == ["started", "failed"]
    fails(1, "run", "recipe.yaml", "--require", "l-diversity l=5")


# Releases


@pytest.fixture
def release(job, command):
    command.done("run", "recipe.yaml")
    return job / "release"


def test_manifest_that_was_tampered_with(release, command):
    path = release / "public/manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["requirements"][0]["k"] = 50
    path.write_text(json.dumps(manifest), encoding="utf-8")
    result = command("check", "release")
    assert (result.code, result.err) == (1, "")
    assert "✗" in result.out


def test_manifest_with_another_digest(release, command):
    path = release / "public/manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["data"]["sha256"] = "0" * 64
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert command("check", "release").code == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("no JSON", "{"),
        ("a list", "[]"),
        ("nothing", ""),
        ("no data", '{"format": 1}'),
        ("newer", '{"format": 99}'),
        ("outside", "../../patients.csv"),
        ("deep", "[" * 100_000),
    ],
    ids=lambda value: value if len(value) < 12 else "",
)
def test_manifest_that_is_broken(release, fails, name, content):
    path = release / "public/manifest.json"
    if name == "outside":
        manifest = json.loads(path.read_text(encoding="utf-8"))
        manifest["data"]["file"] = content
        content = json.dumps(manifest)
    path.write_text(content, encoding="utf-8")
    assert "manifest" in fails(2, "check", "release")
    assert "manifest" in fails(2, "measure", "patients.csv", "release")


@pytest.mark.parametrize("change", ["a cell", "a row less", "cut", "empty", "binary"])
def test_data_that_were_edited(release, command, change):
    path = release / "public/data.csv"
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    changed = {
        "a cell": data.replace(b"flu", b"cold", 1),
        "a row less": b"".join(lines[:-1]),
        "cut": data[: len(data) // 2],
        "empty": b"",
        "binary": bytes(range(256)) * 10,
    }
    path.write_bytes(changed[change])
    result = command("check", "release")
    assert result.code in {1, 2}
    if result.code == 2:
        one_sentence(result.err)
    else:
        assert "does not match the manifest" in " ".join(result.out.split())


def test_data_that_are_missing(release, fails):
    (release / "public/data.csv").unlink()
    assert "data.csv" in fails(2, "check", "release")
