"""Parts of a large table: every row once, every part complies, and groups found in parts keep all that groups promise."""

from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import generalize as twins
from tests.twins import tables as privacy_twins
from tests.unit.anonymize.test_openings import KINDS, SEEDS, model_of

import sudare as sd
from sudare.anonymize.generalize import groups as groups_module
from sudare.anonymize.generalize.bound import price_bound
from sudare.anonymize.generalize.parts import _costs, parts_of
from sudare.anonymize.generalize.records import covers_of
from sudare.anonymize.generalize.start import ladders_of, shortened
from sudare.anonymize.grouping.recode import axes_of, by_size
from sudare.anonymize.protocol import Context
from sudare.assess.requirement import compile_rules
from sudare.errors import CancelledError
from sudare.kernels.core.rules import no_rules
from sudare.kernels.partition.covers import CLIMB

REQUIREMENTS = st.sampled_from(
    [
        (sd.KAnonymity(2),),
        (sd.KAnonymity(3), sd.LDiversity(2, kind="entropy")),
        (sd.LDiversity(2, kind="distinct"),),
        (sd.KAnonymity(2), sd.LDiversity(2, kind="recursive", c=3.0)),
        (sd.TCloseness(0.4),),
    ]
)
PARTS = "sudare.anonymize.generalize.parts"
GROUPS = "sudare.anonymize.generalize.groups"


def in_parts(largest):
    """Tables of more rows than this are searched in parts of at most as many, if groups are that small."""
    return patch.multiple(GROUPS, WHOLE=largest, PART=largest), patch(f"{PARTS}._FEWEST", 1)


def grouped_in_parts(method, table, asked, largest, threads, progress=None):
    """The outcome of the method with tiny parts, in so many threads."""
    sizes, fewest = in_parts(largest)
    context = Context(asked) if progress is None else Context(asked, progress=progress)
    with sizes, fewest, patch("sudare.threads.processors", lambda: threads):
        return method.apply(table, context)


def complies(asked, frame, quasi, sensitive):
    """Counted again by the plain twins."""
    return all(privacy_twins.holds(each, frame, quasi, sensitive) for each in asked)


def feasible(asked, example):
    quasi = example.table.names("quasi")
    one = example.table.frame.with_columns(pl.lit("*").alias(name) for name in quasi)
    return complies(asked, one, quasi, ["s"])


def rules_and_size(table, asked):
    rules = [rule for each in asked for rule in each.rules(table)]
    sizes = [each.k for each in asked if isinstance(each, sd.KAnonymity)]
    # As the method: there are no rules if only the size of a group matters.
    return no_rules() if by_size(rules) else compile_rules(table, rules), max([1, *sizes])


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 60), st.integers(1, 12), REQUIREMENTS, KINDS, st.booleans(), SEEDS)
def test_every_row_is_in_one_part_and_every_part_complies(rows, largest, asked, kind, ordered, seed):
    example = twins.example(np.random.default_rng(seed), rows, 3, kind=kind, ordered=ordered)
    table = example.table
    if not feasible(asked, example):
        return
    rules, smallest = rules_and_size(table, asked)
    with patch(f"{PARTS}._FEWEST", 1):
        parts = parts_of(model_of(table, 1), rules, smallest, largest)
    assert sorted(np.concatenate(parts).tolist()) == list(range(rows))
    quasi = table.names("quasi")
    labels = np.empty(rows, dtype=np.int64)
    for number, part in enumerate(parts):
        assert part.tolist() == sorted(part.tolist())
        labels[part] = number
    frame = table.frame.with_columns(pl.Series(quasi[0], labels.astype(str))).with_columns(
        pl.lit("*").alias(name) for name in quasi[1:]
    )
    assert complies(asked, frame, quasi, ["s"])


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.integers(1, 3), KINDS, SEEDS)
def test_under_k_alone_a_large_part_has_no_even_cut(rows, smallest, kind, seed):
    """Twin: no column of a part that is too large has a cut with enough rows on both sides."""
    example = twins.example(np.random.default_rng(seed), rows, 3, kind=kind)
    model = model_of(example.table, 1)
    largest = 2 * smallest
    with patch(f"{PARTS}._FEWEST", 1):
        parts = parts_of(model, no_rules(), smallest, largest)
    for part in parts:
        assert len(part) >= min(smallest, rows)
        if len(part) <= largest:
            continue
        for codes in model.codes[part].T:
            sides = [int((codes < value).sum()) for value in set(codes.tolist()) - {codes.min()}]
            assert all(min(side, len(part) - side) < max(smallest, 0.02 * len(part)) for side in sides)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(4, 50),
    st.integers(4, 15),
    REQUIREMENTS,
    KINDS,
    st.booleans(),
    st.sampled_from(["hierarchy", "sets"]),
    SEEDS,
)
def test_groups_of_parts_comply_and_do_not_depend_on_threads(
    rows, largest, asked, kind, ordered, cells, seed
):
    example = twins.example(np.random.default_rng(seed), rows, 3, kind=kind, ordered=ordered)
    table = example.table
    if not feasible(asked, example):
        return
    method = sd.Generalize(cells=cells, effort="fast")
    alone = grouped_in_parts(method, table, asked, largest, 1)
    beside = grouped_in_parts(method, table, asked, largest, 3)
    assert alone.table.frame.equals(beside.table.frame)
    assert alone.rows is not None
    assert alone.rows.tolist() == list(range(rows))
    assert complies(asked, alone.table.frame, table.names("quasi"), ["s"])


@settings(max_examples=30, deadline=None)
@given(st.integers(12, 40), st.integers(2, 3), st.sampled_from(["default", "fast"]), SEEDS)
def test_the_bound_is_below_the_loss_of_parts(rows, k, effort, seed):
    table = twins.example(np.random.default_rng(seed), rows, 3).table
    released = grouped_in_parts(sd.Generalize(effort=effort), table, (sd.KAnonymity(k),), 10, 2).table
    bound = price_bound(table, k)
    if bound is not None:
        assert bound.value <= sd.measure.loss(table, released) + 1e-9


def test_a_table_as_large_as_is_searched_as_one_has_no_parts():
    table = twins.example(np.random.default_rng(0), 30, 3).table
    asked = (sd.KAnonymity(2),)
    whole = sd.Generalize().apply(table, Context(asked)).table
    with patch.object(groups_module, "parts_of", side_effect=AssertionError):
        sizes, _ = in_parts(30)
        with sizes:
            assert sd.Generalize().apply(table, Context(asked)).table.frame.equals(whole.frame)


def test_distances_refer_to_the_whole_table():
    """Values follow the column that is cut first: parts have other distributions, and t is judged by the table's."""
    random = np.random.default_rng(1)
    rows = 400
    side = random.integers(0, 2, rows)
    ill = np.where(random.random(rows) < 0.3, side, random.integers(0, 2, rows))
    frame = pl.DataFrame(
        {
            "side": [f"s{value}" for value in side],
            "age": random.integers(0, 60, rows),
            "s": [f"d{value}" for value in ill],
        }
    )
    table = sd.read(frame).describe(quasi=["side", "age"], sensitive=["s"])
    asked = (sd.KAnonymity(3), sd.TCloseness(0.25))
    released = grouped_in_parts(sd.Generalize(effort="fast"), table, asked, 100, 2).table
    assert complies(asked, released.frame, ["side", "age"], ["s"])


def diseases_by_side(rows=900):
    """One side of the table has nearly one disease only: it cannot be protected by itself."""
    random = np.random.default_rng(2)
    side = random.integers(0, 2, rows)
    ill = np.where(side == 0, np.where(random.random(rows) < 0.97, 0, 1), random.integers(0, 4, rows))
    frame = pl.DataFrame(
        {
            "side": [f"s{value}" for value in side],
            "age": random.integers(0, 50, rows),
            "s": [f"d{value}" for value in ill],
        }
    )
    return sd.read(frame).describe(
        quasi=["side", "age"], sensitive=["s"], hierarchies={"age": sd.hierarchy.intervals(width=5)}
    )


def test_a_cut_does_not_separate_what_groups_need_from_each_other():
    table = diseases_by_side()
    asked = (sd.KAnonymity(3), sd.LDiversity(2, kind="entropy"))
    rules, smallest = rules_and_size(table, asked)
    model = model_of(table, 1)
    parts = parts_of(model, rules, smallest, 300)
    assert len(parts) > 1
    for part in parts:
        # Without rules, the sides would be cut from each other first of all.
        assert set(table.frame["side"].gather(part)) == {"s0", "s1"}
    assert any(
        len(set(table.frame["side"].gather(part))) == 1 for part in parts_of(model, no_rules(), smallest, 300)
    )


def test_searching_in_parts_loses_hardly_more():
    table = diseases_by_side()
    asked = (sd.KAnonymity(3), sd.LDiversity(2, kind="entropy"))
    method = sd.Generalize(effort="fast")
    whole = sd.measure.loss(table, method.apply(table, Context(asked)).table)
    parts = sd.measure.loss(table, grouped_in_parts(method, table, asked, 300, 2).table)
    assert parts <= 1.1 * whole


class Watch:
    """Notes what is reported and cancels at a share."""

    def __init__(self, cancel_at=2.0):
        self.phases, self.shares, self._at = [], [], cancel_at

    def start(self, phase, total):
        self.phases.append(phase)

    def update(self, done):
        self.shares.append(done)
        if done >= self._at:
            raise CancelledError("anonymize.canceled")


@pytest.mark.parametrize("threads", [1, 2])
def test_parts_report_one_phase(threads):
    table = diseases_by_side()
    watch = Watch()
    asked = (sd.KAnonymity(3), sd.LDiversity(2, kind="entropy"))
    grouped_in_parts(sd.Generalize(effort="fast"), table, asked, 300, threads, watch)
    assert watch.phases == ["search_parts"]
    assert watch.shares == sorted(watch.shares)
    assert watch.shares[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("at", [0.0, 0.3])
def test_parts_can_be_canceled(threads, at):
    with pytest.raises(CancelledError):
        asked = (sd.KAnonymity(3), sd.LDiversity(2, kind="entropy"))
        method = sd.Generalize(effort="fast")
        grouped_in_parts(method, diseases_by_side(), asked, 300, threads, Watch(at))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), KINDS, st.booleans(), SEEDS)
def test_ladders_of_a_part_tell_the_same_rows_apart(rows, kind, ordered, seed):
    random = np.random.default_rng(seed)
    table = twins.example(random, rows, 3, kind=kind, ordered=ordered).table
    axes, model = axes_of(table), model_of(table, 1)
    for column, (whole, short) in enumerate(
        zip(
            ladders_of(axes, model, [1.0] * 3, "loss"),
            shortened(ladders_of(axes, model, [1.0] * 3, "loss"), model),
            strict=True,
        )
    ):
        codes = model.codes[:, column] - min(int(model.codes[:, column].min()), 0)
        partitions = [
            tuple(map(tuple, np.equal.outer(own, own))) for own in (c[codes] for c in whole.classes)
        ]
        kept = [tuple(map(tuple, np.equal.outer(own, own))) for own in (c[codes] for c in short.classes)]
        assert len(kept) == len(set(kept))
        assert set(kept) == set(partitions)
        for place, classes in enumerate(short.classes):
            # Of the levels that tell the same rows apart, the cheapest.
            same = [level for level, each in enumerate(partitions) if each == kept[place]]
            assert classes is whole.classes[same[0]] or np.array_equal(classes, whole.classes[same[0]])


@pytest.mark.parametrize("largest_table", [160, 0])
def test_the_cost_between_two_values_is_that_of_their_group(largest_table):
    random = np.random.default_rng(3)
    for _ in range(20):
        example = twins.example(random, 12, 3, ordered=True)
        with patch("sudare.anonymize.generalize.records.LARGEST_TABLE", largest_table):
            axes = axes_of(example.table)
            model = covers_of(axes, [1.0] * 3, "loss", "hierarchy")
        assert largest_table or CLIMB in model.mode
        for column in range(3):
            codes = model.codes[:, column]
            for one in range(12):
                for other in range(12):
                    low, high = sorted((int(codes[one]), int(codes[other])))
                    if low < high:
                        cost = _costs(model, column, np.array([low]), np.array([high]))[0]
                        assert cost == pytest.approx(example.columns[column].lost([one, other], "loss") / 3)
