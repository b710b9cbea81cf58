"""Groups that mix sensitive values as the table does: every row once, quotas kept, every group complies."""

from unittest.mock import patch

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import generalize as twins
from tests.unit.anonymize.test_openings import KINDS, SEEDS, model_of

import sudare as sd
from sudare.anonymize.generalize.mixed import alike_parts, mixed_groups
from sudare.anonymize.protocol import Context
from sudare.assess.requirement import compile_rules
from sudare.kernels.recoding.mixed import grow_mixed
from sudare.progress import SILENT


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 24), st.integers(1, 4), st.integers(1, 6), KINDS, SEEDS)
def test_every_group_gets_what_it_wants(rows, distinct, groups, kind, seed):
    random = np.random.default_rng(seed)
    groups = min(groups, rows)
    model = model_of(twins.example(random, rows, 3, kind=kind).table, 1)
    values = random.integers(0, distinct, rows)
    wanted = np.zeros((groups, distinct), dtype=np.int64)
    np.add.at(wanted, (np.arange(rows) % groups, np.sort(values)), 1)
    labels = np.full(rows, -1, dtype=np.int64)
    span = np.empty((2, 3), dtype=np.int32)
    left = wanted.copy()
    grow_mixed(model, random.permutation(rows), values, left, labels, 5, *span)
    assert not left.any()
    found = np.zeros_like(wanted)
    np.add.at(found, (labels - 5, values), 1)
    assert np.array_equal(found, wanted)


def test_a_group_takes_the_cheapest_of_the_values_it_wants():
    frame = pl.DataFrame({"age": [0, 1, 2, 10, 11, 12], "ill": ["a", "b", "a", "a", "b", "a"]})
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    wanted = np.array([[2, 1], [2, 1]])
    labels = np.empty(6, dtype=np.int64)
    span = np.empty((2, 1), dtype=np.int32)
    grow_mixed(model_of(table, 1), np.arange(6), np.array([0, 1, 0, 0, 1, 0]), wanted, labels, 0, *span)
    assert labels.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


REQUIREMENTS = st.sampled_from(
    [
        [sd.LDiversity(2, kind="entropy")],
        [sd.LDiversity(2, kind="distinct"), sd.KAnonymity(3)],
        [sd.LDiversity(2, kind="recursive", c=3.0)],
        [sd.TCloseness(0.4)],
    ]
)


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 60), st.integers(1, 5), REQUIREMENTS, st.sampled_from([10, 6000]), SEEDS)
def test_every_group_complies(rows, distinct, requirements, part, seed):
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, distinct + 1) ** 2
    frame = pl.DataFrame(
        {
            "age": random.integers(0, 20, rows),
            "ill": [f"d{value}" for value in random.choice(distinct, rows, p=chances / chances.sum())],
        }
    )
    table = sd.read(frame).describe(quasi=["age"], sensitive=["ill"])
    whole = table.with_values(pl.Series("age", ["*"] * rows))
    if not all(requirement.check(whole).holds for requirement in requirements):
        return
    rules = [rule for requirement in requirements for rule in requirement.rules(table)]
    smallest = 3 if len(requirements) == 2 else 1
    where = "sudare.anonymize.generalize.mixed"
    with patch(f"{where}.FEW_ROWS", part), patch(f"{where}.PART", part):
        labels = mixed_groups(model_of(table, 1), smallest, compile_rules(table, rules), SILENT)
    if labels is None:
        assert rows > part
        return
    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))
    released = table.with_values(pl.Series("age", [f"g{label}" for label in labels]))
    for requirement in requirements:
        verdict = requirement.check(released)
        assert verdict.holds, verdict.explanation


def test_skewed_values_do_not_end_in_one_large_group():
    """Two values of two thirds of the rows: no run of near rows has entropy log 4, so the table was cut into few groups."""
    random = np.random.default_rng(0)
    rows, columns = 600, 20
    chances = np.array([33, 32, 13, 11, 6, 2, 1, 1, 1])
    frame = pl.DataFrame(
        {
            f"c{column}": np.where(random.random(rows) < 0.9, 0, random.integers(0, 10, rows)).astype(str)
            for column in range(columns)
        }
        | {"ill": [f"d{value}" for value in random.choice(len(chances), rows, p=chances / chances.sum())]}
    )
    quasi = frame.columns[:-1]
    table = sd.read(frame).describe(
        quasi=quasi, sensitive=["ill"], hierarchies={name: sd.hierarchy.mask() for name in quasi}
    )
    asked = sd.LDiversity(4, kind="entropy")
    method = sd.Generalize(objective="dis", effort="fast")
    released = method.apply(table, Context((asked,))).table
    assert asked.check(released).holds
    sizes = released.frame.group_by(quasi).len()["len"]
    # Cut along an order only, the largest of 46 has 88 rows.
    assert max(sizes.to_list()) <= 40
    assert len(sizes) >= 55


def test_parts_of_a_large_table_have_the_same_shares_of_values():
    values = np.array([0] * 12 + [1] * 6 + [2] * 3)
    order = np.random.default_rng(0).permutation(len(values))
    parts = alike_parts(order, values, 3)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(values)))
    for part in parts:
        assert np.bincount(values[part]).tolist() == [4, 2, 1]
