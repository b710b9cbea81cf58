"""`sd.assess` with Pk-anonymity: what noise k needs on a table, and what may stay exact."""

# mypy: disable-error-code="arg-type, union-attr"
# parameters are given as users write them

import polars as pl
import pytest

import sudare as sd
from sudare.advise.advise import advise
from sudare.errors import GuaranteeError, ParameterError


def table(**more):
    rows = 40
    frame = pl.DataFrame(
        {
            "age": [row % 20 for row in range(rows)],
            "sex": ["F" if row % 4 else "M" for row in range(rows)],
            "disease": ["flu", "gout"] * (rows // 2),
            **more,
        }
    )
    return sd.read(frame).describe(quasi=["age", "sex"], sensitive=["disease"])


def test_the_noise_is_that_of_the_release():
    people = table()
    found = sd.assess(people, sd.PkAnonymity(3))
    assert found.feasible
    assert found.suited
    assert found.noise.asked.rate == pytest.approx(2 / 39)
    assert found.noise.asked.records == 40
    release = sd.anonymize(people, sd.PkAnonymity(3), method=sd.Randomize(ranges={"age": (0, 100)}), seed=1)
    for need in found.noise.asked.columns:
        mechanism = release.table.column(need.column).mechanism
        assert need.rate == pytest.approx(mechanism.rate(), rel=1e-9)
        assert need.epsilon == pytest.approx(mechanism.epsilon(), rel=1e-9)
    scale = release.table.column("age").mechanism.scale / 100
    assert found.noise.asked.columns[0].strength == f"scale {scale:.3g} of its range"
    keep = release.table.column("sex").mechanism.keep
    assert found.noise.asked.columns[1].strength == f"{keep:.1%} kept, else any of 2 values"
    assert found.noise.asked.epsilon == pytest.approx(release.risk_after.linking.epsilon)
    assert any("needs rates whose product is 0.05128" in sentence for sentence in found.advice)


def test_what_each_exact_column_leaves():
    ways = {way.exact: way for way in sd.assess(table(), sd.PkAnonymity(3)).noise.if_exact}
    assert set(ways) == {("age",), ("sex",), ("disease",)}
    assert (ways["age",].feasible, ways["age",].records, ways["age",].rate) == (False, 2, None)
    assert ways["sex",].records == 10
    assert ways["sex",].rate == pytest.approx(2 / 9)
    assert [need.column for need in ways["sex",].columns] == ["age", "disease"]
    advice = " ".join(sd.assess(table(), sd.PkAnonymity(3)).advice)
    assert "Could stay exact, if one must, with other noise on the others: sex, disease." in advice
    assert "Must be randomized (or generalized first): age (2)" in advice


def test_columns_that_must_stay_exact():
    found = sd.assess(table(), sd.PkAnonymity(3), exact=["sex"], weights={"age": 2})
    assert found.noise.asked.exact == ("sex",)
    age, disease = found.noise.asked.columns
    assert age.rate == pytest.approx(disease.rate**2)
    assert [way.exact for way in found.noise.if_exact] == [("sex", "age"), ("sex", "disease")]
    none = sd.assess(table(), sd.PkAnonymity(3), exact=["age"])
    assert not none.feasible
    assert "age released exactly leave 2 records in the smallest group, and k = 3 is asked" in none.advice[0]
    with pytest.raises(
        ParameterError, match="'exact' lists 'city', which is not a quasi-identifier or sensitive column"
    ):
        sd.assess(table(), sd.PkAnonymity(3), exact=["city"])


def test_more_than_there_are():
    found = sd.assess(table(), sd.PkAnonymity(41))
    assert not found.feasible
    assert not found.suited
    assert found.advice == (
        "No release can comply: pk-anonymity k=41 is asked of a table of 40 rows; ask for 40 at most, or collect more rows.",
    )
    most = sd.assess(table(), sd.PkAnonymity(40))
    assert most.feasible
    assert [need.mechanism for need in most.noise.asked.columns] == ["uniform", "retention", "retention"]
    assert most.noise.asked.epsilon == 0


def test_missing_cells_and_single_values():
    people = table(disease=["flu"] * 40, age=[None, *range(39)])
    age, _, disease = sd.assess(people, sd.PkAnonymity(3)).noise.asked.columns
    assert "missing exchanged with" in age.strength
    assert disease.strength == "a single value: nothing to hide"


def test_other_requirements_know_no_noise():
    assert sd.assess(table(), sd.KAnonymity(2)).noise is None
    assert sd.assess(table(), sd.KAnonymity(2)).to_dict()["noise"] is None
    both = advise(table(), [sd.KAnonymity(2), sd.PkAnonymity(3)])
    assert both.lower_bound is not None
    assert both.to_dict()["noise"]["k"] == 3


def test_the_hint_is_to_randomize():
    with pytest.raises(GuaranteeError) as told:
        sd.anonymize(table(), sd.PkAnonymity(3), method="shuffling")
    assert "method 'randomization', which finds the noise by itself (age laplace, scale" in str(told.value)
    assert "mondrian" not in str(told.value)
    with pytest.raises(GuaranteeError, match="mondrian"):
        sd.anonymize(table(), sd.KAnonymity(30), method="shuffling")


def test_randomize_is_the_method_when_none_is_named():
    with pytest.raises(ParameterError, match="no range for 'age'"):
        sd.anonymize(table(), sd.PkAnonymity(3))
    people = table().describe(insensitive=["age"])
    assert sd.anonymize(people, sd.PkAnonymity(3), seed=1).verdicts[0].reached == pytest.approx(3)


def test_what_run_will_refuse_is_said_before():
    people = table(age=[None, *range(39)])
    method = sd.Randomize()
    found = sd.assess(people, sd.PkAnonymity(3), **method.noise_options(people))
    ranges, values, gaps = found.warnings[-3:]
    assert "`sudare run` will ask for the range of age" in ranges
    assert "The list of values of sex, disease will be read off the data" in values
    assert "`sudare run` will stop at the missing cells of age" in gaps
    shown = " ".join(str(line) for line in found.blocks("en"))
    assert "finds this noise by itself." in shown
    assert "once the method 'randomization' has what it asks for above" in shown
    ready = sd.Randomize(ranges={"age": (0, 100)}, missing="category").noise_options(people)
    assert not any("sudare run" in one for one in sd.assess(people, sd.PkAnonymity(3), **ready).warnings)
    dropping = people.describe(missing={"age": "drop"})
    told = sd.assess(
        dropping, sd.PkAnonymity(3), **sd.Randomize(ranges={"age": (0, 100)}).noise_options(dropping)
    )
    assert not any("sudare run" in one for one in told.warnings)


def test_values_that_are_told_are_not_read_off_the_data():
    people = table()
    listed = {"sex": ("F", "M", "X")}
    method = sd.Randomize(
        values=listed, mechanisms={"disease": {"type": "retention", "values": ["flu", "cold"]}}
    )
    assert method.noise_options(people)["unlisted"] == []
    assert sd.Randomize(values=listed).noise_options(people)["unlisted"] == ["disease"]
    assert sd.Randomize(exact=("disease",)).noise_options(people)["unlisted"] == ["sex"]
