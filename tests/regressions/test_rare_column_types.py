"""Columns of types that are rare in tables of persons: decimals, moments with a zone, times, single precision."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.anonymize.microaggregate import embed
from sudare.errors import GuaranteeError, ParameterError
from sudare.randomness import repeatable

_ROWS = 60
_CHANCE = repeatable(0)
_START = datetime.combine(date(2020, 1, 1), time())
_DAYS = [_START + timedelta(days=int(day), hours=3) for day in _CHANCE.integers(0, 500, _ROWS)]
_HOURS = _CHANCE.integers(0, 5, _ROWS)
_MONEY = pl.Series([Decimal(int(cents)) / 100 for cents in _CHANCE.integers(0, 10_000, _ROWS)])


def _described(column: pl.Series, kind: str | None = None) -> sd.Table:
    table = sd.read(pl.DataFrame({"a": column}))
    return table.describe(quasi=["a"], kinds={"a": kind} if kind else None)  # type: ignore[dict-item]


def test_decimals_keep_their_scale():
    money = _MONEY.cast(pl.Decimal(10, 2))
    release = sd.anonymize(_described(money), sd.KAnonymity(3), method=sd.Microaggregate(), seed=1)
    before, after = (series.cast(pl.Float64).to_numpy().mean() for series in (money, release.frame["a"]))
    assert after == pytest.approx(before)


def test_a_rounded_zero_has_one_sign(tmp_path):
    numbers = pl.Series([-0.2, 0.2, -0.1, 0.1, 3.1, 3.2, 3.3, 2.9])
    release = sd.anonymize(
        _described(numbers), sd.KAnonymity(4), method=sd.Round(columns=("a",), base=1), seed=1
    )
    assert not np.signbit(release.frame["a"].to_numpy()).any()
    release.write(tmp_path / "release")


@pytest.mark.parametrize("method", [sd.Mondrian(), sd.Generalize(), sd.Microaggregate()])
def test_moments_with_a_zone_are_measured_and_written(method, tmp_path):
    moments = pl.Series(_DAYS).dt.replace_time_zone("Asia/Tokyo")
    release = sd.anonymize(_described(moments), sd.KAnonymity(3), method=method, seed=1)
    assert 0.0 <= release.losses.get("loss", 0.0) < 1.0
    release.write(tmp_path / "release")


def test_ranges_of_moments_lose_what_ranges_of_their_clocks_lose():
    plain = pl.Series(_DAYS)
    zoned = plain.dt.replace_time_zone("Asia/Tokyo")
    losses = [
        sd.anonymize(_described(series), sd.KAnonymity(3), method=sd.Mondrian(), seed=1).losses["loss"]
        for series in (plain, zoned)
    ]
    assert losses[0] == pytest.approx(losses[1])


def test_randomized_moments_can_be_tabulated():
    method = sd.Randomize(ranges={"a": ("2020-01-01", "2022-01-01")})
    release = sd.anonymize(_described(pl.Series(_DAYS)), sd.PkAnonymity(2), method=method, seed=1)
    assert sd.crosstab(release, by=["a"], bins={"a": 4}).counts["released"].sum() == _ROWS


def test_single_precision_does_not_leave_the_grid(tmp_path):
    method = sd.Randomize(ranges={"a": (0, 100)})
    numbers = pl.Series(_CHANCE.random(_ROWS) * 100, dtype=pl.Float32)
    release = sd.anonymize(_described(numbers), sd.PkAnonymity(2), method=method, seed=1)
    released = release.frame["a"].to_numpy().astype(np.float64)
    assert (np.round(released, 2) == released).all()
    release.write(tmp_path / "release")
    folder = sd.crosstab(tmp_path / "release" / "public", by=["a"], bins={"a": 4})
    assert folder.counts["released"].sum() == _ROWS


@pytest.mark.parametrize(("high", "kept"), [(100, True), (1, False)])
def test_decimals_are_kept_where_the_grid_fits_them(high, kept):
    money = (_MONEY * Decimal(high) / 100).cast(pl.Decimal(10, 2))
    method = sd.Randomize(ranges={"a": (0, high)})
    released = sd.anonymize(_described(money), sd.PkAnonymity(2), method=method, seed=1).frame["a"]
    assert released.dtype.is_decimal() is kept
    numbers = released.cast(pl.Float64).to_numpy()
    assert np.allclose(np.round(numbers, 2 if kept else 4), numbers, atol=0)


@pytest.mark.parametrize("form", ["csv", "parquet", "excel"])
@pytest.mark.parametrize(
    "column",
    [
        pl.Series([time(int(hour)) for hour in _HOURS]),
        pl.Series([_START + timedelta(hours=int(hour)) for hour in _HOURS]),
        pl.Series([_START + timedelta(hours=int(hour)) for hour in _HOURS]).dt.replace_time_zone(
            "Asia/Tokyo"
        ),
        pl.Series([timedelta(hours=int(hour)) for hour in _HOURS]),
        pl.Series(_HOURS / 10, dtype=pl.Float32),
        _MONEY.cast(pl.Decimal(10, 0)).cast(pl.Decimal(10, 2)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_retained_values_are_the_same_in_every_file(column, form, tmp_path):
    release = sd.anonymize(
        _described(column, "nominal"), sd.PkAnonymity(2), method=sd.Randomize(), measures=[], seed=1
    )
    release.write(tmp_path / "release", format=form, reports=())
    table = sd.crosstab(tmp_path / "release" / "public", by=["a"])
    assert len(table.counts) == column.n_unique()


def test_durations_are_verified_in_parquet(tmp_path):
    frame = pl.DataFrame({"stay": [timedelta(hours=int(hour)) for hour in _HOURS], "b": ["x"] * _ROWS})
    table = sd.read(frame).describe(quasi=["b"], insensitive=["stay"])
    release = sd.anonymize(table, sd.KAnonymity(2), method=sd.Mondrian(), seed=1)
    release.write(tmp_path / "release", format="parquet")


def test_a_population_may_have_other_types():
    table = _described(pl.Series([1, 2, 3, 3]))
    population = _described(pl.Series(["1", "2", "3", "3", "3"]))
    assert sd.risk(table, population=population) == sd.risk(
        table, population=_described(pl.Series([1, 2, 3, 3, 3]))
    )


@pytest.mark.parametrize(
    "method", [sd.Round(columns=("a",), base=10), sd.TopBottomCode(column="a", top=50), sd.Mondrian()]
)
def test_what_was_drawn_is_not_changed_afterwards(method):
    table = _described(pl.Series(_CHANCE.integers(0, 100, _ROWS)))
    chain: list[Any] = [sd.Randomize(ranges={"a": (0, 100)}), method]
    with pytest.raises(ParameterError, match=r"changes column 'a' after its randomization"):
        sd.anonymize(table, sd.PkAnonymity(2), sd.KAnonymity(3), method=chain, seed=1)


def test_records_may_be_shuffled_after_the_draw():
    table = _described(pl.Series(_CHANCE.integers(0, 100, _ROWS)))
    chain: list[Any] = [sd.Randomize(ranges={"a": (0, 100)}), sd.Shuffle()]
    release = sd.anonymize(table, sd.PkAnonymity(2), method=chain, seed=1)
    assert sd.crosstab(release, by=["a"], bins={"a": 4}).counts["released"].sum() == release.table.rows


@pytest.mark.slow
def test_a_stratum_that_cannot_comply_may_be_left_out():
    half = _ROWS // 2
    frame = pl.DataFrame(
        {
            "a": _CHANCE.integers(0, 100, _ROWS),
            "s": ["x"] * half + ["y"] * half,
            "d": ["u"] * half + ["u", "v"] * (half // 2),
        }
    )
    table = sd.read(frame).describe(quasi=["a", "s"], sensitive=["d"])
    asked = (sd.KAnonymity(2), sd.LDiversity(2, kind="distinct"))
    alone = sd.Microaggregate(strata=("s",))
    with pytest.raises(GuaranteeError, match="record-suppression"):
        sd.anonymize(table, *asked, method=alone, seed=1)
    release = sd.anonymize(table, *asked, method=[alone, sd.SuppressRecords(limit=0.6)], seed=1)
    assert release.holds
    assert set(release.frame["s"]) == {"y"}


def test_a_column_of_many_names_is_not_spread_out(monkeypatch):
    monkeypatch.setattr(embed, "_MOST_COORDINATES", 100)
    names = pl.Series([f"n{row}" for row in range(_ROWS)])
    with pytest.raises(
        ParameterError,
        match=r"has 60 different values\. In microaggregation each of them becomes a coordinate",
    ):
        sd.anonymize(_described(names, "nominal"), sd.KAnonymity(3), method=sd.Microaggregate())


def test_prices_are_found_in_a_hierarchy_however_they_are_written():
    money = pl.Series(["1.50", "2.00"] * 6).cast(pl.Decimal(10, 2))
    for leaves in (["1.50", "2.00"], ["1.5", "2"]):
        table = sd.read(pl.DataFrame({"a": money})).describe(
            quasi=["a"], hierarchies={"a": sd.hierarchy.tree({"cheap": leaves})}
        )
        assert sd.anonymize(table, sd.KAnonymity(3)).holds


def test_values_written_like_ranges_are_values():
    bins = pl.DataFrame(
        {"age": ["[20, 30)", "[30, 40)", "[40, 50)", "[20, 30)"], "city": ["{a; b}", "c", "{a; b}", "c"]}
    )
    table = sd.read(bins).describe(quasi=["age", "city"], kinds={"age": "nominal", "city": "nominal"})
    assert sd.measure.marginal_tv(table, table) == 0


def test_ranges_and_sets_stand_for_what_they_cover():
    levels = pl.DataFrame({"a": ["1 low", "2 mid", "3 high"] * 4})
    ordinal = sd.read(levels).describe(quasi=["a"], kinds={"a": "ordinal"})
    ranges = sd.read(pl.DataFrame({"a": ["[1 low, 2 mid]", "[1 low, 2 mid]", "3 high"] * 4}))
    assert sd.measure.marginal_tv(ordinal, ranges) == pytest.approx(0)
    nominal = sd.read(levels).describe(quasi=["a"], kinds={"a": "nominal"})
    sets = sd.read(pl.DataFrame({"a": ["{1 low; 3 high}", "2 mid", "{1 low; 3 high}"] * 4}))
    assert sd.measure.marginal_tv(nominal, sets) == pytest.approx(0)
