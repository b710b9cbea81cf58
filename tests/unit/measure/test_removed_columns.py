"""What was removed, left out or drawn counts as what it is in the measures."""

from __future__ import annotations

import polars as pl
import pytest

import sudare as sd


def people() -> sd.Table:
    return sd.read(sd.hospital(300)).describe(
        identifier=["patient_id", "name"],
        quasi=["sex", "zip", "birth_date"],
        sensitive=["disease"],
        insensitive=["cost", "nationality", "admission", "length_of_stay"],
        hierarchies={"zip": sd.hierarchy.mask()},
    )


def test_a_quasi_identifier_that_was_removed_is_lost():
    table = people()
    removed = sd.anonymize(
        table, sd.KAnonymity(5), method=[sd.RemoveIdentifiers(columns=("birth_date", "zip")), sd.Mondrian()]
    )
    assert removed.column_losses["birth_date"] == removed.column_losses["zip"] == 1
    assert removed.losses["loss"] == pytest.approx((2 + removed.column_losses["sex"]) / 3)
    assert removed.losses["dis"] >= 2 / 3
    assert removed.losses["gcp"] >= 2 / 3
    assert removed.losses["ild"] > 0.5
    assert removed.losses["entropy_loss"] > 0.5
    for name, bound in removed.lower_bounds.items():
        assert bound.value <= removed.losses[name]
    plain = sd.anonymize(table, sd.KAnonymity(5))
    assert plain.losses["loss"] < removed.losses["loss"]


def test_all_quasi_identifiers_removed():
    table = sd.read(pl.DataFrame({"age": [1, 2, 3, 4], "n": [1, 1, 2, 2]})).describe(
        quasi=["age"], insensitive=["n"]
    )
    released = pl.DataFrame({"n": [1, 1, 2, 2]})
    for measure in (sd.measure.loss, sd.measure.dis, sd.measure.gcp):
        assert measure(table, released) == 1
    assert float(sd.measure.ild(table, released)) == 1
    assert sd.measure.entropy_loss(table, released) == 1


def test_nothing_said_counts_as_all_of_the_column_whichever_rows_are_left():
    frame = pl.DataFrame({"age": [*range(20, 38), 1000], "city": ["a"] * 9 + ["b"] * 9 + ["c"]})
    table = sd.read(frame).describe(quasi=["age", "city"])
    release = sd.anonymize(table, sd.KAnonymity(5), method=sd.FullDomain(suppression=0.1))
    assert release.frame["age"].unique().to_list() == ["*"]
    assert release.column_losses["age"] == 1
    assert release.losses["loss"] == pytest.approx(0.5263, abs=1e-4)


def test_noise_is_not_generalized_because_rows_were_left_out():
    release = sd.anonymize(
        people(),
        sd.PkAnonymity(3),
        method=[
            sd.Sample(0.8),
            sd.Randomize(ranges={"birth_date": ("1900-01-01", "2030-12-31")}, missing="category"),
        ],
    )
    assert not {"loss", "dis", "gcp", "dm", "average_block", "entropy_loss"} & set(release.losses)
