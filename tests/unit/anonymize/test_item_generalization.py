"""GeneralizeItems: what a lift costs is what it adds to NCP; what is not lifted stays as it was."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudare as sd
from sudare.anonymize.baskets.generalize import _Cut

TREE = {"P": {"A": ["a1", "a2"], "B": ["b"]}, "Q": {"C": ["c"], "D": ["d"]}}
ITEMS = ["a1", "a2", "b", "c", "d"]


def cut_of(lists):
    baskets = sd.read_baskets(lists)
    tree = sd.hierarchy.tree(TREE).build(pl.Series("items", ITEMS), "items")
    place = {label: node for node, label in enumerate(tree.labels[: tree.leaves])}
    return _Cut(baskets, tree, np.array([place[str(item)] for item in baskets.items], dtype=np.int64))


@given(
    st.lists(st.sets(st.sampled_from(ITEMS), min_size=1), min_size=1, max_size=12),
    st.lists(st.integers(0, 30), max_size=3),
)
def test_the_rise_is_that_of_ncp(lists, lifts):
    cut = cut_of([sorted(basket) for basket in lists])
    tree = cut.tree
    for lift in [*lifts, 0]:
        standing = [node for node in np.unique(cut.node) if node != tree.root]
        if not standing:
            return
        node = int(standing[lift % len(standing)])
        before, expected = cut.ncp(), cut._rise(node)
        parent = int(tree.parent[node])
        cut.node[cut._below(parent)] = parent
        assert cut.ncp() - before == pytest.approx(expected / (tree.leaves * cut.baskets.entries))


def test_numbers_that_are_not_lifted_stay_numbers():
    tree = sd.hierarchy.tree({"low": ["1", "2"], "high": ["3", "4"]})
    baskets = sd.read_baskets([[1, 2], [1, 2], [3, 4], [3, 4]])
    kept = sd.anonymize(baskets, "km-anonymity k=2 m=2", method=sd.GeneralizeItems(tree))
    assert kept.released.lists() == baskets.lists()
    assert kept.losses
    lifted = sd.anonymize(
        sd.read_baskets([[1], [2], [3, 4]]), "km-anonymity k=1 m=1", method=sd.GeneralizeItems(tree)
    )
    assert lifted.released.lists() == [[1], [2], [3, 4]]
