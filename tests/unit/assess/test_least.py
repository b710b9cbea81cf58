"""What suppression of items must cost at least: bound <= optimum <= what is reached, against exhaustive search."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.twins.baskets import rare_sets, unsafe_adversaries

import sudare as sd
from sudare.assess.baskets.least import inferences_of, least_for_km
from sudare.errors import DescriptionError, ParameterError


def small(seed, personal=False):
    random = np.random.default_rng(seed)
    items = "abcd"[: random.integers(2, 5)]
    baskets: list[list[str]] = []
    while sum(map(len, baskets)) < 9:
        chosen = [item for item in items if random.random() < 0.6]
        baskets.append(chosen[: 9 - sum(map(len, baskets))])
        if len(baskets) == 6:
            break
    sensitive = [
        [item for item in items if random.random() < 0.5] if personal else list(items[:1]) for _ in baskets
    ]
    described = sd.read_baskets(baskets).describe(
        sensitive=sensitive if personal else list(items[:1]), unknown="ignore"
    )
    return baskets, sensitive, described


def fewest(baskets, complies):
    """The fewest entries whose removal makes a list of baskets comply, by trying all."""
    entries = [(place, item) for place, basket in enumerate(baskets) for item in basket]
    for count in range(len(entries) + 1):
        for gone in combinations(entries, count):
            left = [
                {item for item in basket if (place, item) not in gone} for place, basket in enumerate(baskets)
            ]
            if complies(left):
                return count
    raise AssertionError("with nothing left everything complies")


@pytest.mark.parametrize("personal", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_of_rho_uncertainty(seed, personal):
    baskets, sensitive, described = small(seed, personal)
    if not described.entries:
        return
    originals = [set(basket) for basket in baskets]
    for rho in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4)):
        for m in (None, 1):
            least = inferences_of(described, m).least(rho.numerator, rho.denominator)
            best = fewest(
                baskets,
                lambda left, rho=rho, m=m: not unsafe_adversaries(left, originals, sensitive, rho, m),
            )
            assert 0 <= least <= best
            assert (least == 0) == (best == 0)
            release = sd.anonymize(described, sd.RhoUncertainty(str(rho), m=m), seed=1)
            assert best <= described.entries - release.released.entries


@pytest.mark.parametrize("seed", range(12))
def test_of_km_anonymity(seed):
    baskets, _, described = small(seed)
    for k, m in ((2, 1), (2, 2), (3, 2)):
        least = least_for_km(described, sd.KmAnonymity(k, m))
        best = fewest(baskets, lambda left, k=k, m=m: not rare_sets(left, k, m))
        assert 0 <= least <= best
        assert (least == 0) == (best == 0)
        release = sd.anonymize(described, sd.KmAnonymity(k, m), seed=1)
        assert best <= described.entries - release.released.entries


def test_needs_that_are_apart_add_up():
    """Two sensitive items that are always with an item of their own: each must go in half of its baskets."""
    baskets = sd.read_baskets([["a", "x"]] * 10 + [["b", "y"]] * 10).describe(sensitive=["x", "y"])
    assert inferences_of(baskets, None).least(1, 2) == 10


def test_a_study_of_baskets():
    baskets = sd.read_baskets([["a", "x"]] * 10 + [["b", "y"]] * 10 + [["a"]] * 10).describe(
        sensitive=["x", "y"]
    )
    study = sd.assess(baskets, sd.RhoUncertainty(0.4))
    assert study.feasible
    assert not study.verdicts[0].holds
    assert study.least_entries == 2 + 6  # ceil(10 - 0.4 * 20), ceil(10 - 0.4 * 10)
    assert study.least_share == 8 / 50
    assert study.rho_as_it_is == 1.0
    assert study.adversaries[0].known == ("b",)
    asked = next(price for price in study.prices if price.rho == "0.4")
    assert (asked.entries, asked.share) == (8, 0.16)
    assert [price.entries for price in study.prices] == sorted(price.entries for price in study.prices)
    # Within a twentieth of 50 entries: 2 may go, so b -> y may not fall below 8/10.
    assert study.smallest_rho == pytest.approx(0.8)
    assert "at least 8 entries (16%)" in study.advice[0]
    assert "BasketStudy" in repr(study)
    assert "<table>" in study._repr_html_()
    released = sd.anonymize(baskets, sd.RhoUncertainty(0.4), seed=1)
    assert baskets.entries - released.released.entries >= study.least_entries
    assert (
        sd.assess(released.released.describe(sensitive=["x", "y"]), sd.RhoUncertainty(0.4))
        .advice[0]
        .startswith("The req")
    )


def test_a_study_in_japanese():
    baskets = sd.read_baskets([["a", "x"]] * 9 + [["a"]]).describe(sensitive=["x"])
    spoken = sd.assess(baskets, sd.RhoUncertainty(0.5), sd.KmAnonymity(2, 2)).in_language("ja")
    assert all("要素" in sentence or "sudare run" in sentence for sentence in spoken.advice)


def test_wrong_options_are_one_sentence():
    baskets = sd.read_baskets([["a", "x"]]).describe(sensitive=["x"])
    with pytest.raises(ParameterError, match="'objective' is an option for tables"):
        sd.assess(baskets, sd.RhoUncertainty(0.5), objective="dis")  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="most is 2, but it is a share"):
        sd.assess(baskets, sd.RhoUncertainty(0.5), most=2)
    with pytest.raises(ParameterError, match="KAnonymity is a requirement on tables, not on baskets"):
        sd.assess(baskets, sd.KAnonymity(2))
    with pytest.raises(DescriptionError, match="no baskets"):
        sd.assess(sd.read_baskets([]).describe(sensitive=[]), sd.RhoUncertainty(0.5))


def test_sampled_adversaries_have_no_bound():
    baskets = sd.read_baskets([["a", "x"]] * 9 + [["a"]]).describe(sensitive=["x"])
    study = sd.assess(baskets, sd.RhoUncertainty(0.5, m=1, eps=0.2, delta=0.2))
    assert study.least_entries is None
    assert study.least_share is None
    assert "sampled" in study.advice[0]
