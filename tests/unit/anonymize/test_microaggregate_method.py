"""Microaggregation of tables: representatives, strata, requirements beyond k."""

# mypy: disable-error-code="arg-type"
# parameters are given as users write them, also wrong ones

import datetime as dt
import re
from typing import get_args

import numpy as np
import polars as pl
import pytest
import yaml

import sudare as sd
from sudare.anonymize.microaggregate.mhm import Path
from sudare.errors import InfeasibleError, ParameterError
from sudare.verify.verify import verify_release


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


PUBLISHED = [
    {"algorithm": "mdav"},
    {"algorithm": "vmdav"},
    {"algorithm": "vmdav", "gamma": 0.2},
    *({"algorithm": "mhm", "path": path} for path in get_args(Path)),
    {"algorithm": "mhm"},
    {"algorithm": "mhm", "path": "grid", "blocks": 5},
    {"algorithm": "mhm", "path": "flexdice", "c1": 20, "c2": 8},
    {"algorithm": "mhm", "path": "halving", "c1": 5},
]
ONE_COLUMN = [
    {"algorithm": "mil"},
    {"algorithm": "mil", "start": "fixed"},
    {"algorithm": "mil", "start": "mdav"},
    {"algorithm": "mil", "start": "vmdav", "gamma": 0.2},
    {"algorithm": "optimal-1d"},
]


def of_arrays(X, k, algorithm, start=None, gamma=1.0, **options):
    """The function of `sd.microaggregate` that a method with these parameters is."""
    arrays = sd.microaggregate
    first = {
        "mdav": lambda: arrays.mdav(X, k),
        "vmdav": lambda: arrays.vmdav(X, k, gamma),
        "fixed": lambda: None,
        None: lambda: None,
    }
    others = {
        "mhm": lambda: arrays.mhm(X, k, **options),
        "mil": lambda: arrays.mil(X, k, first[start]()),
        "optimal-1d": lambda: arrays.optimal_1d(X, k),
    }
    return (first | others)[algorithm]()


@pytest.mark.parametrize("given", PUBLISHED + ONE_COLUMN, ids=str)
def test_a_published_algorithm_is_applied_as_it_is(given):
    names = ["a"] if given in ONE_COLUMN else ["a", "b"]
    frame = pl.DataFrame(np.exp(np.random.default_rng(3).normal(size=(150, len(names)))), schema=names)
    table = sd.read(frame).describe(quasi=names)
    release = sd.anonymize(table, sd.KAnonymity(4), method=sd.Microaggregate(**given), order="keep")
    labels = of_arrays(sd.microaggregate.standardized(frame.to_numpy()), 4, **given)
    assert release.holds
    expected = frame.with_columns(pl.Series("group", labels)).select(pl.col(names).mean().over("group"))
    assert np.allclose(release.frame.to_numpy(), expected.to_numpy())


@pytest.mark.parametrize("given", PUBLISHED, ids=str)
def test_published_algorithms_meet_requirements_beyond_k_and_strata(given):
    method = sd.Microaggregate(**given, strata=["sex"])
    table = sd.read(people(120)).describe(
        quasi=["age", "weight", "city"], sensitive=["disease"], insensitive=["sex", "size", "born"]
    )
    release = sd.anonymize(table, sd.KAnonymity(3), sd.LDiversity(3), method=method)
    assert release.holds


@pytest.mark.parametrize("given", ONE_COLUMN, ids=str)
def test_one_column_and_requirements_beyond_k(given):
    table = sd.read(people(120)).describe(
        quasi=["born"], sensitive=["disease"], insensitive=["sex", "size", "age", "weight", "city"]
    )
    release = sd.anonymize(table, sd.KAnonymity(3), sd.LDiversity(3), method=sd.Microaggregate(**given))
    assert release.holds


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"algorithm": "mdav", "gamma": 0.5}, "'gamma' is a parameter of the algorithm vmdav | mil"),
        ({"gamma": 0.5}, "'gamma' is a parameter of the algorithm vmdav | mil"),
        ({"algorithm": "vmdav", "path": "grid"}, "'path' is a parameter of the algorithm mhm"),
        ({"algorithm": "mil", "c1": 3}, "'c1' is a parameter of the algorithm mhm"),
        ({"algorithm": "mdav", "effort": "fast"}, "'effort' is a parameter of the algorithm best"),
        ({"algorithm": "mdav", "seconds": 3}, "'seconds' is a parameter of the algorithm best"),
        ({"algorithm": "mhm", "start": "mdav"}, "'start' is a parameter of the algorithm mil"),
        ({"algorithm": "mhm", "c1": 3}, "'c1' is a parameter of the paths flexdice"),
        ({"algorithm": "mhm", "path": "flexdice", "blocks": 3}, "'blocks' is a parameter of the paths grid"),
        ({"algorithm": "mil", "gamma": 0.5}, "'gamma' is a parameter of the start vmdav"),
        ({"algorithm": "vmdav", "gamma": -1}, "greater than or equal to 0"),
        ({"algorithm": "mdva"}, "'mdav'"),
    ],
    ids=str,
)
def test_parameters_of_another_algorithm_are_refused(given, sentence):
    with pytest.raises(ParameterError, match=re.escape(sentence)):
        sd.Microaggregate(**given)


@pytest.mark.parametrize("algorithm", ["mil", "optimal-1d"])
def test_algorithms_of_one_column_refuse_other_columns(algorithm):
    method = sd.Microaggregate(algorithm=algorithm)
    with pytest.raises(ParameterError, match="one numeric quasi-identifier"):
        sd.anonymize(described(people()), sd.KAnonymity(3), method=method)
    rest = {"sensitive": ["disease"], "insensitive": ["sex", "size", "born", "weight"]}
    table = sd.read(people()).describe(
        quasi=["city"], **{**rest, "insensitive": [*rest["insensitive"], "age"]}
    )
    with pytest.raises(ParameterError, match=re.escape("city (nominal)")):
        sd.anonymize(table, sd.KAnonymity(3), method=method)
    missing = people().with_columns(pl.when(pl.col("age") > 5).then(pl.col("age")).alias("age"))
    table = sd.read(missing).describe(
        quasi=["age"], **{**rest, "insensitive": [*rest["insensitive"], "city"]}
    )
    with pytest.raises(ParameterError, match="some are missing"):
        sd.anonymize(table, sd.KAnonymity(3), method=method)


@pytest.mark.parametrize("way", ["recipe", "text"])
def test_a_published_algorithm_is_reached_from_a_recipe_and_leaves_verified(way, tmp_path):
    people(80).write_csv(tmp_path / "people.csv")
    roles = {name: "quasi" if name in {"age", "weight"} else "insensitive" for name in people().columns}
    given = {"type": "microaggregation", "algorithm": "mhm", "path": "flexdice", "c1": 20, "c2": 8}
    recipe = {
        "source": {"path": str(tmp_path / "people.csv")},
        "columns": {name: {"role": role} for name, role in roles.items()},
        "requirements": ["k-anonymity k=3"],
        "method": given if way == "recipe" else "microaggregation algorithm=mhm path=flexdice c1=20 c2=8",
        "output": {"folder": str(tmp_path / "release")},
    }
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    sd.run(tmp_path / "recipe.yaml")
    assert all(finding.holds for finding in verify_release(tmp_path / "release"))
    kept = yaml.safe_load((tmp_path / "release/internal/recipe.yaml").read_text())
    assert {name: kept["method"][0][name] for name in given} == given
