"""Exchange of boxes: never a greater loss, groups of k in their boxes, books that agree with a recount."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import generalize as twins
from tests.unit.anonymize.test_prices import CLOSE, KINDS, SEEDS, model_of, random_prices

import sudare as sd
from sudare.anonymize.generalize.exchange import Regions, exchanged
from sudare.anonymize.generalize.leftover import attach
from sudare.anonymize.generalize.prices import Priced, least_loss, levels_of, losses_of, priced_groups
from sudare.anonymize.generalize.records import covers_of
from sudare.anonymize.generalize.start import cheapest_scheme_first, ladders_of, schemes_of
from sudare.anonymize.grouping.recode import axes_of
from sudare.anonymize.protocol import Context
from sudare.kernels.core.rules import no_rules
from sudare.kernels.recoding.exchange import exchange
from sudare.kernels.recoding.regions import Listed, boxes_of_rows, chained
from sudare.progress import SILENT
from sudare.randomness import words_from


def case(random, rows, columns, k, kind):
    """A model, boxes and prices, and labels of groups of k in any order."""
    example = twins.example(random, rows, columns, kind=kind)
    model, ladders = model_of(example)
    prices = random_prices(random, rows)
    boxes, _ = levels_of(model, ladders).boxes(prices, k, 5.0, SILENT)
    labels = np.empty(rows, dtype=np.int64)
    labels[random.permutation(rows)] = np.minimum(np.arange(rows) // k, rows // k - 1)
    return example, model, ladders, boxes, prices, labels


def total_of(model, labels, k):
    labels = np.unique(labels, return_inverse=True)[1]
    return float(losses_of(model, labels, k)[0][labels].sum())


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 30),
    st.integers(2, 3),
    st.integers(1, 4),
    KINDS,
    st.sampled_from([0.0, 1.0, 5.0]),
    st.integers(0, 60),
    SEEDS,
)
def test_no_greater_loss_and_groups_of_k(rows, columns, k, kind, heat, attempts, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    _, model, _, boxes, prices, labels = case(random, rows, columns, k, kind)
    given_labels, given_prices = labels.copy(), prices.copy()
    priced = Priced(labels, boxes, prices, 5.0)

    def formed_anew():
        return exchanged(model, priced, labels, k, Regions(attempts, 12, heat, words_from(seed)), SILENT)

    found = formed_anew()
    assert total_of(model, found, k) <= total_of(model, labels, k) + CLOSE
    assert all(len(group) >= k for group in twins.groups_of(found))
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert np.array_equal(found, formed_anew())
    assert np.array_equal(labels, given_labels)
    assert np.array_equal(prices, given_prices)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 40),
    st.integers(1, 3),
    st.integers(1, 4),
    KINDS,
    st.sampled_from([0.0, 2.0]),
    st.integers(3, 30),
    SEEDS,
)
def test_the_books_agree_with_a_recount(rows, columns, k, kind, heat, target, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    _, model, _, boxes, prices, labels = case(random, rows, columns, k, kind)
    lost, sizes = losses_of(model, labels, k)
    listed = Listed(*boxes[:3], *boxes_of_rows(boxes.starts, boxes.rows, rows))
    for row in range(rows):
        own = listed.row_boxes[listed.row_starts[row] : listed.row_starts[row + 1]]
        assert own.tolist() == [
            box
            for box in range(len(boxes.costs))
            if row in boxes.rows[boxes.starts[box] : boxes.starts[box + 1]]
        ]
    groups = chained(listed, labels.copy(), sizes.copy(), lost.copy(), -1)
    words, local = words_from(seed), prices.copy()
    total = float(lost[labels].sum())
    for _ in range(4):
        total += exchange(listed, groups, prices, local, k, 10, target, heat, words, 0)
        assert total == pytest.approx(float(groups.cost[groups.label].sum()), abs=CLOSE)
        assert np.array_equal(np.bincount(groups.label, minlength=len(groups.size)), groups.size)
        assert (groups.size[groups.size > 0] >= k).all()
        assert not groups.state.any()
        spare = groups.spare[1 : groups.spare[0] + 1].tolist()
        assert sorted(spare) == np.flatnonzero(groups.size == 0).tolist()
        for group in np.flatnonzero(groups.size):
            members, row = [], groups.head[group]
            while row >= 0:
                members.append(int(row))
                row = groups.after[row]
            assert sorted(members) == np.flatnonzero(groups.label == group).tolist()
            box = groups.box[group]
            if box >= 0:
                assert set(members) <= set(boxes.rows[boxes.starts[box] : boxes.starts[box + 1]].tolist())
                # A group of the start has its cost by another way of summing than a box has.
                assert groups.cost[group] == pytest.approx(boxes.costs[box], abs=CLOSE)
        # A box costs no less than the least cover of its records.
        assert total_of(model, groups.label, k) <= total + CLOSE


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(2, 3), KINDS, SEEDS)
def test_bound_optimum_exchange(rows, k, kind, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    example, model, ladders, boxes, prices, labels = case(random, rows, 2, k, kind)
    priced = Priced(labels, boxes, prices, 5.0)
    found = exchanged(model, priced, labels, k, Regions(50, 12, 1.0, words_from(seed)), SILENT)
    least = twins.optimum(example, k)
    assert least <= total_of(model, found, k) + CLOSE
    bound = least_loss(model, ladders, labels, k, SILENT)
    assert bound is not None
    assert bound * rows <= least + CLOSE


def test_no_box_leads_to_a_group_that_is_gone():
    """Two boxes with the same records at the same cost stood for one group; when it was gone, a record joined it alone."""
    known = [(0, 0), (1, 2), (3, 0), (3, 1), (1, 0)]
    rows = [(1, None)] * 3 + [(2, None)] * 2 + known + [(1, None), (1, None), (2, None), (1, None)]
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.Int64}, orient="row")
    table = sd.read(frame).describe(quasi=["x", "y"])
    for effort in ("fast", "default"):
        release = sd.anonymize(table, sd.KAnonymity(2), method=sd.Generalize(objective="dis", effort=effort))
        assert release.losses["dis"] >= release.lower_bounds["dis"].value - 1e-9


def test_pairs_that_were_torn_apart_come_together():
    random = np.random.default_rng(1)
    reached, optima = 0.0, 0.0
    for _ in range(20):
        example, model, ladders, _, _, labels = case(random, 8, 2, 2, "mixed")
        priced = priced_groups(model, ladders, labels, 2, SILENT)
        assert priced is not None
        found = exchanged(model, priced, labels, 2, Regions(300, 12, 1.0, words_from(3)), SILENT)
        reached += total_of(model, found, 2)
        optima += twins.optimum(example, 2)
    assert optima - CLOSE <= reached <= 1.05 * optima


@pytest.mark.parametrize(("k", "seed"), [(5, 2), (10, 1)])
def test_prices_keep_the_first_groups_where_those_lose_less(k, seed):
    """On tables unlike the one that the settings were chosen on: few boxes, dates that nearly all differ."""
    table = sd.read(sd.hospital(1000, seed=seed)).describe(
        identifier=["patient_id", "name"],
        quasi=["birth_date", "sex", "zip", "nationality"],
        sensitive=["disease"],
        insensitive=["admission", "length_of_stay", "cost"],
        hierarchies={"zip": sd.hierarchy.mask(), "birth_date": sd.hierarchy.dates()},
    )
    axes = axes_of(table)
    weights = [1.0] * len(axes)
    model = covers_of(axes, weights, "loss", "hierarchy")
    ladders = ladders_of(axes, model, weights, "loss")
    schemes = schemes_of(ladders)
    assert schemes is not None
    labels, _ = cheapest_scheme_first(model, ladders, schemes, k, no_rules(), SILENT)
    labels = attach(model, labels, k, no_rules(), SILENT)
    released = sd.Generalize(effort="fast").apply(table, Context((sd.KAnonymity(k),))).table
    assert sd.measure.loss(table, released) <= total_of(model, labels, k) / table.rows + CLOSE
