"""A requirement is checked on a plain frame whose columns are named; what comes out is what a Table gives."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sudare as sd
from sudare.assess import requirement
from sudare.assess.requirement import blocks_of
from sudare.describe.table import to_native

FRAME = sd.hospital(400).with_columns(pl.col("cost") * 1.0)
QUASI = ["sex", "nationality", "birth_date", "cost"]
REQUIREMENTS: dict[str, Any] = {
    "k": sd.KAnonymity(3),
    "l": sd.LDiversity(2, kind="entropy"),
    "l, named": sd.LDiversity(2, sensitive=("disease",)),
    "t": sd.TCloseness(0.3),
    "pk": sd.PkAnonymity(2),
}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("name", REQUIREMENTS)
def test_a_frame_is_checked_as_the_table_of_it(name, kind):
    frame, asked = to_native(FRAME, kind), REQUIREMENTS[name]
    expected = asked.check(sd.read(frame).describe(quasi=["sex", "nationality"], sensitive=["disease"]))
    sensitive = {} if name in {"k", "l, named"} else {"sensitive": ["disease"]}
    found = asked.check(frame, quasi=["sex", "nationality"], **sensitive)
    assert found.to_dict() == expected.to_dict()
    assert np.array_equal(found.violating_rows, expected.violating_rows)


def test_one_name_alone_and_lazy_frames():
    assert (
        sd.KAnonymity(3).check(FRAME.lazy(), quasi="sex").reached == FRAME.group_by("sex").len()["len"].min()
    )


values = st.one_of(st.none(), st.sampled_from(["a", "b", "", "*", "A"]))
numbers = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.0, 1e300, float("nan")]))


@given(st.lists(st.tuples(values, numbers, st.integers(-2, 2)), max_size=40))
def test_blocks_of_values_are_those_of_codes(rows):
    frame = pl.DataFrame(
        rows, schema={"*": pl.String, "^x.$ ": pl.Float64, "row": pl.Int64}, orient="row", strict=False
    )
    table = sd.Table.from_frame(frame)
    plain = blocks_of(table, frame.columns)
    for name in frame.columns:
        table.codes(name)
    coded = blocks_of(table, frame.columns)
    assert table.is_coded(frame.columns)
    assert np.array_equal(plain.labels, coded.labels)
    assert plain.count == coded.count
    assert plain.labels.dtype == coded.labels.dtype


def test_many_rows_are_grouped_by_the_kernel_with_the_same_blocks(monkeypatch):
    few = blocks_of(sd.Table.from_frame(FRAME), QUASI)
    monkeypatch.setattr(requirement, "_FEW_ROWS", 10)
    many = blocks_of(sd.Table.from_frame(FRAME), QUASI)
    assert np.array_equal(few.labels, many.labels)


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (lambda: sd.KAnonymity(3).check(FRAME), "name the columns of a frame with quasi=[…]"),
        (
            lambda: sd.KAnonymity(3).check(FRAME, quasi=["sexx"]),
            "There is no column 'sexx'; did you mean 'sex'?",
        ),
        (
            lambda: sd.KAnonymity(3).check(FRAME.to_pandas(), quasi=["sexx"]),
            "There is no column 'sexx'; did you mean 'sex'?",
        ),
        (lambda: sd.KAnonymity(3).check(["a"], quasi=["sex"]), "list"),
        (
            lambda: sd.LDiversity(2).check(FRAME, quasi=["sex"], sensitive=["sex"]),
            "Column 'sex' is given two roles",
        ),
        (lambda: sd.LDiversity(2).check(FRAME, quasi=["sex"]), "sensitive"),
        (
            lambda: sd.KAnonymity(3).check(sd.read(FRAME).describe(quasi=["sex"]), quasi=["sex"]),
            "The roles of this Table are known already; leave out 'quasi' and 'sensitive'",
        ),
        (
            lambda: sd.KAnonymity(3).check(pl.DataFrame({"a": [[1], [2]]}), quasi=["a"]),
            "'a'",
        ),
    ],
)
def test_what_cannot_be_checked_is_one_sentence(check, sentence):
    with pytest.raises(sd.SudareError) as caught:
        check()
    assert sentence in str(caught.value)


def test_the_frame_is_not_changed():
    frame = pd.DataFrame({"a": [1, 1, 2], "b": ["x", None, "y"]}, index=[3, 4, 4])
    before = frame.copy()
    sd.KAnonymity(2).check(frame, quasi=["a", "b"])
    pd.testing.assert_frame_equal(frame, before)
