"""Releases said nothing about unique insensitive columns, quasi-identifiers that became `*`, and people with several rows."""

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cases.places import DATA

import sudare as sd
from sudare.cli import main
from sudare.release.summary import summary_of
from sudare.words.sentence import in_language

ENCOUNTERS = DATA / "diabetes" / "encounters.csv"


def table(rows=60, **more):
    random = np.random.default_rng(1)
    frame = pl.DataFrame({"age": random.integers(20, 70, rows), **more})
    return sd.read(frame).describe(quasi=["age"])


def warned(release, part):
    return [warning for warning in release.warnings if part in warning]


def released(data, *requirements, **more):
    return sd.anonymize(data, *(requirements or [sd.KAnonymity(3)]), **more)


@pytest.mark.parametrize(
    "values",
    [
        [f"person {number}" for number in range(60)],
        list(range(1000, 1060)),
        [number + 0.25 for number in range(60)],
        [*range(58), 7, None],
    ],
)
@pytest.mark.parametrize("role", ["insensitive", "weight"])
def test_a_unique_column_without_protection_is_named(values, role, tmp_path):
    if role == "weight" and isinstance(values[0], str):
        values = [number + 1 for number in range(60)]
    values = [1 if value == 0 else value for value in values]
    release = released(table(extra=values).describe(**{role: ["extra"]}))
    distinct = len({value for value in values if value is not None})
    (said,) = warned(release, "extra is")
    assert f"{distinct} different values in {sum(value is not None for value in values)} rows" in said
    written = release.write(tmp_path / "out")
    manifest = json.loads((Path(written.folder) / "public" / "manifest.json").read_text(encoding="utf-8"))
    assert said in manifest["warnings"]
    assert "different values in" in (Path(written.folder) / "internal" / "report.html").read_text(
        encoding="utf-8"
    )
    assert "different values in" in str(list(summary_of(written, "en")))
    assert "「extra」は" in in_language(said, "ja")


def test_common_values_small_tables_and_pseudonyms_are_not_named():
    few = table(extra=["a", "b", "c"] * 20).describe(insensitive=["extra"])
    assert not warned(released(few), "different values")
    small = table(rows=10, extra=list(range(10))).describe(insensitive=["extra"])
    assert not warned(released(small), "different values")
    names = table(who=[f"p{number}" for number in range(60)]).describe(identifier=["who"])
    hidden = released(names, method=[sd.Pseudonymize(("who",)), sd.Mondrian()])
    assert "who" in hidden.frame.columns
    assert not warned(hidden, "different values")


@pytest.mark.parametrize("method", [sd.Mondrian(), sd.FullDomain()])
def test_a_column_that_became_a_star_everywhere_is_named(method):
    towns = [f"town {number}" for number in range(60)]
    data = table(town=towns).describe(quasi=["town"], hierarchies={"town": sd.hierarchy.suppress()})
    (said,) = warned(released(data, sd.KAnonymity(20), method=method), "town is")
    assert said.startswith("town is '*' in every row")
    constant = table(town=["x"] * 60).describe(quasi=["town"])
    assert not warned(released(constant, method=sd.Mondrian()), "in every row")


@pytest.mark.parametrize("role", ["identifier", "insensitive"])
def test_people_with_several_rows_are_counted_in_blocks(role, tmp_path):
    people = [f"P{number // 4:04}" for number in range(60)]
    data = table(patient_id=people).describe(**{role: ["patient_id"]})
    data = data.changed(data.frame.with_columns(age=pl.Series([number // 4 for number in range(60)])))
    release = released(data, sd.KAnonymity(4))
    blocks = defaultdict(set)
    for age, person in zip(
        release.frame["age"].to_list(), [people[row] for row in release.rows_of_original], strict=True
    ):
        blocks[age].add(person)
    below = sum(len(held) < 4 for held in blocks.values())
    assert below > 0
    (said,) = warned(release, "patient_id repeats")
    assert "60 rows have 15 of its values" in said
    assert f"{below} of {len(blocks)} blocks have fewer than 4 of its values" in said
    written = release.write(tmp_path / "out")
    public, internal = (
        json.loads((Path(written.folder) / part / "manifest.json").read_text(encoding="utf-8"))["warnings"]
        for part in ("public", "internal")
    )
    assert said in internal
    assert said not in public  # readers of the release must not learn about a removed column


def test_names_that_people_share_and_single_rows_are_no_people_with_several_rows():
    names = ["Ann Lee", "Bob Ray", "Cid Dow"] * 20
    data = table(name=names, patient_id=[f"P{number:04}" for number in range(60)])
    assert not warned(released(data.describe(identifier=["name", "patient_id"])), "repeats")


def test_a_randomized_release_counts_rows_and_people():
    people = [f"P{number // 2:04}" for number in range(60)]
    data = table(patient_id=people).describe(identifier=["patient_id"])
    release = released(data, sd.PkAnonymity(3), method=sd.Randomize(ranges={"age": (0, 120)}))
    (said,) = warned(release, "patient_id repeats")
    assert "60 rows have 30 of its values" in said
    assert "blocks" not in said


@pytest.mark.skipif(not ENCOUNTERS.exists(), reason=f"needs {ENCOUNTERS}")
@pytest.mark.parametrize("described", [True, False])
def test_encounters_name_the_blocks_with_too_few_patients(described):
    frame = pl.read_csv(ENCOUNTERS, infer_schema_length=None)
    data = sd.read(frame.select("encounter_id", "patient_nbr", "race", "gender", "age", "readmitted"))
    data = data.describe(
        identifier=["encounter_id", *(["patient_nbr"] if described else [])],
        quasi=["race", "gender", "age"],
        sensitive=["readmitted"],
    )
    release = released(data, sd.KAnonymity(5))
    with ENCOUNTERS.open(encoding="utf-8", newline="") as file:
        patients = [row["patient_nbr"] for row in csv.DictReader(file)]
    assert (len(patients), len(set(patients))) == (5399, 4574)
    blocks = defaultdict(set)
    order = range(5399) if release.rows_of_original is None else release.rows_of_original.tolist()
    for row, cells in zip(order, release.frame.select("race", "gender", "age").rows(), strict=True):
        blocks[cells].add(patients[row])
    below = sum(len(held) < 5 for held in blocks.values())
    (said,) = warned(release, "patient_nbr repeats")
    assert "5,399 rows have 4,574 of its values" in said
    assert f"{below} of {len(blocks)} blocks have fewer than 5 of its values" in said


@pytest.mark.parametrize("role", ["identifier", "insensitive"])
def test_an_assessment_says_that_people_have_several_rows(role):
    people = [f"P{number // 4:04}" for number in range(60)]
    data = table(patient_id=people).describe(**{role: ["patient_id"]})
    data = data.changed(data.frame.with_columns(age=pl.Series([number // 4 for number in range(60)])))
    study = sd.assess(data, sd.KAnonymity(4))
    (said,) = study.warnings
    blocks = defaultdict(set)
    for cells, person in zip(data.frame.select(data.names("quasi")).rows(), people, strict=True):
        blocks[cells].add(person)
    below = sum(len(held) < 4 for held in blocks.values())
    assert f"{below} of {len(blocks)} blocks have fewer than 4 of its values" in said
    assert study.to_dict()["warnings"] == [said]
    assert said in study._repr_html_()
    assert study.in_language("ja").warnings[0].startswith("「patient_id」")
    alone = table(patient_id=[f"P{number:04}" for number in range(60)]).describe(**{role: ["patient_id"]})
    assert sd.assess(alone, sd.KAnonymity(4)).warnings == ()


def test_a_draft_and_the_command_that_assesses_it_say_that_people_have_several_rows(tmp_path, capsys):
    file = tmp_path / "visits.csv"
    rows = [f"P{number // 4:04},{20 + number % 30},{'fm'[number % 2]}" for number in range(60)]
    file.write_text("\n".join(["patient_id,age,sex", *rows]), encoding="utf-8")
    recipe = tmp_path / "visits.yaml"
    assert main(["describe", str(file), "--out", str(recipe)]) == 0
    said = "patient_id repeats: 60 rows have 15 of its values"
    assert said in " ".join(capsys.readouterr().out.split())
    assert said in recipe.read_text(encoding="utf-8")
    assert main(["assess", str(recipe), "--no-compromises"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert main(["describe", str(file), "--json", "--out", str(tmp_path / "other.yaml")]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"][0].startswith(said)


def test_people_of_whom_every_block_has_enough_are_no_warning():
    """One block of 15 people with four rows each is a block of 15 people."""
    people = [f"P{number % 15:04}" for number in range(60)]
    frame = pl.DataFrame({"patient_id": people, "town": ["x"] * 60})
    data = sd.read(frame).describe(quasi=["town"], identifier=["patient_id"])
    assert not warned(released(data, sd.KAnonymity(15), method=sd.Mondrian()), "repeats")
    assert warned(released(data, sd.KAnonymity(16), method=sd.Mondrian()), "repeats")


def test_a_household_and_its_telephone_are_one_warning():
    households = [f"H{number // 4:04}" for number in range(60)]
    phones = [f"03-{number // 2:04}" for number in range(60)]
    data = table(household_id=households, phone_id=phones).describe(identifier=["household_id", "phone_id"])
    (said,) = warned(released(data, sd.KAnonymity(4)), "repeat")
    assert said.startswith("household_id, phone_id repeat: 60 rows have only ")
    assert "Keep one row of each person or household" in said
    assert "一人または一世帯を一行に" in in_language(said, "ja")
    (assessed,) = sd.assess(data, sd.KAnonymity(4)).warnings
    assert assessed.startswith("household_id, phone_id repeat: 60 rows have only ")
