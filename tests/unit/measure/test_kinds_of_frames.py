"""Frames come back in the kind that was given: pandas, polars or Arrow."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sudare as sd
from sudare.describe.table import to_native

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.Table}
BEFORE = pl.DataFrame({"age": [20, 29, 60, 70, 71], "sex": ["F", "M", "F", "F", "M"]})
AFTER = BEFORE.with_columns(age=pl.Series([25, 25, 67, 67, 67]))
LONG = pl.DataFrame({"user": [1, 1, 2, 2, 3], "item": ["a", "b", "a", "b", "a"]})


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def native(frame, kind):
    return to_native(frame, kind)


def released(kind):
    table = sd.read(native(BEFORE, kind)).describe(quasi=["age"], insensitive=["sex"])
    return sd.anonymize(table, "k-anonymity k=2", method="mondrian", seed=0)


TABLES = {
    "by_column": lambda kind: sd.measure.by_column(native(BEFORE, kind), native(AFTER, kind)),
    "all": lambda kind: sd.measure.all(native(BEFORE, kind), native(AFTER, kind)),
    "release": lambda kind: released(kind).frame,
    "all of a release": lambda kind: sd.measure.all(released(kind).original, released(kind)),
    "crosstab": lambda kind: sd.crosstab(released(kind), "sex").counts,
    "crosstab of a frame": lambda kind: sd.crosstab(native(BEFORE, kind), "sex").counts,
    "margin": lambda kind: sd.crosstab(native(BEFORE, kind), ["sex", "age"]).margin("sex"),
    "compare": lambda kind: sd.measure.compare({"one": released(kind), "other": released(kind)}).frame,
}
BASKETS = {
    "rules": lambda baskets: sd.measure.rules(baskets, 0.5, 0.5),
    "compare_rules": lambda baskets: sd.measure.compare_rules(baskets, baskets, support=0.5),
    "user_loss": lambda baskets: sd.measure.user_loss(baskets, baskets).frame,
    "user_loss by length": lambda baskets: sd.measure.user_loss(baskets, baskets).by_length,
    "frequency_change": lambda baskets: sd.measure.frequency_change(baskets, baskets).frame,
}


@pytest.mark.parametrize("name", TABLES)
def test_frames_of_tables_are_of_the_kind_that_was_given(name, kind):
    found = TABLES[name](kind)
    assert isinstance(found, KINDS[kind])
    plain = TABLES[name]("polars")
    assert list(getattr(found, "column_names", None) or found.columns) == plain.columns
    assert len(found) == len(plain) > 0


@pytest.mark.parametrize("name", BASKETS)
def test_frames_of_baskets_are_of_the_kind_that_was_given(name, kind):
    given = sd.read_baskets(native(LONG, kind), layout="long").describe(sensitive=["b"]).take([0, 1, 2])
    found = BASKETS[name](given)
    assert isinstance(found, KINDS[kind])
    assert len(found) == len(BASKETS[name](sd.read_baskets(LONG, layout="long"))) > 0


def test_lists_and_releases_of_several_kinds_give_polars():
    assert isinstance(sd.measure.rules([["a", "b"], ["a", "b"]], 0.5), pl.DataFrame)
    compared = sd.measure.compare({"one": released("pandas"), "other": released("arrow")})
    assert isinstance(compared.frame, pl.DataFrame)


def test_releases_from_pandas_are_reported_and_written(tmp_path):
    release = sd.anonymize(
        sd.read(native(BEFORE, "pandas")).describe(quasi=["age"], insensitive=["sex"]),
        "k-anonymity k=2",
        method="mondrian",
    )
    release.write(tmp_path / "table")
    baskets = sd.read_baskets(native(LONG, "pandas"), layout="long").describe(sensitive=["b"])
    sd.anonymize(baskets, "rho-uncertainty rho=0.9").write(tmp_path / "baskets")
    assert (tmp_path / "table/report.html").exists() or any((tmp_path / "table").rglob("*.html"))
