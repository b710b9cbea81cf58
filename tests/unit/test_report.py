"""The HTML report: complete in both languages, safe with any data, and silent about the original when public."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from html.parser import HTMLParser
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.anonymize.identifiers import RemoveIdentifiers
from sudare.anonymize.randomize.method import Randomize
from sudare.assess.bounds import Bound
from sudare.assess.k_anonymity import KAnonymity
from sudare.assess.l_diversity import LDiversity
from sudare.assess.pk_anonymity import PkAnonymity
from sudare.assess.t_closeness import TCloseness
from sudare.describe.hierarchy.catalogue import CATALOGUE
from sudare.describe.table import Table
from sudare.read.source import SourceFacts
from sudare.release.manifest import manifest_of
from sudare.release.recipe import Output
from sudare.release.report import charts, page, report_html
from sudare.release.report.distributions import Binned, Listed, block_sizes, distribution
from sudare.release.report.sections import MOST_CHARTS
from sudare.release.report.spans import DAY, spans
from sudare.release.report.texts import Language, Texts, words
from sudare.release.run import anonymize
from sudare.release.verify import Finding, verify_frame

KINDS: tuple[Literal["internal", "public"], ...] = ("internal", "public")
LANGUAGES: tuple[Language, ...] = ("en", "ja")


def table_of(rows=200, **extra):
    numbers = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "name": [f"Mx Nobody-{i}" for i in range(rows)],
            "age": numbers.integers(20, 90, rows),
            "city": numbers.choice(["Osaka", "Kyoto", "Nara"], rows),
            "disease": numbers.choice(["flu", "gout", "measles"], rows),
            **extra,
        }
    )
    facts = SourceFacts(name="secret_patients.csv", format="csv", sha256="feedface" * 8)
    return Table.from_frame(frame, source=facts).describe(
        identifier=["name"], quasi=["age", "city"], sensitive=["disease"]
    )


def manifest_for(release, tmp_path, recipe=None):
    data = tmp_path / "data.csv"
    release.table.frame.write_csv(data)
    manifest = manifest_of(release, Output.of(folder=str(tmp_path)), data, recipe=None, run="run-number-1")
    return {**manifest, "recipe": recipe}


def findings_for(release, manifest):
    return verify_frame(
        release.table.frame, manifest["columns"], manifest["requirements"], manifest["hierarchies"]
    )


def pages_of(release, tmp_path, **given):
    manifest = manifest_for(release, tmp_path, **given)
    findings = findings_for(release, manifest)
    return {
        (kind, language): report_html(release, findings, manifest, kind=kind, language=language)
        for kind in KINDS
        for language in LANGUAGES
    }


def unchanged(table):
    return anonymize(table, method=RemoveIdentifiers(), measures=["loss", "suppressed"])


class Outline(HTMLParser):
    """Tags, the text of the page, and whether every element is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.words, self.open = [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in {"meta", "col", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def release():
    return anonymize(table_of(), KAnonymity(5), LDiversity(2))


@pytest.fixture(scope="module")
def pages(release, tmp_path_factory):
    recipe = {
        "source": {"path": "postgresql://ann:pass:w@rd@db.example/clinic?password=open"},
        "note": "<script>",
    }
    return pages_of(release, tmp_path_factory.mktemp("report"), recipe=recipe)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_is_a_whole_page_that_loads_nothing(pages, kind, language):
    html = pages[kind, language]
    outline = Outline(html)
    assert outline.open == []
    assert ("html", {"lang": language}) in outline.tags
    tags = {tag for tag, _ in outline.tags}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "foreignobject", "a"})
    assert "http:" not in html
    assert "https:" not in html
    assert not re.search(r"url\(|@import|src=|\son\w+=", html)
    drawings = [given for tag, given in outline.tags if tag == "svg" and given.get("class") == "marks"]
    assert len(drawings) == 4  # age, city, disease, block sizes
    assert all(given["role"] == "img" and given["aria-label"] for given in drawings)
    assert Texts(language)("verdict.holds") in html
    assert "sudare check DIR" in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_public_page_says_nothing_about_the_original(pages, release, language):
    html = pages["public", language]
    text = " ".join(Outline(re.sub("<style>.*</style>", "", html, flags=re.DOTALL)).words)
    assert "feedface" not in html
    assert "secret_patients" not in html
    assert "run-number-1" not in html
    assert "postgresql" not in html
    assert "Nobody" not in html
    assert Texts(language)("page.before") not in text
    assert "#b4bac2" not in html.split("</style>")[1]  # the color of what was before
    assert all(note not in html for note in release.notes)


def test_public_charts_hold_no_original_extremes(tmp_path):
    """The one very old and the one rare value vanish in groups; the public page must not bring them back."""
    ages = [20 + i % 40 for i in range(199)] + [113]
    table = (
        table_of()
        .with_values(pl.Series("age", ages))
        .describe(hierarchies={"age": CATALOGUE.build({"type": "intervals", "bounds": [30, 40, 50]})})
    )
    release = anonymize(table, KAnonymity(5))
    html = pages_of(release, tmp_path)["public", "en"]
    assert ">= 50" in release.table.frame["age"]
    assert ">113<" not in html
    assert ">110<" not in html
    assert ">100<" not in html


def test_internal_page_says_everything(pages, release):
    html = pages["internal", "en"]
    for expected in ("feedface" * 8, "secret_patients.csv", "run-number-1", *release.notes):
        assert expected in html
    assert "postgresql://ann:…@db.example/clinic" in html
    assert "rd@" not in html
    assert "open" not in html.split("<h2>Recipe")[1].split("</pre>")[0]
    assert "note: &lt;script&gt;" in html


def test_figures_are_those_of_the_release(pages, release):
    html = pages["public", "en"]
    assert f"<b>{release.risk_after.smallest_block}</b>" in html
    for name in (*release.losses, *release.column_losses):
        assert name in html
    head = release.table.frame.row(0)
    assert all(str(cell) in html for cell in head)


def test_japanese_page_is_japanese(pages):
    text = " ".join(Outline(pages["public", "ja"]).words)
    assert "Every" not in text
    assert "k-匿名性、k = 5" in text


def test_texts_are_complete_and_all_used(release, tmp_path, monkeypatch):
    assert words("en").keys() == words("ja").keys()
    used = set()

    class Recording(Texts):
        def __call__(self, key, **values):
            used.add(key)
            return super().__call__(key, **values)

    monkeypatch.setattr(page, "Texts", Recording)
    monkeypatch.setattr(charts, "_svg", lambda *_: "")  # words only: drawing takes long
    manifest = manifest_for(release, tmp_path, recipe={"version": 1})
    manifest["seconds"] = dict.fromkeys(("read", "anonymize", "check", "measure", "write", "verify"), 1.0)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("k-anonymity", {"k": 5}),
        *(("l-diversity", {"l": 2, "kind": kind}) for kind in ("distinct", "entropy")),
        ("l-diversity", {"l": 2, "kind": "recursive", "c": 2.5, "sensitive": ["disease"]}),
        *(
            ("t-closeness", {"t": 0.5, "distance": distance})
            for distance in ("equal", "ordered", "hierarchical")
        ),
        ("pk-anonymity", {"k": 10}),
        ("no-identifiers", {}),
        ("unchanged-files", {}),
        ("something-new", {}),
    ]
    outcomes = [
        Finding({"type": kind, **more}, holds, reached, "A sentence.", 3)
        for kind, more in asked
        for holds in (True, False)
        for reached in (3.0, None)
    ]
    held = [finding for finding in outcomes if finding.holds]
    about_files = [Finding({"type": "no-identifiers"}, True, None, "None.", 0)]
    wide = _wide_release()
    bare = dataclasses.replace(release, requirements=(), secure=False, warnings=("Look.",))
    bare.__dict__["lower_bounds"] = {"loss": Bound(0.1, True, "Exact."), "dis": Bound(0.1, False, "Weaker.")}
    gone = dataclasses.replace(
        unchanged(Table.from_frame(pl.DataFrame({"x": [1, 2]})).describe(sensitive=["x"])), column_losses={}
    )
    ages = release.table.frame["age"].to_list()
    outlier = pl.Series("age", [10_000, *release.original.frame["age"].to_list()[1:]])
    starred = dataclasses.replace(
        release,
        original=release.original.with_values(outlier),
        table=release.table.with_values(pl.Series("age", ["*", *ages[1:]])),
    )
    weights = [dataclasses.replace(release.risk_after, population=source) for source in ("given", "weights")]
    cases = [(starred, outcomes), (release, held), (bare, about_files), (wide, outcomes), (gone, about_files)]
    for population in weights:
        changed = dataclasses.replace(release)
        changed.__dict__["risk_after"] = population
        cases.append((changed, held))
    monkeypatch.setattr(charts, "heat_maps", lambda *_: "")
    cases += [(case, held) for case in _randomized_releases()]
    for case, findings in cases:
        for kind in KINDS:
            for language in LANGUAGES:
                given = {**manifest, "recipe": None} if case is bare else manifest
                report_html(case, findings, given, kind=kind, language=language)
    assert words("en").keys() - used == set()


def _randomized_releases():
    """Every mechanism, with missing cells, with and without exact columns."""
    rows = 60
    numbers = np.random.default_rng(2)
    names = ("laplace", "normal", "density", "uniform")
    gap = [None if row == 0 else row % 10 for row in range(rows)]
    frame = pl.DataFrame(
        {name: pl.Series(gap if name == "laplace" else [row % 10 for row in range(rows)]) for name in names}
        | {"kept": numbers.choice(["a", "b"], rows), "s": numbers.choice(["x", "y"], rows)}
        | {"day": pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)}
    )
    table = Table.from_frame(frame).describe(quasi=[*names, "kept", "day"], sensitive=["s"])
    method: dict[str, Any] = {
        "ranges": {**dict.fromkeys(names, (0, 10)), "day": ("2024-01-01", "2024-12-31")},
        "mechanisms": {
            "normal": "normal", "density": {"type": "density", "noise": {"name": "logistic"}}, "uniform": "uniform",
        },
        "missing": "category",
    }  # fmt: skip
    for exact in ([], ["s"]):
        randomize = Randomize(**{**method, "exact": exact})
        yield anonymize(table, PkAnonymity(2), method=randomize, measures=["suppressed"])


def _wide_release():
    rows = 40
    numbers = np.random.default_rng(1)
    data: dict[str, Any] = {
        f"q{i}": pl.Series([None if j % 7 == 0 else j % 50 for j in range(rows)]) for i in range(14)
    }
    data |= {f"s{i}": numbers.choice([f"value {j}" for j in range(30)], rows) for i in range(20)}
    data |= {f"o{i}": [0.0] * rows for i in range(20)}
    data["skew"] = [float(j) for j in range(rows - 1)] + [1e6]
    table = Table.from_frame(pl.DataFrame(data))
    names = list(data)
    table = table.describe(quasi=["skew", *names[:14]], sensitive=names[14:34], insensitive=names[34:54])
    return anonymize(table, KAnonymity(2), measures=["loss", "suppressed"])


def test_many_columns_are_bounded_and_the_rest_is_counted(tmp_path):
    html = pages_of(_wide_release(), tmp_path)["internal", "en"]
    assert html.count('class="marks"') == MOST_CHARTS + 1
    assert "23 more columns are not drawn." in html
    assert "14 more sensitive columns" in html
    assert "Columns 1 to 8 of 55" in html
    assert "15 more columns are not shown." in html


EVIL = '"><script>alert(1)</script>&amp;\x00\x1b{{ 7*7 }}{k}'


def test_everything_from_users_is_escaped(tmp_path):
    rows = 30
    frame = pl.DataFrame({EVIL: [EVIL, "b", "c"] * 10, f"2{EVIL}": [EVIL, "y"] * 15, f"3{EVIL}": range(rows)})
    table = Table.from_frame(frame).describe(quasi=[EVIL], sensitive=[f"2{EVIL}"], insensitive=[f"3{EVIL}"])
    release = anonymize(table, KAnonymity(5), LDiversity(2, sensitive=(f"2{EVIL}",)))
    for html in pages_of(release, tmp_path, recipe={"a": EVIL}).values():
        assert "<script" not in html
        assert "{{ 7*7 }}" in html
        drawn = re.findall(r"<svg[^>]*class=\"marks\".*?</svg>", html, re.DOTALL)
        assert any("&lt;script&gt;" in svg for svg in drawn)
        assert Outline(html).open == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_broken_guarantee_is_red_and_says_how_many_rows(release, tmp_path, language):
    manifest = manifest_for(release, tmp_path)
    findings = [Finding({"type": "k-anonymity", "k": 5}, False, 1.0, "The combination x occurs once.", 17)]
    html = report_html(release, findings, manifest, kind="internal", language=language)
    assert 'class="verdict broken"' in html
    assert "17" in " ".join(Outline(html).words)


def test_requirement_without_a_finding_does_not_hold(release, tmp_path):
    html = report_html(release, [], manifest_for(release, tmp_path), kind="public", language="en")
    assert 'class="verdict broken"' in html


def test_without_requirement_nothing_is_promised(tmp_path):
    html = pages_of(unchanged(table_of(20)), tmp_path)["public", "en"]
    assert 'class="verdict nothing"' in html
    assert Texts("en")("promise.nothing") in html


def test_inputs_are_left_alone(release, tmp_path):
    manifest = manifest_for(release, tmp_path)
    before = json.dumps(manifest, ensure_ascii=False)
    for kind in KINDS:
        report_html(release, [], manifest, kind=kind, language="en")
    assert json.dumps(manifest, ensure_ascii=False) == before


ODD: dict[str, tuple[dict[str, Any], int]] = {
    "one row": ({"a": [1], "s": ["x"]}, 1),
    "constant": ({"a": [5] * 6, "s": ["x"] * 6}, 2),
    "all missing": ({"a": pl.Series([None] * 6, dtype=pl.Int64), "s": [None] * 6}, 2),
    "some missing": ({"a": [1, None, 3, None, 5, 6], "s": ["x", None] * 3}, 2),
    "huge offset": ({"a": [1e15 + i for i in range(6)], "s": [10**18 + i for i in range(6)]}, 2),
    "huge spread": ({"a": [-1e300, 1e300, 0.0, 1e-300, 1.0, 2.0], "s": list("abcdef")}, 2),
    "tiny": ({"a": [1e-310 * i for i in range(6)], "s": list("aabbcc")}, 2),
    "Japanese": ({"年齢": [20, 30, 40, 50, 60, 70], "病名": ["風邪", "痛風"] * 3}, 2),
    "truth": ({"a": [True, False] * 3, "s": [True] * 6}, 2),
    "no change": ({"a": [1, 1, 2, 2, 3, 3], "s": list("ababab")}, 2),
    "date ranges": (
        {"a": pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 6), eager=True), "s": list("ababab")},
        2,
    ),
    "moments": (
        {
            "a": pl.Series(["2024-01-01T10:00:00", "1970-01-01T00:00:00"] * 3).str.to_datetime(),
            "s": pl.Series(["10:00:00"] * 6).str.to_time(),
        },
        2,
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_tables(case, tmp_path):
    data, k = ODD[case]
    first, second = data
    table = Table.from_frame(pl.DataFrame(data)).describe(quasi=[first], sensitive=[second])
    for html in pages_of(anonymize(table, KAnonymity(k), measures=["loss", "dm"]), tmp_path).values():
        assert Outline(html).open == []
        assert "NaN" not in html
        assert first in html


def test_dates_by_calendar_period(tmp_path):
    days = pl.date_range(pl.date(2023, 1, 1), pl.date(2024, 12, 31), eager=True)
    table = Table.from_frame(pl.DataFrame({"day": days})).describe(
        quasi=["day"], hierarchies={"day": CATALOGUE.build({"type": "dates"})}
    )
    release = anonymize(table, KAnonymity(20))
    found = distribution(release, "day", with_original=True)
    assert isinstance(found, Binned)
    assert found.dates
    assert found.before is not None
    assert np.allclose(found.before, found.after, atol=1e-6)  # every day once, whole periods: spread evenly
    assert ">2023-07<" in pages_of(release, tmp_path)["public", "ja"]


def test_no_sensitive_column(tmp_path):
    table = Table.from_frame(pl.DataFrame({"a": [1, 2, 3, 4]})).describe(quasi=["a"])
    html = pages_of(anonymize(table, KAnonymity(2)), tmp_path)["internal", "en"]
    assert html.count('class="marks"') == 2


def test_t_closeness_with_hierarchies_and_left_out_rows(tmp_path):
    table = table_of().describe(hierarchies={"age": CATALOGUE.build({"type": "intervals", "width": 5})})
    pages = pages_of(anonymize(table, KAnonymity(5), TCloseness(0.6)), tmp_path)
    assert "t-近似性" in pages["public", "ja"]
    assert "[" in pages["public", "en"]


def test_spans_of_dates():
    texts = pl.Series(
        ["2024-03-05", "2024-03", "2024-Q2", "2024", "2020s", "[2024-03-05, 2024-03-06]", "*", "2024-13"]
    )
    found = spans(texts, pl.Date())
    days = [None if low is None else (high - low) / DAY for low, high in found.rows()]
    assert days == [1, 31, 91, 366, 3653, 2, None, None]
    assert found["low"][3] == 19723 * DAY


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=60),
    st.integers(1, 5),
)
@settings(max_examples=40, deadline=None)
def test_histograms_lose_no_rows(ages, k):
    table = Table.from_frame(pl.DataFrame({"age": ages})).describe(quasi=["age"], kinds={"age": "numeric"})
    release = anonymize(table, KAnonymity(min(k, len(ages))), measures=["loss"])
    found = distribution(release, "age", with_original=True)
    assert isinstance(found, Binned)
    assert found.before is not None
    assert np.all(np.diff(found.edges) > 0)
    assert len(found.edges) <= 45
    assert found.before.sum() + found.undrawn >= 1 - 1e-9
    assert math.isclose(found.after.sum() + found.unstated + found.missing, 1, abs_tol=found.undrawn + 1e-9)
    twin = np.histogram(ages, bins=found.edges)[0] / len(ages)
    assert np.allclose(found.before, twin)


@given(st.lists(st.sampled_from([None, "a", "b", "c", "日本"]), min_size=1, max_size=40))
@settings(max_examples=40, deadline=None)
def test_bars_are_shares_of_rows(values):
    frame = pl.DataFrame({"v": pl.Series(values, dtype=pl.String)})
    release = anonymize(
        Table.from_frame(frame).describe(quasi=["v"], kinds={"v": "nominal"}),
        KAnonymity(1),
        measures=["loss"],
    )
    found = distribution(release, "v", with_original=True)
    assert isinstance(found, Listed)
    assert found.before is not None
    assert math.isclose(sum(found.after) + found.rest[1], 1)
    assert {
        label: round(share * len(values)) for label, share in zip(found.labels, found.before, strict=True)
    } == {value: values.count(value) for value in set(values)}


def test_block_sizes_are_shares_of_rows(release):
    found = block_sizes(release, with_original=True)
    assert found.labels[:5] == ["1", "2", "3–4", "5–9", "10–19"]
    assert math.isclose(sum(found.after), 1)
    assert found.before is not None
    assert math.isclose(sum(found.before), 1)
    assert found.after[:3] == [0, 0, 0]


def test_measures_without_a_range_or_a_value(release, tmp_path):
    odd = dataclasses.replace(
        release, losses={"ild": -0.25, "suppressed": math.nan, "dm": 12.0, "loss": -0.00001}
    )
    html = pages_of(odd, tmp_path)["public", "en"]
    assert "-25%" in html
    assert not re.search(r"\bnan\b", html, re.IGNORECASE)
    assert ">-0%<" not in html
