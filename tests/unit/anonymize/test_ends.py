"""MDAV and V-MDAV on a sorted column give the groups that they give on any table."""

from __future__ import annotations

import numpy as np
import pytest

from sudare.anonymize.microaggregate.mdav import mdav
from sudare.anonymize.microaggregate.vmdav import vmdav
from sudare.kernels.points.ends import mdav_borders, vmdav_borders

KINDS = ["normal", "lognormal", "two clusters", "uniform", "far"]


def column(kind, n):
    rng = np.random.default_rng(n)
    values = {
        "normal": rng.normal(size=n),
        "lognormal": np.exp(2 * rng.normal(size=n)),
        "two clusters": rng.normal(size=n) + 20 * rng.integers(0, 2, size=n),
        "uniform": rng.random(n),
        "far": 1e9 + rng.normal(size=n),
    }
    return np.sort(values[kind])


def borders_of(labels):
    """Of labels along a sorted column, after a check that each group is one stretch."""
    changes = np.flatnonzero(np.diff(labels)) + 1
    assert len(changes) == labels.max()
    return np.array([0, *changes, len(labels)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n", "k"),
    [
        (2, 2),
        (3, 2),
        (4, 2),
        (5, 5),
        (9, 5),
        (10, 5),
        (14, 5),
        (15, 5),
        (29, 5),
        (100, 3),
        (101, 7),
        (997, 4),
    ],
)
def test_the_groups_are_the_same(kind, n, k):
    ordered = column(kind, n)
    assert np.array_equal(mdav_borders(ordered, k), borders_of(mdav(ordered, k, method="brute")))
    for gamma in (0.0, 0.2, 1.0, 3.0):
        expected = borders_of(vmdav(ordered, k, gamma, method="brute"))
        assert np.array_equal(vmdav_borders(ordered, k, gamma), expected)


@pytest.mark.parametrize("borders", [mdav_borders, lambda x, k: vmdav_borders(x, k, 1.0)])
def test_equal_values_make_legal_groups(borders):
    for n in range(3, 40):
        sizes = np.diff(borders(np.full(n, 7.0), 3))
        assert sizes.sum() == n
        assert sizes.min() >= 3
