"""Prices and boxes: the boxes found are those of the definition, the bound holds, the choice is the greedy one."""

import itertools
import time
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import generalize as twins
from tests.twins import tables as privacy_twins

import sudare as sd
from sudare.anonymize.generalize import prices as module
from sudare.anonymize.generalize import start
from sudare.anonymize.generalize.bound import price_bound
from sudare.anonymize.generalize.prices import least_loss, levels_of, priced_groups, worthy
from sudare.anonymize.generalize.records import covers_of
from sudare.anonymize.generalize.start import ladders_of
from sudare.anonymize.grouping.recode import axes_of
from sudare.anonymize.protocol import Context
from sudare.errors import CancelledError
from sudare.kernels.recoding.boxes import Boxes, PricedRows, find_boxes
from sudare.kernels.recoding.prices import ascend, choose
from sudare.progress import SILENT

CLOSE = 1e-9
KINDS = st.sampled_from(["mixed", "constant", "equal", "duplicates"])
OBJECTIVES: Any = st.sampled_from(["loss", "dis", "ncp"])
SEEDS = st.integers(0, 10**6)
NO_CEILINGS = np.full(4, np.inf)


def model_of(example, objective="loss"):
    axes = axes_of(example.table)
    weights = [1.0] * len(axes)
    model = covers_of(axes, weights, objective, "hierarchy")
    return model, ladders_of(axes, model, weights, objective)


def random_prices(random, rows):
    """Prices about as large as losses; some of them zero, some equal."""
    prices = random.random(rows) * random.choice([0.3, 1.0, 3.0])
    style = random.integers(0, 4)
    if style == 1:
        prices[random.random(rows) < 0.5] = 0.0
    elif style == 2:
        prices = np.round(prices, 1)
    elif style == 3:
        prices[:] = random.choice([0.0, 0.5])
    return prices


def mean_prices(codes, prices):
    """Equal records at the mean of their prices."""
    equal = (codes[:, None, :] == codes[None, :, :]).all(axis=2)
    return (equal @ prices) / equal.sum(axis=1)


def best_use(gains, k):
    """Worth of a box: all records that gain, or the k that gain most; their sum."""
    ranked = sorted(gains, reverse=True)
    return sum(ranked[: max(k, sum(gain > 0 for gain in gains))])


def plain_boxes(model, ladders, prices, k):
    """{rows: (cost, worth)} of every tight box of at least k rows, from levels: every scheme, blocks by dictionary."""
    lowest = model.codes.min(axis=0, initial=0)
    places = model.codes - lowest
    found = {}
    for scheme in itertools.product(*(range(len(ladder.classes)) for ladder in ladders)):
        blocks: dict[Any, list[int]] = {}
        for row, own in enumerate(places):
            key = tuple(
                int(ladder.classes[level][code])
                for ladder, level, code in zip(ladders, scheme, own, strict=True)
            )
            blocks.setdefault(key, []).append(row)
        for rows in blocks.values():
            tight = all(
                level == 0 or len({int(ladder.classes[level - 1][places[row, column]]) for row in rows}) > 1
                for column, (ladder, level) in enumerate(zip(ladders, scheme, strict=True))
            )
            if tight and len(rows) >= k:
                cost = sum(
                    float(ladder.shares[level][places[rows[0], column]])
                    for column, (ladder, level) in enumerate(zip(ladders, scheme, strict=True))
                )
                assert tuple(rows) not in found
                found[tuple(rows)] = cost, best_use([prices[row] - cost for row in rows], k)
    return found


def plain_bound(example, prices, k, objective):
    """Sum of prices less the positive worths of all tight boxes, from nodes: every combination of them."""
    bound = prices.sum()
    nodes = [range(column.tree.nodes) for column in example.columns]
    below = [
        {node: column.below(node) for node in own} for own, column in zip(nodes, example.columns, strict=True)
    ]
    for box in itertools.product(*nodes):
        rows = [
            row
            for row in range(example.rows)
            if all(
                column.values[row] in under[node]
                for column, under, node in zip(example.columns, below, box, strict=True)
            )
        ]
        if len(rows) < k:
            continue
        if any(column.cover(rows) != node for column, node in zip(example.columns, box, strict=True)):
            continue
        cost = sum(
            column.share(node, objective) for column, node in zip(example.columns, box, strict=True)
        ) / len(nodes)
        bound -= max(best_use([prices[row] - cost for row in rows], k), 0.0)
    return bound


def boxes_of(boxes):
    """{sorted rows: cost} of the boxes of a list."""
    listed = [
        (tuple(sorted(boxes.rows[first:last].tolist())), float(cost))
        for first, last, cost in zip(boxes.starts, boxes.starts[1:], boxes.costs, strict=False)
    ]
    assert len(dict(listed)) == len(listed) == len(boxes.costs) == len(set(boxes.names.tolist()))
    return dict(listed)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(
    st.integers(1, 10),
    st.integers(2, 3),
    st.integers(1, 4),
    KINDS,
    st.booleans(),
    OBJECTIVES,
    st.sampled_from([0.0, 0.2, 2.0]),
    SEEDS,
)
def test_boxes_are_those_of_the_definition(rows, columns, k, kind, ordered, objective, hope, seed):
    random = np.random.default_rng(seed)
    example = twins.example(random, rows, columns, kind=kind, ordered=ordered)
    model, ladders = model_of(example, objective)
    codes, prices = model.codes.copy(), random_prices(random, rows)
    found, bound = levels_of(model, ladders).boxes(prices, k, hope, SILENT)
    listed = boxes_of(found)
    given, prices = prices, mean_prices(codes, prices)
    every = plain_boxes(model, ladders, prices, k)
    lower = given.sum() - sum(max(own, 0.0) for _, own in plain_boxes(model, ladders, given, k).values())
    assert bound >= lower - CLOSE
    gained = sum(max(worth, 0.0) for _, worth in every.values())
    assert bound == pytest.approx(prices.sum() - gained, abs=CLOSE)
    for rows_of_box, cost in listed.items():
        assert cost == pytest.approx(every[rows_of_box][0], abs=CLOSE)
    for rows_of_box, (_, worth) in every.items():
        # Where a difference is nothing but rounding, either answer is right.
        if abs(worth + hope) > CLOSE:
            assert (rows_of_box in listed) == (worth > -hope)
    assert np.array_equal(model.codes, codes)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(2, 3), st.integers(1, 3), KINDS, OBJECTIVES, SEEDS)
def test_the_bound_is_that_of_all_combinations_of_nodes(rows, columns, k, kind, objective, seed):
    random = np.random.default_rng(seed)
    example = twins.example(random, rows, columns, kind=kind)
    prices = random_prices(random, rows)
    model, ladders = model_of(example, objective)
    _, bound = levels_of(model, ladders).boxes(prices, k, 0.0, SILENT)
    prices = mean_prices(model.codes, prices)
    assert bound == pytest.approx(plain_bound(example, prices, k, objective), abs=CLOSE)


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 10), st.integers(1, 4), KINDS, SEEDS)
def test_the_dearest_rows_are_listed_and_names_stay(rows, most, kind, seed):
    random = np.random.default_rng(seed)
    space = levels_of(*model_of(twins.example(random, rows, 2, kind=kind)))
    named: dict[int, tuple[int, ...]] = {}
    for _ in range(2):
        prices = random_prices(random, rows)
        prices = prices[: len(space.counts)]
        order = np.argsort(-prices, kind="stable")
        counts = space.counts[order]
        dearest_first = PricedRows(np.ascontiguousarray(space.codes[order]), counts, prices[order])
        for top in range(int(space.levels.heights[0])):
            (whole, gained), (cut, same) = (
                find_boxes(dearest_first, space.levels, top, 2, 1.0, listed, np.array([10**9]))
                for listed in (rows, most)
            )
            assert gained == same
            assert np.array_equal(whole.costs, cut.costs)
            for box, name in enumerate(whole.names.tolist()):
                own = whole.rows[whole.starts[box] : whole.starts[box + 1]]
                # Rows are numbered by falling prices.
                assert own.tolist() == sorted(own.tolist())
                before = np.cumsum(counts[own]) - counts[own]
                assert cut.rows[cut.starts[box] : cut.starts[box + 1]].tolist() == own[before < most].tolist()
                members = tuple(sorted(order[own].tolist()))
                assert named.setdefault(name, members) == members
    assert len(set(named.values())) == len(named)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 3), KINDS, st.integers(0, 60), SEEDS)
def test_a_search_that_ends_early_finds_some_of_the_boxes_and_no_bound(rows, k, kind, visits, seed):
    random = np.random.default_rng(seed)
    model, ladders = model_of(twins.example(random, rows, 2, kind=kind))
    space, prices = levels_of(model, ladders), random_prices(random, rows)
    every, bound = space.boxes(prices, k, 5.0, SILENT)
    found, early = space.boxes(prices, k, 5.0, SILENT, visits)
    assert early in (-np.inf, bound)
    assert boxes_of(found).items() <= boxes_of(every).items()
    assert early == -np.inf or boxes_of(found) == boxes_of(every)
    first = np.zeros(rows, dtype=np.int64)
    assert priced_groups(model, ladders, first, k, SILENT, most_visits=-1) is None
    assert least_loss(model, ladders, first, k, SILENT, most_visits=-1) is None


def in_threads(count):
    return patch("sudare.threads.processors", lambda: count)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 3), KINDS, st.sampled_from([1e9, 300, 60, 0, -1]), SEEDS)
def test_boxes_are_the_same_for_any_number_of_threads(rows, k, kind, visits, seed):
    random = np.random.default_rng(seed)
    model, ladders = model_of(twins.example(random, rows, 3, kind=kind))
    space, prices = levels_of(model, ladders), random_prices(random, rows)
    (one, bound), *others = (_boxes_with(threads, space, prices, k, visits, True) for threads in (1, 2, 3))
    for other, same in others:
        assert all(np.array_equal(left, right) for left, right in zip(one, other, strict=True))
        assert same == bound
    for threads in (1, 2, 3):
        whole, again = _boxes_with(threads, space, prices, k, visits, False)
        assert again == bound
        assert len(whole.costs) == (0 if bound == -np.inf else len(one.costs))


def _boxes_with(threads, space, prices, k, visits, partly):
    with in_threads(threads):
        return space.boxes(prices, k, 5.0, SILENT, visits, partly=partly)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 30), st.floats(0.05, 2.0), SEEDS)
def test_the_ascent_is_the_same_for_any_number_of_threads(rows, k, rounds, theta, seed):
    random = np.random.default_rng(seed)
    boxes, prices = random_boxes(random, rows, k), random_prices(random, rows)
    free = random.random(rows) < 0.8
    goal = float(prices.sum()) * random.choice([0.5, 1.0, 1.5])
    expected, _ = ascend(*boxes[:3], prices, np.full(rows, np.inf), free, k, goal, rounds, theta, 8)
    for threads in (1, 2, 3):
        with in_threads(threads), patch.object(module, "_LISTED_EACH", 1):
            found = module._ascended(boxes, prices, free, k, goal, rounds, theta)
        assert np.array_equal(found, expected)


def test_a_search_for_boxes_in_threads_is_canceled_in_the_middle():
    """One level takes longer than anybody waits; it ends at the next look at the visits that are left."""
    random = np.random.default_rng(1)
    codes = random.integers(0, 2**16, size=(4000, 12))
    names = [f"c{column}" for column in range(12)]
    frame = pl.DataFrame({name: codes[:, place].astype(str) for place, name in enumerate(names)})
    table = sd.read(frame).describe(quasi=names, hierarchies={name: sd.hierarchy.mask() for name in names})
    axes = axes_of(table)
    model = covers_of(axes, [1.0] * 12, "loss", "hierarchy")
    space = levels_of(model, ladders_of(axes, model, [1.0] * 12, "loss"))

    class Impatient:
        def start(self, phase, total):
            self.began = time.perf_counter()

        def update(self, done):
            if time.perf_counter() - self.began > 0.3:
                raise CancelledError("anonymize.canceled")

    space.boxes(np.zeros(4000), 2, 0.0, SILENT, 10)  # compiled
    watch = Impatient()
    with in_threads(2), pytest.raises(CancelledError):
        space.boxes(np.full(4000, 2.0), 2, 5.0, watch, 1e11)
    assert time.perf_counter() - watch.began < 10


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 12), st.integers(1, 3), KINDS, SEEDS)
def test_worthy_boxes_are_those_worth_enough_the_best_first(rows, k, kind, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, 1)
    model, ladders = model_of(twins.example(random, rows, 2, kind=kind))
    prices = random_prices(random, rows)
    boxes, _ = levels_of(model, ladders).boxes(prices, k, 5.0, SILENT)
    worths = [best_use([prices[row] - cost for row in own], k) for own, cost in boxes_of(boxes).items()]
    kept = worthy(boxes, prices, k, 0.5)
    own_worths = [best_use([prices[row] - cost for row in own], k) for own, cost in boxes_of(kept).items()]
    assert own_worths == pytest.approx(
        sorted((worth for worth in worths if worth > -0.5), reverse=True), abs=CLOSE
    )


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(1, 3), KINDS, SEEDS)
def test_without_a_list_of_schemes_groups_comply_and_the_bound_holds(rows, k, kind, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    example = twins.example(random, rows, 2, kind=kind)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(start, "MOST_SCHEMES", 0)
        released = sd.Generalize(effort="fast").apply(example.table, Context((sd.KAnonymity(k),))).table
        bound = price_bound(example.table, k)
    least = twins.optimum(example, k) / rows
    assert least <= sd.measure.loss(example.table, released) + CLOSE
    assert bound is None or bound.value <= least + CLOSE
    assert all(size >= k for _, size in privacy_twins.k_anonymity(released.frame, ["c0", "c1"]))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.integers(2, 3), st.integers(2, 3), KINDS, OBJECTIVES, SEEDS)
def test_no_partition_is_below_the_bound(rows, columns, k, kind, objective, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    example = twins.example(random, rows, columns, kind=kind)
    model, ladders = model_of(example, objective)
    least = twins.optimum(example, k, objective)
    levels = levels_of(model, ladders)
    for _ in range(5):
        bound = levels.boxes(random_prices(random, rows), k, 0.0, SILENT)[1]
        assert bound <= least + CLOSE
    with_rows_left_out = twins.optimum(example, k, objective, left_out=1.0)
    assert with_rows_left_out <= least
    for first in (np.zeros(rows, dtype=np.int64), np.minimum(np.arange(rows) // k, rows // k - 1)):
        found = least_loss(model, ladders, first, k, SILENT)
        assert found is not None
        assert 0 <= found <= with_rows_left_out / rows + CLOSE


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(2, 3), KINDS, SEEDS)
def test_bound_optimum_method(rows, k, kind, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    example = twins.example(random, rows, 2, kind=kind)
    released = sd.Generalize().apply(example.table, Context((sd.KAnonymity(k),))).table
    least = twins.optimum(example, k) / rows
    reached = sd.measure.loss(example.table, released)
    model, ladders = model_of(example)
    bound = least_loss(model, ladders, np.zeros(rows, dtype=np.int64), k, SILENT)
    assert bound is not None
    assert bound - CLOSE <= least <= reached + CLOSE
    assert all(size >= k for _, size in privacy_twins.k_anonymity(released.frame, ["c0", "c1"]))


def test_the_bound_of_a_plain_case_is_the_optimum():
    tree = sd.hierarchy.tree({"north": ["Oslo", "Malmö"], "south": {"Europe": ["Rome", "Nice"], "大阪": []}})
    cities = ["Oslo", "Malmö", "Rome", "Nice", "Nice", "Rome", "大阪", "大阪"]
    table = sd.read(pl.DataFrame({"city": cities})).describe(quasi=["city"], hierarchies={"city": tree})
    axes = axes_of(table)
    model = covers_of(axes, [1.0], "loss", "hierarchy")
    bound = least_loss(model, ladders_of(axes, model, [1.0], "loss"), np.zeros(8, dtype=np.int64), 2, SILENT)
    assert bound is not None
    # Only Oslo and Malmö lose anything: (2 - 1) / (5 - 1) each.
    assert bound == pytest.approx(2 / 4 / 8, rel=0.05)
    assert bound <= 2 / 4 / 8 + CLOSE


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 25), st.integers(2, 3), st.integers(1, 4), KINDS, st.booleans(), SEEDS)
def test_priced_groups_have_k_rows_and_leave_the_others(rows, columns, k, kind, ordered, seed):
    random = np.random.default_rng(seed)
    rows = max(rows, k)
    model, ladders = model_of(twins.example(random, rows, columns, kind=kind, ordered=ordered))
    first = np.zeros(rows, dtype=np.int64)
    found = [priced_groups(model, ladders, first, k, SILENT) for _ in range(2)]
    labels, again = (priced.labels for priced in found if priced is not None)
    assert np.array_equal(labels, again)
    assert sorted({-1, *labels.tolist()}) == list(range(-1, labels.max() + 1))
    assert all(len(group) >= k for group in twins.groups_of(labels))
    assert not first.any()


def random_boxes(random, rows, k):
    """Boxes of at least k rows in any order."""
    count = int(random.integers(0, 12)) if rows >= k else 0
    members = [random.permutation(rows)[: random.integers(k, rows + 1)] for _ in range(count)]
    starts = np.cumsum([0, *map(len, members)]).astype(np.int64)
    listed = np.concatenate([np.zeros(0, dtype=np.int64), *members]).astype(np.int64)
    costs = random.random(count)
    names = random.choice(30, size=count, replace=False).astype(np.uint64)
    return Boxes(starts, listed, costs, names)


def as_dictionary(boxes):
    """{name: (rows, cost)}."""
    return {
        int(name): (boxes.rows[first:last].tolist(), float(cost))
        for first, last, cost, name in zip(
            boxes.starts, boxes.starts[1:], boxes.costs, boxes.names, strict=False
        )
    }


def worths(boxes, prices, free, k):
    """{name: worth to the free records}, of boxes (a dictionary) with k of them."""
    return {
        name: best_use([prices[row] - cost for row in rows if free[row]], k)
        for name, (rows, cost) in boxes.items()
        if sum(free[row] for row in rows) >= k
    }


def bound_over(boxes, prices, free, k):
    found = worths(as_dictionary(boxes), prices, free, k)
    return prices[free].sum() - sum(max(worth, 0.0) for worth in found.values())


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 12), st.integers(1, 4), st.sampled_from([0.0, 0.3, -0.8, -5.0]), SEEDS)
def test_choose_takes_the_box_of_the_greatest_worth(rows, k, least_worth, seed):
    random = np.random.default_rng(seed)
    boxes, prices = random_boxes(random, rows, k), random_prices(random, rows)
    free = random.random(rows) < 0.9
    labels, now = np.full(rows, -1, dtype=np.int64), free.copy()
    quota = int(random.integers(0, rows + 1))
    groups = choose(*boxes[:3], prices, now, k, least_worth, quota, 7, labels)
    still, unused, taken = free.copy(), as_dictionary(boxes), 0
    assert sorted({*labels.tolist()} - {-1}) == list(range(7, groups))
    for group in twins.groups_of(labels):
        assert taken < quota
        worth, name = max((worth, name) for name, worth in worths(unused, prices, still, k).items())
        listed, cost = unused.pop(name)
        assert {*group} <= {row for row in listed if still[row]}
        assert len(group) == max(k, sum(still[row] and prices[row] > cost for row in listed))
        assert sum(prices[row] - cost for row in group) == pytest.approx(worth, abs=CLOSE)
        assert worth >= least_worth - CLOSE
        still[group] = False
        taken += len(group)
    assert np.array_equal(now, still)
    if taken < quota:
        assert max(worths(unused, prices, still, k).values(), default=-np.inf) < least_worth + CLOSE


def test_choose_prefers_dearer_records_to_ties_listed_before_them():
    boxes = Boxes(np.array([0, 3]), np.array([0, 1, 2]), np.array([0.5]), np.zeros(1, dtype=np.uint64))
    labels = np.full(3, -1, dtype=np.int64)
    choose(*boxes[:3], np.array([0.0, 0.0, 0.4]), np.ones(3, dtype=np.bool_), 2, -9.0, 3, 0, labels)
    assert labels.tolist() == [0, -1, 0]


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 30), st.floats(0.05, 2.0), SEEDS)
def test_ascent_never_lowers_the_bound(rows, k, rounds, theta, seed):
    random = np.random.default_rng(seed)
    boxes, prices = random_boxes(random, rows, k), random_prices(random, rows)
    free = random.random(rows) < 0.8
    before = prices.copy()
    goal = float(prices.sum()) * random.choice([0.5, 1.0, 1.5])
    ceilings = prices + random.choice([0.0, 0.3, np.inf], size=rows)
    found, bound = ascend(*boxes[:3], prices, ceilings, free, k, goal, rounds, theta, 8)
    assert bound_over(boxes, found, free, k) >= bound_over(boxes, prices, free, k) - CLOSE
    assert bound == pytest.approx(bound_over(boxes, found, free, k), abs=CLOSE) or not rounds
    assert (found <= ceilings).all()
    assert np.array_equal(found[~free], prices[~free])
    assert (found >= 0).all()
    assert np.array_equal(prices, before)


def test_a_step_goes_along_the_subgradient():
    # The box uses row 0 and one of the equal rows 1 and 2; row 3 is in no box. So 2 and 3 rise, by (0.6 - 0.2) / 2.
    free = np.ones(4, dtype=np.bool_)
    prices = np.array([1.0, 0.0, 0.0, 0.0])
    found = ascend(
        np.array([0, 3]), np.array([0, 1, 2]), np.array([0.1]), prices, NO_CEILINGS, free, 2, 0.6, 2, 1.0, 8
    )[0]
    assert found.tolist() == pytest.approx([1.0, 0.0, 0.2, 0.2])


def test_ascent_raises_a_poor_bound():
    # Two boxes of two records each: the optimum is the sum of their losses.
    boxes = Boxes(np.array([0, 2, 4]), np.arange(4), np.array([0.25, 0.5]), np.arange(2, dtype=np.uint64))
    free = np.ones(4, dtype=np.bool_)
    found = ascend(*boxes[:3], np.zeros(4), NO_CEILINGS, free, 2, 1.5, 200, 1.0, 8)[0]
    assert bound_over(boxes, found, free, 2) == pytest.approx(1.5, rel=0.02)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 10), st.integers(1, 3), SEEDS)
def test_lists_of_boxes_are_united_and_reduced_as_dictionaries(rows, k, seed):
    random = np.random.default_rng(seed)
    old, new = random_boxes(random, rows, k), random_boxes(random, rows, k)
    both = module.united(old, new)
    assert as_dictionary(both) == as_dictionary(old) | as_dictionary(new)
    assert both.starts[0] == 0
    assert both.starts[-1] == len(both.rows)
    free = random.random(rows) < random.choice([0.0, 0.6, 1.0])
    left = {
        name: ([row for row in listed if free[row]], cost)
        for name, (listed, cost) in as_dictionary(both).items()
    }
    assert as_dictionary(module._of_free(both, free, k)) == {
        name: own for name, own in left.items() if len(own[0]) >= k
    }
    assert as_dictionary(module.united(module.no_boxes(), new)) == as_dictionary(new)
