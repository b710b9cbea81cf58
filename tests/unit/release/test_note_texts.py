"""Notes and warnings of releases: English as ever, and Japanese in the Japanese report of every method."""

from __future__ import annotations

import dataclasses
import html
import json
import pickle
import re

import pytest
from tests.cases.notes import BASKETS, TABLES, K, people
from tests.cases.pages import LANGUAGES

import sudare as sd
from sudare.anonymize.baskets.catalogue import BASKET_METHODS
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.note import Note
from sudare.release.report import charts
from sudare.release.retry import risen_risks
from sudare.words import sentence as all_texts
from sudare.words.sentence import Sentence, loaded

CASES = {**TABLES, **BASKETS}
SPEAKERS = ("anonymize", "measure", "release")
ENGLISH_WORD = re.compile(r"[A-Za-z_]{2,}")
GIVEN = {"age", "pay", "zip", "disease", "day", "name", "id", "household_id"}
WORDS = {
    "NCP",
    "Pk",
    "loss",
    "dis",
    "values",
    "shuffle",
    "insensitive",
    "rule_distance",
    "top",
    "spelling",
    "exact",
    "default",
    "fast",
    "mondrian",
    "diversity",
}
"""Names of measures, parameters and roles: they are written so everywhere."""


@pytest.fixture(scope="module")
def releases():
    """Every case, with the keys of what they said."""
    used = set()
    say = all_texts.Texts.__call__

    def recorded(self, key, **values):
        used.add(key)
        return say(self, key, **values)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(all_texts.Texts, "__call__", recorded)
        found = {name: case() for name, case in CASES.items()}
        assert risen_risks(_risk(0.1), _risk(0.2))
        bounds = [one.lower_bounds for one in found.values() if isinstance(one, sd.Release)]
        assert any(bounds)
        return found, used


def _risk(share):
    """Every risk figure that a retry compares."""
    figures = dict.fromkeys(
        (
            "prosecutor_largest",
            "prosecutor_mean",
            "rows_above_threshold",
            "journalist_largest",
            "journalist_mean",
        ),
        share,
    )
    guess = {"column": "disease", "guess_mean": share, "homogeneous_share": share}
    return {**figures, "population": "given", "guesses": [guess]}


def test_every_method_has_a_case():
    assert {*METHODS, *BASKET_METHODS} <= set(CASES)


@pytest.mark.slow
def test_every_sentence_is_said_by_some_release(releases):
    _, used = releases
    for area in SPEAKERS:
        assert loaded(area, "en").keys() - used == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_japanese_report_has_no_english_note(releases, name, tmp_path, monkeypatch):
    monkeypatch.setattr(charts, "_svg", lambda *_: "")  # words only: drawing takes long
    release = releases[0][name]
    said = {}
    for language in LANGUAGES:
        written = release.write(tmp_path / language, language=language, reports=["internal"])
        said[language] = _listed(written.reports[0].read_text(encoding="utf-8"))
        kept = json.loads((written.folder / "internal" / "manifest.json").read_text(encoding="utf-8"))
        assert kept["notes"] == list(release.notes)
    assert said["en"] == [*release.warnings, *release.notes]
    assert len(said["ja"]) == len(said["en"])
    for sentence in said["ja"]:
        assert set(ENGLISH_WORD.findall(sentence)) <= GIVEN | WORDS, sentence
        assert re.search(r"[ぁ-んァ-ン一-龥]", sentence), sentence


def _listed(page):
    """Warnings and notes of a page, in its order."""
    lists = re.findall(r'class="(?:care|notes)"><h3>[^<]*</h3><ul>(.*?)</ul>', page)
    return [html.unescape(one) for found in lists for one in re.findall(r"<li>(.*?)</li>", found)]


def test_the_english_is_what_it_was(releases):
    found = releases[0]
    for name, notes in {
        "full-domain without outliers": (
            "Recoded each column to one level: age 1 of 1, pay 1 of 1, zip 0 of 2. Left out 1 of 40 rows (allowed: 4).",
            "The loss is 0.6750: no node of the lattice (8 in all) is better (counted: 5).",
            "Removed the identifiers name, id.",
        ),
        "mondrian": (
            "Rows left out because of missing age: 1.",
            "Rows partitioned: 39; groups: 12, of 3.2 rows on average.",
            "Removed the identifiers name, id.",
        ),
        "randomization by other noise": (
            "Randomized a: uniform, rate 1, local epsilon 0.",
            "Randomized b: density, rate 0.1601, local epsilon 1.119.",
        ),
        "remove-identifiers": ("Removed the identifier name.", "Removed the identifier id."),
        "item-generalization": ("Replaced 6 items by 2; NCP 0.5000.",),
    }.items():
        assert found[name].notes == notes
    # How many groups or entries is the method's affair: only the words are pinned.
    for name, words in {
        "generalization": r"Rows generalized: 40; groups: \d+, of [\d.]+ rows on average\.",
        "generalization without outliers": (
            r"Rows generalized: 39; groups: \d+, of [\d.]+ rows on average\. "
            r"Rows left out because they cost the others more than themselves: 1 \(allowed: 4\)\."
        ),
        "microaggregation": (
            r"Rows replaced by the centroids of their groups: 40; groups: \d+, of [\d.]+ rows on average\. "
            r"The squared error is within \d+\.\d\d % of the least possible\."
        ),
        "item-suppression": r"Suppressed \d+ of 144 entries \([\d.]+%\)\. Another \d+ were suppressed on the way, but could be put back\.",
    }.items():
        told = [note for note in found[name].notes if not note.startswith("No method was named")]
        assert re.fullmatch(words, told[0])
    assert found["randomization"].notes[1] == (
        "Randomized age: laplace, rate 0.4028, local epsilon 0.4547. "
        "Values outside the range that were clipped to it: 1."
    )
    (certain,) = [one for one in found["mondrian"].warnings if one.startswith("No requirement covers")]
    assert tuple(one for one in found["mondrian"].warnings if one != certain) == (
        "Nobody has given a role to day: the data are published unchanged there. Describe each column; use insensitive only if it truly is.",
        "A seed was given, so others can repeat the random choices. Do not publish this release.",
    )
    assert found["item-suppression of many"].warnings == (
        (
            "rule_distance is left out: More than 50 sets of items are in at least 6 baskets, before 100 rules were "
            "found; raise the support, or lower top."
        ),
    )


def test_the_japanese_names_what_a_custodian_knows(releases):
    groups = Note("generalized.groups", rows=30_162, groups=2_500, size=12.0648)
    assert Note("generalized.left_out", note=groups, rows=1, allowed=30).into("ja") == (
        "30,162 行を 2,500 グループにまとめて一般化しました（1 グループあたり平均 12.1 行）。残すと、除くよりも損失が大きくなる 1 行を"
        "除きました（上限は 30 行）。"
    )
    seeded = releases[0]["mondrian"].warnings[1].into("ja")
    assert (
        seeded
        == "乱数の種が指定されたため、無作為な選択は第三者が再現できます。試験用なので、公開しないでください。"
    )


def test_a_seed_is_told_once_in_each_report(releases, tmp_path, monkeypatch):
    monkeypatch.setattr(charts, "_svg", lambda *_: "")
    for name in ("mondrian", "item-suppression"):
        written = releases[0][name].write(tmp_path / name, language="ja")
        for report in written.reports:
            assert report.read_text(encoding="utf-8").count("乱数の種が指定された") == 1


def test_notes_of_the_callers_own_method_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(charts, "_svg", lambda *_: "")
    release = sd.anonymize(people(), method=sd.Shuffle(), measures=["suppressed"])
    release = dataclasses.replace(release, warnings=())
    told = dataclasses.replace(release, notes=("I turned it <upside> down.", *release.notes))
    (report,) = told.write(tmp_path / "out", language="ja", reports=["internal"]).reports
    assert _listed(report.read_text(encoding="utf-8"))[:2] == [
        "I turned it <upside> down.",
        "行を無作為な順序に並べ替えました。",
    ]


def test_a_note_is_a_sentence_with_words_of_its_own():
    note = Note("generalized.left_out", note=Note("shuffled"), rows=3, allowed=5)
    again = pickle.loads(pickle.dumps(note))
    assert type(again) is Note
    assert (again, again.into("ja").into("en")) == (note, note)
    with pytest.raises(KeyError):
        Sentence("shuffled")


@pytest.mark.parametrize("method", ["mondrian", "generalization effort=fast", "microaggregation effort=fast"])
def test_groups_of_a_note_are_the_blocks_of_the_release(method):
    frame = sd.hospital(600, seed=4).select("length_of_stay", "sex", "disease")
    table = sd.read(frame).describe(quasi=["length_of_stay", "sex"], sensitive=["disease"])
    release = sd.anonymize(table, K, method=method, measures=["average_block"])
    [note, *_] = release.notes
    assert isinstance(note, Sentence)
    assert note.values["groups"] == release.risk_after.blocks
    assert note.values["size"] == pytest.approx(release.losses["average_block"])
