"""Methods and measures of the user's own: what they say of rows, roles and figures is not taken on trust."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.grouping.recode import axes_of, recode
from sudare.anonymize.protocol import Outcome, same_rows
from sudare.errors import ParameterError
from sudare.measure.catalogue import MEASURES
from sudare.parameters import parameters

_ROWS = 12
K = sd.KAnonymity(2)


def people() -> sd.Table:
    frame = pl.DataFrame(
        {"age": range(_ROWS), "zip": ["1", "2"] * 6, "disease": ["flu", "gout", "mumps"] * 4}
    )
    return sd.read(frame).describe(quasi=["age", "zip"], sensitive=["disease"])


def renamed(table: sd.Table) -> sd.Table:
    frame = table.frame.rename({"age": "years"})
    return sd.read(frame).describe(quasi=["zip"], sensitive=["disease"], insensitive=["years"])


@parameters
class Own:
    """A method that does what a test says."""

    def apply(self, table, context):
        return self.does(table)  # type: ignore[attr-defined]


def released(does, **options: Any):
    method = Own()
    object.__setattr__(method, "does", does)
    return sd.anonymize(people(), K, method=method, **options)


@pytest.mark.parametrize(
    ("does", "sentence"),
    [
        (
            lambda table: same_rows(table.describe(insensitive=["age", "zip"])),
            "changes the role of column 'age' from quasi to insensitive",
        ),
        (
            lambda table: same_rows(table.describe(insensitive=["disease"])),
            "changes the role of column 'disease' from sensitive to insensitive",
        ),
        (
            lambda table: Outcome(table.take(np.repeat(np.arange(_ROWS), 2)), np.repeat(np.arange(_ROWS), 2)),
            "returns the same row more than once",
        ),
        (
            lambda table: Outcome(table, np.zeros(_ROWS, dtype=np.int64)),
            "returns the same row more than once",
        ),
        (lambda table: Outcome(table, np.arange(3)), "does not say where its 12 rows come from"),
        (lambda table: Outcome(table, np.arange(_ROWS) + 1), "does not say where its 12 rows come from"),
        (
            lambda table: Outcome(table, cast("Any", np.arange(_ROWS) / 1.0)),
            "does not say where its 12 rows come from",
        ),
        (
            lambda table: same_rows(renamed(table)),
            "publishes a column 'years' that the table does not have",
        ),
        (lambda table: Outcome(cast("Any", "x"), np.arange(_ROWS)), "but a method must return an Outcome"),
        (lambda table: table, "returned an object of type Table, but a method must return an Outcome"),
        (lambda table: None, "returned an object of type NoneType"),
        (lambda table: 1 // 0, "The method Own failed \\(ZeroDivisionError"),
    ],
)
def test_what_a_method_says_is_checked(does, sentence):
    with pytest.raises(ParameterError, match=sentence):
        released(does)


@pytest.mark.parametrize(
    ("labels", "count"),
    [
        (np.zeros(3, np.int32), 1),
        (np.full(_ROWS, 5), 2),
        (np.full(_ROWS, -1), 2),
        (np.zeros(_ROWS), 1),
        (np.zeros((_ROWS, 1), np.int32), 1),
    ],
)
def test_labels_are_checked_before_kernels_see_them(labels, count):
    with pytest.raises(ParameterError, match="each of the 12 rows needs a whole number from 0 to"):
        recode(people(), axes_of(people()), labels, count)


def test_a_method_without_a_name_cannot_be_written(tmp_path):
    whole = np.zeros(_ROWS, np.int32)
    release = released(lambda table: same_rows(recode(table, axes_of(table), whole, 1)))
    with pytest.raises(ParameterError, match="Own has no name in the catalogue"):
        release.write(tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_a_method_without_parameters_cannot_be_written(tmp_path, monkeypatch):
    class Bare:
        def apply(self, table, context):
            return same_rows(recode(table, axes_of(table), np.zeros(_ROWS, np.int32), 1))

    monkeypatch.setitem(METHODS.entries, "bare", Bare)
    release = sd.anonymize(people(), K, method=Bare())
    with pytest.raises(ParameterError, match="put @parameters before the class"):
        release.write(tmp_path / "release")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "much", np.zeros(2)])
def test_a_measure_gives_a_number(value, monkeypatch):
    own = MEASURES["loss"].__class__(
        **{**MEASURES["loss"].__dict__, "name": "own", "compute": lambda *_: value}
    )
    monkeypatch.setitem(MEASURES, "own", own)
    with pytest.raises(ParameterError, match="The measure 'own' returned"):
        sd.anonymize(people(), K, measures=["own"])


def test_a_number_of_another_type_is_a_number(monkeypatch, tmp_path):
    own = MEASURES["loss"].__class__(
        **{**MEASURES["loss"].__dict__, "name": "own", "compute": lambda *_: np.float32(0.5)}
    )
    monkeypatch.setitem(MEASURES, "own", own)
    release = sd.anonymize(people(), K, measures=["own"])
    release.write(tmp_path / "release", reports=())
    manifest = json.loads((tmp_path / "release" / "internal" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["losses"]["own"] == 0.5


def test_classes_are_not_what_they_make():
    with pytest.raises(ParameterError, match="Mondrian is a class; pass an instance, for example Mondrian"):
        sd.anonymize(people(), K, method=sd.Mondrian)  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="KAnonymity is a class"):
        sd.anonymize(people(), sd.KAnonymity)  # type: ignore[call-overload]


def test_two_grouping_methods_are_one_too_many():
    with pytest.raises(ParameterError, match="An earlier method already generalized column 'age' to texts"):
        sd.anonymize(people(), K, method=[sd.Mondrian(), sd.Microaggregate()])


def test_a_folder_has_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match="The folder is None"):
        sd.anonymize(people(), K).write(None)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("other", [{}, {"flip": 0.25}])
def test_drawn_columns_are_known_by_what_was_drawn(other):
    original = people()

    def undo(table):
        columns = [
            replace(
                one, mechanism=replace(cast("Any", one.mechanism), **(other if one.name == "age" else {}))
            )
            for one in table.columns
        ]
        return same_rows(table.changed(original.frame, columns))

    method = Own()
    object.__setattr__(method, "does", undo)
    noise = sd.Randomize(ranges={"age": (0, 20)}, shuffle=False)
    with pytest.raises(ParameterError, match="changes column 'age' after its randomization"):
        sd.anonymize(original, sd.PkAnonymity(2), method=[noise, method])
