"""MHM: the cut against all compositions, paths against plain twins, the benchmark tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.twins.microaggregation import plain_flexdice, plain_grid, plain_npn

from sudare.anonymize.microaggregate import paths
from sudare.anonymize.microaggregate.arrays import loss, sse, standardized
from sudare.anonymize.microaggregate.mhm import mhm
from sudare.errors import CancelledError, InfeasibleError, ParameterError
from sudare.kernels.points.cut import optimal_cut

CASC = Path("../shared/data/casc")
NAMES = ["npn", "grid", "quantiles", "flexdice", "halving", "hilbert", "kd", "tour"]


def compositions(n, k):
    """All ways to write n as a sum of parts of k … 2k - 1."""
    if n == 0:
        yield []
    for part in range(k, min(2 * k - 1, n) + 1):
        for rest in compositions(n - part, k):
            yield [part, *rest]


def sse_of_sizes(ordered, sizes):
    parts = np.split(ordered - ordered[0], np.cumsum(sizes)[:-1])
    return sum(float(((part - part.mean(axis=0)) ** 2).sum()) for part in parts)


def tables():
    rng = np.random.default_rng(5)
    return {
        "normal": rng.normal(size=(400, 3)),
        "wide": rng.normal(size=(300, 12)),
        "ties": rng.integers(0, 4, size=(500, 3)).astype(float),
        "equal": np.ones((200, 2)),
        "one column": rng.normal(size=(150, 1)),
        "constant column": np.column_stack([rng.normal(size=200), np.full(200, 0.1)]),
        "heavy tails": np.exp(3 * rng.normal(size=(400, 4))),
        "far": 1e9 + rng.normal(size=(300, 3)),
    }


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
@pytest.mark.parametrize(
    ("n", "k"), [(2, 2), (3, 2), (4, 2), (5, 2), (11, 2), (3, 3), (5, 3), (6, 3), (14, 3), (17, 4)]
)
def test_the_cut_is_the_best_of_all_compositions(n, k, offset):
    ordered = np.random.default_rng(n).normal(size=(n, 2)) + offset
    sizes = np.diff(optimal_cut(ordered, k))
    assert sizes.sum() == n
    assert k <= sizes.min() <= sizes.max() < 2 * k
    best = min(sse_of_sizes(ordered, composition) for composition in compositions(n, k))
    assert sse_of_sizes(ordered, sizes) == pytest.approx(best, rel=1e-9)


def test_the_cut_of_far_data_is_the_cut_of_near_data():
    near = np.round(np.random.default_rng(6).normal(size=(500, 3)) * 1024) / 1024
    assert np.array_equal(optimal_cut(near, 4), optimal_cut(near + 1e9, 4))


def test_a_cut_in_many_slabs_is_the_same_cut(monkeypatch):
    ordered = np.random.default_rng(7).normal(size=(700, 2))
    whole = optimal_cut(ordered, 5)
    monkeypatch.setattr("sudare.kernels.points.cut._SLAB", 40)
    assert np.array_equal(optimal_cut(ordered, 5), whole)


@pytest.mark.parametrize("name", list(tables()))
def test_npn_is_the_plain_npn(name):
    X = tables()[name]
    assert np.array_equal(paths.npn_path(X), plain_npn(X))


def test_one_big_cell_is_walked_like_npn():
    X = tables()["normal"]
    for path in (paths.flexdice_path, paths.halving_path):
        assert np.array_equal(path(X, 3, c1=len(X), c2=1), plain_npn(X))
    assert np.array_equal(paths.grid_path(X, blocks=1), plain_npn(X))


@pytest.mark.parametrize("name", list(tables()))
@pytest.mark.parametrize("blocks", [2, 4, 17])
def test_the_grid_is_the_plain_grid(name, blocks, monkeypatch):
    X = tables()[name][:200]
    assert np.array_equal(paths.grid_path(X, blocks=blocks), plain_grid(X, blocks))
    monkeypatch.setattr(paths, "_LARGEST_TABLE", 0)
    assert np.array_equal(paths.grid_path(X, blocks=blocks), plain_grid(X, blocks))


@pytest.mark.parametrize("name", list(tables()))
@pytest.mark.parametrize(("c1", "c2"), [(1, 1), (5, 1), (30, 1), (30, 40), (200, 8)])
def test_flexdice_is_the_plain_flexdice(name, c1, c2):
    X = tables()[name][:120]
    assert np.array_equal(paths.flexdice_path(X, 3, c1=c1, c2=c2), plain_flexdice(X, c1, c2))


def test_flexdice_takes_c1_from_the_paper_if_left_out():
    X = tables()["normal"]
    p, k = X.shape[1], 4
    assert np.array_equal(paths.flexdice_path(X, k), paths.flexdice_path(X, k, c1=p * k, c2=1))
    assert np.array_equal(paths.flexdice_path(X, k, c2=3), paths.flexdice_path(X, k, c1=3 * p * k, c2=3))


def test_a_grid_of_equal_width_loses_little_on_skewed_columns():
    X = standardized(np.exp(np.random.default_rng(1).normal(size=(5000, 2))))
    assert loss(X, mhm(X, 3, "grid")) < 0.2 * loss(X, mhm(X, 3, "quantiles"))


@pytest.mark.parametrize("table", list(tables()))
@pytest.mark.parametrize("name", NAMES)
def test_every_path_orders_all_rows_and_is_cut_into_legal_groups(name, table):
    X = tables()[table]
    kept = X.copy()
    labels = mhm(X, 3, name)
    sizes = np.bincount(labels)
    assert 3 <= sizes.min() <= sizes.max() <= 5
    assert np.array_equal(labels, mhm(X, 3, name))
    assert np.array_equal(X, kept)
    path = getattr(paths, f"{name}_path")
    order = path(X, 3) if name in {"flexdice", "halving"} else path(X)
    assert np.array_equal(np.sort(order), np.arange(len(X)))
    assert np.array_equal(labels, mhm(X, 3, order))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [3, 5, 6])
def test_smallest_tables(name, n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    assert len(np.unique(mhm(X, 3, name))) <= n // 3


def test_the_path_of_a_partition_never_loses_to_it():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(120, 3))
    start = rng.permutation(np.repeat(np.arange(30), 4))
    order = paths.mdav_path(X, start)
    assert np.array_equal(np.sort(order), np.arange(120))
    assert sse(X, mhm(X, 4, order)) <= sse(X, start) + 1e-9


def test_a_tour_is_shorter_than_its_start():
    X = np.random.default_rng(9).normal(size=(600, 2))

    def length(order):
        return np.linalg.norm(np.diff(X[order], axis=0), axis=1).sum()

    tour = paths.tour_path(X)
    assert length(tour) < 0.95 * length(paths.npn_path(X))
    assert np.array_equal(np.sort(tour), np.arange(600))


def test_hilbert_steps_to_a_neighboring_place():
    from sudare.kernels.points.curves import hilbert_index

    for axes, bits in [(2, 3), (3, 2), (4, 2)]:
        places = (
            np.stack(np.meshgrid(*[np.arange(2**bits)] * axes), axis=-1).reshape(-1, axes).astype(np.int64)
        )
        index = hilbert_index(places, bits)
        assert np.array_equal(np.sort(index), np.arange(len(places)))
        assert (np.abs(np.diff(places[np.argsort(index)], axis=0)).sum(axis=1) == 1).all()


@pytest.mark.skipif(not CASC.is_dir(), reason="the benchmark tables are not beside the project")
@pytest.mark.parametrize(
    ("name", "published"),
    [("tarragona", {3: 17.4, 5: 27.0, 10: 40.2}), ("census", {3: 6.3, 5: 11.3, 10: 18.7})],
)
def test_npn_and_cut_are_near_the_published_loss(name, published):
    X = standardized(pl.read_csv(CASC / f"{name}.csv").to_numpy())
    for k, value in published.items():
        assert 100 * loss(X, mhm(X, k)) == pytest.approx(value, rel=0.1)


def test_a_hundred_thousand_rows_are_quick():
    X = np.random.default_rng(10).normal(size=(100_000, 10))
    for name in ("grid", "quantiles", "halving"):
        sizes = np.bincount(mhm(X, 5, name))
        assert 5 <= sizes.min() <= sizes.max() <= 9


def test_progress_is_told_and_can_cancel():
    class Stop:
        phases: list[str] = []  # noqa: RUF012  # one object is made

        def start(self, phase, total):
            self.phases.append(phase)

        def update(self, done):
            if self.phases[-1] == "cut":
                raise CancelledError("Canceled.")

    with pytest.raises(CancelledError):
        mhm(tables()["normal"], 3, progress=Stop())
    assert Stop.phases == ["path", "cut"]


def test_mistakes_get_one_sentence():
    X = np.zeros((6, 2))
    with pytest.raises(ParameterError, match="did you mean 'grid'"):
        mhm(X, 2, "grit")
    with pytest.raises(ParameterError, match="'c1' is a parameter of the paths flexdice"):
        mhm(X, 2, "grid", c1=3)
    with pytest.raises(ParameterError, match="'blocks' is 0, but it should be"):
        mhm(X, 2, "grid", blocks=0)
    with pytest.raises(ParameterError, match="each row number"):
        mhm(X, 2, [0, 1, 2, 3, 4, 4])
    with pytest.raises(ParameterError, match="at least 2 records"):
        mhm(X, 1)
    with pytest.raises(InfeasibleError, match="fewer than k"):
        mhm(X, 7)
