"""Parameters that somebody mistook: said in one sentence, not taken for something else."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.grouping.labels import numbered, of_runs, ranked
from sudare.assess.catalogue import REQUIREMENTS
from sudare.errors import ParameterError


@pytest.mark.parametrize(
    "make",
    [
        lambda: sd.KAnonymity(True),
        lambda: sd.KAnonymity(k=True),
        lambda: sd.PkAnonymity(True),
        lambda: sd.LDiversity(True),
        lambda: REQUIREMENTS.build({"type": "k-anonymity", "k": True}),
    ],
)
def test_true_is_not_a_number(make):
    with pytest.raises(ParameterError, match=r"(is True, but it should be a number|is True)"):
        make()


def test_true_is_true_where_yes_or_no_is_asked():
    assert METHODS.build("mondrian relaxed=true") == sd.Mondrian(relaxed=True)
    assert sd.Mondrian(relaxed=True).relaxed is True


def test_a_field_that_is_given_twice():
    with pytest.raises(ParameterError, match="gives 'relaxed' twice; give it once"):
        METHODS.build("mondrian relaxed=true relaxed=false")


def test_catalogues_know_their_own():
    assert REQUIREMENTS.knows(sd.KAnonymity(2))
    assert not REQUIREMENTS.knows("k-anonymity k=2")


def test_total_variation_of_a_cross_tabulation():
    table = sd.read(pl.DataFrame({"sex": ["F", "M", "M", "F", "F"]})).describe(quasi=["sex"])
    found = sd.crosstab(table, by=["sex"])
    assert found.total_variation([3, 2]) == 0
    assert found.total_variation([1, 4]) == pytest.approx(0.4)
    assert found.total_variation([1, 4], figure="released") == pytest.approx(0.4)


def test_labels_without_gaps():
    given = np.array([9, 4, 9, 7])
    assert numbered(given).tolist() == [0, 1, 0, 2]
    assert ranked(given).tolist() == [2, 0, 2, 1]
    assert of_runs(np.array([3, 0, 2, 1]), np.array([2, 2])).tolist() == [0, 1, 1, 0]
