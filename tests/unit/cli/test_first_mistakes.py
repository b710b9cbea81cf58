"""What people get wrong in their first hour: one sentence each that names what was given and what to do, exit code 2."""

import gzip
import zipfile
from typing import Any

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.read.text import document_kind

RECIPE = """version: 1
source: {path: people.csv}
columns: {age: {role: quasi}, sexx: {role: quasi}}
requirements: [k-anonymity k=2]
output: {folder: out}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n30,f\n40,m\n40,m\n", encoding="utf-8")
    (tmp_path / "people.yaml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "people.yaml"], "There is no column 'sexx'; did you mean 'sex'?"),
        (
            ["run", "people.csv"],
            "'people.csv' is a data file, not a recipe; `sudare describe people.csv` drafts",
        ),
        (["assess", "people.csv"], "'people.csv' is a data file, not a recipe"),
        (
            ["describe", "people.yaml"],
            "'people.yaml' is a recipe, not data; run it with `sudare run people.yaml`",
        ),
    ],
)
def test_one_sentence(here, arguments, sentence, capsys):
    before = sorted(here.iterdir())
    assert main(arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert sorted(here.iterdir()) == before


def test_a_tab_in_a_recipe_is_named(here, capsys):
    (here / "tab.yaml").write_text("version: 1\nsource:\n\tpath: people.csv\n", encoding="utf-8")
    assert main(["run", "tab.yaml"]) == 2
    assert "Line 3 is indented with a tab; use spaces." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("encoding", "name"), [("cp932", "Shift_JIS"), ("euc_jp", "EUC-JP"), ("utf-16", "utf-16")]
)
def test_a_wrong_encoding_is_told_with_the_one_it_looks_like(here, encoding, name, capsys):
    text = "名前,住所,年齢\n山田太郎,東京都千代田区,30\n鈴木花子,大阪市北区,40\n"
    (here / "people.csv").write_bytes(text.encode(encoding))
    assert main(["describe", "people.csv", "--encoding", "utf-8"]) == 2
    assert f"it looks like {name}" in " ".join(capsys.readouterr().err.split())


def word(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    return path.read_bytes()


def test_documents_are_named(here, capsys):
    documents = {
        "pdf": b"%PDF-1.7 ...",
        "image": b"\x89PNG\r\n\x1a\n",
        "archive": gzip.compress(b"age\n1\n"),
        "page": b"\xef\xbb\xbf <!DOCTYPE HTML><html></html>",
        "office": word(here / "w.docx"),
    }
    for kind, content in documents.items():
        assert document_kind(content) == kind
        (here / "table.csv").write_bytes(content)
        assert main(["describe", "table.csv", "--out", "new.yaml"]) == 2
        assert "which Sudare cannot read as a table" in " ".join(capsys.readouterr().err.split())
        assert not (here / "new.yaml").exists()
    assert document_kind(b"age,sex\n1,f\n") is None
    assert document_kind(b"") is None


def test_a_list_of_requirements_is_taken():
    table = sd.read(pl.DataFrame({"age": [1, 1, 2, 2]})).describe(quasi=["age"])
    asked: list[Any] = [sd.KAnonymity(2), "k-anonymity k=1"]
    assert sd.anonymize(table, asked).requirements == (sd.KAnonymity(2), sd.KAnonymity(1))
    assert sd.assess(table, asked).feasible


def test_what_nobody_expected_is_one_sentence_too(monkeypatch, capsys):
    def broken():
        raise KeyError("methods")

    monkeypatch.setattr("sudare.cli.schema_command.command", broken)
    assert main(["schema"]) == 3
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "KeyError: 'methods'" in said
    assert "SUDARE_TRACEBACK=1" in said
    monkeypatch.setenv("SUDARE_TRACEBACK", "1")
    with pytest.raises(KeyError):
        main(["schema"])
