"""The report of baskets: complete in both languages, safe with any data, and silent about the original when public."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import numpy as np
import pytest
from tests.cases.pages import KINDS, LANGUAGES, Outline, drawings_of_a_whole_page

import sudare as sd
from sudare.assess.baskets.adversary import Adversary
from sudare.errors import ParameterError
from sudare.release.baskets.kind import BASKETS
from sudare.release.manifest import public_manifest
from sudare.release.report import charts
from sudare.release.report.baskets import page as basket_page
from sudare.release.report.baskets import sections as basket_sections
from sudare.release.report.baskets.page import basket_report_html
from sudare.release.report.common import Texts, words
from sudare.verify.finding import Finding
from sudare.words.sentence import loaded

ITEMS = [
    "bread",
    "milk",
    "beer",
    "wine",
    "tea",
    "rice",
    "pregnancy test",
    "insulin",
    "soap",
    "eggs",
    "fish",
    "nuts",
]


def baskets_of(count=400, seed=3):
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(ITEMS) + 1)
    sizes = np.minimum(random.poisson(2.0, count), 8)
    drawn = [random.choice(len(ITEMS), size, replace=False, p=weights / weights.sum()) for size in sizes]
    return sd.read_baskets(
        {f"secret-user-{row}": [ITEMS[i] for i in basket] for row, basket in enumerate(drawn)}
    )


def described(baskets):
    random = np.random.default_rng(1)
    return baskets.describe(
        sensitive=[random.choice(ITEMS, 4, replace=False).tolist() for _ in range(len(baskets))]
    )


@pytest.fixture(scope="module")
def release():
    return sd.anonymize(described(baskets_of()), sd.RhoUncertainty(0.4))


@pytest.fixture(scope="module")
def folders(release, tmp_path_factory):
    place = tmp_path_factory.mktemp("reports")
    return {language: release.write(place / language, language=language) for language in LANGUAGES}


@pytest.fixture(scope="module")
def pages(folders):
    return {
        (kind, language): (written.folder / kind / "report.html").read_text(encoding="utf-8")
        for language, written in folders.items()
        for kind in KINDS
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_is_a_whole_page_that_loads_nothing(pages, kind, language):
    html = pages[kind, language]
    drawings = drawings_of_a_whole_page(html, language)
    assert len(drawings) == (5 if kind == "internal" else 3)
    assert Texts(language)("verdict.holds") in html
    assert "sudare check DIR --original FILE --sensitive ITEMS" in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_public_page_is_made_of_the_release_alone(pages, folders, release, language):
    """Made anew from other originals with the same losses it is the same page, so it can tell nothing of them."""
    html = pages["public", language]
    assert "secret-user" not in html
    assert "#b4bac2" not in html.split("</style>")[1]  # the color of what was before
    assert all(note not in html for note in release.notes)
    text = " ".join(Outline(re.sub("<style>.*</style>", "", html, flags=re.DOTALL)).words)
    assert f" {Texts(language)('page.before')} " not in text
    assert Texts(language, "baskets")("worst.title") not in text
    assert Texts(language, "baskets")("users.title") not in text
    # The original is replaced by other baskets of as many users: nothing of it may have been looked at.
    other = described(baskets_of(seed=99))
    blind = dataclasses.replace(release, original=other, notes=("other notes",), verdicts=(), warnings=())
    written = folders[language]
    again = basket_report_html(
        blind, written.findings, public_manifest(BASKETS, written.manifest), kind="public", language=language
    )
    assert again == html


def test_public_losses_have_three_digits(release, folders, pages):
    shown = dataclasses.replace(release, losses=dict.fromkeys(release.losses, 0.123456))
    manifest = public_manifest(
        BASKETS, {**folders["en"].manifest, "losses": dict.fromkeys(release.losses, 0.123)}
    )
    html = basket_report_html(shown, folders["en"].findings, manifest, kind="public", language="en")
    assert "0.123</td>" in html
    assert "0.1235" not in html
    assert "internal" not in manifest


def test_the_internal_page_says_everything(pages, release, folders):
    html = pages["internal", "en"]
    worst = release.verdicts[0].worst
    assert len(worst) == 10
    assert all(f"secret-user-{one.user}</th>" in html for one in worst)
    assert all(note in html for note in release.notes)
    assert f"confidence at most {release.requirements[0].rho}" in html
    found = sd.measure.compare_rules(release.original, release.released)
    for status in ("kept", "lost", "new"):
        count = (found["status"] == status).sum()
        assert re.search(rf"\b{count} (are in both lists|left the list|entered it)", html)
    loss = sd.measure.user_loss(release.original, release.released)
    assert f"{loss.untouched:.1%}".replace(".0%", "%") in html
    assert "Loss by length of the basket" in html
    assert folders["en"].manifest["data"]["sha256"] in html


def test_japanese_pages_are_japanese(pages):
    for kind in KINDS:
        text = " ".join(Outline(pages[kind, "ja"]).words)
        assert "ρ-不確実性、ρ = 0.4" in text
        assert "Whoever" not in text
        assert "Support" not in text


def test_texts_are_complete_and_all_used(release, monkeypatch, folders):
    assert loaded("report_baskets", "en").keys() == loaded("report_baskets", "ja").keys()
    used = set()

    class Recording(Texts):
        def __call__(self, key, /, **values):
            used.add(key)
            return super().__call__(key, **values)

    monkeypatch.setattr(basket_page, "Texts", Recording)
    monkeypatch.setattr(charts, "_svg", lambda *_: "")  # words only: drawing takes long
    manifest = folders["en"].manifest
    asked: list[tuple[str, dict[str, Any]]] = [
        ("rho-uncertainty", {"rho": "1/3"}),
        ("rho-uncertainty", {"rho": 0.5, "m": 2}),
        ("rho-uncertainty", {"rho": 0.5, "m": 2, "eps": 0.1, "delta": 0.1}),
        ("km-anonymity", {"k": 2, "m": 2}),
    ]
    findings = [
        Finding({"type": kind, **more}, holds, 0.25, "A sentence.", 3)
        for kind, more in asked
        for holds in (True, False)
    ]
    km = sd.anonymize(baskets_of(60), sd.KmAnonymity(2, 2))
    nameless = sd.read_baskets([["a", "b"]] * 3).describe(sensitive=["b"])
    calm = sd.anonymize(nameless, sd.RhoUncertainty(1))
    verdict = calm.verdicts[0]
    silent = dataclasses.replace(calm, verdicts=(dataclasses.replace(verdict, worst=()),))
    sampled = dataclasses.replace(calm, verdicts=(dataclasses.replace(verdict, sampled=10),))
    tree = sd.hierarchy.tree({"x": ["a", "b"]})
    grouped = sd.anonymize(
        sd.read_baskets([["a"], ["b"]] * 3), sd.KmAnonymity(6, 1), method=sd.GeneralizeItems(tree)
    )
    empty = sd.anonymize(sd.read_baskets([[], []]), sd.KmAnonymity(2, 1))
    for case in (release, km, calm, silent, sampled, grouped, empty):
        for kind in KINDS:
            about = manifest if kind == "internal" else public_manifest(BASKETS, manifest)
            basket_report_html(case, findings, about, kind=kind, language="en")
    basket_report_html(release, findings[:1], manifest, kind="internal", language="en")

    def too_many(*_args, **_options):
        raise ParameterError("More than 5,000,000 sets.")

    monkeypatch.setattr(basket_sections, "mined", too_many)
    basket_report_html(release, findings, public_manifest(BASKETS, manifest), kind="public", language="en")
    assert loaded("report_baskets", "en").keys() - used == set()
    assert words("en", "baskets").keys() >= words("en").keys()


EVIL = '"><script>alert(1)</script>&amp;{{ 7*7 }}{rho}'


def test_everything_from_users_is_escaped(tmp_path):
    lists = [[EVIL, "b"], [EVIL, "b"], ["b"], [EVIL], ["c", EVIL]] * 4
    baskets = sd.read_baskets({f"{EVIL}{row}": each for row, each in enumerate(lists)})
    release = sd.anonymize(baskets.describe(sensitive=["b"]), sd.RhoUncertainty(0.5))
    written = release.write(tmp_path / "out", layout="json")
    for place in written.reports:
        html = place.read_text(encoding="utf-8")
        assert "<script" not in html
        assert "{{ 7*7 }}" in html
        assert Outline(html).open == []


@pytest.mark.parametrize(
    "lists",
    [
        [[]],
        [["a"]],
        [["a"], []] * 5,
        [list(range(12))] * 3,
        [[1, 2], [2, 3]] * 4,
        [["長い名前" * 60, "b"]] * 3,
    ],
    ids=["nothing", "one", "some empty", "long", "numbers", "long names"],
)
def test_odd_baskets(lists, tmp_path):
    baskets = sd.read_baskets(lists)
    release = sd.anonymize(baskets.describe(sensitive=list(baskets.items)[:1]), sd.RhoUncertainty(0.5, m=1))
    for place in release.write(tmp_path / "out", layout="json").reports:
        html = place.read_text(encoding="utf-8")
        assert Outline(html).open == []
        assert "NaN" not in html
        assert not re.search(r"\bnan\b|\binf\b", html)


def test_reports_are_those_asked_for(release, tmp_path):
    written = release.write(tmp_path / "out", reports=["internal"])
    assert [place.parent.name for place in written.reports] == ["internal"]
    with pytest.raises(ParameterError, match="output: 'language' is 'fr', but it should be 'en' or 'ja'"):
        release.write(tmp_path / "other", language="fr")


def test_baskets_so_alike_that_rules_cannot_be_counted_are_released_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("sudare.measure.baskets.association._MOST_SETS", 50)
    baskets = sd.read_baskets([[f"i{item}" for item in range(9)]] * 6).describe(sensitive=["i0"])
    release = sd.anonymize(baskets, sd.RhoUncertainty(0.5, m=1))
    assert list(release.losses) == ["util1", "util2"]
    assert release.warnings[0].startswith("rule_distance is left out: More than 50 sets")
    html = release.write(tmp_path / "out").reports[1].read_text(encoding="utf-8")
    assert "no rules are shown" in html
    with pytest.raises(ParameterError, match="More than 50 sets"):
        sd.anonymize(baskets, sd.RhoUncertainty(0.5, m=1), measures=["rule_distance"])


def test_the_inputs_are_left_alone(release, folders):
    manifest = folders["en"].manifest
    before = json.dumps(manifest, ensure_ascii=False)
    for kind in KINDS:
        basket_report_html(release, folders["en"].findings, manifest, kind=kind, language="en")
    assert json.dumps(manifest, ensure_ascii=False) == before
    assert isinstance(release.verdicts[0].worst[0], Adversary)
