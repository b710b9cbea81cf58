"""Models and methods of baskets beside their plain twins, on odd baskets."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins.baskets import rare_sets, unsafe_adversaries

import sudare as sd
from sudare.verify.baskets.sets import verify_baskets

ITEMS = ["a", "b", "ü", "薬", "e", "f"]
baskets_of = st.lists(st.lists(st.sampled_from(ITEMS), max_size=5), min_size=1, max_size=12)
rhos = st.sampled_from(["0", "1/3", "0.5", "2/3", "1"])
limits = st.sampled_from([None, 1, 2, 3])


@st.composite
def described(draw):
    lists = draw(baskets_of)
    sets = [set(each) for each in lists]
    if draw(st.booleans()):
        common = draw(st.sets(st.sampled_from(ITEMS)))
        return (
            lists,
            sets,
            [common] * len(lists),
            sd.read_baskets(lists).describe(sensitive=list(common), unknown="ignore"),
        )
    each = [draw(st.sets(st.sampled_from(ITEMS))) for _ in lists]
    return lists, sets, each, sd.read_baskets(lists).describe(sensitive=each, unknown="ignore")


@settings(max_examples=150, deadline=None)
@given(described(), rhos, limits, st.randoms(use_true_random=False))
def test_rho_uncertainty_is_its_definition(given_, rho, most, random):
    """On any part of the original: kernel, verifier and twin agree on who is in danger."""
    _, sets, sensitive, baskets = given_
    part = [{item for item in each if random.random() < 0.8} for each in sets]
    released = sd.read_baskets([sorted(each) for each in part])
    expected = unsafe_adversaries(part, sets, sensitive, Fraction(rho), most)
    verdict = sd.RhoUncertainty(rho, m=most).check(released, baskets)
    assert verdict.holds == (not expected)
    assert set(verdict.violating_rows.tolist()) == {user for user, _, _ in expected}
    finding = verify_baskets(released, baskets, [{"type": "rho-uncertainty", "rho": rho, "m": most}])[0]
    assert finding.holds == (not expected)
    assert finding.violating_rows == len({user for user, _, _ in expected})
    for one in verdict.worst:
        known = frozenset(one.known)
        assert known <= sets[one.user]
        assert one.inferred in sensitive[one.user] - known
        assert one.support == sum(known <= each for each in part)
        assert one.joint == sum(known | {one.inferred} <= each for each in part)
    assert [one.confidence for one in verdict.worst] == sorted(
        (one.confidence for one in verdict.worst), reverse=True
    )


@settings(max_examples=80, deadline=None)
@given(described(), rhos, limits, st.sampled_from(["default", "paper"]), st.integers(0, 99))
def test_suppression_is_safe_and_only_takes_away(given_, rho, most, strategy, seed):
    _, sets, sensitive, baskets = given_
    before = baskets.lists()
    release = sd.anonymize(
        baskets,
        sd.RhoUncertainty(rho, m=most),
        method=sd.SuppressItems(strategy),
        measures=["util1"],
        order="keep",
        seed=seed,
    )
    assert not unsafe_adversaries(release.baskets, sets, sensitive, Fraction(rho), most)
    assert all(after <= own for after, own in zip(release.baskets, sets, strict=True))
    assert baskets.lists() == before
    if not unsafe_adversaries(sets, sets, sensitive, Fraction(rho), most):
        assert release.baskets == sets  # nothing is suppressed without need


@settings(max_examples=80, deadline=None)
@given(baskets_of, st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_km_anonymity_is_its_definition_and_can_be_reached(lists, k, m, seed):
    sets = [set(each) for each in lists]
    baskets = sd.read_baskets(lists)
    rare = rare_sets(sets, k, m)
    verdict = sd.KmAnonymity(k, m).check(baskets)
    assert verdict.holds == (not rare)
    assert set(verdict.violating_rows.tolist()) == {
        row for row, own in enumerate(sets) if any(each <= own for each in rare)
    }
    assert verify_baskets(baskets, None, [{"type": "km-anonymity", "k": k, "m": m}])[0].holds == (not rare)
    release = sd.anonymize(baskets, sd.KmAnonymity(k, m), measures=["util1"], order="keep", seed=seed)
    assert not rare_sets(release.baskets, k, m)
    assert rare or release.baskets == sets
