"""Studies that between them say every sentence of the advisor: possible, impossible, poorly suited, noise, odd tables."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.advise import advise as advisor
from sudare.advise import bounds as bounding
from sudare.assess.noise import way_out
from sudare.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ENTROPY = sd.LDiversity(3, kind="entropy")
RARE = ["patient_id", "name", "zip", "nationality", "admission", "length_of_stay", "cost"]


def with_counts(counts, columns=1):
    """Random quasi-identifiers and sensitive values with these counts."""
    random = np.random.default_rng(sum(counts))
    rows = sum(counts)
    data = {f"q{place}": random.integers(0, 10, rows) for place in range(columns)}
    data["s"] = random.permutation(np.repeat([f"v{place}" for place in range(len(counts))], counts))
    return sd.read(pl.DataFrame(data)).describe(
        quasi=[f"q{place}" for place in range(columns)], sensitive=["s"]
    )


def told_by_place(rows=240):
    """The ZIP code tells the disease: k-anonymity is nearly free, diversity is not."""
    place = np.arange(rows) % 12
    disease = pl.Series(place // 2).cast(pl.String)
    frame = pl.DataFrame(
        {"zip": pl.Series(place * 7 + 10).cast(pl.String), "age": place * 3 % 5 + 40, "s": disease}
    )
    return sd.read(frame).describe(
        quasi=["zip", "age"], sensitive=["s"], hierarchies={"zip": sd.hierarchy.mask()}
    )


def visits(rows=60, *others):
    """Every patient has four rows."""
    people = [f"P{row // 4:04}" for row in range(rows)]
    frame = pl.DataFrame(
        {"patient_id": people, **dict.fromkeys(others, people), "age": [row % 30 for row in range(rows)]}
    )
    return sd.read(frame).describe(identifier=["patient_id", *others], quasi=["age"])


def patients(rows=400):
    return sd.read(sd.hospital(rows)).describe(
        quasi=["birth_date", "sex"], sensitive=["disease"], insensitive=RARE
    )


def far_apart(rows=100):
    """Three rows are far from all the others."""
    random = np.random.default_rng(1)
    ages = random.integers(0, 10, rows)
    ages[:3] = 1000, -1000, 3000
    frame = pl.DataFrame({"a": ages, "b": random.integers(0, 5, rows), "s": random.integers(0, 6, rows)})
    return sd.read(frame).describe(quasi=["a", "b"], sensitive=["s"])


def with_gaps():
    """Missing cells, a column of a single value, a sensitive value that is mostly missing."""
    frame = pl.DataFrame({"a": [1, None, 3, 4] * 10, "b": ["x"] * 40, "s": [None, None, None, "y"] * 10})
    return sd.read(frame).describe(quasi=["a", "b"], sensitive=["s"])


def randomized(asked, **options):
    method = sd.Randomize(ranges={"birth_date": ("1900-01-01", "2026-01-01")}, **options)
    return sd.anonymize(patients(), asked, seed=1, method=method).table


def seen_gaps():
    method = sd.Randomize(ranges={"a": (0, 10)}, missing="keep")
    return sd.anonymize(with_gaps(), sd.PkAnonymity(1.5), seed=1, method=method).table


def alone():
    return sd.read(pl.DataFrame({"s": [1, 2, 1, 2]})).describe(sensitive=["s"])


def wide():
    frame = pl.DataFrame({f"c{i}": [j % (i + 2) for j in range(40)] for i in range(6)})
    return sd.read(frame).describe(quasi=frame.columns)


def sampled():
    with _changed(advisor, LARGEST_ROWS=100, LARGEST_CELLS=100):
        return sd.assess(told_by_place(), ENTROPY)


def of_a_large_k():
    with _changed(bounding, LARGEST_K=5):
        return sd.assess(told_by_place(), sd.KAnonymity(7))


@contextmanager
def _changed(module: ModuleType, **values: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setattr(module, name, value)
        yield


def described(lists, *sensitive):
    """Baskets in which the same items are sensitive for everybody."""
    return sd.read_baskets(lists).describe(sensitive=sensitive)


_BASKETS = [["x", "y"], ["x", "y"], ["x", "y"], ["x"]]
_MORE_BASKETS = [*_BASKETS, ["z"], ["z", "y"], ["z"]]

VERDICTS_ON_BASKETS = {
    "k^m without items": lambda: sd.KmAnonymity(2, 2).check(sd.read_baskets([[], []])),
    "k^m in one basket": lambda: sd.KmAnonymity(1, 2).check(sd.read_baskets([*_BASKETS, ["z"]])),
    "k^m in several": lambda: sd.KmAnonymity(2, 2).check(sd.read_baskets(_BASKETS)),
    "k^m broken by one set": lambda: sd.KmAnonymity(2, 1).check(sd.read_baskets([*_BASKETS, ["z"]])),
    "k^m broken by several": lambda: sd.KmAnonymity(4, 2).check(sd.read_baskets(_BASKETS)),
    "rho without items": lambda: sd.RhoUncertainty(0.5).check(described([[], []])),
    "rho without inferences": lambda: sd.RhoUncertainty(0.5).check(described([["x"], ["y"]], "y")),
    "rho of one inference": lambda: sd.RhoUncertainty(0.9).check(described(_BASKETS, "y")),
    "rho of several": lambda: sd.RhoUncertainty("9/10").check(described(_MORE_BASKETS, "y")),
    "rho broken by one inference": lambda: sd.RhoUncertainty(0.5).check(described(_BASKETS, "y")),
    "rho broken by several": lambda: sd.RhoUncertainty(0.1).check(described(_MORE_BASKETS, "y")),
    "rho of a sample": lambda: sd.RhoUncertainty(0.5, m=2, eps=0.1, delta=0.1).check(
        described(_BASKETS, "y"), random=Randomness(1)
    ),
}
"""Verdicts that between them say every sentence about baskets."""

WAYS_OUT = {
    "blocks": lambda: way_out(sd.KAnonymity(2), with_counts((1, 1))),
    "too few records": lambda: way_out(sd.PkAnonymity(20), with_counts((5, 5))),
    "noise": lambda: way_out(sd.PkAnonymity(2), with_counts((5, 5))),
}
"""What to do where a release does not comply."""


CASES = {
    "suited": lambda: sd.assess(with_counts((30, 30, 30), 2), ENTROPY, threshold=5),
    "not known": lambda: sd.assess(with_counts((30, 30, 30), 2), ENTROPY),
    "poorly suited": lambda: sd.assess(with_counts((30, 30, 30), 2), ENTROPY, threshold=0.1),
    "a bound of nothing": lambda: sd.assess(told_by_place(), ENTROPY),
    "three requirements": lambda: sd.assess(
        told_by_place(), sd.KAnonymity(3), sd.LDiversity(4), sd.TCloseness(0.5), objective="loss"
    ),
    "a lower level suits": lambda: sd.assess(with_counts((30, 30, 30), 2), ENTROPY, threshold=1.0),
    "rows that cost": lambda: sd.assess(far_apart(), ENTROPY, threshold=0.01),
    "infeasible": lambda: sd.assess(with_counts((90, 12, 10, 8, 7), 2), sd.KAnonymity(3), ENTROPY),
    "rows to leave out": lambda: sd.assess(
        with_counts((40, 20, 20, 18), 2), sd.LDiversity(3.9, kind="entropy")
    ),
    "many values too frequent": lambda: sd.assess(
        with_counts((40, 40, 40, 40, 40, 10, 10, 10, 10), 2), sd.LDiversity(8, kind="entropy")
    ),
    "harmless values": lambda: sd.assess(
        with_counts((40, 20, 20), 1).describe(insensitive=["q0"]),
        sd.LDiversity(2, exempt={"s": ("v0", None)}),
    ),
    "too few values in one column": lambda: sd.assess(
        sd.read(
            pl.DataFrame({"q": list(range(30)), "s": ["v", "w"] * 15, "disease": ["a", "b", "c"] * 10})
        ).describe(quasi=["q"], sensitive=["s", "disease"]),
        sd.LDiversity(3),
    ),
    "too few values": lambda: sd.assess(with_counts((5, 5)), sd.LDiversity(3)),
    "recursive": lambda: sd.assess(with_counts((90, 5, 5)), sd.LDiversity(2, kind="recursive", c=1.5)),
    "more than all rows": lambda: sd.assess(with_counts((90, 5, 5)), sd.KAnonymity(301)),
    "closeness": lambda: sd.assess(
        with_counts((9, 5, 5)).describe(kinds={"s": "ordinal"}),
        sd.TCloseness(0.5),
        sd.TCloseness(0.9, distance="ordered"),
    ),
    "nothing asked": lambda: sd.assess(with_counts((9, 5, 5))),
    "no rows": lambda: sd.assess(
        with_counts((9, 5, 5)).take(np.empty(0, dtype=np.int64)), sd.KAnonymity(2), sd.PkAnonymity(2)
    ),
    "no quasi-identifier": lambda: sd.assess(alone(), sd.KAnonymity(3), sd.LDiversity(2), sd.LDiversity(3)),
    "people with several rows": lambda: sd.assess(visits(), sd.KAnonymity(3)),
    "households with several rows": lambda: sd.assess(visits(60, "household_id"), sd.KAnonymity(3)),
    "households with several rows and nothing known of them": lambda: sd.assess(
        visits(60, "household_id").describe(insensitive=["age"]), sd.KAnonymity(3)
    ),
    "people with several rows and nothing known of them": lambda: sd.assess(
        visits().describe(insensitive=["age"]), sd.KAnonymity(3)
    ),
    "many columns": lambda: sd.assess(wide(), sd.KAnonymity(3)),
    "gaps": lambda: sd.assess(with_gaps(), sd.KAnonymity(5), sd.LDiversity(2, kind="entropy")),
    "noise": lambda: sd.assess(patients(), sd.PkAnonymity(5)),
    "noise with an exact column": lambda: sd.assess(patients(), sd.PkAnonymity(5), exact=["sex"]),
    "noise with all exact": lambda: sd.assess(
        patients(), sd.PkAnonymity(1.5), exact=["sex", "birth_date", "disease"]
    ),
    "no noise is enough": lambda: sd.assess(patients(), sd.PkAnonymity(5), exact=["birth_date", "sex"]),
    "noise that leaves nothing": lambda: sd.assess(patients(), sd.PkAnonymity(400)),
    "noise for more than there are": lambda: sd.assess(patients(), sd.PkAnonymity(401)),
    "little noise": lambda: sd.assess(
        sd.read(pl.DataFrame({"a": ["x", "y"] * 2_000, "b": ["u", "u", "v", "v"] * 1_000})).describe(
            quasi=["a", "b"]
        ),
        sd.PkAnonymity(2),
    ),
    "noise and gaps": lambda: sd.assess(with_gaps(), sd.PkAnonymity(5)),
    "noise that the method refuses": lambda: sd.assess(
        with_gaps(), sd.PkAnonymity(5), **sd.Randomize().noise_options(with_gaps())
    ),
    "missing cells are seen": lambda: sd.assess(seen_gaps(), sd.PkAnonymity(2)),
    "few are left for noise": lambda: sd.assess(with_gaps(), sd.PkAnonymity(11), exact=["a"]),
    "few are left": lambda: sd.assess(with_gaps(), sd.PkAnonymity(11)),
    "one column, exact or not": lambda: sd.assess(
        sd.read(pl.DataFrame({"s": ["x", "y"] * 10})).describe(sensitive=["s"]), sd.PkAnonymity(5)
    ),
    "randomized": lambda: sd.assess(randomized(sd.PkAnonymity(5)), sd.PkAnonymity(5)),
    "not enough": lambda: sd.assess(randomized(sd.PkAnonymity(5)), sd.PkAnonymity(9)),
    "randomized but for one": lambda: sd.assess(
        randomized(sd.PkAnonymity(5), exact=["sex"]), sd.PkAnonymity(5)
    ),
    "budget": lambda: advisor.advise(told_by_place(), (ENTROPY,), budget=100),
    "sample": sampled,
    "large k": of_a_large_k,
}
