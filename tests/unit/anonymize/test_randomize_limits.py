"""Randomization of tables: what is refused in one sentence, and tables that are odd."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, union-attr"

import numpy as np
import polars as pl
import pytest
from scipy import stats
from tests.cases.randomize import context, described, method, small, table

import sudare as sd
from sudare.errors import InfeasibleError, ParameterError, SudareError
from sudare.mechanism import Density
from sudare.verify.verify import verify_frame


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"ranges": {}}, "no range for 'age'"),
        ({"ranges": {"age": (0.5, 120)}}, "give whole numbers as its ends"),
        ({"ranges": {"age": (120, 0)}}, "low end"),
        ({"ranges": {"age": ("0", "120")}}, "give numbers"),
        ({"ranges": {"agee": (0, 120)}}, "did you mean 'age'"),
        ({"ranges": {"age": (0, 120)}, "grids": {"age": 0.5}}, "give a whole number as its step"),
        ({"ranges": {"age": (0, 120)}, "grids": {"age": 7}}, "does not divide"),
        ({"mechanisms": {"age": "laplas"}}, "did you mean 'laplace'"),
        ({"mechanisms": {"sex": "laplace"}, "ranges": {"age": (0, 120)}}, "use retention"),
        (
            {"mechanisms": {"age": {"type": "normal", "bounded": False}}, "ranges": {"age": (0, 120)}},
            "rate 0",
        ),
        ({"exact": ["sex", "age"]}, "no column to randomize"),
        (
            {"exact": ["sex"], "columns": ["sex"]},
            "'exact' lists column 'sex', which is also to be randomized",
        ),
        ({"ranges": {"age": (0, 120)}, "values": {"sex": ["F", None, "M"]}}, "last"),
        ({"outside": "ignore"}, "outside"),
        ({"weights": {"age": 0}}, "weights"),
    ],
)
def test_wrong_parameters_are_one_sentence(fields, part):
    with pytest.raises(SudareError) as caught:
        sd.anonymize(small(), sd.PkAnonymity(5), method=sd.Randomize(**fields))
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_refusals():
    with pytest.raises(InfeasibleError, match="31"):
        sd.anonymize(small(), sd.PkAnonymity(31), method=sd.Randomize(ranges={"age": (0, 120)}))
    twice = [sd.Randomize(ranges={"age": (0, 120)})] * 2
    with pytest.raises(ParameterError, match="already"):
        sd.anonymize(small(), sd.PkAnonymity(5), method=twice)
    lists = sd.read(pl.DataFrame({"items": [[1], [2]]})).describe(quasi=["items"])
    with pytest.raises(ParameterError, match="no mechanism"):
        sd.Randomize().apply(lists, context(2))
    people = table().describe(insensitive=["row"])
    with pytest.raises(ParameterError, match="'row'"):
        sd.anonymize(people, sd.PkAnonymity(5), method=method(exact=["row"]))

    class Custom:
        pdf, cdf, ppf = stats.norm.pdf, stats.norm.cdf, stats.norm.ppf

    with pytest.raises(ParameterError, match="public description"):
        sd.Randomize(mechanisms={"age": Density(Custom, 0, 1)})


def test_constant_and_missing_columns_cost_nothing():
    people = small(age=list(range(30)), one=["x"] * 30, none=pl.Series([None] * 30, dtype=pl.String))
    for policy in ("category", "keep"):
        release = sd.anonymize(
            people, sd.PkAnonymity(5), method=sd.Randomize(ranges={"age": (0, 120)}, missing=policy), seed=1
        )
        assert release.table.column("one").mechanism.rate() == 1
        assert release.table.column("age").mechanism.rate() == pytest.approx(4 / 29)
        assert release.frame["none"].null_count() == 30
    constant = small(age=list(range(30)), level=["x"] * 30).describe(kinds={"level": "ordinal"})
    assert sd.anonymize(constant, sd.PkAnonymity(5), method=sd.Randomize(ranges={"age": (0, 120)})).holds


def test_odd_tables():
    with pytest.raises(InfeasibleError, match="1 record,"):
        sd.anonymize(small(age=[3]), sd.PkAnonymity(2), method=sd.Randomize(ranges={"age": (0, 120)}))
    alike = sd.anonymize(
        small(age=[3] * 9), sd.PkAnonymity(8.9), method=sd.Randomize(ranges={"age": (0, 120)}), seed=1
    )
    assert alike.holds
    assert alike.frame["age"].n_unique() > 4
    far = small(money=[1e15, 1e15 + 50.25, 1e15 + 100] * 5)
    release = sd.anonymize(
        far, sd.PkAnonymity(4), method=sd.Randomize(ranges={"money": (1e15, 1e15 + 100)}), seed=1
    )
    assert release.frame["money"].is_between(1e15, 1e15 + 100).all()
    assert verify_frame(release.table.frame, described(release), [{"type": "pk-anonymity", "k": 4}])[-1].holds


def test_pk_anonymity_of_tables_that_are_not_randomized():
    people = small(age=[1, 1, 1, 2, 2], sex=["F", "F", "F", "M", "M"])
    assert sd.PkAnonymity(2).check(people).reached == 2
    verdict = sd.PkAnonymity(3).check(people)
    assert not verdict.holds
    assert verdict.violating_rows.tolist() == [3, 4]
    assert verdict.explanation.count("\n") == 0
    empty = people.take(np.empty(0, dtype=np.int64))
    assert sd.PkAnonymity(3).check(empty).holds
    assert sd.assess(people, sd.PkAnonymity(3)).verdicts[0].reached == 2


def test_a_method_that_groups_may_go_first():
    people = table(quasi=["age", "sex"], insensitive=["row", "weight", "born", "pain"])
    release = sd.anonymize(
        people,
        sd.PkAnonymity(5),
        sd.KAnonymity(5),
        method=[sd.Mondrian(), sd.Randomize(columns=["disease"])],
        seed=1,
    )
    assert release.holds
