"""Every text of `--help` comes from `help.yaml` by its key, in both languages; none is written beside its option."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest
import typer

import sudare
from sudare.cli import COMMANDS, main
from sudare.cli.help_page import _HEADINGS, key_of
from sudare.words.sentence import loaded, texts

SOURCES = Path(sudare.__file__).parent
JAPANESE_LETTERS = re.compile(r"[ぁ-んァ-ヶ一-龠]")
ENGLISH_WORDS = re.compile(r"[A-Za-z]{2,}[,;:.]? [A-Za-z]{2,}")
every_command = pytest.mark.parametrize("name", COMMANDS)
every_language = pytest.mark.parametrize("language", ["en", "ja"])


def options_of(name):
    """The names of the arguments and options of a command."""
    app = typer.Typer(add_completion=False)
    app.command(name)(import_module(f"sudare.cli.{name}_command").command)
    return [*(parameter.name for parameter in typer.main.get_command(app).params), "help"]


def page(capsys, monkeypatch, *arguments):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_no_help_is_written_beside_an_option():
    written = [
        f"{file.relative_to(SOURCES)}:{node.lineno}"
        for file in sorted((SOURCES / "cli").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") in {"Option", "Argument", "command", "Typer"}
        and any(keyword.arg in {"help", "short_help", "epilog"} for keyword in node.keywords)
    ]
    assert not written, f"Put this help into words/en/help.yaml and words/ja/help.yaml: {written}"


@every_language
@every_command
def test_a_command_and_its_options_have_words(name, language):
    words = texts(language, "help")
    needed = [f"{name}.about", f"{name}.text", *(key_of(name, option, words) for option in options_of(name))]
    absent = [key for key in needed if key not in words.words]
    assert not absent, f"Put these into words/{language}/help.yaml: {absent}"


def test_no_words_are_of_something_that_is_gone():
    words = texts("en", "help")
    used = {"front", "headings.usage", "headings.any_options"}
    used |= {f"headings.{key}" for key in _HEADINGS.values()}
    for name in COMMANDS:
        used |= {f"{name}.about", f"{name}.text"}
        used |= {key_of(name, option, words) for option in options_of(name)}
    assert used == words.words.keys() == loaded("help", "ja").keys()


@pytest.mark.parametrize("key", [key for key in loaded("help", "en") if ".options." in f".{key}"])
def test_an_option_is_told_in_whole_sentences(key):
    assert re.fullmatch(r"[A-Z].*[.…]", loaded("help", "en")[key])
    assert re.fullmatch(r".*。", loaded("help", "ja")[key])


@every_command
def test_both_languages_show_the_same_examples(name):
    english, japanese = (
        re.findall(r"^  .*", loaded("help", language)[f"{name}.text"], re.MULTILINE)
        for language in ("en", "ja")
    )
    assert english == japanese
    assert len(english) >= 2


@every_command
def test_the_page_of_a_command_in_japanese(name, capsys, monkeypatch):
    out = page(capsys, monkeypatch, name, "--help", "--lang", "ja")
    assert out == page(capsys, monkeypatch, name, "--lang", "ja", "--help")
    prose = re.sub(r"^ +(使い方：|cat .*\| )?sudare .*$", "", out, flags=re.MULTILINE)
    prose = re.sub(r'"[^"]*"|`[^`]*`|<[^>]*>', "", prose.replace("│", ""))
    assert len(JAPANESE_LETTERS.findall(prose)) > 50
    left = [found for found in ENGLISH_WORDS.findall(prose) if found != "JSON Schema"]
    assert not left, out
    assert "…" not in out.replace("re:…", ""), "rich has cut off a line"


@every_command
def test_the_next_page_is_english_again(name, capsys, monkeypatch):
    before = page(capsys, monkeypatch, name, "--help")
    page(capsys, monkeypatch, name, "--help", "--lang", "ja")
    assert page(capsys, monkeypatch, name, "--help") == before
    assert not JAPANESE_LETTERS.search(before)


@pytest.mark.parametrize(
    "arguments",
    [["--help", "--lang", "ja"], ["help", "--lang=ja"], ["--lang", "ja", "--help"], ["--lang=ja", "-h"]],
    ids=" ".join,
)
def test_the_front_page_in_japanese(capsys, monkeypatch, arguments):
    out = page(capsys, monkeypatch, *arguments)
    assert out.startswith("使い方：sudare コマンド [オプション]\n")
    assert all(f"\n  {name} " in out for name in COMMANDS)
    monkeypatch.setenv("SUDARE_LANG", "ja")
    assert out == page(capsys, monkeypatch) == page(capsys, monkeypatch, "--help")


def test_the_environment_says_the_language_of_help(capsys, monkeypatch):
    monkeypatch.setenv("SUDARE_LANG", "ja")
    assert "[既定値：ja]" in page(capsys, monkeypatch, "assess", "--help")
    assert "[default: ja]" in page(capsys, monkeypatch, "assess", "--help", "--lang", "en")
    monkeypatch.setenv("SUDARE_LANG", "fr")
    assert "[default: en]" in page(capsys, monkeypatch, "assess", "--help")
