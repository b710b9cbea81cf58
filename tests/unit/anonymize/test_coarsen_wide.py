"""Top and bottom coding and rounding of whole numbers of any size, beside Python's own integers."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudare as sd
from sudare.anonymize.protocol import Context
from sudare.anonymize.simple.coarsen import Round, TopBottomCode
from sudare.progress import SILENT
from sudare.randomness import Randomness

TYPES = {
    pl.Int8: (-(2**7), 2**7 - 1),
    pl.UInt8: (0, 2**8 - 1),
    pl.Int64: (-(2**63), 2**63 - 1),
    pl.UInt64: (0, 2**64 - 1),
}


@st.composite
def columns(draw):
    dtype = draw(st.sampled_from(list(TYPES)))
    low, high = TYPES[dtype]
    near_ends = st.sampled_from([low, low + 1, high - 1, high])
    cells = draw(st.lists(st.none() | st.integers(low, high) | near_ends, min_size=1, max_size=8))
    return pl.Series("a", cells, dtype=dtype)


WHOLE = st.one_of(
    st.integers(-300, 300).map(float),
    st.sampled_from([2.0**62, 2.0**63, 2.0**64, 1e19, 1e20, 1e30, -1e20]),
)


def applied(method, series):
    table = sd.read(series.to_frame()).describe(quasi=["a"], kinds={"a": "numeric"})
    return method.apply(table, Context((), Randomness(1), SILENT)).table.frame["a"]


@given(columns(), WHOLE, WHOLE)
def test_limits_are_those_of_python(series, one, other):
    bottom, top = sorted((one, other))
    found = applied(TopBottomCode("a", bottom=bottom, top=top), series)
    wanted = [None if cell is None else min(max(cell, int(bottom)), int(top)) for cell in series.to_list()]
    if found.dtype.is_float():
        # Where no whole type of files holds them.
        assert found.to_list() == [None if cell is None else float(cell) for cell in wanted]
        assert any(cell is not None and not -(2**63) <= cell < 2**63 for cell in wanted)
    else:
        assert found.to_list() == wanted
        assert found.dtype in {series.dtype, pl.Int64()}


@given(columns(), st.sampled_from([1.0, 2.0, 3.0, 10.0, 1000.0, 2.0**62, 1e19, 1e20, 1e30, 1e300]))
def test_multiples_are_those_of_python(series, base):
    found = applied(Round(("a",), base), series)
    # round() of a fraction takes halves to the even number, as promised.
    wanted = [
        None if cell is None else round(Fraction(cell, int(base))) * int(base) for cell in series.to_list()
    ]
    if found.dtype.is_float():
        assert found.to_list() == [None if cell is None else float(cell) for cell in wanted]
    else:
        assert found.to_list() == wanted


@pytest.mark.parametrize("method", [TopBottomCode("a", top=1e20), Round(("a",), 1e20)])
def test_the_type_stays_where_nothing_needs_another(method):
    series = pl.Series("a", [1, None, 3], dtype=pl.Int16)
    assert applied(method, series).dtype == pl.Int16
