"""Every grouping method in parts: with the domain of the whole a part is coded, generalized and judged as the whole is."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.anonymize.catalogue import METHODS
from sudare.anonymize.protocol import Context
from sudare.measure.pair import Pair
from sudare.randomness import Randomness

ROWS = 180
ADDITIVE = ("loss", "dis", "gcp")
"""Measures that are means over rows and columns."""
METHOD: dict[str, dict[str, Any]] = {
    "generalization": {"effort": "fast"},
    "mindis": {"effort": "fast"},
    "diverdis": {"effort": "fast"},
    "full-domain": {},
    "mondrian": {},
    "microaggregation": {"effort": "fast"},
    "record-suppression": {"limit": 1.0},
    "remove-identifiers": {},
    "pseudonyms": {"columns": ["name"]},
    "coarsening": {"levels": {"zip": 1, "age": 1}},
    "value-capping": {"column": "disease", "most": 9},
    "top-bottom-coding": {"column": "cost", "bottom": 10, "top": 100},
    "rounding": {"columns": ["cost"], "base": 10},
    "sampling": {"share": 0.5},
    "shuffling": {},
    "rank-swapping": {"columns": ["cost"], "window": 0.3},
    "data-swapping": {"columns": ["cost"], "share": 1.0},
    "randomization": {
        "columns": ["cost"],
        "mechanisms": {"cost": {"type": "laplace", "scale": 50, "low": 0, "high": 1000}},
        "missing": "keep",
    },
}


def whole():
    """Values that some parts lack: numbers, a nominal column without hierarchy, masks, intervals, missing cells."""
    random = np.random.default_rng(4)
    part = np.arange(ROWS) // 60
    frame = pl.DataFrame(
        {
            "name": [f"person {row}" for row in range(ROWS)],
            "age": [
                None if row % 41 == 0 else int(20 + 15 * part[row] + random.integers(12))
                for row in range(ROWS)
            ],
            "income": (1000 * (1 + part) + random.integers(0, 900, ROWS)).tolist(),
            "city": [
                ["Oslo", "Rome", "Bern", "Kyoto"][part[row] + random.integers(2)] for row in range(ROWS)
            ],
            "zip": [f"{part[row] + 1}{random.integers(3)}{random.integers(10)}" for row in range(ROWS)],
            "disease": [["flu", "gout", "胃炎", None][min(int(random.integers(5)), 3)] for _ in range(ROWS)],
            "cost": random.integers(0, 900, ROWS).astype(float).tolist(),
        }
    )
    return sd.read(frame).describe(
        identifier=["name"],
        quasi=["age", "income", "city", "zip"],
        sensitive=["disease"],
        insensitive=["cost"],
        hierarchies={"zip": sd.hierarchy.mask(), "age": sd.hierarchy.intervals(width=5)},
    )


def parts_of(table):
    return [table.take(np.arange(start, start + 60, dtype=np.int64)) for start in (0, 60, 120)]


def asked_of(name):
    return (sd.KAnonymity(1),) if name == "record-suppression" else (sd.KAnonymity(3), sd.LDiversity(2))


@pytest.mark.parametrize("name", list(METHODS))
def test_parts_have_the_labels_of_the_whole_and_their_losses_add_up(name):
    table = whole().fixed()
    outcomes = []
    for part in parts_of(table):
        outcome = METHODS[name](**METHOD[name]).apply(part, Context(asked_of(name), Randomness(1)))
        outcomes.append((part, outcome))
        for column in ("age", "zip"):
            tree, released = table.hierarchy(column), outcome.table.frame[column]
            assert tree is not None
            if released.dtype == pl.String and name != "microaggregation":
                assert tree.is_label(released.drop_nulls().unique()).all()
    joined = pl.concat([outcome.table.frame.cast(pl.String) for _, outcome in outcomes])
    rows = np.concatenate(
        [np.asarray(outcome.rows) + 60 * place for place, (_, outcome) in enumerate(outcomes)]
    )
    together = Pair(table, table.recoded(joined), rows)
    for measure in ADDITIVE:
        compute = getattr(sd.measure, measure)
        apart = [
            compute(part, Pair(part, part.recoded(outcome.table.frame.cast(pl.String)), outcome.rows))
            for part, outcome in outcomes
        ]
        assert np.mean(apart) == pytest.approx(compute(table, together), abs=1e-12)


def test_codes_values_and_hierarchies_are_those_of_the_whole():
    table = whole()
    fixed = table.fixed()
    for part in parts_of(fixed):
        assert part.domain is fixed.domain
        for name in ("age", "income", "city", "zip", "disease"):
            assert part.codes(name).values.equals(table.codes(name).values)
            assert part.codes(name).missing == table.codes(name).missing
            assert part.hierarchy(name) is fixed.domain.columns[name].hierarchy
            assert part.codes(name).decode(part.codes(name).codes).equals(part.frame[name])
        assert part.extent("income") == table.extent("income")
        assert part.shares("disease").tolist() == table.shares("disease").tolist()


def test_without_a_fixed_domain_a_part_is_its_own_whole():
    table = whole()
    part = parts_of(table)[0]
    assert part.domain is None
    assert part.codes("city").count < table.codes("city").count


def test_closeness_of_a_part_is_judged_against_the_whole():
    """Each part has one disease: close to itself, and far from everybody."""
    frame = pl.DataFrame({"city": ["Oslo"] * 10 + ["Rome"] * 10, "disease": ["flu"] * 10 + ["gout"] * 10})
    table = sd.read(frame).describe(quasi=["city"], sensitive=["disease"])
    rows = np.arange(10, dtype=np.int64)
    assert sd.TCloseness(0.25).check(table.take(rows)).reached == 0.0
    assert sd.TCloseness(0.25).check(table.fixed().take(rows)).reached == pytest.approx(0.5)
    tree = sd.hierarchy.tree({"acute": ["flu"], "chronic": ["gout"]})
    described = table.describe(hierarchies={"disease": tree}).fixed().take(rows)
    assert sd.TCloseness(0.25, distance="hierarchical").check(described).reached == pytest.approx(0.5)


def test_values_that_were_replaced_are_no_longer_those_of_the_domain():
    table = whole().fixed()
    changed = table.with_values(table.frame["income"] // 1000)
    assert changed.domain is not None
    assert "income" not in changed.domain.columns
    assert "city" in changed.domain.columns
    assert changed.codes("income").values.to_list() == [1, 2, 3]
    assert table.describe(quasi=["cost"]).domain is None
