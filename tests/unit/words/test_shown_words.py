"""What values show of themselves, and titles of charts, come from `shown.yaml` by key; SUDARE_LANG says the language."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import polars as pl
import pytest

import sudare
import sudare as sd
from sudare.measure.baskets.frequencies import frequency_change
from sudare.measure.baskets.users import user_loss
from sudare.words.sentence import loaded, shown_language

SOURCES = Path(sudare.__file__).parent
TREES = {
    file.relative_to(SOURCES): ast.parse(file.read_text(encoding="utf-8"))
    for file in sorted(SOURCES.rglob("*.py"))
    if "experiments" not in file.parts  # their pages are told in English only
}
CODE = "\n".join(ast.unparse(tree) for tree in TREES.values())
SHOWING = {"__repr__", "__str__", "_repr_html_", "chart", "heat_map", "html_head"}
"""Functions whose result people read, and all that they call in their own module."""
LAID_OUT = {
    "said",
    "paragraph",
    "html_table",
    "html_list",
    "html_warnings",
    "Line",
    "Marked",
    "Grid",
    "Place",
}
"""What lays out words."""
WORDS = re.compile(r"[A-Za-z]{2,}[,;:]? | [A-Za-z]{2,}")
JAPANESE_LETTERS = re.compile(r"[ぁ-んァ-ヶ一-龠]")


def name_of(call):
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def calls_in(node):
    return [part for part in ast.walk(node) if isinstance(part, ast.Call)]


def literals_in(node):
    """Texts below a node that read as words, docstrings aside."""
    alone = {id(part.value) for part in ast.walk(node) if isinstance(part, ast.Expr)}
    return [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and id(part) not in alone
        and WORDS.search(part.value)
        and not part.value.startswith("datum.")  # an expression of Vega
    ]


def showing(tree):
    """The functions of a module that make what people read."""
    functions = [part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)]
    found = {part.name for part in functions} & SHOWING
    while True:
        called = {name_of(call) for part in functions if part.name in found for call in calls_in(part)} & {
            part.name for part in functions
        }
        if called <= found:
            return [part for part in functions if part.name in found]
        found |= called


def written(parts):
    return [f"{place}:{part.lineno}: {part.value!r}" for place, part in parts]


def test_no_words_are_written_where_a_value_shows_itself():
    found = [
        (place, part) for place, tree in TREES.items() for one in showing(tree) for part in literals_in(one)
    ]
    assert not found, f"Put these into words/en/shown.yaml and words/ja/shown.yaml: {written(found)}"


def test_no_words_are_written_where_they_are_laid_out():
    found = [
        (place, part)
        for place, tree in TREES.items()
        for call in calls_in(tree)
        if name_of(call) in LAID_OUT
        for part in literals_in(call)
    ]
    assert not found, f"Put these into words/en/shown.yaml and words/ja/shown.yaml: {written(found)}"


def test_no_head_of_a_table_and_no_title_of_a_chart_is_written_in_the_code():
    found = [
        f"{place}:{call.lineno}"
        for place, tree in TREES.items()
        for call in calls_in(tree)
        if any(_is_written(keyword.value) for keyword in call.keywords if keyword.arg == "title")
        or (name_of(call) == "html_table" and any(map(_is_written, getattr(call.args[0], "elts", []))))
    ]
    assert not found, f"Put these heads into words/en/shown.yaml and words/ja/shown.yaml: {found}"


def _is_written(node):
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_the_tests_find_what_is_written():
    tree = ast.parse(
        'class A:\n def __repr__(self): return self._b()\n def _b(self): return f"{self.n} rows"'
    )
    assert [part.value for one in showing(tree) for part in literals_in(one)] == [" rows"]


@pytest.mark.parametrize("key", loaded("shown", "en"))
def test_every_text_is_shown_by_some_value(key):
    assert f"'{key}'" in CODE or any(f"f'{key[:end]}{{" in CODE for end in _ends(key)), key


def _ends(key):
    return [place + 1 for place, sign in enumerate(key) if sign == "."]


@pytest.mark.parametrize("key", loaded("shown", "ja"))
def test_japanese_is_japanese(key):
    words = re.sub(r"\{[^}]*\}", "", loaded("shown", "ja")[key])
    assert JAPANESE_LETTERS.search(words) or not re.search(r"[A-Za-z]{2}", words)


@pytest.mark.parametrize(
    ("given", "language"), [("ja", "ja"), ("en", "en"), ("fr", "en"), ("", "en"), (None, "en")]
)
def test_the_environment_says_the_language(monkeypatch, given, language):
    if given is not None:
        monkeypatch.setenv("SUDARE_LANG", given)
    assert shown_language() == language


def table():
    frame = pl.DataFrame(
        {"age": [20, 20, 30, 30] * 5, "sex": ["m", "f"] * 10, "ill": ["a", "b", "c", "d"] * 5}
    )
    return sd.read(frame).describe(quasi=["age"], sensitive=["ill"])


def baskets():
    return sd.read_baskets([["a", "b"], ["a", "c"], ["a", "b"], ["b"]] * 3).describe(sensitive=["c"])


def study():
    return sd.assess(table(), sd.KAnonymity(2))


def release():
    return sd.anonymize(table(), sd.KAnonymity(2))


def noise():
    frame = pl.DataFrame({"sex": ["m", "f"] * 60, "ill": ["a", "b", "c"] * 40})
    asked = sd.read(frame).describe(quasi=["sex"], sensitive=["ill"])
    return sd.anonymize(asked, sd.PkAnonymity(2), method=sd.Randomize(), seed=1)


def basket_release():
    return sd.anonymize(baskets(), sd.RhoUncertainty(0.5))


VALUES = {
    "Table": table,
    "Hierarchy": lambda: sd.hierarchy.intervals(width=5).build(pl.Series("age", [20, 30]), "age"),
    "Baskets": baskets,
    "Verdict": lambda: release().verdicts[0],
    "Risk": lambda: release().risk_after,
    "Study": study,
    "BasketStudy": lambda: sd.assess(baskets(), sd.RhoUncertainty(0.5)),
    "Release": release,
    "BasketRelease": basket_release,
    "Comparison": lambda: sd.measure.compare({"a": release(), "b": release()}),
    "UserLoss": lambda: user_loss([["a", "b"], ["a"]], [["a"], ["a"]]),
    "FrequencyChange": lambda: frequency_change([["a", "b"], ["a"]], [["a"], ["a"]]),
}
ENGLISH_WORDS = re.compile(r"[A-Za-z]{3,} [a-z]{3,}")


@pytest.mark.parametrize("name", VALUES)
def test_a_value_shows_itself_in_japanese(name, monkeypatch):
    value = VALUES[name]()
    english = repr(value)
    assert english.startswith(f"{name}(")
    assert not JAPANESE_LETTERS.search(english)
    monkeypatch.setenv("SUDARE_LANG", "ja")
    for shown in (repr(value), getattr(value, "_repr_html_", value.__repr__)()):
        assert JAPANESE_LETTERS.search(shown)
        assert not ENGLISH_WORDS.search(re.sub(r"<[^>]*>", " | ", shown)), shown
    monkeypatch.delenv("SUDARE_LANG")
    assert repr(value) == english


def test_what_was_put_into_japanese_stays_so():
    value = study().in_language("ja")
    assert JAPANESE_LETTERS.search(value._repr_html_())
    assert JAPANESE_LETTERS.search(value.verdicts[0]._repr_html_())


def test_a_written_release_and_its_tabulation_in_japanese(monkeypatch, tmp_path):
    made = noise().write(tmp_path / "out")
    tabulated = sd.crosstab(made.folder, ["ill"], draws=0)
    monkeypatch.setenv("SUDARE_LANG", "ja")
    for shown in (repr(made), made._repr_html_(), repr(tabulated), tabulated._repr_html_(), str(tabulated)):
        assert JAPANESE_LETTERS.search(shown)
        assert not ENGLISH_WORDS.search(re.sub(r"<[^>]*>", " | ", shown)), shown
    assert "推定" in str(tabulated.chart().to_dict())


def test_charts_in_japanese(monkeypatch):
    monkeypatch.setenv("SUDARE_LANG", "ja")
    assert "ほかに劣らない" in str(VALUES["Comparison"]().chart().to_dict())
    assert "何も失いません" in str(VALUES["UserLoss"]().chart().to_dict())
    assert "加工前" in str(VALUES["FrequencyChange"]().chart().to_dict())
    assert "列ごとの損失" in str(release().chart().to_dict())
