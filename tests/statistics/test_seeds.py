"""Seeds: a release that is given the seed of its data draws other random numbers than the data."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd
from sudare.randomness import Randomness, repeatable


@pytest.mark.parametrize("seed", [0, 1, 7, 12345])
def test_releases_share_no_random_numbers_with_numpy_of_the_same_seed(seed):
    own = set(Randomness(seed).bits(1000).tolist())
    for other in (np.random.default_rng(seed), repeatable(seed)):
        assert not own & set(other.bit_generator.random_raw(1000).tolist())


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_noise_of_the_seed_of_the_data_is_noise(seed):
    table = sd.read(sd.hospital(20_000, seed=seed).select("sex", "disease"))
    table = table.describe(quasi=["sex"], sensitive=["disease"])
    release = sd.anonymize(table, sd.PkAnonymity(2), method=sd.Randomize(), seed=seed)
    fit = sd.crosstab(release, by=["sex", "disease"], draws=0).fit
    assert fit.misfit < 2 * fit.degrees
