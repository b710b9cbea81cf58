"""Properties of paths and cuts on odd tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.twins.microaggregation import plain_flexdice, plain_grid, plain_npn
from tests.unit.anonymize.test_mhm import NAMES, compositions, sse_of_sizes

from sudare.anonymize.microaggregate import paths
from sudare.anonymize.microaggregate.arrays import sse
from sudare.anonymize.microaggregate.mhm import mhm

VALUES = st.sampled_from([0.0, 1.0, 1.5, -2.0, 1e6]) | st.floats(-10, 10, width=32)


@st.composite
def matrices(draw, most=40):
    shape = (draw(st.integers(2, most)), draw(st.integers(1, 4)))
    return draw(arrays(np.float64, shape, elements=VALUES)) + draw(st.sampled_from([0.0, 1e9]))


@settings(deadline=None, max_examples=60)
@given(matrices())
def test_npn_is_the_plain_npn(X):
    assert np.array_equal(paths.npn_path(X), plain_npn(X))


@settings(deadline=None, max_examples=60)
@given(matrices(), st.integers(2, 5), st.sampled_from(NAMES))
def test_groups_are_legal_and_the_same_each_time(X, k, name):
    if len(X) < k:
        return
    labels = mhm(X, k, name)
    sizes = np.bincount(labels)
    assert k <= sizes.min() <= sizes.max() < 2 * k
    assert np.array_equal(labels, mhm(X.copy(), k, name))


@settings(deadline=None, max_examples=60)
@given(matrices(most=14), st.integers(2, 3), st.randoms(use_true_random=False))
def test_no_partition_that_respects_the_path_is_better(X, k, random):
    if len(X) < k:
        return
    order = list(range(len(X)))
    random.shuffle(order)
    best = min(sse_of_sizes(X[order], sizes) for sizes in compositions(len(X), k))
    room = 1e-9 * (1.0 + float(((X - X.mean(axis=0)) ** 2).sum()))
    assert abs(sse(X, mhm(X, k, order)) - best) <= room


@settings(deadline=None, max_examples=40)
@given(matrices(), st.integers(1, 10), st.integers(1, 6))
def test_cells_of_any_size_are_all_visited(X, c1, c2):
    order = paths.halving_path(X, 2, c1=c1, c2=c2)
    assert np.array_equal(np.sort(order), np.arange(len(X)))
    assert np.array_equal(paths.flexdice_path(X, 2, c1=c1, c2=c2), plain_flexdice(X, c1, c2))


@settings(deadline=None, max_examples=40)
@given(matrices(), st.integers(1, 9))
def test_the_grid_is_the_plain_grid(X, blocks):
    assert np.array_equal(paths.grid_path(X, blocks=blocks), plain_grid(X, blocks))
