"""Cross tabulations of any small release: estimates inside their intervals, no negative counts, totals and margins kept."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import crosstab as twin

import sudare as sd
from sudare.measure.crosstab.fit.contract import Transition, to_original
from sudare.measure.crosstab.fit.draw import draw
from sudare.measure.crosstab.fit.guard import early_steps
from sudare.mechanism import Laplace, Retention
from sudare.randomness import Randomness


def released(seed, records, keep, scale):
    """Numbers, categories and a column that was not randomized, and their release."""
    random, secret = np.random.default_rng(seed), Randomness(seed)
    mechanisms: dict[str, Any] = {
        "number": Laplace(scale=scale, low=0, high=40, grid=1),
        "kind": Retention(keep=keep, values=("a", "b", "c")),
    }
    number = np.clip(random.normal(random.integers(5, 35), 6, records), 0, 40).round()
    kind = np.minimum(number // 15, 2.0)
    names = np.array(["a", "b", "c"])
    frame = pl.DataFrame(
        {
            "number": mechanisms["number"].randomize(number, secret).astype(int),
            "kind": names[mechanisms["kind"].randomize(kind, secret).astype(int)],
            "exact": random.integers(0, 2, records).astype(str),
        }
    )
    return frame, mechanisms


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([1, 30, 400, 5_000]),
    st.sampled_from([0.05, 0.5, 0.99]),
    st.sampled_from([1.0, 20.0, 200.0]),
    st.sampled_from([["number"], ["kind"], ["number", "kind"], ["exact", "number"], ["kind", "exact"]]),
    st.sampled_from([0, 4]),
)
def test_what_is_shown_holds_together(seed, records, keep, scale, by, draws):
    frame, mechanisms = released(seed, records, keep, scale)
    bins = {"number": [0, 12, 25, 41]} if "number" in by else {}
    table = sd.crosstab(frame, by, bins, mechanisms=mechanisms, draws=draws, seed=1)
    fitted = table.figures["estimate"]
    assert (fitted >= 0).all()
    assert fitted.sum() == pytest.approx(records)
    assert np.isnan(table.array()).sum() == table.fit.unknown
    if "low" in table.figures:
        shown, low, high = (table.array(figure=name) for name in ("estimate", "low", "high"))
        told = ~np.isnan(shown)
        assert (low[told] <= shown[told] + 1e-5).all()
        assert (shown[told] <= high[told] + 1e-5).all()
        assert (low >= 0).all()
        assert (high <= records + 1e-6).all()
    if table.fit.kept is None and table.fit.randomized:
        # Where a single axis has several cells, the start from the margins already fits.
        assert table.fit.iterations > 0 or sum(bins > 1 for bins in table.shape) <= 1
    if draws:
        assert table.fit.total_variation is not None
        assert 0 <= table.fit.total_variation <= 1
    if "exact" in by:
        counted = dict(frame["exact"].value_counts().iter_rows())
        exact = table.by.index("exact")
        sums = (
            np.moveaxis(table._dense("estimate", hidden=False), exact, 0)
            .reshape(len(counted), -1)
            .sum(axis=1)
        )
        assert dict(zip(table.labels["exact"], sums, strict=True)) == pytest.approx(counted)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([3, 100, 5_000]))
def test_steps_are_those_of_plain_em(seed, records):
    random = np.random.default_rng(seed)
    matrices = tuple(0.4 * np.eye(size) + 0.6 * random.dirichlet(np.ones(size), size).T for size in (3, 2))
    transition = Transition(matrices)
    original = random.multinomial(records, random.dirichlet(np.ones(6))).astype(float).reshape(3, 2, 1)
    counts = draw(transition, original, random)
    whole = twin.kronecker(*(matrix.tolist() for matrix in matrices))
    start = to_original(counts).ravel().tolist()
    found = early_steps(transition, counts, 16)
    for steps in (1, 4, 16):
        np.testing.assert_allclose(
            found[steps].ravel(),
            twin.plain_em(whole, counts.ravel().tolist(), steps, start),
            rtol=1e-8,
            atol=1e-9,
        )
