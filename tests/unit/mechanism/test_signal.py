"""How exactly tables of a release can be rebuilt, against the matrix that rebuilding inverts."""

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.mechanism.laplace import Laplace
from sudare.mechanism.retention import Retention
from sudare.mechanism.signal import rebuilt, signal_of


@pytest.mark.parametrize("scale", [1.0, 20.0, 145.0])
def test_the_signal_of_noise_is_that_of_drawn_numbers(scale):
    noise = Laplace(scale=scale, low=18, high=110)
    random = np.random.default_rng(1)
    originals = random.uniform(18, 110, 400_000)
    upper = noise.randomize(originals, sd.randomness.Randomness(1)) > 64
    drawn = upper[originals > 64].mean() - upper[originals <= 64].mean()
    assert signal_of(noise) == pytest.approx(drawn, abs=0.01)


def test_the_error_of_a_share_is_that_of_the_inverse():
    kept = Retention(keep=0.4, values=("F", "M"))
    told = rebuilt({"a": kept, "b": kept}, 10_000)
    assert told is not None
    inverse = np.linalg.inv(kept.matrix())
    # A released share near one half has the largest error; the difference of two cells carries it.
    error = np.sqrt(0.25 / 10_000) * (inverse[0, 0] - inverse[0, 1])
    assert told.one == pytest.approx(1.96 * error, rel=0.01)
    both = np.kron(inverse, inverse)[0]  # of the four released cells, each a quarter of the records
    variance = (both**2 / 4).sum() - (both / 4).sum() ** 2
    assert told.two == pytest.approx(1.96 * np.sqrt(variance / 10_000), rel=0.01)
    assert rebuilt({"a": kept}, 10_000) is None


def survey(rows, k):
    random = np.random.default_rng(2)
    columns = {name: random.choice(["a", "b", "c", "d", "e"], rows) for name in ("region", "mood", "job")}
    table = sd.read(pl.DataFrame(columns)).describe(quasi=list(columns))
    return table, sd.PkAnonymity(k)


def test_a_release_that_leaves_no_table_says_so_before_and_after():
    table, asked = survey(500, 50)
    (warning,) = sd.assess(table, asked).warnings
    assert warning.startswith("So much noise leaves hardly any table to rebuild: with 500 records")
    assert "lower k, or collect more records" in warning
    release = sd.anonymize(table, asked, method=sd.Randomize(), seed=1)
    assert any(str(one).startswith("So much noise leaves hardly any table") for one in release.warnings)


def test_little_noise_is_told_without_a_warning():
    table, asked = survey(20_000, 1.05)
    study = sd.assess(table, asked)
    assert study.warnings == ()
    assert any(
        "a table rebuilt from the release tells a share at best to within" in one for one in study.advice
    )
    assert "noise" not in study.noise.to_dict()["asked"]["columns"][0]
    release = sd.anonymize(table, asked, method=sd.Randomize(), seed=1)
    assert not any(str(one).startswith("So much noise") for one in release.warnings)
