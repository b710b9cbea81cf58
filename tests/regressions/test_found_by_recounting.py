"""What `benchmarks/robustness/recount_fuzz.py` found: releases that were refused, or warned of, for no reason."""

import json

import polars as pl
import pytest

import sudare as sd
from sudare.errors import InfeasibleError


def test_an_empty_text_is_not_taken_for_the_label_of_a_group(tmp_path):
    """Groups in the published hierarchy have empty labels; a removed empty text was said to be left over there."""
    frame = pl.DataFrame({"town": ["b", "", "b", ""], "cost": [1, 2, 3, 4]})
    table = sd.read(frame).describe(
        quasi=["town"], sensitive=["cost"], hierarchies={"cost": sd.hierarchy.intervals(quantiles=2)}
    )
    release = sd.anonymize(table, sd.KAnonymity(4), sd.TCloseness(0.5, distance="ordered"))
    written = release.write(tmp_path / "out")
    assert "" in written.manifest["hierarchies"]["cost"]["labels"]
    assert all(finding.holds for finding in written.findings)


def test_a_removed_text_may_be_the_label_of_a_value_of_another_column(tmp_path):
    """Labels of the other column were searched for it, though its own cells say the same in other words."""
    texts = ["2024-10-27T01:00:00+00:00", "2024-10-27T03:00:00+01:00"] * 2
    moments = pl.Series(texts).str.to_datetime("%Y-%m-%dT%H:%M:%S%z", time_unit="ns")
    table = sd.read(pl.DataFrame({"seen": texts, "born": moments})).describe(
        quasi=["seen"], sensitive=["born"], hierarchies={"born": sd.hierarchy.dates()}
    )
    release = sd.anonymize(table, sd.KAnonymity(4), sd.TCloseness(0.5, distance="ordered"))
    written = release.write(tmp_path / "out")
    assert texts[0] in written.manifest["hierarchies"]["born"]["labels"]


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_numbers_whose_squares_leave_all_floats_are_microaggregated(scale, tmp_path):
    """They were grouped as if all of them were equal, with a warning of numpy."""
    values = [1.0, 0.1, 1.1, 0.2, 1.2, 0.15]
    table = sd.read(pl.DataFrame({"x": [value * scale for value in values]})).describe(quasi=["x"])
    release = sd.anonymize(table, sd.KAnonymity(3), method=sd.Microaggregate(effort="fast"), order="keep")
    assert release.groups.tolist() in ([0, 1] * 3, [1, 0] * 3)
    release.write(tmp_path / "out", reports=[])


def test_the_text_nan_may_be_randomized(tmp_path):
    """The verifier read it as a number, which is not equal to itself."""
    table = sd.read(pl.DataFrame({"word": ["NaN", "a", "b"] * 10})).describe(quasi=["word"])
    release = sd.anonymize(table, sd.PkAnonymity(2), method=sd.Randomize(), seed=1)
    written = release.write(tmp_path / "out", format="tsv")
    manifest = json.loads((written.folder / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert "NaN" in manifest["columns"]["word"]["mechanism"]["values"]
    assert all(finding.holds for finding in written.findings)


@pytest.mark.parametrize("layout", ["lines", "json", "long", "sets", "lists"])
def test_a_file_may_begin_with_an_item_that_begins_with_a_byte_order_mark(layout, tmp_path):
    """The mark was taken for that of the file, and the item for another one."""
    lists = [["\ufeffHIV"], ["a"]]
    baskets = sd.read_baskets(lists).describe(sensitive=["a"])
    release = sd.anonymize(baskets, sd.RhoUncertainty(0.5), order="keep")
    written = release.write(tmp_path / "out", layout=layout)
    assert sd.read_baskets(written.data, layout=layout).lists() == lists


@pytest.mark.parametrize(
    "method",
    [
        sd.Randomize(ranges={"age": (0, 9)}, missing="keep"),
        sd.Mondrian(),
        sd.Microaggregate(),
        sd.Sample(0.5),
    ],
)
def test_a_table_that_loses_all_rows_to_missing_values(method):
    """Randomization had no smallest group then: ValueError."""
    table = sd.read(pl.DataFrame({"age": [None, None]}, schema={"age": pl.Int64}))
    table = table.describe(quasi=["age"], missing={"age": "drop"})
    with pytest.raises(InfeasibleError, match="No row is left to release"):
        sd.anonymize(table, sd.PkAnonymity(1.5), method=method)


@pytest.mark.parametrize("method", ["mondrian", "generalization effort=fast", "microaggregation effort=fast"])
def test_a_column_with_a_name_that_selects_all(method):
    frame = pl.DataFrame({"*": list(range(20)), "pay": [7, 8] * 10})
    table = sd.read(frame).describe(quasi=["*", "pay"], kinds={"*": "numeric", "pay": "numeric"})
    assert sd.anonymize(table, sd.KAnonymity(3), method=method).holds


def test_texts_of_numbers_beyond_all_floats_are_looked_at_for_codes():
    frame = pl.DataFrame(
        {"count": ["1", "1e400", "7", "170141183460469231731687303715884105728"] * 3, "n": range(12)}
    )
    assert [guess.column for guess in sd.guess_roles(frame)] == ["count", "n"]
    assert len(list(sd.guess_roles(frame.with_columns(count=pl.int_range(12) % 3)))) == 2
