"""What is said of a cross tabulation, in both languages: every sentence can be said, in English as ever."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from sudare.measure.crosstab.result import Fit
from sudare.measure.crosstab.words import CrosstabSentence, not_counted, verdict_words
from sudare.words import sentence as all_texts
from sudare.words.sentence import loaded

FIT = Fit(
    misfit=120.25,
    degrees=99.0,
    iterations=12,
    rule="fit",
    start="margins",
    met=True,
    records=12_345,
    cells=100,
    randomized=2,
    kept=None,
    worst=None,
    draws=20,
    total_variation=0.0512,
    total_variation_released=0.2,
    half_width=1234.5,
    usable=30,
    rough=20,
)
CASES: dict[str, dict[str, Any]] = {
    "usual": {},
    "exact": {"randomized": 0},
    "not randomized": {"randomized": 0, "origin": "not_randomized"},
    "not described": {"randomized": 0, "origin": "unknown"},
    "limit": {"met": False, "draws": 0, "total_variation": None, "half_width": None, "usable": None},
    "contradicted": {"met": False, "contradicts": True},
    "contradicted, bins": {"met": False, "contradicts": True, "wide": ("age", "pay")},
    "product of margins": {"independent": True, "unknown": 100},
    "about independent": {"independent": True},
    "no cell": {"unknown": 100},
    "some cells": {"unknown": 7},
    "no cell usable": {"usable": 0, "rough": 0, "unknown": 7},
    "counts kept": {"kept": 0, "worst": 1.5},
    "counts kept, one column": {"kept": 0, "worst": 250.0, "randomized": 1},
    "steps": {"kept": 3, "worst": 0.9},
    "steps, one column": {"kept": 3, "worst": None, "randomized": 1},
}
ENGLISH_WORDS = re.compile(r"[A-Za-z]{2,}[ ,;:.]+[A-Za-z]{2,}")


def said(case):
    return dataclasses.replace(FIT, **CASES[case]).sentences()


def test_english_as_ever():
    assert said("usual") == [
        (
            "12,345 records, 100 cells. Randomized again, this table would differ from the released counts by G^2 = "
            "120.2; chance alone makes about 99.0, and a warning appears if the difference is too large. "
            "Steps: 12 (start: margins, stop: fit)."
        ),
        (
            "At most 5.1% of the records are in a wrong cell of this table (total variation, 95 % confidence; in the "
            "released counts as they are: 20.0%)."
        ),
        "The release tells a cell to within ±1,234 records (95 %, on average).",
        (
            "Usable cells: 30 of 100 (half the width of the 95 % interval is at most a third of the estimate); "
            "rough: 20 (at most two thirds); unknown: 50."
        ),
    ]
    assert said("counts kept")[1] == (
        "The released counts were kept as they are: in trials on tables that may be the original, the usual estimate was "
        "not reliably closer to the truth (its total variation was up to 1.50 times theirs). Margins may differ from those of other tables."
    )
    assert said("steps, one column")[1] == (
        "The estimate is the released counts after a few steps of EM (3): they are nearly exact."
    )


def test_what_cannot_be_estimated_is_said_first_and_is_a_warning():
    for case, said_so in (
        (
            "product of margins",
            "The cells cannot be estimated from this release: the product of the columns' margins",
        ),
        ("no cell", "The cells cannot be estimated from this release: it allows almost any count"),
        ("some cells", "7 of 100 cells (–) cannot be estimated from this release"),
    ):
        assert said(case)[0].startswith(said_so)
        assert dataclasses.replace(FIT, **CASES[case]).warnings() == said(case)[:1]
        assert "この公開データからは推定できません" in said(case)[0].into("ja")
    assert said("no cell usable")[0].startswith("Do not report single cells of this table")
    assert any("no dependence between the columns" in sentence for sentence in said("about independent"))
    assert dataclasses.replace(FIT, independent=True).warnings() == []


def test_counts_that_are_not_rebuilt_say_so_first():
    for case, said_so in (
        ("not randomized", "Warning: this release is not randomized, so nothing was rebuilt."),
        ("not described", "Warning: nothing says how these data were randomized, so nothing was rebuilt."),
    ):
        assert said(case)[0].startswith(said_so)
        assert dataclasses.replace(FIT, **CASES[case]).warnings() == said(case)[:1]
    assert dataclasses.replace(FIT, **CASES["exact"]).warnings() == []


def test_a_contradiction_comes_first_and_the_limit_of_steps_is_not_blamed():
    assert said("contradicted")[0] == (
        "The released counts contradict this table: randomized again, it would differ from them by G^2 = 120.2, but chance "
        "alone makes about 99.0. The mechanism is not the one that was used, the data were changed, or the noise was not independent of the data; do not use it."
    )
    assert "Take narrower bins of age, pay" in said("contradicted, bins")[0]
    assert not any("limit of steps" in sentence for sentence in said("contradicted"))
    assert dataclasses.replace(FIT).warnings() == []


@pytest.mark.parametrize("case", CASES)
def test_japanese_has_the_figures_and_no_english(case):
    for sentence in said(case):
        japanese = sentence.into("ja")
        assert not ENGLISH_WORDS.search(japanese)
        assert sorted(re.findall(r"[\d,.]*\d", japanese)) == sorted(re.findall(r"[\d,.]*\d", sentence))


def test_every_text_is_used(monkeypatch):
    used = set()
    say = all_texts.Texts.__call__

    def recorded(self, key, **values):
        used.add(key)
        return say(self, key, **values)

    monkeypatch.setattr(all_texts.Texts, "__call__", recorded)
    for case in CASES:
        said(case)
    for empty in (1, 2):
        not_counted(10, empty, ["sex", "age"])
    CrosstabSentence("original", estimate=0.1, released=0.2)
    CrosstabSentence("bins.added", column="a", bins="[0, 1)")
    CrosstabSentence("bins.beyond", column="a", low="0", high="1")
    assert set(verdict_words()) == {"usable", "rough", "unknown", "exact", "released"}
    assert loaded("crosstab", "en").keys() == used - {"between.names"}
