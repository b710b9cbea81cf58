"""ILD under distances of whole rows against a twin that visits every pair in plain Python."""

import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.information import FAST, LETTERS, POWERS, agrees, amount, levenshtein, with_missing

import sudare as sd

ORDERS = st.sampled_from([1, 1.5, 2, 3, math.inf])


# --- rows ----------------------------------------------------------------------------------------------------------


def joined(distances, weights, order):
    """(sum w d^q)^(1/q)."""

    def whole(one, other):
        parts = [
            (weight, distance(x, y))
            for weight, distance, x, y in zip(weights, distances, one, other, strict=True)
        ]
        if math.isinf(order):
            return max(weight * apart for weight, apart in parts)
        return math.fsum(weight * apart**order for weight, apart in parts) ** (1 / order)

    return whole


ROWS = st.tuples(
    st.integers(-9, 9),
    st.integers(-9, 9),
    LETTERS,
    LETTERS,
    st.text("ab", max_size=3),
    st.text("ab", max_size=3),
)


@FAST
@given(
    st.lists(ROWS, min_size=2, max_size=12),
    st.none() | st.lists(st.sampled_from([0, 0.25, 1, 3]), min_size=3, max_size=3),
    ORDERS,
    POWERS,
)
def test_products(rows, given_weights, order, p):
    columns = list(zip(*rows, strict=True))
    before, after = columns[::2], columns[1::2]
    longest = max(len(text) for text in (*before[2], *after[2]))
    twins = [
        lambda x, y: float(abs(x - y)),
        lambda x, y: float(x != y),
        with_missing(levenshtein, float(longest)),
    ]
    amounts = [amount(values, twin, 2) for values, twin in zip(before, twins, strict=True)]
    weights = given_weights or [1 / whole if whole > 0 else 0.0 for whole in amounts]
    named = dict(zip("nct", weights, strict=True)) if given_weights else {}
    product = sd.distance.Product(
        {"n": sd.distance.Euclid(), "c": sd.distance.Discrete(), "t": sd.distance.Levenshtein()}, named, order
    )
    found = sd.measure.ild(_table(before), _table(after), product, p=p)
    pairs = list(zip(*before, strict=True)), list(zip(*after, strict=True))
    agrees(found, *pairs, joined(twins, weights, order), p)
    for name, was, now, twin in zip("nct", before, after, twins, strict=True):
        agrees(found.columns[name], was, now, twin, p)


def _table(columns):
    kinds = (pl.Int64, pl.String, pl.String)
    return pl.DataFrame(
        {
            name: pl.Series(values, dtype=kind)
            for name, values, kind in zip("nct", columns, kinds, strict=True)
        }
    )


@FAST
@given(st.lists(st.tuples(*[st.integers(-20, 20)] * 4), min_size=2, max_size=15), ORDERS, POWERS)
def test_minkowski(rows, order, p):
    whole = np.array(rows, dtype=float)
    found = sd.measure.ild(whole[:, :2], whole[:, 2:], sd.distance.Minkowski(order), p=p)
    twin = joined([lambda x, y: abs(x - y)] * 2, [1.0, 1.0], order)
    agrees(found, whole[:, :2].tolist(), whole[:, 2:].tolist(), twin, p)
