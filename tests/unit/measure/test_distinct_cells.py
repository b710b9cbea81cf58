"""Measures count distinct cells: the same figures as plain row by row twins."""

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.describe.text import as_text
from sudare.measure import distributions
from sudare.measure.pair import pair_of


def released(rows=300, seed=1):
    chosen = np.random.default_rng(seed)
    age = [None if chosen.random() < 0.1 else int(chosen.integers(18, 90)) for _ in range(rows)]
    frame = pl.DataFrame(
        {
            "age": age,
            "sex": chosen.choice(["f", "m"], rows),
            "pay": chosen.lognormal(8, 1, rows).round(2),
            "ill": chosen.choice(list("abcde"), rows),
        }
    )
    table = sd.read(frame).describe(quasi=["age", "sex"], sensitive=["ill", "pay"])
    return table, sd.anonymize(table, sd.KAnonymity(4), method="mondrian", seed=1)


@pytest.mark.parametrize("seed", range(5))
def test_quantiles_of_counted_values_are_those_of_all_of_them(seed):
    chosen = np.random.default_rng(seed)
    values, counts = np.unique(chosen.normal(size=9).round(1)), None
    counts = chosen.integers(1, 6, len(values))
    shuffled = chosen.permutation(len(values))
    shares = [0.0, 0.1, 0.25, 0.5, 0.77, 1.0]
    expected = np.quantile(np.repeat(values, counts), shares)
    found = distributions._quantiles(values[shuffled], counts[shuffled], shares)
    assert found == pytest.approx(expected, rel=1e-12)


def test_distinct_cells_and_places_give_back_both_columns():
    table, release = released()
    pair = pair_of(table, release)
    for name in release.table.frame.columns:
        distinct = pair.distinct(name)
        before, after = (
            as_text(side.gather(place)).to_list()
            for side, place in (
                (distinct.cells.before, distinct.before),
                (distinct.cells.after, distinct.after),
            )
        )
        assert before == as_text(table.frame[name]).to_list()
        assert after == as_text(release.table.frame[name]).to_list()
        assert distinct.cells.before.n_unique() == len(distinct.cells.before)


def test_a_part_of_a_table_with_a_fixed_domain_has_only_its_own_cells():
    table, _ = released()
    rows = np.flatnonzero((table.frame["ill"] == "a").to_numpy())
    part = table.fixed().take(rows)
    assert pair_of(part, part.frame).distinct("ill").cells.before.to_list() == ["a"]


def test_two_way_tables_add_up_row_by_row():
    table, release = released()
    pair = pair_of(table, release)
    one, other = (distributions.margin_of(pair, name) for name in ("age", "pay"))
    expected = np.zeros((one.spread.shape[1], other.spread.shape[1]))
    for first, second in zip(one.after, other.after, strict=True):
        expected += np.outer(one.spread[first], other.spread[second])
    _, found = distributions._two_way(one, other)
    assert found == pytest.approx(expected.ravel() / table.rows, rel=1e-12)


def test_wide_tables_of_combinations_are_labeled(monkeypatch):
    table, release = released()
    counted = sd.measure.pairwise_tv(table, release)
    monkeypatch.setattr(distributions, "_LARGEST_TABLE", 0)
    assert sd.measure.pairwise_tv(table, release) == pytest.approx(counted, rel=1e-12)


def test_means_and_variances_are_those_of_the_rows():
    table, release = released()
    pair = pair_of(table, release)
    was, now = (side[~np.isnan(side)] for side in distributions.numbers_of(pair, "age"))
    changes = [abs(now.mean() - was.mean()) / was.std(), 0.0]
    assert sd.measure.mean_change(table, release) == pytest.approx(np.mean(changes))
    assert sd.measure.variance_change(table, release) == pytest.approx(abs(now.var() / was.var() - 1) / 2)


@pytest.mark.parametrize("seed", range(3))
def test_margins_in_small_types_are_the_same_margins(seed, monkeypatch):
    chosen = np.random.default_rng(seed)
    # Over 256 ranges lie in two bins, so that their places need two bytes.
    frame = pl.DataFrame(
        {
            "age": chosen.integers(0, 5_000, 3_000),
            "pay": chosen.lognormal(8, 1, 3_000),
            "sex": ["f", "m"] * 1_500,
        }
    )
    table = sd.read(frame).describe(quasi=["age", "pay", "sex"])
    release = sd.anonymize(table, sd.KAnonymity(3), method="mondrian", seed=1)

    def figures():
        pair = pair_of(table, release)
        found = [
            one(table, pair) for one in (sd.measure.marginal_tv, sd.measure.hellinger, sd.measure.pairwise_tv)
        ]
        return found, {margin.after.dtype.itemsize for margin in pair.margins.values()}

    small, sizes = figures()
    assert sizes == {1, 2}
    monkeypatch.setattr(distributions, "_small", lambda places, count: places.astype(np.int32))
    large, sizes = figures()
    assert sizes == {4}
    assert small == large
