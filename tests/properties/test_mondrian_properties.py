"""Mondrian on random tables: the requirements hold by plain counting, and every cell is true and as narrow as can be."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import datetime as dt
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import tables as twins

import sudare as sd
from sudare.anonymize.protocol import Context
from sudare.errors import InfeasibleError

GRADES = ["none", "low", "middle", "high"]
LANDS = {"Europe": {"West": ["France", "Spain"], "North": ["Norge"]}, "アジア": ["日本", "한국"]}
DISEASES = {"lung": ["flu", "asthma"], "gut": ["ulcer", "胃炎"]}
POOLS: dict[str, tuple[Any, Any]] = {
    "number": ([*range(12), 10**15, 10**15 + 1], pl.Int64),
    "fraction": ([-0.5, 0.0, 0.1, 0.30000000000000004, 0.3, 2.5, 1e15 + 0.5], pl.Float64),
    "day": ([dt.date(2024, 1, 1) + dt.timedelta(days=days) for days in (0, 1, 30, 31, 400, 5000)], pl.Date),
    "grade": (GRADES, pl.Enum(GRADES)),
    "sex": (["F", "M", "*", "[1, 2]"], pl.String),
    "land": (["France", "Spain", "Norge", "日本", "한국"], pl.String),
    "zip": (["02139", "02140", "02999", "10001", "7"], pl.String),
    "age": ([*range(0, 60, 7)], pl.Int64),
}
ORDERED = {"number", "fraction", "day", "grade"}
HIERARCHIES: dict[str, Any] = {
    "land": sd.hierarchy.tree(LANDS),
    "zip": sd.hierarchy.mask(),
    "age": sd.hierarchy.intervals(width=10),
    "word": sd.hierarchy.tree(DISEASES),
}
SENSITIVE = ["word", "result"]

requirements = st.lists(
    st.one_of(
        st.builds(sd.KAnonymity, st.integers(1, 6)),
        st.builds(sd.LDiversity, st.integers(1, 3), sensitive=st.sampled_from([None, ("word",)])),
        st.builds(
            sd.LDiversity,
            st.sampled_from([1.0, 1.5, 2.2]),
            kind=st.just("entropy"),
            sensitive=st.just(("word",)),
        ),
        st.builds(
            sd.LDiversity, st.integers(1, 3), kind=st.just("recursive"), c=st.sampled_from([1, 2, 3.5])
        ),
        st.builds(
            sd.TCloseness, st.sampled_from([0.2, 0.4, 0.7]), distance=st.sampled_from(["equal", "ordered"])
        ),
        st.builds(
            sd.TCloseness,
            st.sampled_from([0.2, 0.5]),
            distance=st.just("hierarchical"),
            sensitive=st.just(("word",)),
        ),
    ),
    min_size=1,
    max_size=3,
)


@st.composite
def tables(draw, names=tuple(POOLS), *, missing=True, max_rows=40):
    rows = draw(st.integers(1, max_rows))
    quasi = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))

    def column(values, dtype):
        domain = draw(st.lists(st.sampled_from(values), min_size=1, max_size=8))
        if missing and draw(st.integers(0, 3)) == 0:
            domain = [*domain, None]
        return pl.Series(draw(st.lists(st.sampled_from(domain), min_size=rows, max_size=rows)), dtype=dtype)

    frame = pl.DataFrame(
        {name: column(*POOLS[name]) for name in quasi}
        | {
            "word": column(["flu", "asthma", "ulcer", "胃炎"], pl.String),
            "result": column([1, 2, 3], pl.Int64),
            "row": pl.Series(range(rows)),
        }
    )
    kinds: dict[str, Any] = {"sex": "nominal", "land": "nominal", "zip": "string", "word": "nominal"}
    return sd.read(frame).describe(
        quasi=quasi,
        sensitive=SENSITIVE,
        insensitive=["row"],
        kinds={name: kind for name, kind in kinds.items() if name in frame.columns},
        hierarchies={name: maker for name, maker in HIERARCHIES.items() if name in frame.columns},
    )


def partition(table, asked, *, relaxed=False):
    return sd.Mondrian(relaxed=relaxed).apply(table, Context(tuple(asked)))


def trees_of(table):
    return {"word": table.hierarchy("word")}


@settings(max_examples=100, deadline=None)
@given(tables(), requirements, st.booleans())
def test_the_release_complies_and_covers_or_nothing_can(table, asked, relaxed):
    frame, quasi, trees = table.frame, table.names("quasi"), trees_of(table)
    feasible = all(twins.holds(requirement, frame, [], SENSITIVE, trees) for requirement in asked)
    if not feasible:
        with pytest.raises(InfeasibleError) as caught:
            partition(table, asked, relaxed=relaxed)
        assert "\n" not in str(caught.value)
        return
    outcome = partition(table, asked, relaxed=relaxed)
    released = outcome.table.frame
    for requirement in asked:
        assert twins.holds(requirement, released, quasi, SENSITIVE, trees), requirement
    assert outcome.rows.tolist() == list(range(frame.height))
    assert released.columns == frame.columns
    others = [name for name in frame.columns if name not in quasi]
    assert released.select(others).equals(frame.select(others))
    for name in quasi:
        assert_cells(table, name, released, quasi)


def assert_cells(table, name, released, quasi):
    """Every cell covers its original, and says as much as it can about its block."""
    tree = table.hierarchy(name)
    order = sorted_values(table, name) if name in ORDERED else None
    originals = table.frame[name].to_list()
    for rows in twins.blocks(released, quasi):
        cell = twins.text(released[name][rows[0]])
        values = [originals[row] for row in rows]
        for value in values:
            assert twins.covers(cell, value, order=order, tree=tree), (name, cell, value)
        distinct = set(values)
        if len(distinct) == 1:
            assert cell == twins.text(values[0])
        elif tree is not None:
            lines = [twins.line(tree, twins.text(value)) for value in distinct]
            shared = [label for label in lines[0] if all(label in other for other in lines)]
            assert cell == shared[0]
        elif order is not None and None not in distinct:
            places = sorted(order.index(value) for value in distinct)
            assert cell == f"[{twins.text(order[places[0]])}, {twins.text(order[places[-1]])}]"
        else:
            assert cell == "*"


def sorted_values(table, name):
    present = {value for value in table.frame[name].to_list() if value is not None}
    return [grade for grade in GRADES if grade in present] if name == "grade" else sorted(present)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 5))
def test_strict_keeps_equal_rows_together(table, k):
    if table.rows < k:
        return
    quasi = table.names("quasi")
    released = partition(table, [sd.KAnonymity(k)]).table.frame.select(quasi).rows()
    for rows in twins.blocks(table.frame, quasi):
        assert len({released[row] for row in rows}) == 1


@settings(max_examples=60, deadline=None)
@given(tables(names=("number", "fraction", "day", "grade"), missing=False), st.integers(1, 4))
def test_strict_regions_do_not_overlap(table, k):
    """Any two blocks are apart on at least one ordered column."""
    if table.rows < k:
        return
    quasi = table.names("quasi")
    released = partition(table, [sd.KAnonymity(k)]).table.frame
    ranks = {
        name: [sorted_values(table, name).index(value) for value in table.frame[name].to_list()]
        for name in quasi
    }
    boxes = [
        {
            name: (min(ranks[name][row] for row in rows), max(ranks[name][row] for row in rows))
            for name in quasi
        }
        for rows in twins.blocks(released, quasi)
    ]
    for place, one in enumerate(boxes):
        for other in boxes[:place]:
            assert any(one[name][1] < other[name][0] or other[name][1] < one[name][0] for name in quasi)


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(-(10**15), 10**15), min_size=1, max_size=80), st.integers(1, 9), st.booleans())
def test_different_numbers_are_cut_as_often_as_k_allows(values, k, relaxed):
    """One column without ties: a part of 2k rows can always be cut at its median."""
    if len(values) < k:
        return
    table = sd.read(pl.DataFrame({"a": list(values)})).describe(quasi=["a"], kinds={"a": "numeric"})
    outcome = partition(table, [sd.KAnonymity(k)], relaxed=relaxed)
    sizes = [len(rows) for rows in twins.blocks(outcome.table.frame, ["a"])]
    assert k <= min(sizes)
    assert max(sizes) < 2 * k


@settings(max_examples=30, deadline=None)
@given(tables(), st.booleans())
def test_as_many_rows_as_k_are_one_block(table, relaxed):
    outcome = partition(table, [sd.KAnonymity(table.rows)], relaxed=relaxed)
    assert len(twins.blocks(outcome.table.frame, table.names("quasi"))) == 1


@settings(max_examples=30, deadline=None)
@given(tables(max_rows=1), st.integers(1, 30), st.booleans())
def test_equal_rows_are_released_as_they_are(table, copies, relaxed):
    repeated = table.take(np.zeros(copies, dtype=np.int64))
    outcome = partition(repeated, [sd.KAnonymity(copies)], relaxed=relaxed)
    for name in table.names("quasi"):
        original = twins.text(table.frame[name][0])
        assert [twins.text(cell) for cell in outcome.table.frame[name]] == [original] * copies


@settings(max_examples=40, deadline=None)
@given(tables(), st.booleans())
def test_k_of_one_changes_nothing(table, relaxed):
    released = partition(table, [sd.KAnonymity(1)], relaxed=relaxed).table.frame
    for name in table.names("quasi"):
        cells = [twins.text(cell) for cell in released[name]]
        assert cells == [twins.text(value) for value in table.frame[name]]


@settings(max_examples=40, deadline=None)
@given(tables(), requirements, st.integers(2, 5))
def test_feasibility_is_what_assess_says(table, asked, k):
    conjunction = [sd.KAnonymity(k), *asked]
    feasible = all(
        twins.holds(requirement, table.frame, [], SENSITIVE, trees_of(table)) for requirement in conjunction
    )
    assert sd.assess(table, *conjunction).feasible == feasible


def test_relaxed_cuts_through_ties_and_strict_does_not():
    table = sd.read(pl.DataFrame({"a": [1, 1, 1, 1, 1, 1, 2, 2]})).describe(quasi=["a"])
    strict = partition(table, [sd.KAnonymity(3)]).table.frame["a"].to_list()
    assert strict == ["[1, 2]"] * 8
    relaxed = partition(table, [sd.KAnonymity(3)], relaxed=True).table.frame["a"].to_list()
    assert sorted(relaxed) == ["1"] * 4 + ["[1, 2]"] * 4


def test_weights_keep_a_column_precise():
    rows = 64
    frame = pl.DataFrame({"a": [row % 8 for row in range(rows)], "b": [row // 8 for row in range(rows)]})
    table = sd.read(frame).describe(quasi=["a", "b"])
    context = Context((sd.KAnonymity(8),))
    for favored, other in (("a", "b"), ("b", "a")):
        released = sd.Mondrian(weights={favored: 100}).apply(table, context).table.frame
        assert released[favored].n_unique() == 8
        assert released[other].n_unique() == 1
