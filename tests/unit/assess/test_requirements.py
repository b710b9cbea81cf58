"""Requirements on small tables whose figures can be counted by hand, and the sentence of each wrong use."""

# mypy: disable-error-code="arg-type, call-arg, attr-defined, index, operator"
# parameters are given as users write them: lists, single names, and wrong ones

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from tests.twins import tables as twins

import sudare as sd
from sudare.assess.catalogue import REQUIREMENTS
from sudare.errors import DescriptionError, ParameterError
from sudare.verify.verify import verify_frame


def table_of(quasi, sensitive=None, **more):
    frame = pl.DataFrame({"q": quasi} if sensitive is None else {"q": quasi, "s": sensitive})
    return sd.read(frame).describe(quasi=["q"], sensitive=[] if sensitive is None else ["s"], **more)


def assert_verdict(verdict, *, holds, reached, violating):
    assert verdict.holds is holds
    assert verdict.reached == pytest.approx(reached)
    assert verdict.violating_rows.tolist() == violating
    assert verdict.explanation.endswith(".")
    assert "\n" not in verdict.explanation


def test_k_counts_rows_of_the_smallest_block():
    table = table_of(["a", "b", "a", "b", "a"])
    assert_verdict(sd.KAnonymity(2).check(table), holds=True, reached=2, violating=[])
    assert_verdict(sd.KAnonymity(3).check(table), holds=False, reached=2, violating=[1, 3])
    assert "q = b" in sd.KAnonymity(3).check(table).explanation


def test_missing_is_a_value_of_its_own():
    table = table_of([1, None, 1, None, 0])
    assert_verdict(sd.KAnonymity(2).check(table), holds=False, reached=1, violating=[4])
    diseases = table_of([1, 1, 1], ["flu", None, None])
    assert_verdict(sd.LDiversity(2).check(diseases), holds=True, reached=2, violating=[])


def test_the_text_null_is_not_missing():
    table = table_of(["null", None, "", "None"])
    assert_verdict(sd.KAnonymity(2).check(table), holds=False, reached=1, violating=[0, 1, 2, 3])


def test_one_row_and_fewer_rows_than_k():
    table = table_of([7], ["flu"])
    assert_verdict(sd.KAnonymity(1).check(table), holds=True, reached=1, violating=[])
    assert_verdict(sd.KAnonymity(5).check(table), holds=False, reached=1, violating=[0])
    assert_verdict(sd.LDiversity(1).check(table), holds=True, reached=1, violating=[])
    assert_verdict(sd.TCloseness(0).check(table), holds=True, reached=0, violating=[])
    table = table.describe(kinds={"s": "ordinal"})
    assert_verdict(sd.TCloseness(0, distance="ordered").check(table), holds=True, reached=0, violating=[])


def test_an_order_of_names_is_none():
    asked = sd.TCloseness(0.3, distance="ordered")
    with pytest.raises(DescriptionError, match="needs an order of column 's', which is nominal"):
        asked.check(table_of([7, 8, 9], ["flu", "asthma", "gout"]))
    # Two values are as far apart in any order.
    assert asked.check(table_of([7, 8], ["flu", "asthma"])).reached == 0.5
    assert asked.check(table_of([7, 8], [1, 2])).reached == 0.5


def test_without_quasi_identifiers_the_table_is_one_block():
    table = sd.read(pl.DataFrame({"x": [1, 2, 3]}))
    assert_verdict(sd.KAnonymity(3).check(table), holds=True, reached=3, violating=[])


def test_no_rows_break_nothing():
    table = table_of(pl.Series([], dtype=pl.Int64), pl.Series([], dtype=pl.String))
    for requirement in (sd.KAnonymity(2), sd.LDiversity(2), sd.TCloseness(0.1)):
        verdict = requirement.check(table)
        assert verdict.holds
        assert verdict.reached is None
        assert verdict.violating_rows.size == 0


@pytest.mark.parametrize("offset", [0, 10**15, -(10**15), 2**53])
def test_neighbors_far_from_zero_are_different(offset):
    numbers = [offset, offset + 1, offset, offset + 1]
    assert_verdict(sd.KAnonymity(3).check(table_of(numbers)), holds=False, reached=2, violating=[0, 1, 2, 3])
    table = table_of(["x"] * 4, numbers)
    assert_verdict(sd.LDiversity(2).check(table), holds=True, reached=2, violating=[])


def test_entropy_takes_any_real_l():
    table = table_of(["x"] * 4, ["a", "a", "a", "b"])
    reached = math.exp(-(0.75 * math.log(0.75) + 0.25 * math.log(0.25)))  # 1.7548
    assert_verdict(
        sd.LDiversity(1.75, kind="entropy").check(table), holds=True, reached=reached, violating=[]
    )
    verdict = sd.LDiversity(1.76, kind="entropy").check(table)
    assert_verdict(verdict, holds=False, reached=reached, violating=[0, 1, 2, 3])


@pytest.mark.parametrize("values", range(1, 30))
def test_equal_shares_reach_their_number_exactly(values):
    table = table_of(["x"] * 3 * values, list(range(values)) * 3)
    assert sd.LDiversity(values, kind="entropy").check(table).holds
    assert not sd.LDiversity(values + 0.001, kind="entropy").check(table).holds


@pytest.mark.parametrize(
    ("counts", "c", "ell", "holds", "reached"),
    [
        ((4, 3, 2, 1), 2, 3, True, 3),  # 4 < 2 (2 + 1)
        ((4, 3, 2, 1), 2, 4, False, 3),  # 4 < 2 * 1 is wrong
        ((3, 3), 1, 2, False, 1),  # 3 < 3 is wrong: the inequality is strict
        ((3, 3), 1.01, 2, True, 2),
        ((5,), 1, 1, False, 0),  # not even l = 1
        ((5,), 1.5, 1, True, 1),
        ((1, 1, 1), 0.5, 1, True, 1),  # 1 < 0.5 * 3, but not 0.5 * 2
        ((1, 1, 1), 3, 4, False, 3),  # there are not four values
    ],
)
def test_recursive_diversity(counts, c, ell, holds, reached):
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    verdict = sd.LDiversity(ell, kind="recursive", c=c).check(table_of(["x"] * len(values), values))
    assert_verdict(verdict, holds=holds, reached=reached, violating=[] if holds else list(range(len(values))))


def test_several_sensitive_columns_are_each_protected():
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["a", "b", "a", "b"], "u": [1, 2, 3, 3]})
    table = sd.read(frame).describe(quasi=["q"], sensitive=["s", "u"])
    assert_verdict(sd.LDiversity(2).check(table), holds=False, reached=1, violating=[2, 3])
    assert_verdict(sd.LDiversity(2, sensitive="s").check(table), holds=True, reached=2, violating=[])
    assert_verdict(sd.LDiversity(2, sensitive=["u"]).check(table), holds=False, reached=1, violating=[2, 3])


def test_the_published_example_of_ordered_closeness():
    """Li, Li, Venkatasubramanian 2007, section 4.1: salaries 3k … 11k, blocks of three."""
    salaries = [3, 4, 5, 6, 7, 8, 9, 10, 11]
    blocks = ["x", "x", "x", "y", "z", "y", "z", "y", "z"]
    table = table_of(blocks, salaries)
    found = sd.TCloseness(0.3, distance="ordered").check(table)
    assert_verdict(found, holds=False, reached=0.375, violating=[0, 1, 2])  # {3k, 4k, 5k} is 0.375 away
    other = table_of(["x" if s in {6, 8, 11} else "y" for s in salaries], salaries)
    assert sd.TCloseness(0.167, distance="ordered", sensitive="s").check(other).holds  # {6k, 8k, 11k}: 0.167


def test_equal_distance_counts_what_must_move():
    table = table_of([1, 1, 2, 2], ["a", "a", "a", "b"])
    assert_verdict(sd.TCloseness(0.25).check(table), holds=True, reached=0.25, violating=[])
    assert_verdict(sd.TCloseness(0.24).check(table), holds=False, reached=0.25, violating=[0, 1, 2, 3])


def test_hierarchical_distance_is_the_level_of_the_common_node():
    tree = sd.hierarchy.tree({"lung": ["flu", "asthma"], "gut": ["ulcer", "colitis"]})
    values = ["flu", "asthma", "ulcer", "colitis"]
    near = table_of([1, 1, 2, 2], values, hierarchies={"s": tree})
    far = table_of([1, 2, 1, 2], values, hierarchies={"s": tree})
    requirement = sd.TCloseness(0.3, distance="hierarchical")
    assert_verdict(requirement.check(near), holds=False, reached=0.5, violating=[0, 1, 2, 3])
    assert_verdict(requirement.check(far), holds=True, reached=0.25, violating=[])


def test_ordinal_values_have_the_order_of_their_categories():
    grades = pl.Series("s", ["low", "mid", "high"], dtype=pl.Enum(["low", "mid", "high"]))
    table = table_of([1, 1, 2], grades)
    # from (1/3, 1/3, 1/3) to (0, 0, 1): 1/2 (1/3 + 2/3)
    assert sd.TCloseness(0.5, distance="ordered").check(table).reached == pytest.approx(0.5)
    assert sd.TCloseness(0.5, distance="ordered").check(table).holds


@pytest.mark.parametrize("rows", [3, 7, 10, 49, 1000])
def test_a_bound_met_exactly_holds(rows):
    values = ["a"] + ["b"] * (rows - 1)
    table = table_of(list(range(rows)), values)  # each row a block: the a is (rows - 1) / rows away
    bound = float(Fraction(rows - 1, rows))
    assert sd.TCloseness(bound).check(table).holds


def test_a_release_is_checked_like_a_table():
    table = table_of([1, 2, 3, 4], ["a", "b", "a", "b"])
    release = sd.anonymize(table, sd.KAnonymity(2), seed=1)
    assert sd.KAnonymity(2).check(release).holds
    assert sd.KAnonymity(2).check(release).reached == sd.KAnonymity(2).check(release.table).reached


def test_verdicts_are_plain_and_row_numbers_are_counted_in_json():
    verdict = sd.KAnonymity(3).check(table_of([1, 1, 2]))
    assert isinstance(verdict.violating_rows, np.ndarray)
    assert verdict.to_dict()["holds"] is False
    assert [0, 1, 2] not in verdict.to_dict().values()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.KAnonymity(0), ["'k'", "0", "greater than or equal to 1"]),
        (lambda: sd.KAnonymity(-3), ["'k'", "-3"]),
        (lambda: sd.KAnonymity(2.5), ["'k'", "2.5", "whole number"]),
        (lambda: sd.KAnonymity("many"), ["'k'", "many"]),
        (sd.KAnonymity, ["'k'", "missing"]),
        (lambda: sd.KAnonymity(2, 3), ["KAnonymity"]),
        (lambda: sd.LDiversity(0.5), ["'l'", "0.5"]),
        (lambda: sd.LDiversity(2.5), ["'l'", "2.5", "whole"]),
        (lambda: sd.LDiversity(2.5, kind="recursive", c=1), ["'l'", "2.5", "whole"]),
        (lambda: sd.LDiversity(2, kind="recursive"), ["'c'"]),
        (lambda: sd.LDiversity(2, kind="recursive", c=0), ["'c'", "0"]),
        (lambda: sd.LDiversity(2, c=3), ["'c'", "recursive"]),
        (lambda: sd.LDiversity(2, kind="entropic"), ["'kind'", "entropic", "'entropy'"]),
        (lambda: sd.LDiversity(math.nan, kind="entropy"), ["'l'", "nan"]),
        (lambda: sd.TCloseness(1.5), ["'t'", "1.5"]),
        (lambda: sd.TCloseness(-0.1), ["'t'", "-0.1"]),
        (lambda: sd.TCloseness(math.nan), ["'t'", "nan"]),
        (lambda: sd.TCloseness(0.1, distance="far"), ["'distance'", "far", "'ordered'"]),
        (lambda: REQUIREMENTS.build("k-anonimity k=2"), ["k-anonimity", "did you mean 'k-anonymity'"]),
        (lambda: REQUIREMENTS.build("k-anonymity 2"), ["2", "field=value"]),
    ],
)
def test_wrong_parameters_are_one_sentence(make, words):
    with pytest.raises(ParameterError) as caught:
        make()
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    for word in words:
        assert word in sentence


@pytest.mark.parametrize("requirement", [sd.LDiversity(2), sd.TCloseness(0.2)])
def test_a_sensitive_column_is_needed(requirement):
    with pytest.raises(DescriptionError, match="sensitive"):
        requirement.check(table_of([1, 2]))


def test_a_named_column_must_exist_and_be_sensitive():
    table = table_of([1, 2], ["a", "b"])
    with pytest.raises(DescriptionError, match=r"'ss'.*did you mean 's'"):
        sd.LDiversity(2, sensitive="ss").check(table)
    with pytest.raises(DescriptionError, match=r"'q'.*quasi"):
        sd.TCloseness(0.2, sensitive="q").check(table)


@pytest.mark.parametrize("wrong", [5, "patients.csv", None, pl.DataFrame({"a": [1]})])
def test_only_tables_and_releases_are_checked(wrong):
    with pytest.raises(DescriptionError, match=r"describe\("):
        sd.KAnonymity(2).check(wrong)


def test_hierarchical_distance_without_hierarchy_means_the_same_to_checker_and_verifier():
    table = table_of([1, 1, 2], ["a", "b", "a"])
    requirement = sd.TCloseness(0.5, distance="hierarchical")
    columns = {"q": {"role": "quasi", "kind": "numeric"}, "s": {"role": "sensitive", "kind": "nominal"}}
    finding = verify_frame(table.frame, columns, [REQUIREMENTS.dump(requirement)], {})[1]
    try:
        verdict = requirement.check(table)
    except DescriptionError:
        assert not finding.holds
    else:
        assert finding.holds == verdict.holds


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_the_distance_means_the_same_before_and_after_grouping(distance):
    """The hierarchy of a sensitive column is part of the requirement: a method must not lose it."""
    tree = sd.hierarchy.tree({"lung": ["flu", "asthma"], "gut": ["ulcer", "胃炎"]})
    table = table_of(
        [1, 1, 2, 2, 3, 3], ["flu", "ulcer", "asthma", "胃炎", "flu", "asthma"], hierarchies={"s": tree}
    )
    requirement = sd.TCloseness(0.4, distance=distance)
    assert requirement.check(table).holds
    release = sd.anonymize(table, requirement, order="keep", seed=1)
    grouped = table.frame.with_columns(block=pl.Series(np.asarray(release.groups)))
    figures = twins.t_closeness(grouped, ["block"], ["s"], distance, {"s": table.hierarchy("s")})
    assert release.verdicts[0].reached == pytest.approx(float(twins.worst(figures, largest=True)))
