"""The texts of the report: complete in both languages, all of them used, and bounded."""

from __future__ import annotations

import dataclasses
import datetime as dt
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from tests.cases.pages import KINDS, LANGUAGES
from tests.cases.reports import manifest_for, pages_of, released, table_of, unchanged

from sudare.anonymize.microaggregate.method import Microaggregate
from sudare.anonymize.mondrian import Mondrian
from sudare.anonymize.randomize.method import Randomize
from sudare.anonymize.simple.coarsen import Round
from sudare.anonymize.simple.identifiers import Pseudonymize
from sudare.anonymize.simple.swap import SwapRecords
from sudare.api import anonymize
from sudare.assess.block_requirements import KAnonymity
from sudare.assess.bounds import Bound
from sudare.assess.compromise import CompromiseKind
from sudare.assess.pk_anonymity import PkAnonymity
from sudare.describe import hierarchy
from sudare.describe.table import Table
from sudare.release.report import charts, report_html
from sudare.release.report.common import Texts, words
from sudare.release.report.table import page
from sudare.release.report.table import page as tabulation
from sudare.release.report.table.page import MOST_CHARTS
from sudare.verify.finding import Finding


@pytest.fixture(scope="module")
def release():
    return released()


@pytest.mark.slow
def test_texts_are_complete_and_all_used(release, tmp_path, monkeypatch):
    assert words("en").keys() == words("ja").keys()
    used = set()

    class Recording(Texts):
        def __call__(self, key, /, **values):
            used.add(key)
            return super().__call__(key, **values)

    monkeypatch.setattr(page, "Texts", Recording)
    monkeypatch.setattr(charts, "_svg", lambda *_: "")  # words only: drawing takes long
    manifest = manifest_for(release, tmp_path, recipe={"version": 1})
    manifest["seconds"] = dict.fromkeys(
        ("read", "anonymize", "check", "measure", "evaluate", "write", "verify"), 1.0
    )
    asked: list[tuple[str, dict[str, Any]]] = [
        ("k-anonymity", {"k": 5}),
        *(("l-diversity", {"l": 2, "kind": kind}) for kind in ("distinct", "entropy")),
        ("l-diversity", {"l": 2, "kind": "recursive", "c": 2.5, "sensitive": ["disease"]}),
        *(
            ("t-closeness", {"t": 0.5, "distance": distance})
            for distance in ("equal", "ordered", "hierarchical")
        ),
        ("l-diversity", {"l": 2, "kind": "distinct", "exempt": {"disease": ["flu", None]}}),
        ("pk-anonymity", {"k": 10}),
        ("no-identifiers", {}),
        ("no-identifiers", {"undescribed": ["age"]}),
        ("no-identifiers", {"undescribed": ["age", "zip"]}),
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
    about_files = [
        Finding({"type": kind}, True, None, "None.", 0) for kind in ("no-identifiers", "nothing-left-over")
    ]
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
    averaged = dataclasses.replace(release, losses={"sse_ratio": 0.1})
    cases = [
        (averaged, held),
        (starred, outcomes),
        (release, held),
        (bare, about_files),
        (wide, outcomes),
        (gone, about_files),
    ]
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
    for taken in get_args(CompromiseKind):
        facts = {**manifest, "compromise": {"kind": taken, "instead_of": [{"type": "k-anonymity", "k": 3}]}}
        report_html(gone, about_files, facts, kind="public", language="en")
    # One loss that no release avoids, and one that another might.
    sharp = dataclasses.replace(release)
    sharp.__dict__["lower_bounds"] = {"loss": Bound(0.99 * release.losses["loss"], True, "Exact.")}
    report_html(sharp, held, manifest, kind="internal", language="en")
    large = dataclasses.replace(release)
    large.__dict__.update(lower_bounds={}, bound_is_missing=True)
    report_html(large, held, manifest, kind="internal", language="en")
    # Steps between the released counts and the estimate are kept in few tables: none of those above.
    steps: Any = SimpleNamespace(
        fit=SimpleNamespace(kept=2, total_variation=None, half_width=None, warnings=list)
    )
    tabulation._notes(steps, None, Recording("en"), "sudare crosstab .")
    told = dict.fromkeys(("title", "purpose", "recipient", "contact"), "Some words.")
    long_recipe = {"version": 1, "columns": {f"column {i}": "drop" for i in range(50)}}
    for case in _releases_of_every_role():
        facts = {**manifest_for(case, tmp_path, recipe=long_recipe), "about": told}
        report_html(case, held, facts, kind="internal", language="en")
    assert words("en").keys() - used == set()


def _releases_of_every_role():
    """Columns of every role and kind: replaced by pseudonyms, randomized, added, dropped and left as they are."""
    table = table_of(
        60,
        seen=pl.date_range(dt.date(2020, 1, 1), dt.date(2020, 2, 29), eager=True)[:60],
        stage=pl.Series(["I", "II", "III"] * 20, dtype=pl.Enum(["I", "II", "III"])),
        tags=[["a", "b"], ["b"]] * 30,
        weight=[1.0] * 60,
        note=["x"] * 60,
    ).describe(
        identifier=["name"],
        quasi=["age", "city"],
        sensitive=["disease"],
        insensitive=["seen", "stage", "tags"],
        weight=["weight"],
        drop=["note"],
    )
    kept = anonymize(table, KAnonymity(3), method=[Pseudonymize(("name",)), Mondrian()], seed=1)
    wider = kept.table.frame.with_columns(pl.lit(1).alias("added"))
    added = dataclasses.replace(kept, table=Table.from_frame(wider).describe(insensitive=wider.columns))
    randomized = anonymize(table, PkAnonymity(10), method=Randomize(ranges={"age": (20, 90)}), seed=1)
    # Of many codes, the original is drawn by their first digits.
    codes = pl.DataFrame({"code": [f"{row % 3}{row}" for row in range(10, 60)]})
    masked = Table.from_frame(codes).describe(
        quasi=["code"], kinds={"code": "string"}, hierarchies={"code": hierarchy.mask()}
    )
    numbers = Table.from_frame(
        pl.DataFrame({"age": range(40), "cost": range(40)} | {f"d{n}": [1] * 40 for n in range(9)})
    )
    numbers = numbers.describe(quasi=["age"], sensitive=["cost"], drop=[f"d{n}" for n in range(9)])
    averaged = anonymize(numbers, KAnonymity(3), method=[Round(("cost",), base=10), Microaggregate()])
    masked_release = anonymize(masked, KAnonymity(3), method=Mondrian())
    # Texts have no mean, so that their loss is the share of values replaced.
    texts = table_of(40).describe(quasi=["city"], sensitive=["disease"], identifier=["name"])
    swapped = anonymize(
        texts, KAnonymity(1), method=[Pseudonymize(("name",)), SwapRecords(("city",), share=1.0)], seed=1
    )
    return kept, added, randomized, masked_release, averaged, swapped


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


@pytest.mark.slow
def test_many_columns_are_bounded_and_the_rest_is_counted(tmp_path):
    html = pages_of(_wide_release(), tmp_path)["internal", "en"]
    assert html.count('class="marks"') == MOST_CHARTS + 1
    assert "23 more columns are not drawn." in html
    assert "14 more sensitive columns" in html
    assert "Columns 1 to 8 of 55" in html
    assert "15 more columns are not shown." in html


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", ["promise", "promise_distinct"])
def test_diversity_promises_no_more_than_it_keeps(language, kind):
    """Entropy and recursive l-diversity leave a share above 1/l possible, so that the best guess is what counts."""
    text = Texts(language)(f"requirement.l-diversity.{kind}", columns="disease", l=3)
    assert Texts(language)("risk.title") in text
    assert ("1/3" in text) == (kind == "promise")
