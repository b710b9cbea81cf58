"""Every area of words: the same keys and figures in both languages, every key used, Japanese where Japanese is due."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sudare
from sudare.words.sentence import loaded

SOURCES = Path(sudare.__file__).parent
AREAS = sorted(file.stem for file in (SOURCES / "words" / "en").glob("*.yaml"))
KEYS = [(area, key) for area in AREAS for key in loaded(area, "en")]
FIGURE = re.compile(r"(?<!\{)\{(\w+)")
CODE = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES.rglob("*.py"))


def test_both_languages_have_the_same_files():
    for language in ("en", "ja"):
        files = {
            file.relative_to(SOURCES / "words" / language)
            for file in (SOURCES / "words" / language).rglob("*.yaml")
        }
        assert files == {
            file.relative_to(SOURCES / "words" / "en") for file in (SOURCES / "words" / "en").rglob("*.yaml")
        }


@pytest.mark.parametrize("area", AREAS)
def test_both_languages_have_every_key(area):
    assert loaded(area, "en").keys() == loaded(area, "ja").keys()


@pytest.mark.parametrize("area", AREAS)
def test_both_languages_say_the_same_figures(area):
    english, japanese = loaded(area, "en"), loaded(area, "ja")
    differing = [
        key for key in english if set(FIGURE.findall(english[key])) != set(FIGURE.findall(japanese[key]))
    ]
    assert not differing


@pytest.mark.parametrize("key", [key for key in loaded("progress", "en") if not key.startswith("bar.")])
def test_every_phase_is_one_of_ours(key):
    assert f'"{key}"' in CODE


def test_every_phase_has_words():
    """Phases that the library opens; those of experiments are named after the experiment."""
    opened = set()
    for file in SOURCES.rglob("*.py"):
        if file.relative_to(SOURCES).parts[0] not in {"experiments", "progress.py"}:
            text = file.read_text(encoding="utf-8")
            opened |= set(re.findall(r'\.start\(\s*"(\w+)"', text))
            opened |= set(re.findall(r'\.phase\(\s*"(\w+)"\)', text)) | set(
                re.findall(r'shown="(\w+)"', text)
            )
    assert len(opened) > 30
    assert opened <= set(loaded("progress", "en"))


def test_every_sentence_of_the_verifier_is_used():
    unused = [
        key for key in loaded("verify", "en")
        if f'"{key}"' not in CODE and f'"{key.removeprefix("cannot.")}"' not in CODE
        and not any(f'f"{key[:end]}{{' in CODE for end in range(1, len(key)))
        and not key.startswith("columns.")
    ]  # fmt: skip
    assert not unused
