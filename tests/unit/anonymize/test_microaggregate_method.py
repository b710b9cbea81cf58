"""Microaggregation of tables: representatives, strata, requirements beyond k."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.errors import InfeasibleError, ParameterError


def people(rows: int = 60, seed: int = 0):
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": random.integers(0, 90, rows),
            "weight": random.normal(60, 10, rows),
            "born": [
                dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in random.integers(0, 20_000, rows)
            ],
            "city": random.choice(["Kyoto", "Oslo", "Lima"], rows),
            "size": pl.Series(random.choice(["S", "M", "L"], rows), dtype=pl.Enum(["S", "M", "L"])),
            "sex": random.choice(["F", "M"], rows),
            "disease": random.choice(["flu", "gout", "asthma", "ulcer"], rows),
        }
    )


QUASI = ["age", "weight", "born", "city", "size"]


def described(frame, **more):
    return sd.read(frame).describe(quasi=QUASI, sensitive=["disease"], insensitive=["sex"], **more)


def test_representatives_are_mean_median_and_mode():
    frame = people(40)
    release = sd.anonymize(
        described(frame), sd.KAnonymity(4), method=sd.Microaggregate(effort="fast"), order="keep"
    )
    out = release.frame
    assert out.schema == frame.schema
    for number in range(release.groups.max() + 1):
        rows = release.groups == number
        group, shown = frame.filter(rows), out.filter(rows)
        assert shown.select(QUASI).n_unique() == 1
        assert len(group) >= 4
        # A block may hold several groups of equal centroid; means then still agree to a unit.
        assert abs(shown["age"][0] - group["age"].mean()) <= 0.5 + 1e-9
        assert shown["city"][0] in group["city"].mode().to_list()


def test_strata_are_never_mixed():
    frame = people(80)
    table = sd.read(frame).describe(quasi=["age", "weight", "sex"], insensitive=["city", "size", "born"])
    release = sd.anonymize(
        table, sd.KAnonymity(3), method=sd.Microaggregate(strata=("sex",), effort="fast"), order="keep"
    )
    assert release.frame["sex"].equals(frame["sex"])
    with pytest.raises(InfeasibleError, match="stratum"):
        sd.anonymize(
            table, sd.KAnonymity(41), method=sd.Microaggregate(strata=("sex",), effort="fast"), order="keep"
        )


@pytest.mark.parametrize(
    "requirement",
    [
        sd.LDiversity(3),
        sd.LDiversity(2.5, kind="entropy"),
        sd.LDiversity(2, kind="recursive", c=2.0),
        sd.TCloseness(0.35),
    ],
)
def test_requirements_beyond_k_hold(requirement):
    release = sd.anonymize(
        described(people(90)), sd.KAnonymity(3), requirement, method=sd.Microaggregate(effort="fast")
    )
    assert release.holds
    assert requirement.check(release).holds


def test_missing_values_and_constant_columns():
    frame = people(30).with_columns(
        pl.when(pl.int_range(30) % 7 == 0).then(None).otherwise(pl.col("age")).alias("age"),
        pl.lit(1.0).alias("weight"),
    )
    release = sd.anonymize(
        described(frame), sd.KAnonymity(3), method=sd.Microaggregate(effort="fast"), order="keep"
    )
    assert release.holds
    assert (release.frame["weight"] == 1.0).all()


def test_finer_groups_than_mondrian_for_numbers():
    random = np.random.default_rng(0)
    table = sd.read(pl.DataFrame(random.normal(size=(300, 4)), schema=list("abcd"))).describe(
        quasi=list("abcd")
    )
    ours = sd.anonymize(table, sd.KAnonymity(5), method=sd.Microaggregate(effort="fast"), order="keep")
    other = sd.anonymize(table, sd.KAnonymity(5), method=sd.Mondrian())
    assert ours.losses["sse_ratio"] < other.losses["sse_ratio"]


def test_wrong_weights_are_one_sentence():
    with pytest.raises(ParameterError, match="nobody"):
        sd.anonymize(described(people()), sd.KAnonymity(3), method=sd.Microaggregate(weights={"nobody": 1}))


@pytest.mark.slow
def test_a_certificate_says_how_far_the_optimum_can_be():
    random = np.random.default_rng(0)
    frame = pl.DataFrame({"a": random.normal(size=60), "b": random.normal(size=60)})
    table = sd.read(frame).describe(quasi=["a", "b"])
    release = sd.anonymize(table, sd.KAnonymity(3), method=sd.Microaggregate(certificate=5))
    assert "% of the least possible" in release.notes[0]
    assert "least possible" not in sd.anonymize(table, sd.KAnonymity(3), method=sd.Microaggregate()).notes[0]
