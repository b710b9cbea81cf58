"""Japanese as docs/ja/terms.md asks for it: one term for a concept, full-width signs, no line that begins with 。."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cases.pages import KINDS, Outline
from tests.cases.reports import pages_of, released

import sudare
from sudare.words.sentence import loaded

PROJECT = Path(__file__).parents[3]
WORDS = Path(sudare.__file__).parent / "words"
TERMS = PROJECT / "docs" / "ja" / "terms.md"
PAGES = sorted(page for page in (PROJECT / "docs" / "ja").glob("*.md") if page != TERMS)
GOLDEN = sorted((PROJECT / "tests" / "system" / "golden").glob("*-ja*.txt"))
FILES = sorted(file.relative_to(WORDS / "ja").with_suffix("") for file in (WORDS / "ja").rglob("*.yaml"))
FIGURE = re.compile(r"(?<!\{)\{(\w+)")
JAPANESE = "ぁ-ゖァ-ヺー一-龠々"
CODE = re.compile(r"`[^`]*`|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|'[^']*'|\"[^\"]*\"")
FAULTS = {
    "a space after ：": re.compile(r"：[ \t]"),
    "a space beside 、 or 。": re.compile(r"[、。][ \t]+(?=\S)|\S[ \t]+[、。]"),
    "two full stops": re.compile("。。|、、|、。|。、"),
    "half-width katakana": re.compile("[\uff61-\uff9f]"),
    "an ASCII comma or period between Japanese letters": re.compile(f"[{JAPANESE}][,.] ?[{JAPANESE}]"),
    "an ASCII colon after a Japanese letter": re.compile(f"[{JAPANESE}」）]: "),
    "ASCII brackets around Japanese letters": re.compile(rf"[{JAPANESE}] ?\([{JAPANESE}]"),
    "a space between Japanese letters": re.compile(f"[{JAPANESE}] +[{JAPANESE}]"),
    "full-width letters or digits": re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"),
}
# A legal term keeps its name.
ALLOWED = re.compile("要配慮個人情報")


def forbidden():
    """Words that the third column of the tables in terms.md rules out."""
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \|$", TERMS.read_text(encoding="utf-8"), re.MULTILINE)
    return [word for row in rows if row != "使わない" for word in row.split("、")]


def sentences():
    """Every Japanese text of the words, with its file and key."""
    for file in FILES:
        for key, text in loaded(file.as_posix(), "ja").items():
            yield f"{file}: {key}", text


def prose(page):
    """The lines of a page outside of its code, each with its number."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fenced = fenced != line.startswith("```")
        if not fenced and not line.startswith("    "):
            yield number, line


def test_the_list_of_terms_is_read():
    words = forbidden()
    assert len(words) > 40
    assert {"要配慮列", "フォルダー", "95 %"} <= set(words)
    assert all(word == word.strip() and len(word) > 1 for word in words)


@pytest.mark.parametrize("word", forbidden())
def test_no_sentence_has_a_word_that_is_ruled_out(word):
    assert not [(place, text) for place, text in sentences() if word in ALLOWED.sub("", text)]


@pytest.mark.parametrize("page", [*PAGES, *GOLDEN], ids=lambda page: page.name)
def test_no_page_has_a_word_that_is_ruled_out(page):
    text = ALLOWED.sub("", page.read_text(encoding="utf-8"))
    assert not [word for word in forbidden() if word in text]


@pytest.mark.parametrize("fault", FAULTS)
def test_sentences_have_japanese_signs(fault):
    found = [(place, text) for place, text in sentences() if FAULTS[fault].search(CODE.sub("x", text))]
    assert not found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.parametrize("fault", FAULTS)
def test_pages_have_japanese_signs(page, fault):
    found = [(number, line) for number, line in prose(page) if FAULTS[fault].search(CODE.sub("x", line))]
    assert not found


@pytest.mark.parametrize("page", [*PAGES, TERMS, *GOLDEN], ids=lambda page: page.name)
def test_no_line_begins_with_a_sign_that_ends_something(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if re.match(r"[\s│|>*-]*[、。）」：]", line)]
    assert not [line for line in lines if re.search(r"│ *[、。）」：]", line)]


def test_no_sentence_begins_with_a_sign_that_ends_something():
    assert not [
        (place, text) for place, text in sentences() if re.search("^[、。：）」].", text, re.MULTILINE)
    ]


@pytest.mark.parametrize("file", FILES, ids=str)
def test_figures_are_the_same_in_both_languages(file):
    english, japanese = (loaded(file.as_posix(), language) for language in ("en", "ja"))
    assert english.keys() == japanese.keys()
    assert not [key for key in english if {*FIGURE.findall(english[key])} != {*FIGURE.findall(japanese[key])}]


def test_sentences_are_polite():
    """A sentence that ends with 。 and has a predicate ends politely; labels and facts end with a noun."""
    plain = re.compile(
        "(である|だった|ない|(?<![まで])した|れた|する|[うくぐつぬぶむ]|[けげせてねべめれえきしちにびみり]る)。"
    )
    found = [(place, text) for place, text in sentences() if plain.search(text)]
    assert [place for place, _ in found] == ["report: page.brand"], found  # a motto


def test_texts_of_a_report_begin_with_words(tmp_path):
    pages = pages_of(released(), tmp_path)
    for kind in KINDS:
        texts = Outline(re.sub("<style>.*</style>", "", pages[kind, "ja"], flags=re.DOTALL)).words
        assert len(texts) > 100
        assert not [text for text in texts if re.match(r"\s*[。、：）」]", text)]
        assert not [text for text in texts if re.search("：[ \t]|。。|、。", text)]
