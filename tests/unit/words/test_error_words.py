"""Every sentence of an error comes from `words/<language>/errors` by its key; none is written where it is raised."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import sudare
from sudare import errors
from sudare.words.sentence import loaded

SOURCES = Path(sudare.__file__).parent
ENGLISH, JAPANESE = loaded("errors", "en"), loaded("errors", "ja")
KINDS = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)
}
SPEAKING = {*KINDS, "ErrorSentence", "ValueError", "TooManySetsError", "BadParameter"}
"""What a sentence for people is given to."""
KEY = re.compile(r"[a-z0-9_]+(\.[a-z0-9_ -]+)+")
FIGURE = re.compile(r"(?<!\{)\{(\w+)")


def _calls():
    for file in sorted(SOURCES.rglob("*.py")):
        place = file.relative_to(SOURCES)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in SPEAKING and node.args:
                    yield place, node


def test_no_sentence_is_written_where_it_is_raised():
    literal = [
        f"{place}:{node.lineno}"
        for place, node in _calls()
        if (
            not isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
            and not _is_key(node.args[0])
        )
        or (isinstance(node.args[0], ast.Constant) and not KEY.fullmatch(str(node.args[0].value)))
    ]
    assert not literal, f"Put these sentences into words/en/errors and words/ja/errors: {literal}"


def _is_key(node):
    """A key that is put together, such as f"parameters.rules.{name}"."""
    return isinstance(node, ast.JoinedStr) and all(
        not isinstance(part, ast.Constant) or re.fullmatch(r"[a-z0-9_.]*", str(part.value))
        for part in node.values
    )


def test_every_key_that_is_raised_has_words_with_its_figures():
    for place, node in _calls():
        first = node.args[0]
        if not isinstance(first, ast.Constant):
            continue
        assert first.value in ENGLISH, f"{place}:{node.lineno}: no words for {first.value!r}"
        given = {keyword.arg for keyword in node.keywords}
        if None not in given:
            needed = set(FIGURE.findall(ENGLISH[first.value])) if given else set()
            assert needed <= given, f"{place}:{node.lineno}: {first.value!r} also needs {needed - given}"
            assert given <= needed, f"{place}:{node.lineno}: {first.value!r} does not say {given - needed}"


def test_every_text_is_raised_somewhere():
    """A key that is put together counts by its beginning."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES.rglob("*.py"))
    unused = [
        key for key in ENGLISH
        if f'"{key}"' not in text and not any(f'f"{key[:end]}{{' in text for end in _ends(key))
    ]  # fmt: skip
    assert not unused


def _ends(key):
    return [place + 1 for place, sign in enumerate(key) if sign in "._"]


def test_both_languages_have_every_key():
    assert ENGLISH.keys() == JAPANESE.keys()


@pytest.mark.parametrize("key", ENGLISH)
def test_both_languages_say_the_same_figures(key):
    assert sorted(set(FIGURE.findall(ENGLISH[key]))) == sorted(set(FIGURE.findall(JAPANESE[key])))


@pytest.mark.parametrize("key", ENGLISH)
def test_japanese_is_japanese(key):
    words = re.sub(r"\{[^}]*\}|'[^']*'|「[^」]*」|`[^`]*`", "", JAPANESE[key])
    assert re.search(r"[ぁ-んァ-ヶ一-龠]", words) or not re.search(r"[A-Za-z]{3}", words)


def test_an_error_is_said_in_either_language():
    error = errors.ParameterError("hint.language", given="'fr'")
    assert str(error).startswith("The language is 'fr'")
    assert error.into("ja").startswith("言語が 'fr' ですが")
    assert errors.SudareError("a text of somebody else").into("ja") == "a text of somebody else"
