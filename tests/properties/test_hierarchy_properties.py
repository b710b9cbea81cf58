"""Invariants of hierarchies, against plain twins that walk from node to node."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sudare.describe import hierarchy
from sudare.describe.hierarchy.tree import Hierarchy
from sudare.describe.text import as_text

LABELS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=5)


@st.composite
def trees(draw):
    """Any table of levels with one parent a node: labels by leaf, coarsened level by level."""
    leaves = draw(st.lists(LABELS, min_size=1, max_size=12, unique=True))
    columns = [leaves]
    for _ in range(draw(st.integers(0, 4))):
        names = sorted(set(columns[-1]))
        above = draw(
            st.lists(st.sampled_from([*names, "p", "q", "日本"]), min_size=len(names), max_size=len(names))
        )
        parent = dict(zip(names, above, strict=True))
        columns.append([parent[label] for label in columns[-1]])
    columns.append(["*"] * len(leaves))
    tree = Hierarchy.from_levels([list(row) for row in zip(*columns, strict=True)], "x")
    return tree.with_missing() if draw(st.booleans()) else tree


numbers = st.lists(st.none() | st.integers(-(10**12), 10**12), min_size=1, max_size=20)
floats = st.lists(st.none() | st.floats(-1e9, 1e9), min_size=1, max_size=20)
texts = st.lists(st.none() | LABELS, min_size=1, max_size=20)
makers = st.one_of(
    st.tuples(st.just(hierarchy.suppress()), texts.map(lambda values: pl.Series(values, dtype=pl.String))),
    st.tuples(st.just(hierarchy.mask()), texts.map(lambda values: pl.Series(values, dtype=pl.String))),
    st.tuples(
        st.builds(
            lambda width, nested: hierarchy.intervals(width=width, nested=nested),
            st.integers(1, 50),
            st.integers(2, 5),
        ),
        numbers.map(lambda values: pl.Series(values, dtype=pl.Int64)),
    ),
    st.tuples(
        st.sampled_from(
            [
                hierarchy.intervals(width=0.1),
                hierarchy.intervals(width=7, origin=-0.5),
                hierarchy.intervals(bounds=[-10, 0, 0.1, 1e6]),
                hierarchy.intervals(quantiles=5),
            ]
        ),
        floats.map(lambda values: pl.Series(values, dtype=pl.Float64)),
    ),
    st.tuples(
        st.just(hierarchy.dates()),
        st.lists(st.none() | st.dates(), min_size=1, max_size=20).map(lambda v: pl.Series(v, dtype=pl.Date)),
    ),
    st.tuples(
        st.just(hierarchy.dates()),
        st.lists(st.none() | st.datetimes(), min_size=1, max_size=20).map(
            lambda v: pl.Series(v, dtype=pl.Datetime)
        ),
    ),
)
any_tree = trees() | makers.map(lambda pair: pair[0].build(pair[1], "x"))


def chain(tree, node):
    """A node and its ancestors, lowest first, by walking."""
    nodes = [node]
    while tree.parent[nodes[-1]] != nodes[-1]:
        nodes.append(int(tree.parent[nodes[-1]]))
    return nodes


@given(any_tree)
def test_one_root_and_levels_grow_upward(tree):
    assert [node for node in range(tree.nodes) if tree.parent[node] == node] == [tree.root]
    for node in range(tree.nodes - 1):
        assert tree.level[tree.parent[node]] > tree.level[node]
        assert chain(tree, node)[-1] == tree.root
    assert (tree.level[: tree.leaves] == 0).all()
    assert (tree.level[tree.leaves :] > 0).all()
    assert tree.level[tree.root] == tree.height >= 1


@given(any_tree)
def test_every_node_covers_an_interval_of_ranks(tree):
    covered: list[list[int]] = [[] for _ in range(tree.nodes)]
    for leaf in range(tree.leaves):
        for node in chain(tree, leaf):
            covered[node].append(int(tree.leaf_order[leaf]))
    assert sorted(tree.leaf_order.tolist()) == list(range(tree.leaves))
    for node in range(tree.nodes):
        assert tree.leaf_counts[node] == len(covered[node])
        assert sorted(covered[node]) == list(range(tree.first[node], tree.last[node]))


@given(any_tree, st.data())
def test_lowest_common_is_the_lowest_of_the_shared_ancestors(tree, data):
    nodes = data.draw(st.lists(st.integers(0, tree.nodes - 1), min_size=1, max_size=5))
    shared = set.intersection(*(set(chain(tree, node)) for node in nodes))
    assert tree.lowest_common(nodes) == min(shared, key=lambda node: tree.level[node])


@given(any_tree)
def test_ancestors_are_the_highest_allowed_and_grow_with_the_level(tree):
    before = np.arange(tree.leaves)
    for level in range(tree.height + 1):
        at = tree.ancestors(level)
        for leaf in range(tree.leaves):
            walk = [node for node in chain(tree, leaf) if tree.level[node] <= level]
            assert at[leaf] == walk[-1]
        assert all(at[leaf] in chain(tree, int(before[leaf])) for leaf in range(tree.leaves))
        before = at
    assert (before == tree.root).all()


@given(any_tree)
def test_saved_and_loaded_is_equal(tree):
    assert Hierarchy.from_dict(tree.to_dict()) == tree
    with tempfile.TemporaryDirectory() as folder:
        tree.save(Path(folder) / "tree.json")
        assert Hierarchy.load(Path(folder) / "tree.json") == tree


@given(trees())
def test_a_table_of_levels_survives_its_csv(tree):
    with tempfile.TemporaryDirectory() as folder:
        tree.save(Path(folder) / "tree.csv")
        loaded = Hierarchy.load(Path(folder) / "tree.csv")
    assert (loaded.with_missing() if tree.missing is not None else loaded) == tree


@given(makers)
def test_values_find_their_leaf_and_come_back(pair):
    maker, values = pair
    tree = maker.build(values, "x")
    leaf = tree.leaf_of(values)
    assert tree.labels_of(leaf).to_list() == as_text(values).to_list()
    assert tree.node_of(tree.labels_of(leaf)).tolist() == leaf.tolist()
    assert tree.leaves == as_text(values).n_unique()


@given(makers)
def test_values_lie_within_the_bounds_of_their_nodes(pair):
    maker, values = pair
    tree = maker.build(values, "x")
    if tree.lower is not None:
        for leaf in range(tree.leaves - (tree.missing is not None)):
            for node in chain(tree, leaf):
                assert tree.lower[node] <= tree.lower[leaf] <= tree.upper[leaf] <= tree.upper[node]


@given(any_tree)
def test_missing_meets_other_values_only_in_the_root(tree):
    tree = tree.with_missing()
    missing = tree.missing
    assert [node for node in range(tree.nodes) if tree.labels[node] is None] == [missing]
    assert chain(tree, missing) == [missing, tree.root]
    for leaf in range(tree.leaves - 1):
        assert tree.lowest_common([leaf, missing]) == tree.root
    for level in range(tree.height):
        at = tree.ancestors(level)
        assert np.count_nonzero(at == at[missing]) == 1
