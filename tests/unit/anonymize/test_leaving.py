"""Rows left out: a group without a size, never more rows than allowed, never a greater loss, near the optimum."""

from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import generalize as twins
from tests.twins import tables as privacy_twins
from tests.unit.anonymize.test_exchange import case, total_of
from tests.unit.anonymize.test_prices import CLOSE, KINDS, SEEDS, model_of

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.generalize import groups as groups_module
from sudare.anonymize.generalize import start
from sudare.anonymize.generalize.exchange import Leaving, Regions, exchanged
from sudare.anonymize.generalize.groups import _joined, _shares
from sudare.anonymize.generalize.leaving import leaving_of, left_out, total_cost
from sudare.anonymize.generalize.leftover import merged_to_comply
from sudare.anonymize.generalize.neighbors import near_rows
from sudare.anonymize.generalize.prices import Priced, least_loss
from sudare.anonymize.generalize.records import covers_of, with_slots
from sudare.anonymize.grouping.recode import allowed_rows, axes_of, block_rules
from sudare.anonymize.protocol import Context
from sudare.assess.requirement import compile_rules
from sudare.display import Line
from sudare.errors import ParameterError
from sudare.kernels.core.rules import no_rules
from sudare.measure.catalogue import MEASURE_OF_OBJECTIVE
from sudare.measure.pair import Pair
from sudare.progress import SILENT
from sudare.randomness import repeatable, words_from
from sudare.release.summary import summary_of

ASKED = [
    (sd.KAnonymity(2),),
    (sd.KAnonymity(3), sd.LDiversity(2, kind="entropy")),
    (sd.LDiversity(2, kind="distinct"),),
    (sd.KAnonymity(2), sd.LDiversity(2, kind="recursive", c=3.0)),
    (sd.TCloseness(0.4),),
    (sd.KAnonymity(2), sd.TCloseness(0.3)),
]


def released(example, *asked, **parameters):
    """The outcome and its total loss, 1 for each row left out."""
    outcome = sd.Generalize(**parameters).apply(example.table, Context(asked))
    pair = Pair(example.table, outcome.table, outcome.rows)
    return outcome, MEASURE_OF_OBJECTIVE["loss"].compute(example.table, pair) * example.rows


def plain_cost(example, labels):
    """Groups by the definition, and 1 for each row of label -1."""
    return example.cost_of_labels(labels) + sum(label < 0 for label in labels)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.integers(4, 8), st.integers(1, 3), st.integers(2, 3), st.integers(1, 3), KINDS, st.booleans(), SEEDS
)
def test_bound_optimum_method(rows, columns, k, most, kind, few, seed):
    random = np.random.default_rng(seed)
    example = twins.example(random, rows, columns, kind=kind)
    with pytest.MonkeyPatch.context() as patched:
        if few:  # as if schemes could not be listed
            patched.setattr(start, "MOST_SCHEMES", 0)
        outcome, reached = released(example, sd.KAnonymity(k), effort="fast", suppression=most)
        _, without = released(example, sd.KAnonymity(k), effort="fast")
    least = twins.optimum(example, k, left_out=1.0, most=min(most, rows - 1))
    model, ladders = model_of(example)
    bound = least_loss(model, ladders, np.zeros(rows, dtype=np.int64), k, SILENT)
    assert bound is not None
    assert bound * rows <= least + CLOSE
    assert least <= reached + CLOSE
    assert reached <= without + CLOSE
    assert rows - outcome.table.rows <= most
    names = [f"c{number}" for number in range(columns)]
    assert all(size >= k for _, size in privacy_twins.k_anonymity(outcome.table.frame, names))
    assert outcome.table.frame["s"].to_list() == example.table.frame["s"][outcome.rows].to_list()


@pytest.mark.slow
@pytest.mark.parametrize("effort", ["fast", "default"])
def test_within_a_hundredth_of_the_optimum(effort):
    reached, optima, without = 0.0, 0.0, 0.0
    for seed in range(40):
        random = np.random.default_rng(seed)
        rows, k, most = int(random.integers(7, 10)), int(random.integers(2, 4)), int(random.integers(1, 4))
        example = twins.example(random, rows, 3, ordered=bool(random.integers(0, 2)))
        reached += released(example, sd.KAnonymity(k), effort=effort, suppression=most)[1]
        optima += twins.optimum(example, k, left_out=1.0, most=most)
        without += twins.optimum(example, k)
    assert optima - CLOSE <= reached <= 1.01 * optima
    assert optima < 0.99 * without


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
@settings(max_examples=12, deadline=None)
@given(st.integers(6, 30), st.integers(1, 3), st.integers(1, 6), KINDS, st.booleans(), SEEDS)
def test_any_requirement_holds_without_the_rows(asked, rows, columns, most, kind, ordered, seed):
    example = twins.example(np.random.default_rng(seed), rows, columns, kind=kind, ordered=ordered)
    if not sd.assess(example.table, *asked, compromises=False).feasible:
        return
    outcome, reached = released(example, *asked, effort="fast", suppression=min(most, rows - 1))
    assert reached <= released(example, *asked, effort="fast")[1] + CLOSE
    assert rows - outcome.table.rows <= most
    quasi = example.table.names("quasi")
    assert all(privacy_twins.holds(each, outcome.table.frame, quasi, ["s"]) for each in asked)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(4, 30),
    st.integers(2, 3),
    st.integers(1, 4),
    KINDS,
    st.integers(1, 8),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([0, 0.5, 2]),
    SEEDS,
)
def test_moves_out_and_back(rows, columns, k, kind, most, rent, openings, seed):
    """From any groups, with any rows out: groups of k, no more rows out than allowed, and a loss that only falls."""
    random = np.random.default_rng(seed)
    rows = max(rows, 2 * k)
    example, model, _, _, _, labels = case(random, rows, columns, k, kind)
    out = random.permutation(rows)[: int(random.integers(0, min(most, k) + 1))]
    labels[out] = -1
    sizes = np.bincount(labels[labels >= 0])
    if not len(sizes) or (sizes[sizes > 0] < k).any():
        return
    labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)[1]
    before = labels.copy()
    assert total_cost(model, labels, k) == pytest.approx(plain_cost(example, labels), abs=CLOSE)
    near = near_rows(with_slots(model, slice(None), 1), 20, repeatable(seed), SILENT)

    def moved():
        return left_out(model, near, labels, k, no_rules(), Leaving(most, rent), openings, seed, SILENT)

    found = moved()
    assert np.array_equal(labels, before)
    assert np.array_equal(found, moved())
    assert (found < 0).sum() <= most
    assert all(len(group) >= k for group in twins.groups_of(found))
    assert plain_cost(example, found) <= plain_cost(example, labels) + CLOSE


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(4, 30),
    st.integers(2, 3),
    st.integers(1, 4),
    KINDS,
    st.sampled_from([0.0, 1.0]),
    st.integers(0, 80),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.3]),
    SEEDS,
)
def test_exchange_with_rows_left_out(rows, columns, k, kind, heat, attempts, most, rent, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    example, model, _, boxes, prices, labels = case(random, rows, columns, k, kind)
    given_labels = labels.copy()
    priced = Priced(labels, boxes, prices, 5.0)
    regions = Regions(attempts, 12, heat, words_from(seed))
    found = exchanged(model, priced, labels, k, regions, SILENT, Leaving(most, rent))
    assert np.array_equal(labels, given_labels)
    assert (found < 0).sum() <= most
    kept = sorted(set(found[found >= 0].tolist()))
    assert kept == list(range(len(kept)))
    assert all(len(group) >= k for group in twins.groups_of(found))
    assert plain_cost(example, found) <= total_of(model, labels, k) + CLOSE


def test_the_first_rent_is_what_the_last_to_find_room_saves():
    """Two groups of three alike rows and a stranger each: one stranger costs the whole column, the other half of it."""
    frame = pl.DataFrame({"a": ["x1"] * 3 + ["z1"] + ["y1"] * 3 + ["y2"]})
    tree = sd.hierarchy.tree({"x": ["x1", "x2"], "y": ["y1", "y2"], "z": ["z1"]})
    table = sd.read(frame).describe(quasi=["a"], hierarchies={"a": tree})
    model = covers_of(axes_of(table), [1.0], "loss", "hierarchy")
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    found = leaving_of(model, labels, 1, 3)
    assert found.most == 1
    assert found.rent == pytest.approx(3.0)
    assert leaving_of(model, labels, 2, 3) == Leaving(2, 0.0)


def test_several_rows_of_one_group_leave_together():
    """Neither of two strangers saves anything by leaving alone: the other would still cost the group everything."""
    frame = pl.DataFrame({"city": ["Oslo"] * 8 + ["Rome", "Nice"]})
    table = sd.read(frame).describe(quasi=["city"])
    outcome = sd.Generalize(effort="fast", suppression=2).apply(table, Context((sd.KAnonymity(5),)))
    assert outcome.table.frame["city"].to_list() == ["Oslo"] * 8
    assert ": 2 (allowed: 2)." in str(outcome.notes[0])


def test_parts_share_the_rows_that_may_leave():
    assert _shares(7, [10, 10, 10]) == [2, 2, 3]
    assert _shares(0, [3, 4]) == [0, 0]
    parts = [np.array([0, 2, 4]), np.array([1, 3])]
    found = [np.array([0, -1, 1]), np.array([-1, 0])]
    assert _joined(parts, found, 5).tolist() == [0, -1, -1, 2, 1]


@pytest.mark.slow
def test_a_table_in_parts_leaves_out_no_more_than_allowed():
    example = twins.example(np.random.default_rng(5), 120, 3)
    with (
        patch.multiple(groups_module, WHOLE=30, PART=30),
        patch("sudare.anonymize.generalize.parts._FEWEST", 1),
    ):
        outcome, reached = released(example, sd.KAnonymity(3), effort="fast", suppression=9)
        _, without = released(example, sd.KAnonymity(3), effort="fast")
    assert 120 - outcome.table.rows <= 9
    assert reached <= without + CLOSE


def test_groups_that_no_longer_comply_are_merged():
    """The distribution of the rest is the reference of t-closeness: groups that were near the old one may be far from it."""
    frame = pl.DataFrame({"a": ["x", "x", "y", "y", "z", "z"], "s": ["p", "q", "p", "q", "p", "p"]})
    table = sd.read(frame).describe(quasi=["a"], sensitive=["s"])
    model = covers_of(axes_of(table), [1.0], "loss", "hierarchy")
    rules = compile_rules(table, block_rules(table, (sd.TCloseness(0.2),)))
    merged = merged_to_comply(model, np.array([0, 0, 1, 1, 2, 2]), 1, rules)
    groups = twins.groups_of(merged)
    assert [4, 5] not in groups
    assert any({4, 5} < set(group) for group in groups)
    alike = np.zeros(6, dtype=np.int64)
    assert merged_to_comply(model, alike, 1, rules) is alike


@pytest.mark.parametrize(
    "make", [lambda given: sd.Generalize(suppression=given), lambda given: sd.FullDomain(suppression=given)]
)
def test_a_share_or_a_number_of_rows(make):
    assert make(0.25).suppression == 0.25
    assert make(7).suppression == make("7").suppression == make(7.0).suppression == 7
    assert make(0).keeps_rows
    assert not make(1).keeps_rows
    for wrong in (1.5, -1, -0.1, True, "7 rows", None, float("nan"), float("inf"), [7]):
        with pytest.raises(
            ParameterError, match="share of the rows, from 0 to below 1, or a number of rows"
        ) as caught:
            make(wrong)
        assert "\n" not in str(caught.value)


def test_a_limit_of_one_is_that_of_all_rows():
    as_text: Any = "1.0"
    assert sd.SuppressRecords(limit=1).limit == sd.SuppressRecords(limit=as_text).limit == 1.0
    assert isinstance(sd.SuppressRecords(limit=1).limit, float)
    assert sd.SuppressRecords(limit=3).limit == 3
    wrong_limits: Any = (1.5, -1, False, "few")
    for wrong in wrong_limits:
        with pytest.raises(ParameterError, match="share of the rows, from 0 to 1, or a number of rows"):
            sd.SuppressRecords(limit=wrong)


def test_rows_allowed():
    assert allowed_rows(0.29, 100) == 29
    assert allowed_rows(1.0, 5) == 5
    assert allowed_rows(1, 5) == 1
    assert allowed_rows(5, 5, kept=1) == 4
    assert allowed_rows(6, 0, kept=1) == 0
    with pytest.raises(
        ParameterError, match=r"^1,200 rows may be left out, but the table has only 30; give a smaller"
    ):
        allowed_rows(1200, 30)


def test_the_schema_has_both_kinds():
    entry = next(
        one
        for one in METHODS.schema()["oneOf"]
        if one.get("properties", {}).get("type") == {"const": "generalization"}
    )
    assert [one["type"] for one in entry["properties"]["suppression"]["anyOf"]] == ["number", "integer"]
    assert METHODS.dump(METHODS.build("generalization suppression=7"), full=False) == {
        "type": "generalization",
        "suppression": 7,
    }


def test_the_terminal_says_how_many_rows_were_left_out_of_how_many(tmp_path):
    frame = pl.DataFrame({"city": ["Oslo"] * 8 + ["Rome"]})
    table = sd.read(frame).describe(quasi=["city"])
    method = sd.Generalize(effort="fast", suppression=3)
    release = sd.anonymize(table, sd.KAnonymity(5), method=method, measures=["suppressed"])
    written = release.write(tmp_path / "out", reports=[])
    english, japanese = (
        [str(block.text) for block in summary_of(written, language) if isinstance(block, Line)]
        for language in ("en", "ja")
    )
    assert any(line.endswith("than themselves: 1 (allowed: 3).") for line in english)
    assert any(line.endswith("1 行を除きました（上限は 3 行）。") for line in japanese)
