"""The charts of the report: spans, histograms, bars and block sizes lose no rows."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.reports import pages_of, released

from sudare.api import anonymize
from sudare.assess.block_requirements import KAnonymity
from sudare.describe import hierarchy
from sudare.describe.table import Table
from sudare.read.examples.hospital import hospital
from sudare.release.report import charts
from sudare.release.report.charts import DAY, Binned, Listed, block_sizes, distribution, spans


@pytest.fixture(scope="module")
def release():
    return released()


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


def test_many_values_are_shown_by_a_level_of_their_hierarchy():
    frame = hospital(300, seed=3).select("zip", "sex").drop_nulls()
    table = Table.from_frame(frame).describe(
        quasi=["zip", "sex"], kinds={"zip": "string"}, hierarchies={"zip": hierarchy.mask()}
    )
    release = anonymize(table, KAnonymity(5), method="mondrian")
    found = distribution(release, "zip", with_original=True)
    assert isinstance(found, Listed)
    assert found.raised
    assert found.before is not None
    # The twin: the first digits of the original, counted.
    kept = max(len(str(label).rstrip("*")) for label in found.labels)
    counted = frame["zip"].cast(pl.String).str.head(kept).value_counts(normalize=True)
    wanted = {text + "*" * (5 - kept): share for text, share in counted.iter_rows()}
    for label, share in zip(found.labels, found.before, strict=True):
        assert math.isclose(share, wanted.get(str(label), 0.0)), label
    assert math.isclose(sum(found.before) + found.rest[0], 1)
    assert math.isclose(sum(found.after) + found.rest[1], 1)
    assert max(found.before) > 0.2
    # The public part knows no level that no released value needs.
    public = distribution(release, "zip", with_original=False)
    assert isinstance(public, Listed)
    assert not public.raised


def test_a_bar_of_the_others_never_hides_the_rest():
    assert Listed(["a"], [0.01], [0.02], 900, (0.99, 0.98)).rest_dwarfs
    assert not Listed(["a"], [0.5], [0.4], 3, (0.5, 0.6)).rest_dwarfs
    assert not Listed(["a"], None, [1.0], 0, (0.0, 0.0)).rest_dwarfs


def test_block_sizes_are_shares_of_rows(release):
    found = block_sizes(release, with_original=True)
    assert found.labels[:4] == ["1", "2", "3–4", "5–9"]
    assert math.isclose(sum(found.after), 1)
    assert found.before is not None
    assert math.isclose(sum(found.before), 1)
    assert found.after[:3] == [0, 0, 0]


def test_measures_without_a_range_or_a_value(release, tmp_path):
    odd = dataclasses.replace(
        release, losses={"ild": -0.25, "suppressed": math.nan, "dm": 12.0, "loss": -0.00001}
    )
    html = pages_of(odd, tmp_path)["internal", "en"]
    assert ">-0.25<" in html
    assert not re.search(r"\bnan\b", html, re.IGNORECASE)
    assert ">-0%<" not in html


def test_room_for_japanese_labels_whatever_fonts_there_are():
    assert charts._extent(["Female", "Male"]) == 0
    assert charts._extent(["女", "男（ほか 266 種）"]) == 11 * 17 // 2
    assert charts._extent(["女" * 100]) == 170


@pytest.mark.parametrize(
    ("reports", "looked_at"),
    [((), set()), (("public",), {"table"}), (("public", "internal"), {"table", "original"})],
)
def test_a_release_that_is_written_keeps_counts_and_no_codes(tmp_path, reports, looked_at):
    table = Table.from_frame(hospital(300, seed=2)).describe(
        quasi=["sex", "birth_date"], sensitive=["disease"], drop=["name"]
    )
    release = anonymize(table, KAnonymity(5), seed=1)
    other = anonymize(table, KAnonymity(5), seed=1)
    release.write(tmp_path / "release", reports=reports)
    assert not any(side.is_coded(["sex"]) for side in (release.original, release.table))
    # For the public report, nobody looks at the rows of the original.
    assert {key[1] for key in release.counted if len(key) > 1} == looked_at
    for name in ("sex", "birth_date", "disease"):
        shown, expected = (distribution(each, name, with_original=True) for each in (release, other))
        assert np.array_equal(shown.after, expected.after)
        assert np.asarray(shown.before).tolist() == np.asarray(expected.before).tolist()
    assert block_sizes(release, with_original=True).before == block_sizes(other, with_original=True).before
    assert release.groups.tolist() == other.groups.tolist()
