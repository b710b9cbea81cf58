"""MDAV and V-MDAV: published losses, one partition from every way of searching, odd shapes, cancel."""

import numpy as np
import pytest
from tests.cases.places import DATA
from tests.twins.microaggregation import plain_mdav, plain_vmdav

from sudare.anonymize.microaggregate import arrays
from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.vmdav import vmdav
from sudare.errors import CancelledError, InfeasibleError, ParameterError
from sudare.kernels.points import distance, kdtree, search

_CASC = DATA / "casc"
_PUBLISHED = {
    "tarragona": {3: 16.9326, 4: 19.5460, 5: 22.4619, 10: 33.1929},
    "census": {3: 5.6922, 4: 7.4947, 5: 9.0884, 10: 14.1559},
}
_GAMMAS = (0.0, 0.2, 1.0, 2.0)


def _casc(name):
    path = _CASC / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    return arrays.standardized(np.loadtxt(path, delimiter=",", skiprows=1))


def _tables():
    rng = np.random.default_rng(5)
    normal = rng.normal(size=(700, 3))
    return {
        "normal": normal,
        "lognormal": np.exp(2 * rng.normal(size=(700, 4))),
        "cauchy": rng.standard_cauchy(size=(700, 2)),
        "grid": rng.integers(0, 4, size=(700, 3)).astype(float),
        "lattice": np.stack(np.meshgrid(*[np.arange(9.0)] * 3), axis=-1).reshape(-1, 3),
        "duplicates": np.repeat(rng.normal(size=(12, 2)), 60, axis=0),
        "constant column": np.column_stack([normal[:, 0], np.full(700, 7.3), normal[:, 1]]),
        "equal": np.full((300, 2), 0.1),
        "one column": normal[:, :1],
        "offset": 1e9 + normal,
        "offset grid": 1e9 + rng.integers(0, 3, size=(600, 2)),
        "one far": np.vstack([normal, [[1e12, 0, 0]]]),
        "tiny": 1e-160 * normal,
        "huge": 1e150 * normal,
        "wide": rng.normal(size=(400, 30)),
        "together": normal[:, :1] * np.ones(6) + 1e-3 * rng.normal(size=(700, 6)),
    }


_TABLES = _tables()


@pytest.mark.parametrize("k", [3, 4, 5, 10])
@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_published_loss_to_four_digits(name, k):
    records = _casc(name)
    labels = mdav(records, k)
    assert f"{100 * arrays.loss(records, labels):.4f}" == f"{_PUBLISHED[name][k]:.4f}"
    assert np.array_equal(labels, mdav(records, k, method="indexed"))
    assert np.array_equal(labels, mdav(records, k, method="brute"))


@pytest.mark.parametrize("gamma", _GAMMAS)
@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_vmdav_is_the_same_on_the_benchmark_tables(name, gamma):
    records = _casc(name)
    labels = vmdav(records, 4, gamma, method="brute")
    assert np.bincount(labels).min() >= 4
    assert np.array_equal(labels, vmdav(records, 4, gamma, method="indexed"))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("name", _TABLES)
def test_mdav_indexed_brute_and_plain_are_one_partition(name, k):
    records = _TABLES[name]
    brute = mdav(records, k, method="brute")
    assert np.array_equal(brute, mdav(records, k, method="indexed"))
    assert np.array_equal(brute, plain_mdav(records, k))
    sizes = np.bincount(brute)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k


@pytest.mark.slow
@pytest.mark.parametrize("gamma", _GAMMAS)
@pytest.mark.parametrize("name", _TABLES)
def test_vmdav_indexed_brute_and_plain_are_one_partition(name, gamma):
    records = _TABLES[name][::3]
    brute = vmdav(records, 3, gamma, method="brute")
    assert np.array_equal(brute, vmdav(records, 3, gamma, method="indexed"))
    assert np.array_equal(brute, plain_vmdav(records, 3, gamma))
    assert np.bincount(brute).min() >= 3


@pytest.mark.parametrize("make", [mdav, vmdav])
@pytest.mark.parametrize("kind", ["normal", "lognormal", "grid"])
def test_larger_tables_with_several_trees_are_one_partition(make, kind):
    rng = np.random.default_rng(9)
    records = {
        "normal": lambda: rng.normal(size=(6000, 4)),
        "lognormal": lambda: np.exp(1.5 * rng.normal(size=(6000, 3))),
        "grid": lambda: rng.integers(0, 9, size=(6000, 3)),
    }[kind]()
    labels = make(records, 5, method="brute")
    assert np.array_equal(labels, make(records, 5, method="indexed"))
    assert np.array_equal(labels, make(records, 5))


@pytest.mark.parametrize("rows", [4, 5, 7, 8, 11, 12, 13])
def test_few_records(rows):
    records = np.random.default_rng(rows).normal(size=(rows, 2))
    labels = mdav(records, 4)
    assert np.array_equal(labels, plain_mdav(records, 4))
    assert np.array_equal(labels, mdav(records, 4, method="indexed"))
    assert labels.max() + 1 == rows // 4
    variable = vmdav(records, 4)
    assert np.array_equal(variable, plain_vmdav(records, 4, 1.0))
    assert np.array_equal(variable, vmdav(records, 4, method="indexed"))
    assert np.bincount(variable).min() >= 4


def test_groups_of_half_the_records():
    records = np.random.default_rng(2).normal(size=(2400, 2))
    labels = mdav(records, 700)
    assert np.array_equal(labels, mdav(records, 700, method="indexed"))
    assert sorted(np.bincount(labels)) == [700, 700, 1000]
    left_over = vmdav(records, 1500, 0.0)
    assert np.array_equal(left_over, vmdav(records, 1500, 0.0, method="brute"))
    assert left_over.max() == 0


def test_distances_that_overflow_still_make_groups():
    records = 1e200 * np.random.default_rng(4).normal(size=(200, 2))
    for make in (mdav, vmdav):
        labels = make(records, 4, method="indexed")
        assert np.array_equal(labels, make(records, 4, method="brute"))
        assert np.bincount(labels).min() >= 4


def test_deterministic_numbered_by_first_row_and_input_untouched():
    records = np.random.default_rng(1).normal(size=(500, 3))
    before = records.copy()
    for make in (mdav, vmdav):
        labels = make(records, 3)
        assert labels.dtype == np.int64
        assert np.array_equal(labels, make(records, 3))
        first_rows = np.unique(labels, return_index=True)[1]
        assert np.array_equal(first_rows, np.sort(first_rows))
    assert np.array_equal(records, before)
    assert np.array_equal(mdav(records[:, 0], 3), mdav(records[:, :1].tolist(), 3))


class _Stopping:
    def __init__(self, after):
        self.after, self.seen, self.total = after, [], 0.0

    def start(self, phase, total):
        self.total = total

    def update(self, done):
        self.seen.append(done)
        if len(self.seen) >= self.after:
            raise CancelledError("stopped")


@pytest.mark.parametrize("make", [mdav, vmdav])
@pytest.mark.parametrize("method", ["indexed", "brute"])
def test_progress_and_cancel(make, method):
    records = np.random.default_rng(1).normal(size=(9000, 2))
    watched = _Stopping(10**9)
    make(records, 3, method=method, progress=watched)
    assert watched.total == 9000
    assert watched.seen == sorted(watched.seen)
    assert watched.seen[-1] == 9000
    assert len(watched.seen) > 2
    with pytest.raises(CancelledError):
        make(records, 3, method=method, progress=_Stopping(2))


def test_mistakes_are_one_sentence():
    records = np.zeros((5, 2))
    with pytest.raises(InfeasibleError, match="fewer than k = 6"):
        mdav(records, 6)
    with pytest.raises(ParameterError, match="at least 2"):
        vmdav(records, 1)
    with pytest.raises(ParameterError, match="'fast', which is unknown"):
        mdav(records, 2, method="fast")  # type: ignore[arg-type]  # wrong on purpose
    for gamma in (-1.0, float("nan"), float("inf"), True, "1"):
        with pytest.raises(ParameterError, match="gamma is"):
            vmdav(records, 2, gamma)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("name", _TABLES)
def test_tree_answers_as_a_scan_while_records_leave(name):
    records = np.ascontiguousarray(_TABLES[name])
    tree = kdtree.build(records, np.arange(len(records)))
    if tree is None:
        assert name in {"tiny", "huge"}
        return
    scratch = search.scratch_of(tree)
    rng = np.random.default_rng(3)
    left = np.ones(len(records), dtype=bool)
    for row in rng.permutation(len(records))[:-1]:
        rows = np.flatnonzero(left)
        query = records[row]
        exact = np.zeros(len(rows))
        for column in range(records.shape[1]):
            exact += (records[rows, column] - query[column]) ** 2
        assert search.farthest(tree, records, query, scratch) == rows[np.argmax(exact)]
        wanted = min(4, len(rows))
        distances, found = np.full(wanted, np.inf), np.empty(wanted, dtype=np.int64)
        search.nearest(tree, records, query, wanted, distances, found, scratch)
        distance.sort_heap(distances, found, wanted)
        order = np.lexsort((rows, exact))[:wanted]
        assert np.array_equal(found, rows[order])
        assert np.array_equal(distances, exact[order])
        kdtree.delete(tree, row)
        left[row] = False
    assert tree.left[0].sum() == 1
