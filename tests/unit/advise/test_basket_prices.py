"""Prices of rho: a stricter rho never has a smaller bound, and no bound is above the optimum."""

import itertools

import numpy as np
import pytest

import sudare as sd

LADDER = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)


def made(seed, users, items=5):
    random = np.random.default_rng(seed)
    rows = [[str(item) for item in range(items) if random.random() < 0.5] for _ in range(users)]
    return [row or ["0"] for row in rows]


def study(rows, rho=0.45, sensitive=("0", "1")):
    baskets = sd.read_baskets(rows).describe(sensitive=list(sensitive))
    return sd.assess(baskets, sd.RhoUncertainty(rho)), baskets


def test_bounds_never_fall_as_rho_falls():
    """Single bounds are of a greedy packing and do fall; what satisfies a smaller rho satisfies a larger one."""
    for seed in range(60):
        found, _ = study(made(seed, 25))
        entries = [one.entries for one in found.prices]
        rhos = [float(one.rho) for one in found.prices]
        assert rhos == sorted(rhos, reverse=True)
        assert entries == sorted(entries)
        of_asked = next(one for one in found.prices if one.rho == "0.45")
        assert found.least_entries == of_asked.entries
        too_much = [float(one.rho) for one in found.prices if one.share > found.most]
        assert found.smallest_rho is not None
        assert all(found.smallest_rho > rho for rho in too_much)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_at_most_the_optimum(seed):
    """Exhaustive search over all releases by suppression of items from single baskets."""
    rows = made(seed, 4, 3)
    found, _ = study(rows, sensitive=("0",))
    entries = [(user, item) for user, row in enumerate(rows) for item in row]
    for price in found.prices:
        requirement = sd.RhoUncertainty(float(price.rho))
        for lost in range(len(entries) + 1):
            if any(_meets(rows, set(gone), requirement) for gone in itertools.combinations(entries, lost)):
                assert price.entries <= lost
                break


def _meets(rows, gone, requirement):
    """Whether every inference of item 0 from any known set is at most rho certain, counted plainly."""
    kept = [{item for item in row if (user, item) not in gone} for user, row in enumerate(rows)]
    others = sorted({item for row in kept for item in row} - {"0"})
    for size in range(len(others) + 1):
        for known in itertools.combinations(others, size):
            having = [row for row in kept if set(known) <= row]
            if known and having and sum("0" in row for row in having) > float(requirement.rho) * len(having):
                return False
    return True


def test_a_larger_rho_is_suggested_only_where_rho_costs_too_much():
    """The rare items must go for k^m-anonymity; nothing that is sensitive can be inferred with more than 0.5."""
    rows = [["news", "shop"]] * 20 + [["news"]] * 20 + [[f"rare {number}", "news"] for number in range(20)]
    baskets = sd.read_baskets(rows).describe(sensitive=["shop"])
    found = sd.assess(baskets, sd.RhoUncertainty(0.5), sd.KmAnonymity(5, 2))
    assert [one.requirement for one in found.costs] == ["rho-uncertainty", "km-anonymity"]
    assert [one.entries for one in found.costs] == [0, 20]
    assert found.least_entries == 20
    told = " ".join(found.advice)
    assert "a larger rho" not in told
    assert "consider a smaller k or m" in told
    assert "rho-uncertainty loses at least 0 entries (0%), km-anonymity loses at least 20 entries" in told
    japanese = " ".join(found.in_language("ja").advice)
    assert "要件ごとに見ると、少なくとも失われる要素は、rho-uncertainty だけなら 0 個" in japanese
    assert found.to_dict()["costs"][1]["entries"] == 20
    both = sd.assess(baskets, sd.RhoUncertainty(0.1), sd.KmAnonymity(5, 2))
    assert "consider a larger rho" in " ".join(both.advice)
    alone = sd.assess(baskets, sd.KmAnonymity(5, 2))
    assert "By itself" not in " ".join(alone.advice)
