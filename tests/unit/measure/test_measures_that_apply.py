"""Measures of numbers say nothing of a table without numbers: no 0 that looks like a release without loss."""

from __future__ import annotations

import json

import polars as pl

import sudare as sd
from sudare.cli import main
from sudare.measure.catalogue import MEASURES

OF_NUMBERS = {"sse_ratio", "mean_change", "variance_change", "quantile_change", "correlation_change"}


def nominal():
    frame = pl.DataFrame({"town": ["a", "a", "b", "b", "c", "d"], "job": ["x", "y", "x", "y", "x", "y"]})
    return sd.read(frame).describe(quasi=["town", "job"])


def with_age(quasi, sensitive=()):
    frame = nominal().frame.with_columns(age=pl.Series([20, 30, 40, 50, 60, 70]))
    return sd.read(frame).describe(quasi=quasi, sensitive=sensitive)


def released(table):
    return sd.anonymize(table, sd.KAnonymity(2), method=sd.Mondrian())


def test_no_number_at_all():
    release = released(nominal())
    assert set(release.not_applicable) == OF_NUMBERS


def test_one_number_has_no_correlation():
    release = released(with_age(["town", "job", "age"]))
    assert set(release.not_applicable) == {"correlation_change"}


def test_a_sensitive_number_is_no_quasi_identifier():
    release = released(with_age(["town", "job"], ["age"]))
    assert set(release.not_applicable) == {"sse_ratio", "correlation_change"}


def test_all_says_what_is_lacking():
    table = sd.measure.all(nominal(), released(nominal()))
    notes = dict(zip(table["measure"], table["note"], strict=True))
    values = dict(zip(table["measure"], table["value"], strict=True))
    assert {name for name in OF_NUMBERS if values[name] is None} == OF_NUMBERS
    assert notes["correlation_change"] == (
        "'correlation_change' looks at two or more numeric columns, which these tables do not have."
    )


def test_manifests_have_null(tmp_path):
    released(nominal()).write(tmp_path / "release")
    losses = {
        part: json.loads((tmp_path / "release" / part / "manifest.json").read_text(encoding="utf-8"))[
            "losses"
        ]
        for part in ("public", "internal")
    }
    assert {name for name, value in losses["internal"].items() if value is None} == OF_NUMBERS
    assert not OF_NUMBERS & losses["public"].keys()  # they compare with the original


def test_the_command_leaves_them_out_and_refuses_them_by_name(tmp_path, capsys):
    before = tmp_path / "before.csv"
    nominal().frame.write_csv(before)
    assert main(["measure", str(before), str(before), "--json"]) == 0
    assert (
        set(json.loads(capsys.readouterr().out))
        == {name for name, each in MEASURES.items() if each.usual} - OF_NUMBERS
    )
    assert main(["measure", str(before), str(before), "--measure", "mean_change"]) == 2
    assert (
        "'mean_change' looks at numeric columns, which these tables do not have." in capsys.readouterr().err
    )


def test_a_comparison_says_that_it_does_not_apply():
    found = sd.measure.compare({"one": released(nominal())}, loss="mean_change")
    assert found.not_applicable == ("one",)
