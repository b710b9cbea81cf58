"""The made-up hospital table: repeatable, any size, dependent where hospitals are, covered by its hierarchies."""

from __future__ import annotations

import copy

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sudare.errors import ParameterError
from sudare.read.examples.hospital import hospital, hospital_columns

AGE = (
    pl.col("admission").dt.year()
    - pl.col("birth_date").dt.year()
    - (pl.col("admission").dt.strftime("%m%d") < pl.col("birth_date").dt.strftime("%m%d")).cast(pl.Int32)
).alias("age")


@pytest.fixture(scope="module")
def stays():
    return hospital(100_000, seed=5).with_columns(AGE)


def leaves(tree):
    if isinstance(tree, dict):
        return [leaf for below in tree.values() for leaf in leaves(below)]
    return list(tree)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("rows", [0, 1, 10])
def test_any_number_of_rows(rows, language):
    frame = hospital(rows, language=language)
    assert frame.height == rows
    assert frame.columns == list(hospital_columns(language))
    assert frame.dtypes == hospital(50, language=language).dtypes


def test_same_seed_same_table():
    assert_frame_equal(hospital(1000, seed=7), hospital(1000, seed=7))
    assert not hospital(1000, seed=7).equals(hospital(1000, seed=8))


def test_types(stays):
    texts = ("patient_id", "name", "sex", "zip", "nationality", "disease")
    assert all(stays.schema[name] == pl.String for name in texts)
    assert stays.schema["birth_date"] == stays.schema["admission"] == pl.Date
    assert stays.schema["length_of_stay"] == stays.schema["cost"] == pl.Int64


def test_leading_zeros_stay_text(stays):
    zips = stays["zip"].drop_nulls()
    assert zips.str.contains(r"^\d{5}$").all()
    assert 0.5 < zips.str.starts_with("0").mean() < 1
    assert hospital(1000, language="ja")["郵便番号"].drop_nulls().str.contains(r"^\d{3}-\d{4}$").all()


def test_patients_are_different(stays):
    assert stays["patient_id"].n_unique() == stays.height


def test_missing_values(stays):
    assert stays["zip"].null_count() / stays.height == pytest.approx(0.01, abs=0.003)
    assert stays["nationality"].null_count() / stays.height == pytest.approx(0.005, abs=0.002)
    assert stays.drop("zip", "nationality").null_count().sum_horizontal().item() == 0


def test_ages_are_those_of_a_hospital(stays):
    assert stays["age"].min() == 0
    assert stays["age"].max() <= 104
    assert 45 < stays["age"].mean() < 60
    assert (stays["birth_date"] < stays["admission"]).all()


def test_pregnancies_are_of_women_from_15_to_50(stays):
    pregnant = stays.filter(pl.col("disease").is_in(["Normal delivery", "Pre-eclampsia"]))
    assert pregnant.height > 1000
    assert pregnant["sex"].unique().to_list() == ["F"]
    assert pregnant["age"].min() >= 15
    assert pregnant["age"].max() <= 50


def test_diseases_depend_on_age_and_sex(stays):
    share = {
        low: stays.filter(pl.col("age").is_between(low, low + 19))
        .select((pl.col("disease") == "Heart failure").mean())
        .item()
        for low in (20, 40, 60, 80)
    }
    assert share[20] < share[40] < share[60]
    assert share[20] < share[80] / 5
    assert stays.filter(pl.col("disease") == "Prostate cancer")["sex"].unique().to_list() == ["M"]
    assert stays.filter(pl.col("disease") == "Preterm birth")["age"].max() == 0
    assert stays.filter(pl.col("disease") == "Acute bronchiolitis")["age"].max() <= 14


def test_diseases_and_nationalities_are_skewed(stays):
    diseases = stays["disease"].value_counts(sort=True, normalize=True)["proportion"]
    assert 20 <= len(diseases) <= 30
    assert diseases[0] > 0.1
    assert diseases[-1] < 0.005
    nationalities = stays["nationality"].drop_nulls().value_counts(sort=True, normalize=True)["proportion"]
    assert nationalities[0] > 0.85
    assert nationalities[-1] < 0.001


def test_stays_and_costs_depend_on_disease_and_age(stays):
    days = dict(stays.group_by("disease").agg(pl.col("length_of_stay").median()).iter_rows())
    assert days["Gastroenteritis"] < days["Heart failure"] < days["Schizophrenia"]
    pneumonia = stays.filter(pl.col("disease") == "Pneumonia")
    assert pneumonia.select(pl.corr("age", "length_of_stay")).item() > 0.1
    assert pneumonia.select(pl.corr("cost", "length_of_stay")).item() > 0.8
    assert stays["length_of_stay"].min() >= 1
    assert stays["length_of_stay"].mean() > stays["length_of_stay"].median()


def test_zips_cluster_and_so_do_foreigners(stays):
    areas = stays.drop_nulls().with_columns(area=pl.col("zip").str.head(3))
    sizes = areas["area"].value_counts(sort=True, normalize=True)["proportion"]
    assert sizes[0] > 5 * sizes[-1]
    foreign = areas.group_by("area").agg((pl.col("nationality") != "United States").mean())["nationality"]
    assert foreign.max() > 3 * foreign.min()


@pytest.mark.parametrize(
    ("language", "nationality", "disease"), [("en", "nationality", "disease"), ("ja", "国籍", "病名")]
)
def test_trees_cover_every_value_once(language, nationality, disease):
    frame, described = hospital(50_000, language=language), hospital_columns(language)
    for name in (nationality, disease):
        covered = leaves(described[name]["hierarchy"]["mapping"])
        assert len(covered) == len(set(covered))
        assert set(frame[name].drop_nulls()) <= set(covered)


def test_descriptions_can_be_changed_without_harm():
    mine = hospital_columns()
    kept = copy.deepcopy(mine)
    mine["disease"]["hierarchy"]["mapping"].clear()
    assert mine != hospital_columns() == kept


def test_many_rows():
    assert hospital(100_000).height == 100_000


def test_wrong_use_is_one_sentence():
    with pytest.raises(ParameterError, match="cannot have -1 rows"):
        hospital(-1)
    with pytest.raises(ParameterError, match="The language is 'fr'"):
        hospital(1, language="fr")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ParameterError, match="The language is 'fr'"):
        hospital_columns("fr")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ParameterError, match="seed"):
        hospital(1, seed=-1)
