"""Information loss where it must be defined: missing, constant, few rows, weights, far from 0 and large."""

# mypy: disable-error-code="arg-type, call-arg, index, return-value, union-attr"
# parameters are given as users write them, wrong ones included

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from tests.cases.distances import same, tabled

import sudare as sd

# --- what is defined: missing, constant, few rows, weights ---------------------------------------------------------


def test_missing_is_as_far_as_anything_can_be():
    # range 9; two missing: 2 * 2 * 2 * 81 between missing and present, 2 * 81 between 0 and 9
    found = sd.measure.ild([0, 9, None, None], [0, 9, None, None])
    assert (found.before, found.after, found.value) == (8 * 81 + 162, 8 * 81 + 162, 0)
    assert sd.measure.ild(["a", None], ["a", None], sd.distance.Discrete()).before == 2
    assert sd.measure.ild(["abc", "d", None], ["abc", "d", None], sd.distance.Levenshtein(), p=1).before == 18
    table = tabled(["a", "b", None], sd.hierarchy.tree({"ab": ["a", "b"], "c": ["d"]}))
    # a-ab-b: 2; missing hangs below the root: 1 + 2
    assert sd.measure.ild(table, pl.DataFrame({"x": ["a", "b", None]}), p=1).before == 2 * (2 + 3 + 3)


@pytest.mark.parametrize(
    ("values", "distance"),
    [
        ([5, None, 5], sd.distance.Euclid()),
        (["", None], sd.distance.Levenshtein()),
        (["a", None], sd.distance.Matrix({"a": {"a": 0.0}})),
        (["a", None], sd.distance.Discrete()),
    ],
    ids=["euclid", "levenshtein", "matrix", "discrete"],
)
def test_missing_is_not_the_same_as_the_only_value(values, distance):
    """A distance is 0 if and only if two cells are equal, and missing is equal only to missing."""
    kept = sd.measure.ild(values, values, distance)
    assert kept.before > 0
    assert kept.note is None


@pytest.mark.parametrize(
    ("values", "distance"),
    [
        ([5, 5, 5], None),
        (["x", "x"], None),
        (["x", "x"], sd.distance.NormalizedLevenshtein()),
        (["x", "x"], sd.distance.Custom(lambda one, other: 1.0)),
        ([dt.date(2024, 1, 1)] * 2, None),
    ],
)
def test_a_constant_column_loses_nothing_and_says_so(values, distance):
    found = sd.measure.ild(values, values, distance)
    assert (found.value, found.before) == (0, 0)
    assert found.note is not None
    assert found.note.endswith(".")


def test_a_constant_column_stays_constant_beside_other_released_values():
    """A mean that is rounded must not make information of nothing."""
    found = sd.measure.ild([8067] * 3, [15006, 15006, 17533])
    assert (found.value, found.before) == (0, 0)
    assert found.note


@pytest.mark.parametrize("p", [0.5, 1, 2, 3])
def test_one_row_and_no_row(p):
    for values in ([3], ["x"], [None]):
        found = sd.measure.ild(pl.Series(values), pl.Series(values), p=p)
        assert (found.value, found.before, found.after) == (0, 0, 0)
        assert found.note
    for dtype in (pl.Int64, pl.String):
        assert float(sd.measure.ild(pl.Series([], dtype=dtype), pl.Series([], dtype=dtype), p=p)) == 0


def test_constant_columns_have_no_weight_beside_others():
    before = pl.DataFrame({"a": [1, 2, 3], "b": [7, 7, 7]})
    after = pl.DataFrame({"a": [1, 2, 2], "b": [7, 7, 7]})
    alone = sd.measure.ild(before.select("a"), after.select("a"))
    for p in (1, 2):
        joint = sd.measure.ild(before, after, p=p)
        assert float(joint) == pytest.approx(float(sd.measure.ild([1, 2, 3], [1, 2, 2], p=p)))
    assert joint.columns["b"].note
    assert alone.note is None


@pytest.mark.parametrize("p", [1, 2, 2.5])
def test_weight_zero_leaves_a_column_out(p):
    before = pl.DataFrame({"a": [1, 2, 4], "b": [5, 1, 0]})
    after = pl.DataFrame({"a": [1, 2, 2], "b": [0, 0, 0]})
    found = sd.measure.ild(before, after, sd.distance.Product(weights={"a": 2.0, "b": 0.0}), p=p)
    assert float(found) == pytest.approx(float(sd.measure.ild([1, 2, 4], [1, 2, 2], p=p)))
    assert float(found.columns["b"]) == 1


def test_all_weights_zero_is_defined():
    before = pl.DataFrame({"a": [1, 2, 4], "b": [5, 1, 0]})
    for p in (1, 2):
        found = sd.measure.ild(before, before, sd.distance.Product(weights={"a": 0.0, "b": 0.0}), p=p)
        assert float(found) == 0
        assert found.note
        assert found.columns["a"].note is None


def test_rows_left_out_no_longer_count():
    table = sd.read(pl.DataFrame({"x": [1, 1, 2, 2, 9]})).describe(quasi=["x"])
    release = sd.anonymize(table, sd.KAnonymity(2), method=sd.SuppressRecords(limit=0.5), seed=1)
    before = 2 * (4 * 1 + 2 * 64 + 2 * 49)
    same(sd.measure.ild(table, release), before, 8)


# --- far from 0, and large ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [10**15, -(10**15), 2**52])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_huge_offsets_keep_their_digits(offset, p):
    near = sd.measure.ild([1, 2, 3, 4], [1, 1, 3, 3], p=p)
    far = sd.measure.ild([offset + x for x in (1, 2, 3, 4)], [offset + x for x in (1, 1, 3, 3)], p=p)
    assert float(far) == pytest.approx(float(near), rel=1e-12)
    texts = [f"[{offset + 1}, {offset + 2}]"] * 2 + [f"[{offset + 3}, {offset + 4}]"] * 2
    ranged = sd.measure.ild([offset + x for x in (1, 2, 3, 4)], texts, p=p)
    same(ranged, near.before, 8)


@pytest.mark.parametrize("scale", [1e-200, 1e70, 1e160, 1e300])
@pytest.mark.parametrize("p", [1, 2, 5])
def test_loss_does_not_depend_on_the_unit(scale, p):
    before, after = np.array([-1.0, 0.0, 1.0, 0.5]), np.array([-1.0, -1.0, 0.75, 0.75])
    expected = float(sd.measure.ild(before, after, p=p))
    assert float(sd.measure.ild(before * scale, after * scale, p=p)) == pytest.approx(expected, rel=1e-9)


def test_released_values_far_outside_do_not_overflow():
    found = float(sd.measure.ild([0.0, 1.0], [0.0, 1e200]))
    assert found < 0
    assert not math.isnan(found)


def test_columns_of_very_different_size_are_not_put_on_a_level():
    """Minkowski takes every column as it is: beside 1e80, a loss in a column of range 1 is nothing."""
    before = pl.DataFrame({"a": [0.0, 1e80], "b": [0.0, 1.0]})
    after = pl.DataFrame({"a": [0.0, 1e80], "b": [0.0, 0.0]})
    assert float(sd.measure.ild(before, after, sd.distance.Minkowski())) == pytest.approx(0, abs=1e-12)
