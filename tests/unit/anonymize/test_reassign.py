"""Exchange in rings: the matrix is what groups would cost, the assignment is the best of all, nothing gets worse."""

import itertools
from collections import Counter
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import generalize as twins
from tests.twins import tables as privacy_twins
from tests.unit.anonymize.test_openings import (
    CLOSE,
    KINDS,
    SEEDS,
    State,
    every_other,
    model_of,
    random_labels,
    united_until,
)

import sudare as sd
from sudare.anonymize.grouping.reassign import reassigned
from sudare.anonymize.grouping.refine import refine
from sudare.assess.requirement import compile_rules
from sudare.errors import CancelledError
from sudare.kernels.partition.covers import CLIMB, LARGEST_TABLE
from sudare.kernels.partition.partition import partition_of
from sudare.kernels.partition.reassign import fill_matrix, gather_near
from sudare.randomness import words_from

CELLS = st.sampled_from(["trees", "large trees", "ordered", "sets"])
DIVERSITIES = st.sampled_from(["none", "distinct", "entropy"])


class Made:
    """A random table in groups that comply, and what it takes to ask about them plainly."""

    def __init__(self, rows, k, kind, cells, diversity, seed):
        self.random = np.random.default_rng(seed)
        self.k, self.sets = k, "sets" if cells == "sets" else "hierarchy"
        self.rows = max(rows, k)
        self.example = twins.example(self.random, self.rows, 3, kind=kind, ordered=cells == "ordered")
        self.diversity = diversity
        self.sensitive = self.example.table.frame["s"].to_list()
        self.labels = united_until(random_labels(self.random, self.rows, k), self.stands)
        self.possible = all(self.stands(group) for group in twins.groups_of(self.labels))
        self.rules = None
        if diversity != "none":
            asked = sd.LDiversity(2, kind=diversity)
            self.rules = compile_rules(self.example.table, asked.rules(self.example.table))

    def stands(self, group):
        counts = Counter(self.sensitive[row] for row in group)
        if len(group) < self.k or (self.diversity == "distinct" and len(counts) < 2):
            return False
        return self.diversity != "entropy" or privacy_twins.effective_values(counts) >= 2 - CLOSE

    def cost(self, group):
        if self.sets == "hierarchy":
            return self.example.cost(group)
        lost = sum(
            (len({column.values[row] for row in group}) - 1) / max(column.tree.leaves - 1, 1)
            for column in self.example.columns
        )
        return len(group) * lost / len(self.example.columns)

    def cost_of(self, labels):
        return sum(self.cost(group) for group in twins.groups_of(labels))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.integers(1, 20), st.integers(1, 3), KINDS, CELLS, DIVERSITIES, SEEDS)
def test_the_matrix_is_what_groups_would_cost(rows, k, kind, cells, diversity, seed):
    made = Made(rows, k, kind, cells, diversity, seed)
    if not made.possible:
        return
    largest = 0 if cells == "large trees" else LARGEST_TABLE
    with patch("sudare.anonymize.generalize.records.LARGEST_TABLE", largest):
        state = State(made.example.table, made.labels, k, every_other(made.rows), made.rules, made.sets)
    assert cells != "large trees" or set(state.model.mode) == {CLIMB}
    groups = np.unique(made.labels)
    members = [np.flatnonzero(made.labels == group) for group in groups]
    offered = np.array([made.random.choice(rows) for rows in members], dtype=np.int64)
    offered[made.random.random(len(groups)) < 0.3] = -1
    before = state.part.cost.copy()
    costs = matrix_of(state, groups, offered)
    for row, column in itertools.product(range(len(groups)), repeat=2):
        group = sorted(({*members[row].tolist()} - {offered[row]}) | ({offered[column]} - {-1}))
        if group and made.stands(group):
            assert costs[row, column] == pytest.approx(made.cost(group), abs=CLOSE)
        else:
            assert costs[row, column] == np.inf
    assert np.array_equal(before, state.part.cost)
    assert state.check() == pytest.approx(state.before)


def matrix_of(state, groups, offered):
    size, rules = len(groups), state.arguments[2].rules
    codes = np.ascontiguousarray(state.model.codes[offered].T)
    kinds = np.zeros(size, dtype=np.int64)
    if len(rules.kind):
        kinds = np.unique(rules.sensitive[:, offered], axis=1, return_inverse=True)[1]
    costs, room = np.empty((size, size)), (np.empty(size, dtype=np.int64), np.empty(LARGEST_TABLE))
    fill_matrix(*state.arguments[:3], groups, offered, codes, kinds, *room, costs)
    return costs


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.integers(1, 40), st.integers(1, 4), KINDS, CELLS, DIVERSITIES, st.sampled_from([2, 5, 1500]), SEEDS)
def test_groups_comply_and_the_cost_never_rises(rows, k, kind, cells, diversity, most, seed):
    made = Made(rows, k, kind, cells, diversity, seed)
    if not made.possible:
        return
    start = made.labels.copy()
    model = model_of(made.example.table, len(partition_of(start, k).size), made.sets)
    near = every_other(made.rows) if made.rows > 1 else np.zeros((1, 1), dtype=np.int64)
    with patch("sudare.anonymize.grouping.reassign._MOST_GROUPS", most):
        found, again = (
            reassigned(model, near, made.labels, k, 6, rules=made.rules, seed=seed) for _ in range(2)
        )
    assert np.array_equal(found, again)
    assert np.array_equal(made.labels, start)
    assert sorted(set(found.tolist())) == list(range(len(set(start.tolist()))))
    assert all(made.stands(group) for group in twins.groups_of(found))
    assert made.cost_of(found) <= made.cost_of(start) + CLOSE


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(1, 3), KINDS, SEEDS)
def test_an_assignment_is_the_best_of_all_permutations(groups, k, kind, seed):
    random = np.random.default_rng(seed)
    example = twins.example(random, groups * k, 2, kind=kind)
    labels = random.permutation(np.repeat(np.arange(groups), k))
    with patch("sudare.anonymize.grouping.reassign._GIVING", 1.0):
        model = model_of(example.table, len(partition_of(labels, k).size))
        found = reassigned(model, every_other(groups * k), labels, k, 1, seed=seed)
    # The records given away are the places drawn first, as in `_reassign`.
    places = (np.random.default_rng(seed).random(groups) * k).astype(int)
    members = [np.flatnonzero(labels == group) for group in range(groups)]
    given_away = [members[group][place] for group, place in enumerate(places)]
    best = np.inf
    for permutation in itertools.permutations(given_away):
        other = labels.copy()
        other[list(permutation)] = np.arange(groups)
        best = min(best, example.cost_of_labels(other))
    assert example.cost_of_labels(found) == pytest.approx(best, abs=CLOSE)


def ring():
    """Three groups, each with one stranger; any two of them who change places break a rule, all three may."""
    frame = pl.DataFrame({"place": [*"aabbbccca"], "s": [*"125341563"]})
    table = sd.read(frame).describe(
        quasi=["place"], sensitive=["s"], hierarchies={"place": sd.hierarchy.suppress()}
    )
    return table, np.repeat(np.arange(3), 3), compile_rules(table, sd.LDiversity(3).rules(table))


def test_a_ring_of_three_that_no_two_can_begin():
    table, labels, rules = ring()
    model = model_of(table, 4)
    assert np.array_equal(refine(model, every_other(9), labels, 3, rules=rules).labels, labels)
    found = reassigned(model, every_other(9), labels, 3, 200, rules=rules)
    assert twins.groups_of(found) == [[0, 1, 8], [2, 3, 4], [5, 6, 7]]


def test_near_groups_are_gathered_once_each():
    labels = np.repeat(np.arange(10), 2)
    part = partition_of(labels, 2)
    near = np.array([[(row + 2) % 20, (row + 18) % 20] for row in range(20)])
    groups = np.empty(6, dtype=np.int64)
    for seed in range(5):
        count = gather_near(part, near, 6, words_from(seed), groups)
        assert count == len(set(groups.tolist())) == 6
        assert {*((groups - groups[0]) % 10).tolist()} == {0, 1, 2, 3, 8, 9}
    apart = np.arange(20).reshape(20, 1)
    assert gather_near(part, apart, 6, words_from(1), groups) == 1


def test_canceling_stops_it():
    class Impatient:
        def start(self, phase, total):
            pass

        def update(self, done):
            raise CancelledError("enough")

        def finish(self):
            pass

    table, labels, rules = ring()
    with pytest.raises(CancelledError):
        reassigned(model_of(table, 4), every_other(9), labels, 3, 5, rules=rules, progress=Impatient())
