"""What the tests of distances share."""

# mypy: disable-error-code="arg-type, call-arg, index, return-value, union-attr"
# parameters are given as users write them, wrong ones included

from fractions import Fraction

import polars as pl
import pytest

import sudare as sd


def same(found, before, after):
    """I(A), I(A') and ILD are the fractions of the spec, to the last digit of a double."""
    assert found.before == pytest.approx(float(before), rel=1e-15, abs=0)
    assert found.after == pytest.approx(float(after), rel=1e-15, abs=1e-15)
    expected = 1 - Fraction(after) / Fraction(before)
    assert float(found) == pytest.approx(float(expected), rel=1e-15, abs=1e-15)
    assert found.value == float(found)


def tabled(values, tree):
    """One column with its hierarchy."""
    return sd.read(pl.DataFrame({"x": values})).describe(quasi=["x"], hierarchies={"x": tree})
