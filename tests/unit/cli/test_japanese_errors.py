"""Errors in the language of the command: `--lang ja`, or the recipe's language where `run` was told nothing else."""

from __future__ import annotations

import json
import re
import sqlite3

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import CancelledError
from sudare.release.ledger.ledger import Ledger

RECIPE = """\
version: 1
source: {path: people.csv}
columns:
  age: {role: quasi}
  ill: {role: sensitive}
requirements: [{type: k-anonymity, k: 2}]
output: {folder: release, reports: []}
"""
ENGLISH_WORDS = re.compile(r"[A-Za-z]{2,}[ ,;:.]+[A-Za-z]{2,}")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "ledger.sqlite"))
    ages = [20 + row % 5 for row in range(40)]
    pl.DataFrame({"age": ages, "ill": ["a", "b"] * 20}).write_csv("people.csv")
    (tmp_path / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").touch()
    (tmp_path / "empty.csv").write_text("age,ill\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def refused(folder, capsys):
    """Call a command that must fail; the one sentence it says."""

    def call(*arguments, code=2):
        assert main(list(arguments)) == code
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith("sudare: ")
        assert told.err.count("\n") == 1
        return told.err.removeprefix("sudare: ").rstrip("\n")

    return call


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rum"], "「rum」というコマンドはありません。「run」のことですか。"),
        (["describe", "absent.csv"], "「absent.csv」というファイルはありません。パスを確認してください。"),
        (["describe", "empty.csv"], "「empty.csv」には列が 2 列ありますが、行がないため"),
        (["describe", "people.csv", "-o", "recipe.yaml"], "「recipe.yaml」はすでにあります。"),
        (["run", "absent.yaml"], "レシピ「absent.yaml」を読めません"),
        (["run", "recipe.yaml", "--out", "taken"], "はすでにあり、空ではありません。"),
        (["run", "recipe.yaml", "--out", "taken", "--overwrite"], "公開データではないファイルがあります"),
        (["run", "recipe.yaml", "--out", "people.csv"], "はファイルですが、公開データはフォルダです。"),
        (["run", "recipe.yaml", "--method", "mondrain"], "「mondrain」という方法はありません。「mondrian」"),
        (["run", "recipe.yaml", "--require", "k-anonymity k=0"], "k-anonymity：「k」が '0' ですが"),
        (["assess"], "引数「recipe」がありません。`sudare assess --help`"),
        (["run"], "実行するレシピがありません。`sudare run recipe.yaml` のように指定してください"),
        (
            ["run", "recipe.yaml", "--retry", "out"],
            "--retry には、レシピの代わりに公開データのフォルダを指定します。",
        ),
        (["run", "recipe.yaml", "--nope"], "--nope というオプションはありません。`sudare run --help`"),
        (
            ["check", "people.csv", "--quasi", "age"],
            "--require が少なくとも一つ必要です。`sudare check --help`",
        ),
        (["check", "release", "--require", "k-anonymity k=2"], "--require は、--quasi とデータファイルと"),
        (["check", "release", "--layout", "lines"], "--original も指定してください。`sudare check --help`"),
        (["demo", "--rows", "5"], "--rows が「5」ですが、100 以上でなければなりません。"),
        (["demo", "--rows", "x"], "--rows が「x」ですが、整数でなければなりません。"),
        (["crosstab", "x"], "オプション --by がありません。"),
        (["run", "a", "b", "c"], "引数が多すぎます（"),
        (["catalogue", "mondrain"], "「mondrain」はカタログにありません。「mondrian」のことですか。"),
        (["ledger", "--ledger", "none.sqlite"], "「none.sqlite」という台帳はありません。"),
        (["compare", "taken"], "「taken」に、リスクの数値を記した内部用マニフェストがありません。"),
        (["crosstab", "none", "--by", "age"], "「none」というフォルダもファイルもありません。"),
        (["crosstab", "people.csv", "--by", "age", "--bins", "age"], "--bins が「age」ですが、"),
        (
            ["crosstab", "people.csv", "--by", "age", "--bins", "age=quantile:x"],
            "'quantile:' の後には区間の数",
        ),
        (["crosstab", "people.csv", "--by", "age", "--mechanism", "age"], "--mechanism が「age」ですが、"),
        (["crosstab", "people.csv", "--by", "ill", "--plot", "x.gif"], "「x.gif」の末尾が .svg、.png、.html"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("option", [["--lang", "ja"], ["--lang=ja"]], ids=["apart", "joined"])
def test_a_wrong_use_in_japanese(refused, arguments, sentence, option):
    said = refused(*arguments, *option)
    assert sentence in said
    assert said.endswith("。")
    # What remains English was typed.
    quoted = re.sub(r"「[^」]*」|'[^']*'|`[^`]*`|（[^）]*）|--[\w-]+|age=\S+", "", said)
    assert not ENGLISH_WORDS.search(quoted), said


def test_the_language_itself(refused):
    assert refused("demo", "--lang", "fr") == (
        "--lang is 'fr', but only en and ja are available; see `sudare demo --help`."
    )
    assert refused("demo", "--lang", "ja", "--lang", "fr").startswith("--lang is 'fr'")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("version: 1\nsource:\n\tpath: a.csv\n", "3 行目がタブで字下げされています。空白を使ってください。"),
        (RECIPE + "version: 1\n", "'version' が二度指定されています（二度目は 8 行目）。"),
        ("- a\n", "は対応表になっていません。'version: 1' と 'source:' から書き始めてください。"),
        (RECIPE.replace("k: 2", "k: two"), "k-anonymity：「k」が 'two' ですが、整数でなければなりません。"),
        (
            RECIPE.replace("output", "outputs"),
            "レシピ「bad.yaml」：「outputs」というパラメータはありません。「output」のことですか。",
        ),
        (RECIPE.partition("output")[0], "レシピ「bad.yaml」：「output」がありません。"),
        (RECIPE.replace("  ill: {role: sensitive}\n", ""), "列「ill」の役割が指定されていません。columns に"),
        (
            RECIPE.replace("role: quasi", "role: insensitive"),
            "準識別子の列がないため、要件は何も保護しません。",
        ),
        (
            RECIPE.replace("role: quasi", "role: quasi, hierarchy: {type: intervals, width: -1}"),
            "列「age」：intervals：「width」が -1 ですが",
        ),
        (
            RECIPE.replace("reports: []", "crosstab: [aeg]"),
            "'crosstab' に指定された「aeg」という列はありません。「age」のことですか。",
        ),
    ],
)
def test_a_wrong_recipe_in_japanese(refused, folder, text, sentence):
    (folder / "bad.yaml").write_text(text, encoding="utf-8")
    assert sentence in refused("run", "bad.yaml", "--lang", "ja")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("\tsource: x\n", "1 行目がタブで字下げされています。"),
        (RECIPE.replace("k: 2", "k: two"), "整数でなければなりません。"),
        (RECIPE.replace("version: 1", "version: 2"), "「version」が 2 ですが、1 でなければなりません。"),
        (
            RECIPE.replace("role: quasi", "role: 準識別子"),
            "役割の名前ではありません。「quasi」のことですか。",
        ),
        (RECIPE.replace("people", "absent"), "というファイルはありません。"),
        (RECIPE.replace("role: quasi", "role: quasi, kind: x"), "'date' か 'set' でなければなりません。"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said_in_its_language(refused, folder, text, sentence):
    (folder / "bad.yaml").write_text(
        text.rstrip() + "\noutput: {folder: out, language: ja}\n", encoding="utf-8"
    )
    if "output: {folder: release" in text:
        bad = text.replace("reports: []", "reports: [], language: ja")
        (folder / "bad.yaml").write_text(bad, encoding="utf-8")
    said = refused("run", "bad.yaml")
    assert sentence in said
    assert not ENGLISH_WORDS.search(re.sub(r"「[^」]*」|'[^']*'|`[^`]*`", "", said)), said


@pytest.mark.parametrize(
    ("given", "role"),
    [("準識別子", "quasi"), ("識別子", "identifier"), ("機微", "sensitive"), ("除外", "drop"),
     ("quasi-identifier", "quasi"), ("sensitve", "sensitive")],
)  # fmt: skip
def test_another_word_for_a_role_is_answered_with_ours(refused, folder, given, role):
    """In a column's own entry, as the head of a list, and at the command line."""
    (folder / "one.yaml").write_text(RECIPE.replace("role: quasi", f"role: {given}"), encoding="utf-8")
    assert refused("run", "one.yaml").endswith(f"which is not a role; did you mean '{role}'?")
    listed = RECIPE.replace("  age: {role: quasi}", f"  {given}: [age]")
    (folder / "list.yaml").write_text(listed, encoding="utf-8")
    assert refused("run", "list.yaml").endswith(f"did you mean '{role}'?")


def test_another_word_for_the_rest(refused):
    assert refused("describe", "people.csv", "--rest", "除外") == (
        "--rest is '除外'; write 'drop' instead; see `sudare describe --help`."
    )


def test_what_cannot_be_is_exit_code_1_in_japanese_too(refused):
    said = refused("run", "recipe.yaml", "--require", "k-anonymity k=41", "--lang", "ja", code=1)
    assert "41" in said
    assert not ENGLISH_WORDS.search(said.replace("`sudare assess`", ""))


def test_run_speaks_the_language_of_its_recipe(refused, folder):
    japanese = RECIPE.replace("folder: release", "folder: taken, language: ja")
    (folder / "ja.yaml").write_text(japanese, encoding="utf-8")
    assert "はすでにあり、空ではありません。" in refused("run", "ja.yaml")
    assert "already exists and is not empty" in refused("run", "ja.yaml", "--lang", "en")
    # The next command speaks its own.
    assert "already exists and is not empty" in refused("run", "recipe.yaml", "--out", "taken")


def test_the_environment_says_the_language_where_nothing_else_does(refused, folder, monkeypatch):
    monkeypatch.setenv("SUDARE_LANG", "ja")
    assert "レシピ「absent.yaml」を読めません" in refused("assess", "absent.yaml")
    assert "cannot be read" in refused("assess", "absent.yaml", "--lang", "en")
    assert "--lang が「fr」ですが" in refused("demo", "--lang", "fr")
    assert "はすでにあり、空ではありません。" in refused("run", "recipe.yaml", "--out", "taken")
    (folder / "en.yaml").write_text(RECIPE.replace("reports", "language: en, reports"), encoding="utf-8")
    assert "already exists and is not empty" in refused("run", "en.yaml", "--out", "taken")
    monkeypatch.setenv("SUDARE_LANG", "fr")
    assert "cannot be read" in refused("assess", "absent.yaml")


def test_the_environment_is_the_default_of_answers(folder, capsys, monkeypatch):
    monkeypatch.setenv("SUDARE_LANG", "ja")
    assert main(["catalogue", "mondrian"]) == 0
    assert capsys.readouterr().out.startswith("mondrian（方法）")
    assert main(["catalogue", "mondrian", "--lang", "en"]) == 0
    assert capsys.readouterr().out.startswith("mondrian (method)")


def test_json_has_the_same_sentence(folder, capsys):
    assert main(["assess", "absent.yaml", "--json", "--lang", "ja"]) == 2
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found == {"error": told.err.removeprefix("sudare: ").rstrip("\n"), "exit_code": 2}
    assert "レシピ「absent.yaml」を読めません" in found["error"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), CancelledError("anonymize.canceled")])
def test_canceled_in_japanese(refused, monkeypatch, error):
    def stop(*_arguments, **_options):
        raise error

    monkeypatch.setattr("sudare.release.run.anonymize", stop)
    said = refused("run", "recipe.yaml", "--lang", "ja", code=130)
    assert said == "中止しました。何も書き込んでいません。"


def test_canceled_while_the_libraries_load(refused, monkeypatch):
    def stop(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("sudare.cli.frame.run_command", stop)
    assert refused("run", "recipe.yaml", code=130) == "Canceled; nothing was written."
    said = refused("run", "recipe.yaml", "--lang", "ja", code=130)
    assert said == "中止しました。何も書き込んでいません。"


def test_faults_of_a_ledger_in_japanese(folder, capsys):
    book = Ledger(folder / "ledger.sqlite")
    for _ in range(4):
        book.append("started", "00000000-0000-0000-0000-000000000001", {})
    with sqlite3.connect(book.path) as connection:
        connection.execute("DROP TRIGGER entry_delete")
        connection.execute("DELETE FROM entry WHERE number IN (2, 3)")
    connection.close()
    assert main(["ledger", "--lang", "ja", "--json"]) == 1
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert "台帳を追記専用にするトリガ「entry_delete」がないか、書き換えられています。" in faults
    assert "記載 2 から 3 までがありません。" in faults
    assert main(["ledger", "--lang", "ja"]) == 1
    assert "記載 2 から 3 までがありません。" in capsys.readouterr().out
    assert "The entries 2 to 3 are missing." in book.verify()


def test_an_error_of_a_release_names_its_folder_and_not_the_temporary_one(folder):
    """In both languages: what is written is written beside the target first."""
    table = sd.read(pl.DataFrame({"sets": [["a"], ["b"]], "age": [1, 1]})).describe(
        quasi=["age"], insensitive=["sets"]
    )
    nested = pl.DataFrame({"sets": [[["a"]], [["b"]]], "age": [1, 1]})
    deep = sd.read(nested).describe(quasi=["age"], insensitive=["sets"])
    assert sd.anonymize(table, sd.KAnonymity(2)).write("good", reports=[]).folder.name == "good"
    with pytest.raises(sd.SudareError) as refused:
        sd.anonymize(deep, sd.KAnonymity(2)).write("bad", reports=[])
    assert ".sudare-" not in refused.value.into("ja") + str(refused.value)
    assert "列「sets」" in refused.value.into("ja")
