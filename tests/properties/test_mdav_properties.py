"""MDAV and V-MDAV on whatever hypothesis finds: one partition from three ways of searching."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as arrays_of
from tests.twins.microaggregation import plain_mdav, plain_vmdav

from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.vmdav import vmdav

_VALUES = st.one_of(
    st.integers(-2, 2).map(float),
    st.floats(-1e6, 1e6, allow_nan=False, width=32),
    st.integers(0, 3).map(lambda step: 1e9 + step),
)


@st.composite
def _cases(draw):
    k = draw(st.integers(2, 5))
    rows, columns = draw(st.integers(k, 60)), draw(st.integers(1, 4))
    return draw(arrays_of(np.float64, (rows, columns), elements=_VALUES)), k


@st.composite
def _tied(draw):
    """Hundreds of records on a small grid, at some offset and scale: nearly every decision is a tie."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns, values = draw(st.integers(40, 300)), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    grid = rng.integers(0, values, size=(rows, columns)).astype(float)
    return draw(st.sampled_from([0.0, 0.1, -1e9])) + grid * draw(st.sampled_from([1.0, 0.1, 3e-7])), draw(
        st.integers(2, 9)
    )


@settings(deadline=None, max_examples=80)
@given(st.one_of(_cases(), _tied()))
def test_mdav_is_one_partition_into_groups_of_k_to_2k_minus_1(case):
    records, k = case
    before = records.copy()
    labels = mdav(records, k, method="brute")
    assert np.array_equal(labels, mdav(records, k, method="indexed"))
    assert np.array_equal(labels, mdav(records, k))
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert len(sizes) == len(records) // k
    assert np.array_equal(records, before)


@settings(deadline=None, max_examples=60)
@given(st.one_of(_cases(), _tied()), st.sampled_from([0.0, 0.2, 1.0, 1.1, 2.0]))
def test_vmdav_is_one_partition_into_groups_of_at_least_k(case, gamma):
    records, k = case
    labels = vmdav(records, k, gamma, method="brute")
    assert np.array_equal(labels, vmdav(records, k, gamma, method="indexed"))
    assert np.bincount(labels).min() >= k
    if len(records) <= 60:
        assert np.array_equal(labels, plain_vmdav(records, k, gamma))


@settings(deadline=None, max_examples=60)
@given(_cases())
def test_mdav_is_the_plain_one(case):
    records, k = case
    assert np.array_equal(mdav(records, k, method="indexed"), plain_mdav(records, k))
