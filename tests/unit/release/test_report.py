"""The HTML report: complete in both languages, safe with any data, and silent about the original when public."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cases.pages import KINDS, LANGUAGES, Outline, drawings_of_a_whole_page
from tests.cases.reports import manifest_for, pages_of, released, table_of, unchanged

from sudare.advise.advise import Suitability
from sudare.anonymize.microaggregate.method import Microaggregate
from sudare.anonymize.mondrian import Mondrian
from sudare.api import anonymize
from sudare.assess.block_requirements import KAnonymity, LDiversity, TCloseness
from sudare.describe.hierarchy.catalogue import CATALOGUE
from sudare.describe.table import Table
from sudare.display import share
from sudare.release.recipe.table import Recipe
from sudare.release.report import report_html
from sudare.release.report.charts import Binned, distribution
from sudare.release.report.common import Texts
from sudare.release.report.table.page import losses, roles
from sudare.release.table.summary import suitability_sentence
from sudare.verify.finding import Finding
from sudare.words.sentence import in_language


@pytest.fixture(scope="module")
def release():
    return released()


@pytest.fixture(scope="module")
def pages(release, tmp_path_factory):
    given = Recipe.of(
        source={"path": "postgresql://ann:pass:w@rd@db.example/clinic?password=open", "table": "t"},
        columns={"age": {"role": "quasi"}},
        requirements=["k-anonymity k=2"],
        output={"folder": "release"},
    )
    recipe = {**given.without_secrets().to_dict(), "note": "<script>"}
    return pages_of(release, tmp_path_factory.mktemp("report"), recipe=recipe)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_is_a_whole_page_that_loads_nothing(pages, kind, language):
    html = pages[kind, language]
    drawings = drawings_of_a_whole_page(html, language)
    assert len(drawings) == 4  # age, city, disease, block sizes
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
    assert "postgresql://ann@db.example/clinic" in html
    assert "rd@" not in html
    assert "open" not in html.split("<h2>Recipe")[1].split("</pre>")[0]
    assert "note: &lt;script&gt;" in html


def test_figures_are_those_of_the_release(pages, release):
    html = pages["public", "en"]
    assert f"<b>{release.risk_after.smallest_block}</b>" in html
    for name in (*release.publishable, *release.column_losses):
        assert name in html
    assert all(name in pages["internal", "en"] for name in release.losses)
    head = release.table.frame.row(0)
    assert all(str(cell) in html for cell in head)


def test_japanese_page_is_japanese(pages):
    text = " ".join(Outline(pages["public", "ja"]).words)
    assert "Every" not in text
    assert "k-匿名性、k = 5" in text


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
def test_a_column_says_what_was_really_done_to_it(tmp_path, language):
    """Half of the people are of each city, so that k-anonymity leaves it as it is; ages are all different."""
    frame = pl.DataFrame({"age": range(200), "city": ["Nara", "Kobe"] * 100})
    table = Table.from_frame(frame).describe(quasi=["age", "city"])
    texts = Texts(language)
    release = anonymize(table, KAnonymity(5), method=Mondrian())
    rows = {
        row["name"]: row["done"]
        for row in roles(release, manifest_for(release, tmp_path), texts, internal=True)
    }
    assert release.column_losses["city"] == 0
    assert rows == {"age": texts("roles.done.generalized"), "city": texts("roles.done.unchanged")}
    averaged = anonymize(table, KAnonymity(5), method=Microaggregate())
    for internal in (True, False):
        told = roles(averaged, manifest_for(averaged, tmp_path), texts, internal=internal)
        assert {row["done"] for row in told} == {texts("roles.done.averaged")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_replaced_values_have_no_loss_of_columns_and_the_page_says_why(tmp_path, language):
    release = anonymize(table_of(), KAnonymity(5), LDiversity(2), method=Microaggregate())
    texts = Texts(language)
    assert losses(release, texts, public=False)["columns"] == []
    pages = pages_of(release, tmp_path)
    # The custodian sees the error of each column instead; readers of the public part only why there is no loss.
    assert texts("loss.replaced") in pages["public", language]
    assert texts("loss.errors_lead") not in pages["public", language]
    assert texts("loss.errors_lead") in pages["internal", language]
    assert not any(texts("loss.no_quasi") in pages[kind, language] for kind in KINDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sensitive_columns_that_no_requirement_covers_are_named(tmp_path, language):
    """Recounted by hand: wages are certain in a block where all are alike."""
    wages = ["low"] * 150 + ["high"] * 50
    table = table_of(wage=wages, other=["x", "y"] * 100).describe(sensitive=["disease", "wage", "other"])
    release = anonymize(table, KAnonymity(5), LDiversity(2, sensitive=("disease", "other")), seed=1)
    sizes = release.table.frame.group_by("age", "city").agg(
        pl.len(), pl.col("wage").n_unique().alias("values")
    )
    certain = sizes.filter(pl.col("values") == 1)["len"].sum() / 200
    assert certain > 0
    (warning,) = [one for one in release.warnings if "covers" in one]
    assert f"wage ({share(certain)})" in warning
    assert "other" not in warning
    for html in (pages_of(release, tmp_path)[kind, language] for kind in KINDS):
        assert html.count(in_language(warning, language)) == 1
    assert "city" not in warning
    covered = anonymize(table, KAnonymity(5), LDiversity(2), seed=1)
    assert not any("covers" in one for one in covered.warnings)


def test_every_uncovered_column_is_named_and_missing_values_are_not_certain():
    """A share of 0 is luck, not a promise; that a value is missing is no value; a column without values tells nothing."""
    sick = [None] * 100 + ["x", "y"] * 50
    columns = {"even": ["x", "y"] * 100, "sick": sick, "same": ["z"] * 200, "empty": [None] * 200}
    table = table_of(**columns).describe(sensitive=["disease", *columns])
    release = anonymize(table, KAnonymity(100), LDiversity(2, sensitive=("disease",)), order="keep", seed=1)
    (warning,) = [one for one in release.warnings if "covers" in one]
    frame = release.table.frame
    blocks = frame.group_by("age", "city").agg(
        pl.len(), pl.col("even").n_unique().alias("evens"), pl.col("sick").n_unique().alias("sicks"),
        pl.col("sick").null_count().alias("nulls"),
    )  # fmt: skip
    even = blocks.filter(pl.col("evens") == 1)["len"].sum() / 200
    sure = blocks.filter((pl.col("sicks") == 1) & (pl.col("nulls") == 0))["len"].sum() / 200
    assert f"even ({share(even)})" in warning
    assert even == 0
    assert f"sick ({share(sure)})" in warning
    assert "same (100%)" in warning
    assert "empty" not in warning


def test_without_a_requirement_on_sensitive_columns_those_are_named_that_are_certain_to_somebody():
    table = table_of(same=["z"] * 200, even=["x", "y"] * 100).describe(sensitive=["same", "even"])
    release = anonymize(table, KAnonymity(100), order="keep", seed=1)
    (warning,) = [one for one in release.warnings if "covers" in one]
    assert "same (100%)" in warning
    assert "even" not in warning


def test_many_columns_that_were_left_out_share_a_row(tmp_path):
    dropped = {f"d{number}": [number] * 200 for number in range(8)}
    table = table_of(**dropped).describe(drop=list(dropped))
    release = anonymize(table, KAnonymity(5))
    rows = roles(release, manifest_for(release, tmp_path), Texts("en"), internal=True)
    (shared,) = [row for row in rows if row["role"] == "dropped"]
    assert shared["name"] == ", ".join(dropped)
    assert shared["done"] == "8 columns, not released"
    (alone,) = [row for row in rows if row["role"] == "identifier"]
    assert (alone["name"], alone["done"]) == ("name", "not released")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phase_of_a_run_has_a_word(release, tmp_path, language):
    release.write(tmp_path / "out", reports=[])
    seconds = json.loads((tmp_path / "out" / "internal" / "manifest.json").read_text(encoding="utf-8"))[
        "seconds"
    ]
    assert "evaluate" in seconds
    assert all(Texts(language).or_else(f"provenance.phase.{phase}", "") for phase in seconds)


def test_a_stored_recipe_says_only_what_was_asked(tmp_path):
    asked = {
        "source": {"path": str(tmp_path / "t.csv")},
        "columns": {"age": {"role": "quasi", "hierarchy": {"type": "intervals", "width": 5}}},
        "requirements": [{"type": "k-anonymity", "k": 5}],
        "method": {"type": "generalization", "effort": "fast"},
        "output": {"folder": str(tmp_path / "out")},
    }
    recipe = Recipe.of(**asked)
    written = recipe.to_dict()
    assert written == {"version": 1, **asked, "method": [asked["method"]]}
    assert Recipe.of(**written) == recipe


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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("language", "told"), [("en", "random sample of 5,000 rows"), ("ja", "無作為に選んだ 5,000 行")]
)
def test_suitability_of_a_sample_is_told_as_such(language, told):
    """The bound of a sample stands beside the bound of all rows, and may be higher."""
    found = Suitability(1.1, 4, 0.2486, 0.2252, 5_000)
    assert told in suitability_sentence(found, language, 12_000)
    assert told not in suitability_sentence(found, language, 5_000)
    fewer = Suitability(1.1, 4, 0.2486, 0.2252, 4_900)  # without rows that miss a value
    assert told not in suitability_sentence(fewer, language, 4_950)
