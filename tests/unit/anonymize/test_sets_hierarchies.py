"""Sets beside hierarchies: nominal columns become sets, ordered ones stay on the values of their hierarchies."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import sudare as sd
from sudare.anonymize.generalize.leaving import total_cost
from sudare.anonymize.generalize.records import covers_of
from sudare.anonymize.generalize.start import ladders_of
from sudare.anonymize.grouping.recode import axes_of, recode
from sudare.kernels.partition.covers import LINE, PAIRS, SET

K = 5
QUASI = ["birth_date", "sex", "zip", "nationality"]
SIZES = ["1 small", "2 medium", "3 large", "4 huge"]
TOWNS = ["Oslo", "Malmö", "Rome", "Nice", "大阪"]
SOME_AGES = [(str(age), f"{age // 10}0s", "any age") for age in range(20, 60)]


def hospital():
    return sd.read(sd.hospital(300)).describe(
        identifier=["patient_id", "name"],
        quasi=QUASI,
        sensitive=["disease"],
        insensitive=["admission", "length_of_stay", "cost"],
        hierarchies={"zip": sd.hierarchy.mask(), "birth_date": sd.hierarchy.dates()},
    )


def people(column, values, kind, hierarchy):
    """One ordered column with a hierarchy, beside towns without one and numbers without one."""
    random = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            column: [values[number] for number in random.integers(0, len(values), 80)],
            "town": [TOWNS[number] for number in random.integers(0, len(TOWNS), 80)],
            "weight": random.integers(50, 99, 80),
            "disease": [f"d{number}" for number in random.integers(0, 5, 80)],
        }
    )
    return sd.read(frame).describe(
        quasi=[column, "town", "weight"],
        sensitive=["disease"],
        kinds={column: kind, "weight": "numeric", "town": "nominal"},
        hierarchies={column: hierarchy},
    )


def ages_by_file(folder):
    path = folder / "ages.csv"
    path.write_text("\n".join(";".join(line) for line in SOME_AGES), encoding="utf-8")
    return people("age", list(range(20, 60)), "numeric", sd.hierarchy.csv(path))


ORDERED = {
    "numbers, intervals": lambda _: people(
        "age", list(range(20, 60)), "numeric", sd.hierarchy.intervals(width=5)
    ),
    "numbers, file": ages_by_file,
    "numbers, missing": lambda _: people(
        "age", [None, *range(20, 60)], "numeric", sd.hierarchy.intervals(width=5)
    ),
    "dates": lambda _: people(
        "born",
        [dt.date(1960 + number, 1 + number % 12, 3) for number in range(40)],
        "date",
        sd.hierarchy.dates(),
    ),
    "ordinal": lambda _: people(
        "size",
        SIZES,
        "ordinal",
        sd.hierarchy.tree({"less": SIZES[:2], "more": SIZES[2:]}),
    ),
}


def smallest_block(frame, quasi):
    return frame.group_by(quasi).len()["len"].min()


@pytest.mark.slow
def test_a_hospital_with_dates_and_masks_is_released_and_written(tmp_path):
    table = hospital()
    release = sd.anonymize(
        table, sd.KAnonymity(K), method=sd.Generalize(cells="sets", effort="fast"), order="keep"
    )
    released = release.table.frame
    assert smallest_block(released, QUASI) >= K
    assert set(released["birth_date"].cast(pl.String)) <= set(table.hierarchy("birth_date").labels)
    # A nominal column with a hierarchy still becomes sets; of the mask it takes only the root, where one is missing.
    sets = released["zip"].str.starts_with("{")
    assert sets.any()
    for original, text in zip(table.frame["zip"].filter(sets), released["zip"].filter(sets), strict=True):
        assert original in text[1:-1].split("; ")
    assert set(released["zip"].filter(~sets)) <= {*table.frame["zip"], "*****"}
    assert 0 < release.losses["loss"] <= 1
    release.write(tmp_path / "release")
    assert all(finding.holds for finding in sd.verify_release(tmp_path / "release"))


@pytest.mark.slow
@pytest.mark.parametrize("case", ORDERED)
@pytest.mark.parametrize("effort", ["fast", "default"])
def test_ordered_columns_stay_on_their_hierarchies(case, effort, tmp_path):
    table = ORDERED[case](tmp_path)
    column, *others = table.names("quasi")
    release = sd.anonymize(table, sd.KAnonymity(K), method=sd.Generalize(cells="sets", effort=effort))
    released = release.table.frame
    assert smallest_block(released, [column, *others]) >= K
    tree = table.hierarchy(column)
    assert set(released[column].cast(pl.String)) <= {*tree.labels, None}
    assert released["town"].str.starts_with("{").any()
    assert released["weight"].cast(pl.String).str.contains(r"^(\[\d+, \d+\]|\d+)$").all()
    release.write(tmp_path / "release")


@pytest.mark.parametrize("case", ORDERED)
@pytest.mark.parametrize("objective", ["loss", "dis", "ncp"])
def test_the_search_counts_what_the_release_loses(case, objective, tmp_path):
    table = ORDERED[case](tmp_path)
    axes = axes_of(table)
    model = covers_of(axes, [1.0] * len(axes), objective, "sets")
    assert model.mode.tolist() == [PAIRS, SET, LINE]
    labels = np.random.default_rng(1).integers(0, 16, table.rows)
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    released = recode(table, axes, labels.astype(np.int32), int(labels.max()) + 1, sets=True)
    measured = {"loss": sd.measure.loss, "dis": sd.measure.dis, "ncp": sd.measure.gcp}[objective]
    counted = total_cost(model, labels, 1) / table.rows
    assert measured(table, released) == pytest.approx(counted)


def test_without_nominal_columns_sets_change_nothing():
    table = sd.read(sd.hospital(200)).describe(
        quasi=["birth_date", "length_of_stay"],
        insensitive=["patient_id", "name", "sex", "zip", "nationality", "admission", "cost", "disease"],
        hierarchies={"birth_date": sd.hierarchy.dates()},
    )
    sets, trees = (
        sd.anonymize(
            table, sd.KAnonymity(K), method=sd.Generalize(cells=cells, effort="fast"), seed=1
        ).table.frame
        for cells in ("sets", "hierarchy")
    )
    assert sets.equals(trees)


def test_a_set_with_a_missing_value_is_the_root_of_its_hierarchy(tmp_path):
    towns = sd.hierarchy.tree(
        {"north": ["Oslo", "Malmö"], "south": ["Rome", "Nice", "大阪"]}, root="anywhere"
    )
    frame = pl.DataFrame({"town": ["Oslo", None, "Rome", "Nice"], "part": ["a", "a", "b", "b"]})
    table = sd.read(frame).describe(
        quasi=["town", "part"], kinds={"town": "nominal", "part": "nominal"}, hierarchies={"town": towns}
    )
    release = sd.anonymize(
        table, sd.KAnonymity(2), method=sd.Generalize(cells="sets", weights={"part": 9}), order="keep"
    )
    assert release.table.frame["town"].to_list() == ["anywhere", "anywhere", "{Rome; Nice}", "{Rome; Nice}"]
    release.write(tmp_path / "release")


def test_first_groups_of_sets_agree_in_values_of_the_hierarchy(tmp_path):
    """A file whose lines are in no order: leaves are numbered by line, what lies below a value by rank."""
    path = tmp_path / "towns.csv"
    regions = {"Oslo": "north", "Rome": "south", "Malmö": "north", "Nice": "south", "大阪": "east"}
    path.write_text("\n".join(f"{town};{region};*" for town, region in regions.items()), encoding="utf-8")
    frame = pl.DataFrame({"town": [*TOWNS, *reversed(TOWNS)]})
    table = sd.read(frame).describe(quasi=["town"], hierarchies={"town": sd.hierarchy.csv(path)})
    axes = axes_of(table)
    model = covers_of(axes, [1.0], "loss", "sets")
    [ladder] = ladders_of(axes, model, [1.0], "loss")
    classes = ladder.classes[1][model.codes[:, 0]]
    same = classes[:, None] == classes[None, :]
    named = np.array([regions[town] for town in frame["town"]])
    assert (same == (named[:, None] == named[None, :])).all()
