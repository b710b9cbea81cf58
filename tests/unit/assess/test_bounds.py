"""Bounds: the worked examples, the published table, edge cases, budget, progress."""

# mypy: disable-error-code="arg-type"

import math

import numpy as np
import polars as pl
import pytest
from tests.cases.places import DATA
from tests.twins.bounds import all_pairs

import sudare as sd
from sudare.assess.bounds import (
    feasible,
    k_bound,
    l_bound,
    largest_feasible_l,
    lower_bound,
    max_blocks,
    min_largest_block,
)
from sudare.assess.bounds.distortion import Grounds
from sudare.errors import CancelledError, DescriptionError, InfeasibleError, ParameterError

COIL, ADULT = DATA / "coil2000" / "ticdata2000.txt", DATA / "adult_hierarchies"
needs_coil = pytest.mark.skipif(not COIL.is_file(), reason=f"{COIL} is absent")
needs_adult = pytest.mark.skipif(not (ADULT / "adult.csv").is_file(), reason=f"{ADULT} is absent")


@pytest.mark.parametrize(
    ("counts", "blocks", "distinct", "entropy"),
    [([10, 8, 7, 3, 2], 10, 3, 3), ([3, 50, 15, 7, 25], 25, 4, 6)],
)
def test_worked_examples(counts, blocks, distinct, entropy):
    assert max_blocks(counts, 3) == blocks
    assert min_largest_block(counts, 3) == distinct
    assert min_largest_block(counts, 3, "entropy") == entropy


def test_exact_feasibility_where_the_corollary_says_no():
    between = [500, 500, 3]
    floor = math.floor(sum(between) / 3)
    reached = sum(n / 1003 * min(math.log(floor), -math.log(n / 1003)) for n in between)
    l = (math.exp(reached) + largest_feasible_l(between, "entropy")) / 2  # noqa: E741  # the name in the field
    assert math.log(l) > reached
    assert feasible(between, l, "entropy")
    assert min_largest_block(between, l, "entropy") == floor + 1


def test_uniform_counts_reach_their_number():
    for values in (2, 3, 7, 10):
        assert feasible([6] * values, values, "entropy")
        assert min_largest_block([6] * values, values, "entropy") == values


def test_zero_counts_do_not_count():
    assert max_blocks([4, 0, 4], 2) == 4
    assert max_blocks([4, 0], 2) == 0
    assert not feasible([4, 0], 2)
    assert feasible([], 3)
    assert max_blocks([], 1) == 0


@pytest.mark.parametrize("kind", ["distinct", "entropy"])
def test_infeasible_diversity_says_what_is_possible(kind):
    with pytest.raises(InfeasibleError, match="at most"):
        min_largest_block([5, 5], 3, kind)
    with pytest.raises(InfeasibleError, match="no sensitive values"):
        min_largest_block([], 1, kind)


@pytest.mark.parametrize("counts", [[-1, 2], [1.5], [[1, 2]], ["a"], [float("nan")]])
def test_wrong_counts(counts):
    with pytest.raises(ParameterError, match="whole numbers"):
        max_blocks(counts, 2)


@pytest.mark.parametrize("l", [0, 0.5, float("nan"), float("inf"), "2"])
def test_wrong_l(l):  # noqa: E741  # the name in the field
    with pytest.raises(ParameterError, match="l is"):
        max_blocks([1, 2], l)
    with pytest.raises(ParameterError, match="kind is"):
        feasible([1, 2], 1, "some")


def small(**columns):
    frame = pl.DataFrame(
        {"age": [20, 30, 60, 60], "zip": ["11", "12", "21", "21"], "ill": ["a", "b", "a", "c"]}
    )
    table = sd.read(frame.with_columns(**columns))
    return table.describe(quasi=["age", "zip"], sensitive=["ill"], hierarchies={"zip": sd.hierarchy.mask()})


def test_by_hand():
    # rows 0 and 1: 10 of 40 years and one of two characters, each; rows 2 and 3 are equal
    assert k_bound(small(), 2).value == pytest.approx((0.75 + 0.75) / 2 / 4)
    assert k_bound(small(), 3).value == pytest.approx((2.0 + 1.75 + 1.75 + 1.75) / 2 / 4)
    # row 0 (a): b at 0.75, c at 2; row 1 (b): a at 0.75, c at 1.75; rows 2, 3: c/a at 0, b at 1.75
    assert l_bound(small(), 2, "ill").value == pytest.approx((0.75 + 0.75) / 2 / 4)
    assert l_bound(small(), 3, "ill").value == pytest.approx((2.0 + 1.75 + 1.75 + 1.75) / 2 / 4)
    assert (
        l_bound(small(), 2.1, "ill").value == l_bound(small(), 3, "ill").value
    )  # entropy 2.1 needs three values


def test_weights():
    assert k_bound(small(), 2, weights={"zip": 0}).value == pytest.approx(0.5 / 4)
    assert k_bound(small(), 2, weights={"zip": 3}).value == pytest.approx(2 * (0.25 + 1.5) / 4 / 4)
    assert k_bound(small(), 2, weights={"zip": 0, "age": 0}).value == 0
    with pytest.raises(ParameterError, match="weight of 'ill' is 1, but only quasi-identifiers have weights"):
        k_bound(small(), 2, weights={"ill": 1})
    with pytest.raises(ParameterError, match=r"weight of 'zip' is -1, but .* finite numbers of 0 or more"):
        k_bound(small(), 2, weights={"zip": -1})


def test_several_requirements_take_the_largest_for_each_row():
    both = lower_bound(small(), [sd.KAnonymity(2), sd.LDiversity(3), sd.TCloseness(0.1)])
    assert both.value == pytest.approx(7.25 / 8)
    assert (
        both.explanation
        == "No release with 2-anonymity and 3-diversity of 'ill' loses less than 0.9062 (dis)."
    )
    assert lower_bound(small(), [sd.TCloseness(0.1)]).value == 0


def test_several_sensitive_columns():
    table = sd.read(pl.DataFrame({"q": [1, 2, 3, 5], "s": list("aabb"), "t": list("abab")}))
    table = table.describe(quasi=["q"], sensitive=["s", "t"])
    assert l_bound(table, 2, "s").value == pytest.approx((2 + 1 + 1 + 3) / 4 / 4)
    assert l_bound(table, 2, "t").value == pytest.approx((1 + 1 + 1 + 2) / 4 / 4)
    assert lower_bound(table, [sd.LDiversity(2)]).value == pytest.approx((2 + 1 + 1 + 3) / 4 / 4)


def test_what_cannot_be_done_costs_everything():
    assert k_bound(small(), 5).value == 1
    assert "needs 5 rows and there are 4" in k_bound(small(), 5).explanation
    assert l_bound(small(), 4, "ill").value == 1
    assert l_bound(small(), 3.01, "ill").value == 1


def test_nothing_to_bound():
    empty = small().changed(small().frame.head(0))
    assert k_bound(empty, 3).value == 0
    assert k_bound(small().describe(insensitive=["age", "zip"]), 2).value == 0
    assert k_bound(small(), 1).value == 0
    assert l_bound(small(), 1, "ill").value == 0


def test_branches_without_values_cost_nothing_extra():
    tree = sd.hierarchy.tree({"low": ["a", "b"], "high": ["x", "y"], "top": ["z"]})
    table = sd.read(pl.DataFrame({"q": ["x", "y"]})).describe(quasi=["q"], hierarchies={"q": tree})
    assert k_bound(table, 2).value == pytest.approx(0.5)
    assert k_bound(table, 2, objective="loss").value == pytest.approx(1 / 4)
    assert k_bound(table, 2, objective="ncp").value == pytest.approx(2 / 5)


def test_wrong_use():
    with pytest.raises(ParameterError, match="not a known objective"):
        k_bound(small(), 2, objective="nope")
    with pytest.raises(ParameterError, match="budget is -1"):
        k_bound(small(), 2, budget=-1)
    with pytest.raises(ParameterError, match="'k' is 0"):
        k_bound(small(), 0)
    with pytest.raises(DescriptionError, match="role is quasi"):
        l_bound(small(), 2, "age")


@pytest.fixture(scope="module")
def patients():
    return sd.read(sd.hospital(3000, seed=3)).describe(
        quasi=["birth_date", "sex", "zip", "length_of_stay"],
        sensitive=["disease"],
        hierarchies={"zip": sd.hierarchy.mask(), "birth_date": sd.hierarchy.dates()},
    )


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["dis", "loss", "ncp"])
def test_index_and_all_pairs_agree(patients, objective):
    """Wide trees, a line and tables, missing ZIP codes."""
    found = k_bound(patients, 4, objective=objective)
    assert found.exact
    assert found.value == pytest.approx(all_pairs(patients, 4, objective=objective).mean(), abs=1e-12)
    found = l_bound(patients, 3, "disease", objective=objective)
    assert found.value == pytest.approx(
        all_pairs(patients, 3, "disease", objective=objective).mean(), abs=1e-12
    )


def test_budget_gives_a_weaker_bound_that_says_so(patients):
    whole = k_bound(patients, 4)
    before = 0.0
    for budget in (0, 30_000, 300_000):
        weaker = k_bound(patients, 4, budget=budget)
        assert not weaker.exact
        assert 0 <= before <= weaker.value < whole.value
        assert f"budget of {budget:,} comparisons" in weaker.explanation
        before = weaker.value
    assert before > 0.5 * whole.value
    assert k_bound(patients, 4, budget=10**9) == whole


class Stop:
    def __init__(self, at):
        self.at, self.phases, self.calls = at, [], []

    def start(self, phase, total):
        self.phases.append((phase, total))

    def update(self, done):
        self.calls.append(done)
        if len(self.calls) > self.at:
            raise CancelledError("stop")


def test_progress_and_cancel(patients):
    watch = Stop(10**9)
    found = l_bound(patients, 3, "disease", progress=watch)
    assert watch.phases == [("lower_bound", 3000)]
    assert watch.calls == sorted(watch.calls)
    assert watch.calls[-1] == 3000
    assert found == l_bound(patients, 3, "disease")
    with pytest.raises(CancelledError):
        k_bound(patients, 4, progress=Stop(0))


@pytest.fixture(scope="module")
def coil():
    frame = pl.read_csv(COIL, separator="\t", has_header=False)
    first, *others = frame.columns
    return sd.read(frame).describe(
        quasi=others, sensitive=[first], hierarchies={name: sd.hierarchy.mask() for name in others}
    )


@needs_coil
def test_coil_counts(coil):
    counts = np.bincount(coil.codes(coil.names("sensitive")[0]).codes)
    assert [max_blocks(counts, l) for l in (2, 4, 8)] == [2911, 1455, 716]  # noqa: E741  # the name in the field
    assert [min_largest_block(counts, l, "entropy") for l in (2, 4, 8)] == [2, 4, 9]  # noqa: E741  # the name in the field


@pytest.mark.slow
@needs_coil
@pytest.mark.parametrize(("k", "bound"), [(2, 0.0497), (4, 0.0900)])
def test_coil_k(coil, k, bound):
    assert round(k_bound(coil, k).value, 4) == bound


@pytest.mark.slow
@needs_coil
@pytest.mark.parametrize(("l", "bound"), [(2, 0.1667), (4, 0.2350), (8, 0.2780)])
def test_coil_l(coil, l, bound):  # noqa: E741  # the name in the field
    assert round(l_bound(coil, l, coil.names("sensitive")[0]).value, 4) == bound


@needs_adult
@pytest.mark.parametrize(
    ("left_out", "bounds"), [([], (0.027646, 0.038609)), (["occupation"], (0.015367, 0.022432))]
)
def test_adult_loss(left_out, bounds):
    frame = pl.read_csv(ADULT / "adult.csv", separator=";").drop(left_out)
    table = sd.read(frame).describe(
        quasi=frame.columns,
        hierarchies={
            name: sd.hierarchy.csv(path=ADULT / f"adult_hierarchy_{name}.csv") for name in frame.columns
        },
    )
    assert [round(k_bound(table, k, objective="loss").value, 6) for k in (5, 10)] == list(bounds)


def test_grounds_serve_both_objectives():
    table = sd.read(sd.hospital(300, seed=2)).describe(
        identifier=["patient_id"], insensitive=["name"], quasi=["birth_date", "sex", "length_of_stay"]
    )
    grounds = Grounds(table)
    for objective in ("loss", "dis"):
        shared = lower_bound(table, [sd.KAnonymity(5)], objective=objective, grounds=grounds)
        alone = lower_bound(table, [sd.KAnonymity(5)], objective=objective)
        assert shared.exact
        assert alone.exact
        assert shared.value == pytest.approx(alone.value, rel=1e-12)
