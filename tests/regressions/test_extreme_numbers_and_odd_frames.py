"""Inputs that a hostile tester thought of: numbers floats cannot hold, frames of odd types, odd names."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sudare as sd
from sudare.cli import main
from sudare.errors import DescriptionError, OutputError
from sudare.release.report.charts import Binned, distribution
from sudare.verify.blocks import read_values
from sudare.verify.verify import verify_release

# --- whole numbers beyond 2^53 ----------------------------------------------------------------------------


def _numbers(values, dtype=None):
    return sd.read(pl.DataFrame({"x": pl.Series(values, dtype=dtype)})).describe(quasi=["x"])


@pytest.mark.parametrize(
    "method", [sd.FullDomain(), sd.Mondrian(), sd.Generalize(), sd.Microaggregate()], ids=repr
)
@pytest.mark.parametrize("base", [2**60, 10**17, 2**53, -(2**60)])
def test_numbers_that_floats_do_not_tell_apart_are_refused(base, method):
    table = _numbers([base + i for i in range(40)])
    with pytest.raises(DescriptionError, match="Column 'x' contains numbers beyond 2\\^53"):
        sd.anonymize(table, sd.KAnonymity(4), method=method)


@pytest.mark.parametrize("dtype", [pl.UInt64, pl.Int128, pl.Decimal(38, 2)])
def test_they_are_refused_in_every_type_by_the_study_and_the_measures(dtype):
    table = _numbers([2**62 + 7 * i for i in range(40)], dtype)
    with pytest.raises(DescriptionError, match="differences from a base"):
        sd.assess(table, sd.KAnonymity(4))
    with pytest.raises(DescriptionError, match="differences from a base"):
        sd.measure.loss(table, table)


def test_large_numbers_far_apart_are_generalized_like_small_ones():
    small, large = ([base + i * 2**50 for i in range(40)] for base in (0, 2**60))
    losses = [
        sd.anonymize(
            _numbers(values), sd.KAnonymity(4), method="mondrian", measures=["loss", "gcp", "sse_ratio"]
        ).losses
        for values in (small, large)
    ]
    assert losses[0] == pytest.approx(losses[1])
    assert losses[0]["loss"] == pytest.approx(4 / 39)  # halves of halves: eight groups of five


@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt64, pl.Int128])
def test_means_of_large_whole_numbers_are_whole(dtype):
    values = [2**62 + i * 2**40 for i in range(8)]
    table = _numbers(values, dtype)
    released = sd.anonymize(table, sd.KAnonymity(4), method=sd.Microaggregate(), order="keep").frame["x"]
    assert released.dtype == dtype
    assert released.to_list() == [sum(values[:4]) // 4] * 4 + [sum(values[4:]) // 4] * 4


def test_large_numbers_that_are_no_quasi_identifier_stay_what_they_are():
    frame = pl.DataFrame({"a": [1, 2] * 20, "x": [2**60 + i for i in range(40)]})
    table = sd.read(frame).describe(quasi=["a"], insensitive=["x"])
    assert sd.anonymize(table, sd.KAnonymity(4), order="keep").frame["x"].to_list() == frame["x"].to_list()


def test_large_numbers_called_nominal_are_kept_or_hidden():
    table = sd.read(pl.DataFrame({"x": [2**60 + i % 4 for i in range(40)]}))
    table = table.describe(quasi=["x"], kinds={"x": "nominal"})
    assert (
        sd.anonymize(table, sd.KAnonymity(4)).frame["x"].sort().to_list() == table.frame["x"].sort().to_list()
    )


# --- a column named * -------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive", "identifier"])
def test_a_column_may_be_named_like_a_pattern(role, tmp_path):
    frame = pl.DataFrame({"a": [1, 2] * 20, "*": [2, 2, 3, 3] * 10, "b": ["x"] * 40})
    roles: dict[str, Any] = {"quasi": ["a"], "insensitive": ["b"]}
    roles[role] = [*roles.get(role, []), "*"]
    table = sd.read(frame).describe(**roles)
    assert "<th>*</th>" in table._repr_html_()
    release = sd.anonymize(table, sd.KAnonymity(4))
    assert release.frame.columns == [name for name in frame.columns if role != "identifier" or name != "*"]
    assert "<th>a</th>" in release._repr_html_()
    assert all(finding.holds for finding in release.write(tmp_path / "release").findings)
    if role == "sensitive":
        sd.assess(table, sd.KAnonymity(9), sd.LDiversity(2))


def test_a_column_named_like_a_pattern_is_tabulated(tmp_path, capsys):
    frame = pl.DataFrame({"a": ["x", "y"] * 50, "*": ["u", "u", "v", "v"] * 25})
    table = sd.read(frame).describe(quasi=["a", "*"])
    release = sd.anonymize(table, sd.PkAnonymity(2), method=sd.Randomize(), seed=1)
    release.write(tmp_path / "release", reports=())
    for extra in ([], ["--json"]):
        assert main(["crosstab", str(tmp_path / "release" / "public"), "--by", "a,*", *extra]) == 0
        assert "*" in capsys.readouterr().out
    assert sd.crosstab(release, by=["a", "*"]).margin("*")["released"].sum() == 100


# --- figures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [3, 7, 49, 111])
def test_equal_distributions_are_exactly_nothing_apart(rows):
    frame = pl.DataFrame(
        {"a": [i % 3 for i in range(rows)], "b": [str(i % 7) for i in range(rows)], "c": range(rows)}
    )
    table = sd.read(frame).describe(quasi=["a", "b", "c"])
    assert sd.measure.hellinger(table, table) == 0.0


@pytest.mark.parametrize("unit", [1e-320, 1e-315, 3e-308, 1e-302])
def test_the_smallest_numbers_are_drawn_without_a_word(unit, tmp_path, capfd):
    frame = pl.DataFrame({"x": [1e-310 + i % 8 * unit for i in range(40)]})
    release = sd.anonymize(sd.read(frame).describe(quasi=["x"]), sd.KAnonymity(4))
    release.write(tmp_path / "release", reports=["internal"])
    assert capfd.readouterr().err == ""
    drawn = distribution(release, "x", with_original=True)
    assert isinstance(drawn, Binned)
    assert drawn.after.sum() == pytest.approx(1)


# --- pandas -----------------------------------------------------------------------------------------------


def _spans():
    months = pd.Series(pd.period_range("2020-01", periods=4, freq="M").tolist() * 2)
    months.iloc[5] = None
    return pd.DataFrame(
        {
            "m": months,
            "c": pd.cut(range(8), 2),
            "i": pd.IntervalIndex.from_breaks([0, 1, 2]).repeat(4),
            "q": 1,
        }
    )


@pytest.mark.parametrize("name", ["m", "c", "i"])
@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive"])
def test_periods_and_intervals_of_pandas_are_texts(name, role, tmp_path):
    given = _spans()
    table = sd.read(given[[name, "q"]])
    assert table.frame[name].to_list() == [None if pd.isna(cell) else str(cell) for cell in given[name]]
    roles: dict[str, Any] = {"quasi": ["q"]}
    roles[role] = [*roles.get(role, []), name]
    written = sd.anonymize(table.describe(**roles), sd.KAnonymity(2)).write(tmp_path / "o", reports=())
    assert all(finding.holds for finding in written.findings)


def test_types_of_other_libraries_are_named():
    with pytest.raises(DescriptionError, match=r"Column 'm' contains .*period.*, a type of another library"):
        sd.read(pa.Table.from_pandas(_spans()))


@pytest.mark.parametrize("given", [pd.Series([1] * 9, name="a"), pd.Index([1])], ids=["Series", "Index"])
def test_one_column_of_pandas_is_no_table(given):
    with pytest.raises(DescriptionError, match="is not a table; pass a polars, pandas or Arrow frame"):
        sd.read(given)


# --- values that are not compared -------------------------------------------------------------------------

NESTED: dict[str, pl.Series] = {
    "list": pl.Series([["a", "b"], ["c"], None, []] * 10),
    "array": pl.Series([[1, 2]] * 40, dtype=pl.Array(pl.Int64, 2)),
    "nested": pl.Series([[["a"]], [["b"]]] * 20),
    "struct": pl.Series([{"a": 1}, {"a": 2}] * 20),
    "binary": pl.Series([b"a", b"\xff"] * 20),
}


def _with(column, **roles):
    return sd.read(pl.DataFrame({"x": [1, 2] * 20, "s": column})).describe(quasi=["x"]).describe(**roles)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "tsv", "excel", "parquet", "arrow"])
@pytest.mark.parametrize("name", NESTED)
def test_sets_and_records_are_released_where_a_file_holds_them(name, form, tmp_path):
    release = sd.anonymize(_with(NESTED[name], insensitive=["s"]), sd.KAnonymity(4), order="keep")
    if name in {"nested", "struct", "binary"} and form not in {"parquet", "arrow"}:
        with pytest.raises(OutputError, match=r"'s' .*use .*'parquet'"):
            release.write(tmp_path / "o", format=form)
        return
    written = release.write(tmp_path / "o", format=form, reports=["public"])
    assert all(finding.holds for finding in written.findings)
    assert all(finding.holds for finding in verify_release(tmp_path / "o" / "public"))
    if form in {"parquet", "arrow"}:
        read = pl.read_parquet if form == "parquet" else pl.read_ipc
        assert read(written.data)["s"].to_list() == NESTED[name].to_list()
    if name == "list":
        assert "a, b" in written.reports[0].read_text()


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
@pytest.mark.parametrize("name", NESTED)
def test_what_is_not_compared_is_neither_quasi_nor_sensitive(name, role):
    named = {"quasi": "a quasi-identifier", "sensitive": "sensitive"}[role]
    with pytest.raises(
        DescriptionError, match=rf"Column 's' contains .* cannot be {named}\. Convert each value to one text"
    ):
        sd.anonymize(_with(NESTED[name], **{role: ["s"]}), sd.KAnonymity(4))


@pytest.mark.parametrize("role", ["insensitive", "identifier"])
def test_python_objects_are_refused(role):
    column = pl.Series([object()] * 40, dtype=pl.Object)
    with pytest.raises(DescriptionError, match="Column 's' contains Python objects"):
        sd.anonymize(_with(column, **{role: ["s"]}), sd.KAnonymity(4))


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
def test_wide_integers_are_written_where_they_can_be_read(dtype, tmp_path):
    release = sd.anonymize(_with(pl.Series([2**100, 3] * 20, dtype=dtype), sensitive=["s"]), sd.KAnonymity(4))
    with pytest.raises(OutputError, match=r"The column 's' has the type U?Int128, .*; use 'csv' or 'arrow'"):
        release.write(tmp_path / "o", format="parquet")
    assert not (tmp_path / "o").exists()
    release.write(tmp_path / "o", format="arrow", reports=())


# --- nanoseconds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "excel", "parquet", "arrow"])
@pytest.mark.parametrize("dtype", [pl.Datetime("ns"), pl.Datetime("ns", "Asia/Tokyo"), pl.Time()], ids=str)
def test_nanoseconds_are_told_apart_in_every_file(dtype, form, tmp_path):
    column = pl.Series([1_000, 1_001, 1_010, 1_999] * 10).cast(dtype)
    release = sd.anonymize(
        _with(column, sensitive=["s"]), sd.KAnonymity(4), sd.LDiversity(4, kind="distinct")
    )
    written = release.write(tmp_path / "o", format=form, reports=())
    assert written.findings[-2].reached == 4


def test_digits_of_a_second_order_moments_and_zeros_do_not():
    texts = [f"2020-01-01T00:00:00.{digits}" for digits in ("0000012", "00000119", "000001", "000001000")]
    values = read_values(pl.Series(texts), "date")
    assert values.code.tolist() == [2, 1, 0, 0]
