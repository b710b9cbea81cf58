"""A group that is called as one of its values is: what was generalized counts, and bounds stay below."""

from __future__ import annotations

import polars as pl
import pytest

import sudare as sd

TOWNS = {"東京": ["東京", "八王子"], "大阪": ["大阪", "堺"]}


def release_of(names, method):
    frame = pl.DataFrame({"town": ["東京", "八王子", "大阪", "堺"] * 15})
    hierarchy = sd.hierarchy.tree({names(name): towns for name, towns in TOWNS.items()})
    table = sd.read(frame).describe(quasi=["town"], hierarchies={"town": hierarchy})
    return sd.anonymize(table, sd.KAnonymity(20), method=method)


@pytest.mark.parametrize("method", [sd.Mondrian(), sd.Generalize(), sd.FullDomain()])
def test_what_was_generalized_counts(method):
    other = release_of(lambda name: f"{name}府", method)
    assert other.losses["loss"] == pytest.approx(1 / 3)
    same = release_of(lambda name: name, method)
    # A cell that still says what it said has lost nothing; the others have lost what they have with another name.
    assert same.losses["loss"] == pytest.approx(1 / 6)
    assert same.losses["dis"] == pytest.approx(other.losses["dis"] / 2)


@pytest.mark.parametrize("method", [sd.Mondrian(), sd.Generalize(), sd.FullDomain()])
def test_bounds_stay_below(method):
    release = release_of(lambda name: name, method)
    for name, bound in release.lower_bounds.items():
        assert bound.value <= release.losses[name] + 1e-12


@pytest.mark.parametrize("method", [sd.Mondrian(), sd.Generalize(), sd.FullDomain()])
def test_a_star_in_the_data_does_not_make_suppression_free(method):
    table = sd.read(pl.DataFrame({"x": ["*", "a", "b", "c"]})).describe(quasi=["x"])
    release = sd.anonymize(table, sd.KAnonymity(4), method=method)
    assert release.frame["x"].to_list() == ["*"] * 4
    assert release.losses["loss"] == release.losses["dis"] == release.losses["gcp"] == 0.75


def test_a_star_of_the_original_is_a_value_to_distances():
    before = pl.DataFrame({"x": ["*", "a", "b", "*"]})
    own = sd.read(before).describe(quasi=["x"], hierarchies={"x": sd.hierarchy.suppress(label="any")})
    discrete = {"x": sd.distance.Discrete()}
    assert float(sd.measure.ild(own, before, discrete)) == 0.0
    after = pl.DataFrame({"x": ["a", "a", "b", "b"]})
    lost = float(sd.measure.ild(own, after, discrete))
    same = sd.read(before.with_columns(pl.col("x").replace({"*": "s"}))).describe(quasi=["x"])
    assert lost == float(sd.measure.ild(same, after, discrete))
