"""Noise on a grid as fine as floats verified although its low bits single people out; weak keys and short pseudonyms passed."""

# mypy: disable-error-code="arg-type"
# parameters are given as users write them: single names

import json
import secrets
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.anonymize.simple import identifiers
from sudare.errors import ParameterError
from sudare.mechanism.catalogue import MECHANISMS
from sudare.mechanism.grid import default_grid, finest_grid
from sudare.mechanism.laplace import Laplace
from sudare.verify.verify import verify_frame, verify_release


def people(rows=200):
    numbers = np.random.default_rng(0).uniform(0, 1, rows)
    return sd.read(pl.DataFrame({"score": numbers})).describe(quasi=["score"])


@pytest.mark.parametrize("grid", [2.0**-60, 2.0**-53, 2.0**-45])
def test_a_grid_as_fine_as_floats_is_refused(grid):
    method = sd.Randomize(ranges={"score": (0, 1)}, grids={"score": grid})
    with pytest.raises(ParameterError, match="its low bits would tell people apart"):
        sd.anonymize(people(), sd.PkAnonymity(5), method=method)


def test_the_limit_follows_the_largest_number_of_the_range():
    assert finest_grid(0, 1) == 2.0**-40
    assert finest_grid(-1, 0.5) == 2.0**-40
    assert finest_grid(2.0**40, 2.0**40 + 1) == 2.0**-9
    assert finest_grid(-(2.0**40), 2.0**39) == 1.0
    Laplace(1, 0, 1, grid=2.0**-40)
    for low, high, grid in [(0, 1, 2.0**-41), (2.0**50, 2.0**50 + 16, 1), (-(2.0**50), 2.0**50, 1)]:
        with pytest.raises(ParameterError, match="grid"):
            Laplace(1, low, high, grid=grid)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0, 120), (-1e-9, 1e9), (1e6, 1e6 + 1), (0, 1e300), (1e9, 1e9 + 0.3)]
)
def test_the_grid_that_is_chosen_is_allowed(low, high):
    assert default_grid(low, high) >= finest_grid(low, high)
    Laplace((high - low), low, high, grid=default_grid(low, high))


@pytest.mark.parametrize(
    ("kind", "strength"), [("laplace", "scale"), ("normal", "deviation"), ("uniform", "half_width")]
)
def test_every_mechanism_has_the_limit(kind, strength):
    with pytest.raises(ParameterError, match="low bits"):
        MECHANISMS.build({"type": kind, strength: 1, "low": 0, "high": 1, "grid": 2.0**-52})


def verified(**mechanism: Any):
    about: dict[str, Any] = {"type": "laplace", "scale": 1.0, "low": 0, "high": 1, **mechanism}
    columns: dict[str, dict[str, Any]] = {"score": {"role": "quasi", "kind": "numeric", "mechanism": about}}
    frame = pl.DataFrame({"score": [0.0, 0.25, 0.5, 1.0] * 10})
    return verify_frame(frame, columns, [{"type": "pk-anonymity", "k": 2}])[1]


def test_the_verifier_does_not_accept_it_either():
    assert verified(grid=0.25).holds
    assert verified(grid=2.0**-40).holds
    fine = verified(grid=2.0**-60)
    assert not fine.holds
    assert "the grid of score is 8.67362e-19, finer than 9.09495e-13" in fine.sentence
    assert not verified(grid=1.0, low=2.0**50, high=2.0**50 + 8).holds
    without = verified(grid=None)
    assert not without.holds
    assert "score is not rounded to a grid" in without.sentence


def test_a_manifest_with_a_finer_grid_does_not_verify(tmp_path):
    release = sd.anonymize(people(), sd.PkAnonymity(5), method=sd.Randomize(ranges={"score": (0, 1)}))
    folder = Path(release.write(tmp_path / "out").folder)
    for part in ("public", "internal"):
        path = folder / part / "manifest.json"
        manifest = json.loads(path.read_text(encoding="utf-8"))
        manifest["columns"]["score"]["mechanism"]["grid"] = 2.0**-60
        path.write_text(json.dumps(manifest), encoding="utf-8")
    assert not verify_release(folder)[-1].holds


NAMES = sd.read(pl.DataFrame({"name": [f"person {number}" for number in range(3000)]})).describe(
    identifier=["name"]
)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("1234123412341234", r"repeats itself \(period in bytes: 4\)"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", r"repeats itself \(period in bytes: 1\)"),
        ("correcthorsecorrecthorse", r"repeats itself \(period in bytes: 12\)"),
        ("0123456789012345678901234567", r"repeats itself \(period in bytes: 10\)"),
        ("aabbaabcabcabcbacbbccaabdd", "only 4 different bytes"),
        ("abcdefghijklmnopqrstuvwxyz", "counts up or down"),
        ("0123456789abcdef", "counts up or down"),
        ("1234567890123456", r"repeats itself \(period in bytes: 10\)"),
        ("15 bytes: 0x1f_", "too short"),
    ],
)
@pytest.mark.parametrize("by", ["file", "variable"])
def test_a_key_that_can_be_guessed_is_refused_and_not_shown(key, why, by, monkeypatch, tmp_path):
    monkeypatch.setenv("SUDARE_TEST_KEY", key)
    (tmp_path / "key").write_text(key, encoding="utf-8")
    place = {"key_file": tmp_path / "key"} if by == "file" else {"key_variable": "SUDARE_TEST_KEY"}
    with pytest.raises(ParameterError, match=why) as caught:
        sd.anonymize(NAMES, method=sd.Pseudonymize("name", **place))
    assert key not in str(caught.value)


def test_random_keys_pass(monkeypatch):
    method = sd.Pseudonymize("name", key_variable="SUDARE_TEST_KEY")
    few = NAMES.take(np.arange(3))
    for key in [secrets.token_hex(32) for _ in range(20)] + [secrets.token_urlsafe(24) for _ in range(20)]:
        monkeypatch.setenv("SUDARE_TEST_KEY", key)
        assert sd.anonymize(few, method=method).table.rows == 3


def test_pseudonyms_too_short_for_the_number_of_values_are_refused():
    with pytest.raises(ParameterError, match="'length' is 8, but column 'name' has 3,000 values") as caught:
        sd.anonymize(NAMES, method=sd.Pseudonymize("name", length=8))
    assert "use at least 11" in str(caught.value)
    released = sd.anonymize(NAMES, method=sd.Pseudonymize("name", length=11)).frame
    assert released["name"].n_unique() == 3000
    assert sd.anonymize(NAMES.take(np.arange(40)), method=sd.Pseudonymize("name", length=8)).table.rows == 40


def test_two_values_with_one_pseudonym_are_refused(monkeypatch):
    monkeypatch.setattr(identifiers, "_digest", lambda _key, text: "0" * 64 if len(text) == 9 else text * 16)
    with pytest.raises(ParameterError, match="same pseudonym"):
        sd.anonymize(NAMES, method=sd.Pseudonymize("name"))
