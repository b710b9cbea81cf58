"""Descent under rules ends where no move that keeps them is left: the best move that is forbidden hides no other."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.anonymize.test_refine import consecutive

import sudare as sd
from sudare.anonymize.grouping import refine as refining
from sudare.anonymize.grouping.refine import refine
from sudare.anonymize.microaggregate.arrays import sse
from sudare.kernels.core.kinds import DISTINCT
from sudare.kernels.core.rules import no_rules
from sudare.kernels.partition.squares import squares_model


def distinct_rule(values, l):  # noqa: E741  # the name in the field
    """At least l sensitive values in every group."""
    kinds = int(values.max()) + 1
    return no_rules()._replace(
        kind=np.array([DISTINCT]),
        column=np.zeros(1, dtype=np.int64),
        at_most=np.zeros(1, dtype=np.bool_),
        bound=np.array([float(l)]),
        factor=np.zeros(1),
        sensitive=values.astype(np.int32)[None, :],
        overall=np.bincount(values)[None, :] / len(values),
        values=np.array([kinds]),
    )


def moved(labels):
    """Every partition that one relocation or one swap gives."""
    groups = range(labels.max() + 1)
    for record, target in itertools.product(range(len(labels)), groups):
        if labels[record] != target:
            other = labels.copy()
            other[record] = target
            yield other
    for one, two in itertools.combinations(range(len(labels)), 2):
        if labels[one] != labels[two]:
            other = labels.copy()
            other[[one, two]] = labels[[two, one]]
            yield other


def keeps(labels, values, k, l):  # noqa: E741
    return all(
        np.count_nonzero(labels == group) >= k and len(set(values[labels == group])) >= l
        for group in range(labels.max() + 1)
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(6, 16), st.integers(2, 3), st.integers(0, 10**6), st.booleans())
def test_no_move_that_keeps_the_rules_is_left(rows, k, seed, ties):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 2))
    X = np.round(X) if ties else X
    values = np.arange(rows) % 3
    start = consecutive(rows, k)
    near = np.array([[other for other in range(rows) if other != row] for row in range(rows)])
    model = squares_model(X, len(X) // k + 2)
    labels = refine(model, near, start, k, rules=distinct_rule(values, 2)).labels
    assert keeps(labels, values, k, 2)
    reached = sse(X, labels)
    assert reached <= sse(X, start) * (1 + 1e-9) + 1e-9
    for other in moved(labels):
        if keeps(other, values, k, 2):
            assert sse(X, other) >= reached * (1 - 1e-5) - 1e-9


def test_a_forbidden_move_does_not_hide_the_next_best():
    # The 7 of the first group and the 4 of the second would best change places, but then the first group had one
    # sensitive value. The 4 may move alone.
    X = np.array([4.0, 3.0, 7.0, 7.0, 4.0, 6.0])
    values = np.array([2, 2, 0, 1, 2, 2])
    start = np.array([0, 0, 0, 1, 1, 1])
    near = np.array([[other for other in range(6) if other != row] for row in range(6)])
    model = squares_model(np.column_stack([X, X]), 4)
    labels = refine(model, near, start, 2, rules=distinct_rule(values, 2)).labels
    assert labels.tolist() == [0, 0, 0, 1, 0, 1]


@pytest.mark.parametrize("l", [1, 2])
def test_one_group_stays(l):  # noqa: E741
    X = np.zeros((3, 2))
    near = np.array([[1, 2], [0, 2], [0, 1]])
    labels = refine(
        squares_model(X, 3), near, np.zeros(3, np.int64), 3, rules=distinct_rule(np.arange(3), l)
    ).labels
    assert labels.tolist() == [0, 0, 0]


def test_a_region_that_is_rebuilt_makes_no_group_larger_than_its_room(monkeypatch):
    """Where diversity makes groups large, all rows of a region could end in one group, beyond the room for its members."""
    searches = []
    keep = refining._Search._keep

    def checked(search):
        part = search._part
        sizes = np.bincount(part.label, minlength=len(part.size))
        assert (part.size == sizes).all()
        for group in np.flatnonzero(sizes):
            assert (part.label[part.members[group, : sizes[group]]] == group).all()
        searches.append(search)
        keep(search)

    monkeypatch.setattr(refining, "_REBUILD_SLICE", 1)
    monkeypatch.setattr(refining._Search, "_keep", checked)
    random, rows = np.random.default_rng(3), 900
    frame = pl.DataFrame(
        {
            "age": random.integers(18, 90, rows),
            "zip": [f"{code:05d}" for code in random.integers(10000, 10400, rows)],
            "sex": random.choice(["f", "m"], rows),
            "disease": random.choice(["flu", "hiv", "cold"], rows, p=[0.97, 0.02, 0.01]),
        }
    )
    table = sd.read(frame).describe(
        quasi=["age", "zip", "sex"],
        sensitive=["disease"],
        hierarchies={"age": "intervals width=5", "zip": "mask"},
    )
    asked = [sd.KAnonymity(3), sd.LDiversity(1.1, kind="entropy")]
    release = sd.anonymize(table, asked, method=sd.Generalize(), seed=1)
    assert all(verdict.holds for verdict in release.verdicts)
    assert len(searches) > 100
