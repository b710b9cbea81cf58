"""Generalization: complies, loses what it says, between the lower bound and other methods, and cannot be split."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import tables as twins

import sudare as sd
from sudare.anonymize.protocol import Context
from sudare.assess.bounds import k_bound
from sudare.errors import InfeasibleError, ParameterError

CITIES = sd.hierarchy.tree({"north": ["Oslo", "Malmö"], "south": ["Rome", "Nice", "大阪"]})
CITY_NAMES = ["Oslo", "Malmö", "Rome", "Nice", "大阪"]


def table_of(rows):
    frame = pl.DataFrame(rows, schema=["age", "city", "disease"], orient="row")
    return sd.read(frame).describe(
        quasi=["age", "city"], sensitive=["disease"], kinds={"age": "numeric"}, hierarchies={"city": CITIES}
    )


records = st.tuples(
    st.sampled_from([20, 21, 30, 45, 80]), st.sampled_from(CITY_NAMES), st.sampled_from("abc")
)


def apply(table, *requirements, **parameters):
    return sd.Generalize(**parameters).apply(table, Context(requirements))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(records, min_size=2, max_size=25), st.integers(2, 4), st.sampled_from(["loss", "dis", "ncp"]))
def test_every_group_complies_and_rows_stay(rows, k, objective):
    table = table_of(rows)
    if len(rows) < k:
        with pytest.raises(InfeasibleError):
            apply(table, sd.KAnonymity(k))
        return
    outcome = apply(table, sd.KAnonymity(k), objective=objective)
    released = outcome.table.frame
    assert all(size >= k for _, size in twins.k_anonymity(released, ["age", "city"]))
    assert released["disease"].to_list() == table.frame["disease"].to_list()
    assert outcome.rows.tolist() == list(range(len(rows)))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(records, min_size=4, max_size=16), st.sampled_from(["distinct", "entropy"]))
def test_diverse_groups(rows, kind):
    table = table_of(rows)
    requirement = sd.LDiversity(2, kind=kind)
    if not sd.assess(table, requirement).feasible:
        return
    released = apply(table, requirement).table.frame
    assert all(
        figure >= 2 - 1e-9 for _, figure in twins.l_diversity(released, ["age", "city"], ["disease"], kind)
    )


def partitions(items, k):
    """Every way to put items into groups of k or more."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(k - 1, len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [item for item in rest if item not in others]
            if 0 < len(left) < k:
                continue
            for more in partitions(left, k):
                yield [(first, *others), *more]


def plain_loss(rows, group):
    """Iyengar's loss of the rows of a group, summed over both columns, by hand."""
    ages = [rows[row][0] for row in group]
    cities = {rows[row][1] for row in group}
    every_age = [row[0] for row in rows]
    width = max(every_age) - min(every_age)
    age = (max(ages) - min(ages)) / width if width else 0.0
    north = {"Oslo", "Malmö"}
    city = 0.0 if len(cities) == 1 else 1 / 4 if cities <= north else 2 / 4 if not cities & north else 1.0
    return len(group) * (age + city)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(records, min_size=2, max_size=8), st.integers(2, 3))
def test_bound_optimum_heuristic(rows, k):
    if len(rows) < k:
        return
    table = table_of(rows)
    optimum = min(
        sum(plain_loss(rows, group) for group in groups) for groups in partitions(list(range(len(rows))), k)
    ) / (2 * len(rows))
    reached = sd.measure.loss(table, apply(table, sd.KAnonymity(k)).table)
    assert k_bound(table, k, objective="loss").value <= optimum + 1e-9
    assert optimum <= reached + 1e-9


@settings(max_examples=25, deadline=None)
@given(st.lists(records, min_size=4, max_size=9))
def test_no_block_can_be_split(rows):
    """Minimal: no two parts of a block, both of k rows, of which one is generalized less."""
    k = 2
    released = apply(table_of(rows), sd.KAnonymity(k)).table.frame
    for block in twins.blocks(released, ["age", "city"]):
        whole = plain_loss(rows, block) / len(block)
        for size in range(k, len(block) - k + 1):
            for part in itertools.combinations(block, size):
                assert plain_loss(rows, part) / len(part) >= whole - 1e-9


def test_same_result_twice_and_input_untouched():
    table = table_of([(20 + i % 7, CITY_NAMES[i % 5], "abc"[i % 3]) for i in range(60)])
    before = table.frame.clone()
    first, again = (apply(table, sd.KAnonymity(4)).table.frame for _ in range(2))
    assert first.equals(again)
    assert table.frame.equals(before)


def test_sets_of_values_lose_less_than_hierarchies_and_are_measured():
    rows = [(30, "Oslo", "a"), (30, "Rome", "b")] * 6
    rows += [(40, name, "c") for name in ("Nice", "Malmö")] * 3
    table = table_of(rows)
    sets = apply(table, sd.KAnonymity(12), cells="sets", objective="ncp").table
    assert set(sets.frame["city"]) == {"{Oslo; Malmö; Rome; Nice}"}
    trees = apply(table, sd.KAnonymity(12), objective="ncp").table
    assert sd.measure.gcp(table, sets) <= sd.measure.gcp(table, trees)
    assert sd.measure.gcp(table, sets) > 0
    release = sd.anonymize(table, sd.KAnonymity(12), method=sd.Generalize(cells="sets"))
    assert 0 < release.losses["ild"] <= 1


def test_suppression_leaves_out_what_costs_most():
    rows = [(20 + i % 3, "Oslo", "a") for i in range(30)] + [(80, "大阪", "b")]
    table = table_of(rows)
    whole = sd.anonymize(table, sd.KAnonymity(10), method=sd.Generalize())
    some = sd.anonymize(table, sd.KAnonymity(10), method=sd.Generalize(suppression=0.05))
    assert some.table.rows == 30
    assert some.losses["loss"] < whole.losses["loss"]
    assert len(apply(table, sd.KAnonymity(10), suppression=0.01).rows) == 31


def test_weights_and_names():
    table = table_of([(20 + i % 9, CITY_NAMES[i % 5], "abc"[i % 3]) for i in range(90)])
    precise = apply(table, sd.KAnonymity(5), weights={"age": 10, "city": 0.1}).table
    loose = apply(table, sd.KAnonymity(5), weights={"age": 0.1, "city": 10}).table
    losses = [sd.measure.column_losses(table, one)["age"] for one in (precise, loose)]
    assert losses[0] <= losses[1]
    with pytest.raises(ParameterError, match="not one of the quasi-identifiers that groups are formed by"):
        apply(table, sd.KAnonymity(5), weights={"disease": 1})
    with pytest.raises(ParameterError, match="All weights are 0"):
        apply(table, sd.KAnonymity(5), weights={"age": 0, "city": 0})


def test_the_papers_names():
    table = table_of([(20 + i % 9, CITY_NAMES[i % 5], "abc"[i % 3]) for i in range(30)])
    release = sd.anonymize(table, sd.LDiversity(2), method=sd.DiverDIS())
    assert release.holds
    assert sd.anonymize(table, sd.KAnonymity(3), method="mindis").holds


@pytest.mark.parametrize("rows", [1, 3])
def test_smallest_tables(rows):
    table = table_of([(20, "Oslo", "a")] * rows)
    outcome = apply(table, sd.KAnonymity(rows))
    assert outcome.table.frame["city"].to_list() == ["Oslo"] * rows


def test_many_columns_without_a_list_of_schemes():
    random = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": random.integers(0, 4, 80).astype(str) for i in range(30)})
    table = sd.read(frame).describe(quasi=frame.columns)
    released = apply(table, sd.KAnonymity(3)).table
    assert all(size >= 3 for _, size in twins.k_anonymity(released.frame, frame.columns))
