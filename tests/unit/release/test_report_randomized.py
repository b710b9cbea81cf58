"""The report of a randomized release: what 1/k is, how it was found, tables before and after, nothing private in public."""

# mypy: disable-error-code="arg-type, union-attr"
# parameters are given as users write them

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.errors import ParameterError
from sudare.measure.crosstab.input.round_bins import round_edges
from sudare.release.manifest import public_manifest
from sudare.release.report.common import Texts
from sudare.release.report.table.page import chosen
from sudare.release.table.kind import TABLE


def people(rows=600):
    random = np.random.default_rng(3)
    age = np.clip(random.gamma(6, 7, rows), 0, 119).astype(int)
    return pl.DataFrame(
        {
            "age": age,
            "sex": np.where(random.random(rows) < 0.3 + age / 300, "F", "M"),
            "city": random.choice(["Kyoto", "Osaka"], rows),
            "disease": random.choice(["flu", "gout", "measles"], rows, p=[0.7, 0.2, 0.1]),
        }
    )


def released(roles=None, method=None, k=3, rows=600):
    roles = roles or {"quasi": ["age", "sex"], "sensitive": ["disease"], "insensitive": ["city"]}
    table = sd.read(people(rows)).describe(**roles)
    return sd.anonymize(
        table, sd.PkAnonymity(k), method=method or sd.Randomize(ranges={"age": (0, 120)}), seed=1
    )


@pytest.fixture(scope="module")
def release():
    return released()


@pytest.fixture(scope="module")
def pages(release, tmp_path_factory):
    found: dict[Any, Any] = {}
    for language in ("en", "ja"):
        folder = tmp_path_factory.mktemp(language) / "release"
        release.write(folder, language=language)
        for kind in ("public", "internal"):
            found[kind, language] = (folder / kind / "report.html").read_text(encoding="utf-8")
        found["manifest"] = json.loads((folder / "public" / "manifest.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", ["public", "internal"])
def test_1_over_k_is_the_risk(pages, kind, language):
    html = pages[kind, language]
    texts = Texts(language)
    assert texts("tile.linking") in html
    assert "33.3%" in html
    assert texts("requirement.pk-anonymity.asked", k="3") in html
    assert texts("requirement.pk-anonymity.promise", k="3") in html
    assert texts("risk.lead_randomized") in html
    assert texts("risk.prosecutor_largest.name") not in html
    assert texts("distributions.blocks") not in html
    assert texts("randomization.formula", records="600", rate=f"{2 / 599:.4g}", k="3") in html
    assert texts("randomization.from_data", columns=texts("page.separator").join(["sex", "disease"])) in html
    assert texts("glossary.randomization_text") in html


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_original_counts_are_for_the_custodian(release, pages, language):
    texts = Texts(language)
    internal, public = pages["internal", language], pages["public", language]
    assert f">{texts('tabulation.original')}<" in internal
    assert f">{texts('tabulation.original')}<" not in public
    for title in ("released", "estimate"):
        assert f">{texts(f'tabulation.{title}')}<" in internal
        assert f">{texts(f'tabulation.{title}')}<" in public
    # A count that the original has and the release has not.
    edges = round_edges(0, 120, whole=True)
    table = sd.crosstab(release, ["age", "sex"], {"age": edges}, draws=0)
    ages = pl.Series("age", np.searchsorted(edges[1:-1], people()["age"].to_numpy(), side="right"))
    original = people().with_columns(ages).group_by("age", "sex").len()
    drawn = {
        f"{count:,.0f}" for name in ("released", "estimate") for count in table.array(figure=name).ravel()
    }
    # Multiples of 10 are on the scale of colors, whatever is drawn.
    telling = {str(count) for count in original["len"] if count % 10} - drawn
    assert telling
    assert all(f">{count}<" in internal for count in telling)
    svg = public.partition('<figure class="card maps">')[2].partition("</figure>")[0]
    assert not any(f">{count}<" in svg for count in telling)
    assert "Total variation from the original" not in public


def test_losses_against_the_original_are_not_public(release, pages):
    assert pages["manifest"]["losses"] == {"suppressed": 0.0}
    assert pages["manifest"]["column_losses"] == {}
    assert "sse_ratio" in pages["internal", "en"]
    assert "sse_ratio" not in pages["public", "en"]
    assert "marginal_tv" not in pages["public", "en"]
    assert "entropy_loss" not in pages["internal", "en"]
    assert "loss" not in release.losses
    assert "loss" in release.not_applicable


def test_other_releases_keep_their_losses(tmp_path):
    table = sd.read(people()).describe(quasi=["age", "sex"], sensitive=["disease"], insensitive=["city"])
    release = sd.anonymize(table, sd.KAnonymity(5))
    written = release.write(tmp_path / "out", reports=[])
    assert set(public_manifest(TABLE, written.manifest)["losses"]) == {
        *("loss", "dis", "gcp", "dm", "average_block", "suppressed")
    }
    # There is one number, so no correlation.
    assert set(release.not_applicable) == {"correlation_change"}


def test_exact_columns_have_rows_of_their_own(tmp_path):
    roles = {"quasi": ["age", "city"], "sensitive": ["disease"], "insensitive": ["sex"]}
    method = sd.Randomize(ranges={"age": (0, 120)}, exact=["city", "disease"])
    release = released(roles, method, k=2)
    release.write(tmp_path / "out")
    html = (tmp_path / "out" / "internal" / "report.html").read_text(encoding="utf-8")
    texts = Texts("en")
    assert texts("risk.linking.prosecutor_mean.name") in html
    assert texts("risk.guess_title_bound", column="disease") in html
    assert texts("risk.exact_smallest") in html
    assert texts("randomization.exact", columns="city, disease") in html
    assert chosen(release.table) == ["age", "city"]


def test_columns_of_the_table_are_those_named(release, tmp_path):
    release.write(tmp_path / "out", crosstab=["sex", "disease"])
    html = (tmp_path / "out" / "public" / "report.html").read_text(encoding="utf-8")
    assert "Cross tabulation: sex, disease" in html
    with pytest.raises(ParameterError, match="'crosstab' names 'sexx', which is not a released column"):
        release.write(tmp_path / "other", crosstab=["sexx"])
    assert not (tmp_path / "other").exists()
    with pytest.raises(ParameterError, match="crosstab"):
        release.write(tmp_path / "other", crosstab=["age", "sex", "disease"])


def test_columns_are_chosen_to_be_read():
    release = released()
    assert chosen(release.table) == ["age", "sex"]
    only = released({"quasi": ["age"], "insensitive": ["sex", "city", "disease"]}, k=2)
    assert chosen(only.table) == ["age"]
    lists = released({"quasi": ["sex", "disease"], "insensitive": ["age", "city"]}, sd.Randomize(), k=2)
    assert chosen(lists.table) == ["disease", "sex"]


def test_a_domain_from_the_data_is_a_warning():
    (warning,) = [one for one in released().warnings if "read off the data" in one]
    assert "sex, disease" in warning
    given = sd.Randomize(
        ranges={"age": (0, 120)}, values={"sex": ("F", "M"), "disease": ("flu", "gout", "measles", "mumps")}
    )
    release = released(method=given)
    assert not any("read off the data" in one for one in release.warnings)
    assert given.read_from_data(release.table) == []


@pytest.mark.parametrize(
    ("ends", "options", "edges"),
    [
        ((0, 120), {"whole": True}, [0, 20, 40, 60, 80, 100, 120]),
        ((0.0, 1.0), {}, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ((-3.7, 12.2), {}, [-3.7, -2, 0, 2, 4, 6, 8, 10, 12.2]),
        ((0, 3), {"whole": True}, [0, 1, 2, 3]),
    ],
)
def test_round_edges(ends, options, edges):
    assert round_edges(*ends, **options) == pytest.approx(edges)


def test_round_edges_of_dates():
    edges = round_edges(-25567, 22279, dates=True)
    assert [str(edge)[:4] for edge in edges] == [
        "1900",
        "1920",
        "1940",
        "1960",
        "1980",
        "2000",
        "2020",
        "2030",
    ]
    short = round_edges(19000, 19400, dates=True)
    assert len(short) == 7
    assert short == sorted(short)
