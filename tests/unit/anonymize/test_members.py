"""k-member clustering: the same groups as a plain version, every group large enough, every row once."""

from collections import Counter
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import generalize as twins
from tests.unit.anonymize.test_openings import KINDS, SEEDS, model_of

import sudare as sd
from sudare.anonymize.generalize.start import member_groups
from sudare.kernels.partition.covers import LARGEST_TABLE
from sudare.kernels.recoding.members import grow_groups
from sudare.progress import SILENT

CLOSE = 1e-9


def grown(model, rows, k):
    labels = np.full(len(rows), -1, dtype=np.int64)
    span = np.empty((2, model.codes.shape[1]), dtype=np.int32)
    count = grow_groups(model, rows.copy(), k, labels, 0, *span)
    return labels, count


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 24), st.integers(1, 5), KINDS, st.sampled_from(["trees", "large trees", "ordered"]), SEEDS
)
def test_every_group_takes_what_costs_it_least(rows, k, kind, cells, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    example = twins.example(random, rows, 3, kind=kind, ordered=cells == "ordered")
    with patch(
        "sudare.anonymize.generalize.records.LARGEST_TABLE", 0 if cells == "large trees" else LARGEST_TABLE
    ):
        model = model_of(example.table, 1)
    labels, count = grown(model, random.permutation(rows), k)
    sizes = Counter(labels.tolist())
    assert sorted(sizes) == list(range(len(sizes)))
    assert all(sizes[group] == k for group in range(count - 1))
    assert k <= sizes[count - 1] < 2 * k
    # A group is a chain from some record, each next one no dearer than any record of a later group would be.
    for group in range(count - 1):
        members = {*np.flatnonzero(labels == group).tolist()}
        later = np.flatnonzero(labels > group).tolist()
        assert any(_grows(example, {first}, members - {first}, later) for first in members)


def _grows(example, group, waiting, later):
    """Whether the rest can join in some order, each at the least cost there is."""
    if not waiting:
        return True
    costs = {row: example.cost([*group, row]) for row in [*waiting, *later]}
    least = min(costs.values()) + CLOSE
    return any(
        costs[row] <= least and _grows(example, group | {row}, waiting - {row}, later) for row in waiting
    )


def test_the_next_group_begins_far_from_the_last():
    frame = pl.DataFrame({"x": [0, 1, 10, 11, 5, 6]})
    model = model_of(sd.read(frame).describe(quasi=["x"], kinds={"x": "numeric"}), 1)
    labels, count = grown(model, np.arange(6), 2)
    assert count == 3
    assert labels.tolist() == [1, 1, 0, 0, 2, 2]


@pytest.mark.parametrize(("rows", "k"), [(4, 3), (7, 3), (40, 3), (41, 3), (41, 10), (19, 10)])
def test_parts_of_a_large_table_are_clustered_each_for_itself(rows, k):
    random = np.random.default_rng(rows)
    example = twins.example(random, rows, 3)
    with (
        patch("sudare.anonymize.generalize.start.FEW_ROWS", 8),
        patch("sudare.anonymize.generalize.start.PART", 8),
    ):
        labels = member_groups(model_of(example.table, 1), k, SILENT)
    sizes = Counter(labels.tolist())
    assert sorted(sizes) == list(range(len(sizes)))
    assert min(sizes.values()) >= k


def test_wide_tables_begin_with_clusters_and_comply():
    random = np.random.default_rng(3)
    kinds = random.integers(0, 4, size=(5, 20))
    values = np.where(random.random((60, 20)) < 0.1, 4, kinds[random.integers(0, 5, size=60)])
    frame = pl.DataFrame({f"c{number}": [f"v{value}" for value in values[:, number]] for number in range(20)})
    names = frame.columns
    table = sd.read(frame).describe(
        quasi=names, hierarchies={name: sd.hierarchy.suppress() for name in names}
    )
    with patch("sudare.anonymize.generalize.groups.member_groups", wraps=member_groups) as begun:
        release = sd.anonymize(table, sd.KAnonymity(4), method=sd.Generalize(effort="fast"))
    assert begun.call_count == 1
    assert min(release.table.frame.group_by(names).len()["len"].to_list()) >= 4
