"""Randomization of tables: every kind of column, mechanisms given and chosen, missing cells, order of rows."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, union-attr"

import math
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from scipy import stats
from tests.cases.randomize import ORDER, RANGES, ROWS, context, frame, method, small, table

import sudare as sd
from sudare.errors import DescriptionError, GuaranteeError, InfeasibleError, ParameterError
from sudare.mechanism import Laplace, Normal, Retention, Uniform


def test_the_example_of_the_design():
    people = sd.read(pl.DataFrame({"age": list(range(100))})).describe(quasi=["age"])
    release = sd.anonymize(people, sd.PkAnonymity(10), method=sd.Randomize(ranges={"age": (0, 120)}))
    assert release.holds
    assert release.verdicts[0].reached == pytest.approx(10)
    mechanism = release.table.column("age").mechanism
    assert mechanism == Laplace(mechanism.scale, 0, 120, grid=1)
    assert mechanism.scale == pytest.approx(-2 * 120 / math.log(9 / 99))


def test_every_kind_of_column_stays_what_it_is():
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(), seed=1)
    before, after = frame(), release.frame
    assert after.schema == before.schema
    assert after["age"].is_between(0, 120).all()
    assert after["born"].is_between(date(1990, 1, 1), date(2030, 12, 31)).all()
    assert set(after["pain"]) == set(ORDER)
    assert set(after["sex"]) == {"女", "男"}
    steps = after["weight"] / release.table.column("weight").mechanism.grid
    assert (steps - steps.round()).abs().max() < 1e-6
    assert sorted(after["row"]) == list(range(ROWS))
    assert after["row"].to_list() == release.rows_of_original.tolist()
    kinds = {column.name: type(column.mechanism) for column in release.table.columns if column.mechanism}
    assert kinds == {
        "age": Laplace, "sex": Retention, "weight": Laplace, "born": Laplace, "pain": Laplace, "disease": Retention,
    }  # fmt: skip
    assert release.table.column("pain").mechanism.values == ORDER


def test_equal_budgets_and_weights():
    equal = sd.anonymize(table(), sd.PkAnonymity(5), method=method(), seed=1).table
    rates = [column.mechanism.rate() for column in equal.columns if column.mechanism]
    assert np.allclose(rates, (4 / 399) ** (1 / 6))
    weighted = sd.anonymize(table(), sd.PkAnonymity(5), method=method(weights={"age": 3}), seed=1).table
    logs = {c.name: math.log(c.mechanism.rate()) for c in weighted.columns if c.mechanism}
    assert logs["age"] == pytest.approx(3 * logs["sex"])
    assert sum(logs.values()) == pytest.approx(math.log(4 / 399))


def test_an_exact_column_leaves_its_smallest_block():
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(exact=["sex"]), seed=1)
    women = int((frame()["sex"] == "女").sum())
    assert release.table.column("sex").mechanism is None
    assert release.frame["sex"].to_list() == frame()["sex"][release.rows_of_original].to_list()
    product = math.prod(column.mechanism.rate() for column in release.table.columns if column.mechanism)
    assert product == pytest.approx(4 / (women - 1))
    assert f"{women}" in release.verdicts[0].explanation
    with pytest.raises(
        InfeasibleError,
        match="With age released exactly, the smallest group has only 4 records, too few for k = 6",
    ):
        sd.anonymize(table(), sd.PkAnonymity(6), method=method(exact=["age"]))


def test_given_mechanisms_are_used_and_counted():
    noise = stats.logistic(scale=500)
    own = {
        "sex": Retention(0.2, ("女", "男")),
        "age": "normal",
        "weight": {"type": "density", "noise": noise},
    }
    release = sd.anonymize(table(), sd.PkAnonymity(5), method=method(mechanisms=own), seed=1)
    columns = release.table
    assert columns.column("sex").mechanism == own["sex"]
    assert isinstance(columns.column("age").mechanism, Normal)
    assert (
        columns.column("weight").mechanism.noise.name,
        columns.column("weight").mechanism.noise.scale,
    ) == ("logistic", 500)
    assert release.verdicts[0].reached == pytest.approx(5, rel=1e-6)
    weak = {"sex": Retention(0.99, ("女", "男"))}
    with pytest.raises(InfeasibleError, match="more noise"):
        sd.anonymize(table(), sd.PkAnonymity(50), method=method(mechanisms=weak))


def test_mechanisms_without_a_requirement():
    given_fully = {"age": Laplace(30, 0, 120), "sex": {"type": "retention", "keep": 0.5}}
    release = sd.anonymize(small(), method=sd.Randomize(mechanisms=given_fully), seed=1)
    assert release.table.column("age").mechanism == Laplace(30, 0, 120, grid=1)
    assert release.table.column("sex").mechanism == Retention(0.5, ("F", "M"))
    with pytest.raises(ParameterError, match="needs a Pk-anonymity requirement to find the noise"):
        sd.anonymize(small(), method=sd.Randomize(ranges={"age": (0, 120)}))
    with pytest.raises(GuaranteeError, match=r"1/1\.00"):
        sd.anonymize(small(), sd.PkAnonymity(20), method=sd.Randomize(mechanisms=given_fully))


def test_unbounded_laplace_and_uniform():
    wide = {"age": {"type": "laplace", "bounded": False}, "sex": "retention"}
    release = sd.anonymize(
        small(), sd.PkAnonymity(5), method=sd.Randomize(ranges={"age": (0, 120)}, mechanisms=wide), seed=1
    )
    assert release.holds
    assert not release.frame["age"].is_between(0, 120).all()
    flat = sd.anonymize(
        small(),
        sd.PkAnonymity(30),
        method=sd.Randomize(ranges={"age": (0, 120)}, mechanisms={"age": "uniform"}),
        seed=1,
    )
    assert isinstance(flat.table.column("age").mechanism, Uniform)
    assert flat.verdicts[0].reached == pytest.approx(30)


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt16, pl.Int64, pl.Float32, pl.Float64, pl.Decimal(10, 2)])
def test_types_of_numbers(dtype):
    people = small(x=pl.Series([1, 50, 99] * 10).cast(dtype))
    ranges = {"x": (0, 100)}
    release = sd.anonymize(people, sd.PkAnonymity(4), method=sd.Randomize(ranges=ranges), seed=1)
    # Single precision has no 0.01: its numbers would leave the grid.
    assert release.frame["x"].dtype == (pl.Float64 if dtype == pl.Float32 else dtype)
    assert release.frame["x"].cast(pl.Float64).is_between(0, 100).all()
    if dtype == pl.Int8:
        wider = sd.anonymize(people, sd.PkAnonymity(4), method=sd.Randomize(ranges={"x": (0, 1000)}), seed=1)
        assert wider.frame["x"].dtype == pl.Int64
        assert wider.frame["x"].max() > 127


def test_moments_become_midnights_and_truth_values_stay():
    people = small(
        seen=pl.datetime_range(datetime(2024, 1, 1, 13), datetime(2024, 1, 20, 13), "1d", eager=True),  # noqa: DTZ001  # tables have times without a zone
        insured=[True, False] * 10,
    )
    release = sd.anonymize(
        people,
        sd.PkAnonymity(4),
        method=sd.Randomize(ranges={"seen": (date(2024, 1, 1), "2024-12-31")}),
        seed=1,
    )
    assert release.frame.schema == people.frame.schema
    assert (release.frame["seen"].dt.hour() == 0).all()
    assert release.table.column("insured").mechanism.values == (False, True)


def test_missing_cells():
    gaps = frame().with_columns(
        pl.when(pl.col("row") % 5 > 0).then(pl.col(name)).alias(name)
        for name in ("age", "sex", "pain", "born")
    )
    with pytest.raises(DescriptionError, match=r"'age' is missing in row 1 \([\w ]+\) and [\d,]+ more"):
        sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method())
    one_gap = frame().with_columns(pl.when(pl.col("row") != 3).then(pl.col("age")).alias("age"))
    with pytest.raises(
        DescriptionError,
        match=r"'age' is missing in row 4 \(the line of column names is not counted\)\. Fill the gap,",
    ):
        sd.anonymize(table(one_gap), sd.PkAnonymity(5), method=method())
    with pytest.raises(DescriptionError) as told:
        sd.anonymize(table(one_gap), sd.PkAnonymity(5), method=method())
    assert '--method "randomization missing=category" at the command line' in str(told.value)
    assert "4 行目（列名の行を除く）が欠測" in told.value.into("ja")
    with pytest.raises(ParameterError) as lacking:
        sd.anonymize(table(), sd.PkAnonymity(5))
    assert '--method "randomization ranges=age:LOW:HIGH' in str(lacking.value)
    release = sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method(missing="category"), seed=1)
    assert release.verdicts[0].reached == pytest.approx(5)
    assert release.table.column("age").mechanism.flip is not None
    assert None in release.table.column("sex").mechanism.values
    for name in ("age", "sex", "pain", "born"):
        was = gaps[name].is_null()[release.rows_of_original]
        now = release.frame[name].is_null()
        assert (was & ~now).any()
        assert (~was & now).any()
    kept = sd.anonymize(table(gaps), sd.PkAnonymity(5), method=method(missing="keep"), seed=1)
    assert kept.frame["age"].is_null().to_list() == gaps["age"].is_null()[kept.rows_of_original].to_list()
    assert kept.verdicts[0].reached == pytest.approx(5)
    assert "missing age" in kept.verdicts[0].explanation
    assert kept.table.column("age").mechanism.rate() > release.table.column("age").mechanism.rate()


def test_values_outside_the_range():
    tight = method(ranges={**RANGES, "age": (0, 80)})
    with pytest.raises(DescriptionError, match=r"'age' has 81 in row 82 .* \[0, 80\]"):
        sd.anonymize(table(), sd.PkAnonymity(5), method=tight)
    with pytest.raises(DescriptionError, match=r"1990-01-01, 1990-02-01"):
        sd.anonymize(
            table(), sd.PkAnonymity(5), method=method(ranges={**RANGES, "born": ("1990-01-01", "1990-02-01")})
        )
    clipped = sd.anonymize(
        table(), sd.PkAnonymity(5), method=method(ranges={**RANGES, "age": (0, 80)}, outside="clip"), seed=1
    )
    assert clipped.frame["age"].max() <= 80
    assert any("clipped" in note for note in clipped.notes)
    with pytest.raises(DescriptionError, match="'sex' has '女' in row 1"):
        sd.anonymize(table(), sd.PkAnonymity(5), method=method(values={"sex": ["F", "M"]}))


def test_given_values_may_be_more_than_there_are():
    release = sd.anonymize(
        table(), sd.PkAnonymity(100), method=method(values={"sex": ("女", "男", "他"), "pain": ORDER}), seed=1
    )
    assert set(release.frame["sex"]) == {"女", "男", "他"}
    assert not any("sex" in note and "those in the data" in note for note in release.notes)
    assert any("disease" in note and "those in the data" in note for note in release.notes)
    assert any("disease" in warning and "read off the data" in warning for warning in release.warnings)
    assert not any("sex" in warning and "read off the data" in warning for warning in release.warnings)


def test_the_order_of_a_hierarchy_is_the_order_of_ranks():
    people = table(hierarchies={"pain": sd.hierarchy.order(["none", "mild", "severe"])})
    release = sd.anonymize(people, sd.PkAnonymity(5), method=sd.Randomize(ranges=RANGES), seed=1)
    assert release.table.column("pain").mechanism.values == ORDER


def test_rows_are_shuffled_unless_told_otherwise():
    assert method().apply(table(), context(seed=1)).rows.tolist() != list(range(ROWS))
    kept = method(shuffle=False).apply(table(), context(seed=1))
    assert kept.rows.tolist() == list(range(ROWS))
    assert kept.table.frame["row"].to_list() == list(range(ROWS))


def test_released_ages_follow_their_mechanism():
    people = sd.read(pl.DataFrame({"age": [30] * 20_000})).describe(quasi=["age"])
    release = sd.anonymize(people, sd.PkAnonymity(400), method=sd.Randomize(ranges={"age": (0, 50)}), seed=4)
    mechanism = release.table.column("age").mechanism
    points = np.arange(51.0)
    chances = mechanism.cumulative(30, points) - mechanism.cumulative(30, points, strict=True)
    counts = np.bincount(release.frame["age"].to_numpy(), minlength=51)
    assert stats.chisquare(counts, chances * 20_000).pvalue > 1e-4
