"""A study in both languages: complete, with the same figures, English as ever, Japanese without an English sentence.

Keys and figures are compared for all that speaks in sentences; what releases say is in `test_note_texts`.
"""

import copy
import json
import pickle
import re
from string import Formatter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from rich.cells import cell_len
from tests.cases.pages import LANGUAGES
from tests.cases.studies import (
    CASES,
    ENTROPY,
    VERDICTS_ON_BASKETS,
    WAYS_OUT,
    seen_gaps,
    told_by_place,
    with_counts,
)

import sudare as sd
from sudare.assess.requirement import BlockRequirement, Blocks, Rule, check_blocks
from sudare.cli.show import print_blocks
from sudare.display import folded, width_of
from sudare.errors import ParameterError
from sudare.kernels.core.kinds import SIZE
from sudare.mechanism.catalogue import MECHANISMS
from sudare.release.report.common import Texts
from sudare.release.report.table.page import randomization
from sudare.release.table.summary import _linking
from sudare.words import sentence as all_texts
from sudare.words.sentence import Sentence, counted, enumerated, loaded

if TYPE_CHECKING:
    from sudare.words.sentence import Language

SPEAKERS = (
    "assess",
    "anonymize",
    "measure",
    "measures",
    "crosstab",
    "release",
    "cli",
    "draft",
)
ENGLISH, JAPANESE = ({area: loaded(area, language) for area in SPEAKERS} for language in LANGUAGES)
every_text = pytest.mark.parametrize(
    ("area", "key"), [(area, key) for area in SPEAKERS for key in ENGLISH[area]]
)
ENGLISH_WORDS = re.compile(r"[A-Za-z]{2,}[ ,;:.]+[A-Za-z]{2,}")
GIVEN = re.compile(r"「[^」]*」|birth_date|length_of_stay|admission|disease|sex|United States")
"""What is not Sudare's to translate: names, values, and requirements as they were written."""


@pytest.fixture(scope="module", params=CASES)
def study(request):
    return CASES[request.param]()


def sentences(study):
    yield from (verdict.explanation for verdict in study.verdicts)
    yield from (*study.advice, *study.reasons, *study.notes)
    yield from (one.what for one in study.compromises)
    bounds = [study.lower_bound, *(one.bound for one in study.compromises)]
    yield from (bound.explanation for bound in bounds if bound is not None)
    if study.noise is not None:
        yield from (one.strength for way in (study.noise.asked, *study.noise.if_exact) for one in way.columns)


def figures(text):
    """Names and formats of what a text is filled with."""
    return {(name, form) for _, name, form, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("area", SPEAKERS)
def test_both_languages_have_every_key(area):
    assert ENGLISH[area].keys() == JAPANESE[area].keys()


@every_text
def test_both_languages_say_the_same_figures(area, key):
    assert figures(ENGLISH[area][key]) == figures(JAPANESE[area][key])


@every_text
def test_no_text_is_left_in_english(area, key):
    words = re.sub(r"\{[^}]*\}|`[^`]*`", "", JAPANESE[area][key])  # commands stay as they are typed
    assert not ENGLISH_WORDS.search(words), words
    assert "missing" not in words


@pytest.mark.slow
def test_every_sentence_is_said_by_some_study(monkeypatch, capsys):
    used = set()
    say = all_texts.Texts.__call__

    def recorded(self, key, **values):
        used.add(key)
        return say(self, key, **values)

    monkeypatch.setattr(all_texts.Texts, "__call__", recorded)
    for case in CASES.values():
        study = case()
        study._repr_html_()
        print_blocks(study.blocks("ja"), "ja")
    for verdict in VERDICTS_ON_BASKETS.values():
        verdict().in_language("ja")
    for way in WAYS_OUT.values():
        way()
    print_blocks(_linking(_linked_by_all(), "ja"), "ja")  # a release may have noise that no study proposes
    shown = capsys.readouterr().out
    assert all(JAPANESE["assess"][f"noise.mechanism.{name}"] in shown for name in MECHANISMS)
    assert ENGLISH["assess"].keys() - used == set()


def _linked_by_all() -> Any:
    """What a release randomized by every mechanism there is would be linked by."""
    columns = [SimpleNamespace(column=name, mechanism=name, rate=0.5, epsilon=0.7) for name in MECHANISMS]
    return SimpleNamespace(largest=0.2, records=100, rate=0.04, k=5.0, epsilon=3.5, exact=(), columns=columns)


@pytest.mark.slow
def test_all_of_a_study_is_told_in_japanese(study):
    said = study.in_language("ja")
    told = list(sentences(said))
    assert len(told) == len(list(sentences(study)))
    for sentence in told:
        assert not ENGLISH_WORDS.search(GIVEN.sub("", sentence)), sentence
        assert re.search(r"[ぁ-んァ-ン一-龥]", sentence), sentence
    assert said.language == "ja"
    assert (said.feasible, said.suited, said.ratio) == (study.feasible, study.suited, study.ratio)


@pytest.mark.slow
def test_a_study_comes_back_from_japanese(study):
    before = json.dumps(study.to_dict(), default=str)
    assert json.dumps(study.in_language("ja").in_language("en").to_dict(), default=str) == before
    assert json.dumps(study.in_language("en").to_dict(), default=str) == before
    assert repr(study.in_language("en")) == repr(study)


def test_the_command_shows_it_in_80_columns(study, capsys):
    for language in ("en", "ja"):
        print_blocks(study.blocks(language), language)
        out = capsys.readouterr().out
        assert all(cell_len(line) <= 80 for line in out.splitlines())
    assert not ENGLISH_WORDS.search(GIVEN.sub("", out.replace("\n", "")))


def test_the_english_is_what_it_was():
    study = CASES["infeasible"]()
    assert [verdict.explanation for verdict in study.verdicts] == [
        (
            "The smallest block, the block q0 = 0, q1 = 2, has 1 row where 3 are asked; 87 of 127 rows in 61 blocks do not "
            "comply."
        ),
        (
            "The least diverse block, the block q0 = 0, q1 = 2 (column 's'), reaches entropy diversity l = 1 where 3 is asked; "
            "127 of 127 rows in 73 blocks do not comply."
        ),
    ]
    assert study.advice[:3] == (
        (
            "No release can comply: l-diversity l=3 kind=entropy is asked, but even the whole table as one block reaches only "
            "2.72 (s has 5 values, the most frequent, v0, in 70.9% of rows); ask for no more than that."
        ),
        (
            "s is skewed: where l = 3 values are equally frequent each is in 33.3% of the rows, but 'v0' is in 70.9% of the "
            "rows, 2.1 times that (48 rows too many)."
        ),
        (
            "The highest level that is possible: l = 2.72 (entropy), k = 3. Loses at least 0.0949, a quick run 1.0000; 0.0% of "
            "the rows give s away, the best guess of it is right for 70.9%."
        ),
    )
    assert study.compromises[0].what == "The highest level that is possible: l = 2.72 (entropy), k = 3."
    noise = CASES["noise and gaps"]()
    assert noise.advice == (
        (
            "Pk-anonymity with k = 5 among 40 records needs rates whose product is 0.1026: a laplace, scale 2.63 of its range, "
            "missing exchanged with 42.9%; b retention, a single value: nothing to hide; s retention, 18.8% kept, else any of "
            "2 values."
        ),
        "Could stay exact, if one must, with other noise on the others: a, b, s.",
    )
    assert noise.verdicts[0].explanation == (
        "Nobody is pointed at with probability above 1/10 among the 10 of 40 records that share a, b, s (released exactly) "
        "(asked: k = 5; rate 1 over no randomized column)."
    )


def test_the_japanese_names_what_a_custodian_knows():
    verdict = sd.KAnonymity(2).check(with_counts((1, 1))).in_language("ja")
    assert verdict.explanation == (
        "最小のブロック（q0 = 8）は 1 行で、要件の 2 行に足りません。2 行のうち 2 行（2 ブロック）が要件を満たしません。"
    )
    assert verdict.marked.startswith("✗ 最小の")
    study = sd.assess(with_counts((90, 5, 5)), sd.LDiversity(2, kind="entropy"), compromises=False)
    assert study.in_language("ja").reasons == (
        (
            "「s」の値は偏っています。l = 2 種の値が同じ割合で現れるなら各値は行の 50.0% ですが、それより多い値があります："
            "「v0」が行の 90.0%（その 1.8 倍、40 行の超過）。"
        ),
    )


@pytest.mark.parametrize("case", VERDICTS_ON_BASKETS)
def test_a_verdict_on_baskets_is_told_in_japanese(case):
    verdict = VERDICTS_ON_BASKETS[case]()
    said = verdict.in_language("ja")
    assert re.search(r"[ぁ-んァ-ン一-龥]", said.explanation)
    assert not ENGLISH_WORDS.search(said.explanation), said.explanation
    assert (said.holds, said.reached, said.worst) == (verdict.holds, verdict.reached, verdict.worst)
    assert said.in_language("en").explanation == verdict.explanation
    assert pickle.loads(pickle.dumps(verdict)).in_language("ja").explanation == said.explanation


def test_verdicts_on_baskets_name_the_attacker_and_the_figures():
    inferred, left = (
        VERDICTS_ON_BASKETS[case]() for case in ("rho broken by one inference", "k^m broken by several")
    )
    assert inferred.explanation == (
        "An attacker who knows that user 1 has {x} can infer y with confidence 3/4, but at most 0.5 is allowed; 4 of 4 users "
        "are exposed by 1 inference."
    )
    assert inferred.in_language("ja").explanation == (
        "利用者 1 が {x} を持つことを知る攻撃者は、y を確信度 3/4 で推測できます。許される確信度は 0.5 以下です。4 人の利用者のうち "
        "4 人が危険です（許されない推測は 1 通り）。"
    )
    assert left.explanation == (
        "An attacker who knows that user 1 has {y} is left with 3 baskets, but 4 are required; 3 of 4 users are exposed by 2 "
        "sets."
    )
    assert left.worst[0].sentence.into("ja") == (
        "利用者 1 が {y} を持つことを知る攻撃者に残るバスケットは 3 個だけです"
    )


@pytest.mark.parametrize("case", WAYS_OUT)
def test_a_way_out_is_told_in_japanese(case):
    said = WAYS_OUT[case]().into("ja")
    assert re.search(r"[ぁ-んァ-ン一-龥]", said)
    assert not ENGLISH_WORDS.search(GIVEN.sub("", said)), said


def test_a_notebook_shows_it_in_japanese():
    html = sd.assess(told_by_place(), ENTROPY).in_language("ja")._repr_html_()
    for word in ("評価", "指標", "適性", "低い", "妥協案", "l-多様性"):
        assert word in html
    assert "feasible" not in html


def test_an_unknown_language_is_one_sentence():
    study = sd.assess(with_counts((5, 5)), sd.KAnonymity(2))
    unknown: Any = "fr"
    baskets = VERDICTS_ON_BASKETS["rho of several"]()
    things: tuple[Any, ...] = (study, study.verdicts[0], study.lower_bound, baskets)
    for thing in things:
        with pytest.raises(
            ParameterError, match="The language is 'fr', but only English and Japanese are available"
        ):
            thing.in_language(unknown)


def test_sentences_survive_copies_and_other_processes():
    study = CASES["noise and gaps"]()
    for twin in (copy.deepcopy(study), pickle.loads(pickle.dumps(study))):
        assert twin.advice == study.advice
        assert twin.in_language("ja").advice == study.in_language("ja").advice
    said = counted("rows", 3).into("ja")
    assert pickle.loads(pickle.dumps(said)) == said == "3 行"
    assert pickle.loads(pickle.dumps(said)).into("en") == "3 rows"


def test_a_sentence_is_a_text():
    said = Sentence("missing_cells", column="{age}")
    assert (said, hash(said), json.dumps(said)) == (
        "missing {age}",
        hash("missing {age}"),
        '"missing {age}"',
    )
    assert enumerated(["a", said]).into("ja") == "a、{age} の欠測"
    assert enumerated([]) == ""
    with pytest.raises(KeyError):
        Sentence("nothing.of.the.kind")


def test_words_of_the_callers_own_requirement_stay():
    class Pairs(BlockRequirement):
        def rules(self, table):
            return [Rule(SIZE, 2.0)]

        def explain(self, reached, where):
            return "All are pairs.", f"Not a pair: {where}"

    table = with_counts((1, 1))
    verdict = Pairs().check(table)
    assert verdict.explanation == ("Not a pair: the block q0 = 8; 2 of 2 rows in 2 blocks do not comply.")
    assert verdict.in_language("ja").explanation.startswith("Not a pair: the block q0 = 8。2 行のうち 2 行")
    held = check_blocks(Pairs(), table, Blocks(np.zeros(2, dtype=np.int32), 1))
    assert held.in_language("ja").explanation == "All are pairs."


@pytest.mark.parametrize("width", [8, 10, 33, 80])
def test_japanese_is_broken_anywhere_but_before_a_stop(width):
    text = "最小のブロック（年齢 = 30、性別 = 男）は 1 行で、l = 1。" * 5
    lines = folded(text, width, start=2).split("\n")
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert width_of(lines[0]) <= width - 2
    assert all(width_of(line) <= width for line in lines)
    assert not any(line[0] in "、。）」 " for line in lines)
    assert not any(line.endswith(("（", "「", " ")) for line in lines)
    assert folded("", width) == ""


def test_a_japanese_report_says_that_missing_cells_are_seen():
    release = SimpleNamespace(risk_after=sd.risk(seen_gaps()), methods=(), table=seen_gaps())
    notes: dict[Language, Any] = {
        language: randomization(cast("Any", release), Texts(language)) for language in LANGUAGES
    }
    assert any("a の欠測、s の欠測" in note for note in notes["ja"]["notes"])
    assert any("missing a, missing s" in note for note in notes["en"]["notes"])
