"""Every measure of the catalogue: what it declares, its limits, and releases compared by it."""

# mypy: disable-error-code="arg-type, index, misc, union-attr"
# parameters are given as users write them, wrong ones included

import math

import polars as pl
import pytest

import sudare as sd
from sudare.errors import ParameterError, SudareError
from sudare.measure.catalogue import MEASURES

NOT_ZERO = {"dm", "average_block"}
"""Measures of block sizes: an unchanged table has blocks too."""


@pytest.fixture(scope="module")
def patients():
    frame = sd.hospital(400)
    return sd.read(frame).describe(
        identifier=["patient_id", "name"],
        quasi=["birth_date", "sex", "zip", "length_of_stay"],
        sensitive=["disease"],
        insensitive=["cost"],
        hierarchies={"zip": sd.hierarchy.mask()},
    )


@pytest.fixture(scope="module")
def releases(patients):
    """One generalized, one with rows left out as well, one perturbed, one thinned."""
    k = sd.KAnonymity(4)
    return {
        "mondrian": sd.anonymize(patients, k, method=sd.Mondrian(), seed=1),
        "shuffled": sd.anonymize(patients, k, method=[sd.Mondrian(), sd.Shuffle()], seed=1),
        "thinned": sd.anonymize(patients, k, method=[sd.Sample(0.5), sd.Mondrian()], seed=1),
        "coarser": sd.anonymize(patients, sd.KAnonymity(40), method=sd.Mondrian(), seed=1),
    }


# --- contracts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_declares_itself(name):
    declared = MEASURES[name]
    assert declared.name == name
    assert declared.direction in {"lower is better", "higher is better"}
    assert declared.smallest < declared.largest
    assert declared.applies
    assert declared.meaning
    assert any(ord(letter) > 0x3000 for letter in declared.meaning.into("ja"))
    assert declared.meaning.isascii()
    assert getattr(sd.measure, name)  # each has a function of its own with a text
    assert getattr(sd.measure, name).__doc__


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_stays_in_its_range(name, patients, releases):
    declared = MEASURES[name]
    for release in releases.values():
        value = sd.measure.measure(patients, release, [name])[name]
        assert isinstance(value, float)
        assert math.isfinite(value)
        assert declared.smallest <= value <= declared.largest


@pytest.mark.parametrize("name", MEASURES)
def test_an_unchanged_table_loses_nothing(name, patients):
    value = sd.measure.measure(patients, patients.frame, [name])[name]
    if name in NOT_ZERO:
        assert value >= MEASURES[name].smallest
    else:
        assert value == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("name", MEASURES)
def test_perturbed_values_stay_in_range_too(name):
    """Noise may make more combinations than there were."""
    before = sd.read(pl.DataFrame({"q": [1, 1, 2, 2] * 12, "r": [1, 2, 2, 3] * 12, "s": [*"xxyy"] * 12}))
    before = before.describe(quasi=["q", "r"], sensitive=["s"])
    after = before.frame.with_columns(q=pl.Series(range(48)), r=pl.col("r").reverse())
    found = sd.measure.measure(before, after, [name])
    if MEASURES[name].of_detail:  # they would be 0, as if nothing were lost
        assert found == {}
        return
    value = found[name]
    assert MEASURES[name].smallest <= value <= MEASURES[name].largest


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    "frame",
    [
        {"q": [7], "s": ["x"]},
        {"q": [7] * 30, "s": ["x"] * 30},
        {"q": [1, None, 3, None] * 8, "s": ["x", None, "y", "y"] * 8},
        {"q": [None] * 6, "s": ["東京"] * 6},
        {"q": [1e300, -1e300, 0.0, 5.0] * 8, "s": ["x", "y"] * 16},
        {"q": [1e15 + 1, 1e15 + 2, 1e15 + 3, 1e15 + 4] * 8, "s": ["x", "y"] * 16},
    ],
    ids=["one row", "constant", "missing", "all missing", "1e300", "1e15"],
)
def test_odd_tables_have_a_figure(name, frame):
    """And the figure of an unchanged table is as on any other."""
    schema = {"q": pl.Float64, "s": pl.String}
    before = sd.read(pl.DataFrame(frame, schema=schema)).describe(
        quasi=["q"], sensitive=["s"], kinds={"q": "numeric"}
    )
    after = before.frame
    found = sd.measure.measure(before, after, [name])
    if name == "correlation_change":  # one numeric column: there is nothing to correlate
        assert found == {}
        return
    value = found[name]
    assert math.isfinite(value)
    if name not in NOT_ZERO | {"cm"}:
        assert value == pytest.approx(0, abs=1e-6)
    changed = after.with_columns(q=pl.lit(0.0))
    found = sd.measure.measure(before, changed, [name])
    if MEASURES[name].of_detail:  # other values, as detailed as before
        assert found == {}
        return
    value = found[name]
    assert not math.isnan(value)


@pytest.mark.parametrize("name", MEASURES)
def test_shuffled_rows_of_a_release_make_no_difference(name, patients, releases):
    one, other = (
        sd.measure.measure(patients, releases[which], [name])[name] for which in ("mondrian", "shuffled")
    )
    assert one == pytest.approx(other, rel=1e-3, abs=1e-3)


def test_all_is_every_measure(patients, releases):
    table = sd.measure.all(patients, releases["mondrian"])
    assert table["measure"].to_list() == list(MEASURES)
    assert table["value"].null_count() == 0
    named = sd.measure.measure(patients, releases["mondrian"], list(MEASURES))
    assert dict(zip(table["measure"], table["value"], strict=True)) == pytest.approx(named)
    usual = sd.measure.measure(patients, releases["mondrian"])
    assert set(usual) == {name for name, declared in MEASURES.items() if declared.usual}


def test_all_says_why_a_measure_has_no_figure():
    before = sd.read(pl.DataFrame({"q": [1, 2, 3]})).describe(quasi=["q"])
    table = sd.measure.all(before, pl.DataFrame({"q": [1, 1, 3]}))
    without = table.filter(pl.col("value").is_null())
    assert set(without["measure"]) == {
        *("cm", "model_loss", "correlation_change"),
        *("loss", "dis", "gcp", "ncp"),  # values were replaced, none is coarser
    }
    assert all(note.endswith(".") for note in without["note"])
    # labels that no measure of numbers can read leave the others their figures
    labeled = sd.measure.all(before, pl.DataFrame({"q": ["young", "young", "old"]}))
    figures = dict(zip(labeled["measure"], labeled["value"], strict=True))
    assert figures["dm"] == 5
    assert figures["mean_change"] is None


def test_numbers_with_a_hierarchy_of_labels_can_be_released():
    """The usual measures must not stand in the way of a release that keeps its guarantee."""
    tree = sd.hierarchy.tree({"young": ["20", "30"], "old": ["60", "70"]})
    table = sd.read(pl.DataFrame({"age": [20, 30, 60, 70]})).describe(
        quasi=["age"], hierarchies={"age": tree}
    )
    release = sd.anonymize(table, sd.KAnonymity(2), order="keep", seed=1)
    assert release.frame["age"].to_list() == ["young", "young", "old", "old"]
    assert release.losses["loss"] == pytest.approx(1 / 3)


def test_unknown_names_are_one_sentence():
    frame = pl.DataFrame({"q": [1, 2]})
    with pytest.raises(ParameterError, match=r"^'ils' is not a known measure; .*[.?]$"):
        sd.measure.measure(frame, frame, ["loss", "ils"])
    assert sd.measure.measure(frame, frame, []) == {}


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: sd.measure.cm(frame, frame),
        lambda frame: sd.measure.cm(frame, frame, target="class"),
        lambda frame: sd.measure.model_loss(frame, frame),
        lambda frame: sd.measure.model_loss(frame, frame, target="class"),
        lambda frame: sd.measure.ncp(frame, frame, weights={"age": 1}),
        lambda frame: sd.measure.gcp(frame, frame, weights={"q": -1}),
        lambda frame: sd.measure.gcp(frame, frame, weights={"q": float("nan")}),
        lambda frame: sd.measure.dm(frame, frame[:1]),
        lambda frame: sd.measure.compare({}),
        lambda frame: sd.measure.compare({"one": {"risk": {"prosecutor_mean": 1}, "losses": {}}}),
        lambda frame: sd.measure.compare({"one": {"risk": {"prosecutor_mean": 1}}}),
    ],
)
def test_wrong_use_is_one_sentence(call):
    with pytest.raises(SudareError) as caught:
        call(pl.DataFrame({"q": [1, 2]}))
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_releases_are_compared_and_drawn(releases):
    comparison = sd.measure.compare(releases)
    assert set(comparison.frame["release"]) == set(releases)
    assert comparison.frame.columns == ["release", "risk", "loss", "best"]
    drawn = comparison.chart().to_dict()
    marks = [layer["mark"]["type"] for layer in drawn["layer"]]
    assert marks[:2] == ["line", "circle"]
    assert set(marks[2:]) == {"text"}  # the names, by how far they are from their points
    other = sd.measure.compare(releases, risk="journalist_mean", loss="ild")
    assert other.loss == "ild"
    assert "ild" in str(other.chart().to_dict())
    for name, release in releases.items():
        row = comparison.frame.row(by_predicate=pl.col("release") == name, named=True)
        assert row["loss"] == release.losses["loss"]


def test_comparing_by_an_unknown_figure_is_one_sentence(releases):
    with pytest.raises(ParameterError, match=r"'ill' is not a measured loss.*[.?]$"):
        sd.measure.compare(releases, loss="ill")
    with pytest.raises(ParameterError, match=r"'prosecutor' is not a risk figure.*[.?]$"):
        sd.measure.compare(releases, risk="prosecutor")
