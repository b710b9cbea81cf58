"""Chapter 4 of the paper on Adult: shapes, expectations, the written page; groups against a plain twin."""

# mypy: disable-error-code="arg-type"

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases.places import DATA

from sudare.errors import SudareError
from sudare.experiments.catalogue import EXPERIMENTS
from sudare.experiments.ild_adult import _microaggregated, ild_adult

LARGEST = 6
needs_adult = pytest.mark.skipif(
    not (DATA / "adult" / "adult.data").is_file(), reason=f"{DATA}/adult/adult.data is absent"
)


@pytest.fixture(scope="module")
def experiment():
    return ild_adult(DATA, largest=LARGEST)


@needs_adult
def test_shapes(experiment):
    table = experiment.tables["losses"]
    sizes = LARGEST - 1
    assert table.height == 3 * 2 * 3 * sizes  # orders, distances, two columns and both, k
    assert set(table["order"]) == {"D_A", "D_B", "D_C"}
    assert set(table["distance"]) == {"discrete", "levenshtein"}
    assert set(table["column"]) == {"capital-gain", "marital-status", "joint"}
    assert sorted(set(table["k"])) == list(range(2, LARGEST + 1))
    # a group's most frequent category may make rare ones more frequent: a little below 0 is no mistake
    assert table["ild"].is_between(-0.001, 1).all()
    assert len(experiment.figures) == 6
    assert any("32,561" in note for note in experiment.notes)


@needs_adult
def test_joint_is_the_mean_of_both_columns(experiment):
    """Weights 1/I make I(A) of every column 1."""
    wide = experiment.tables["losses"].pivot("column", index=["order", "distance", "k"], values="ild")
    both = (wide["capital-gain"] + wide["marital-status"]) / 2
    assert (wide["joint"] - both).abs().max() < 1e-12


@needs_adult
def test_category_and_number_together_lose_least(experiment):
    joint = experiment.tables["losses"].filter(pl.col("column") == "joint")
    wide = joint.pivot("order", index=["distance", "k"], values="ild")
    assert wide.height == 2 * (LARGEST - 1)
    assert (wide["D_C"] <= wide["D_A"]).all()
    assert (wide["D_C"] <= wide["D_B"]).all()


@needs_adult
def test_what_is_expected_came_out(experiment):
    """The trends over k are expected of k up to 100; of the smallest least joint loss already."""
    assert len(experiment.checks) == 6
    smallest = [check for check in experiment.checks if check.sentence.startswith("D_C has the smallest")]
    assert len(smallest) == 2
    assert all(check.holds for check in smallest)
    assert experiment.holds == all(check.holds for check in experiment.checks)
    for check in experiment.checks:
        assert check.sentence.endswith(".")


@needs_adult
def test_a_group_keeps_its_own_order_whole(experiment):
    """What an order sorts by is hardly lost: the number in D_A, the category in D_B."""
    table = experiment.tables["losses"]
    for order, column in (("D_A", "capital-gain"), ("D_B", "marital-status")):
        kept = table.filter((pl.col("order") == order) & (pl.col("column") == column))["ild"].max()
        assert kept < 0.01


@needs_adult
def test_the_page_is_written(experiment, tmp_path):
    page = experiment.write(tmp_path / "made" / "here")
    assert page.suffix == ".md"
    text = page.read_text(encoding="utf-8")
    drawn = sorted(path.name for path in page.parent.glob("*.svg"))
    assert len(drawn) == 6
    assert all(f"({name})" in text for name in drawn)
    assert all((page.parent / name).read_text(encoding="utf-8").startswith("<svg") for name in drawn)
    (table,) = page.parent.glob("*.csv")
    assert pl.read_csv(table).height == experiment.tables["losses"].height
    for check in experiment.checks:
        assert check.sentence in text


@needs_adult
def test_a_folder_that_cannot_be_made_is_one_sentence(experiment, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SudareError) as caught:
        experiment.write(tmp_path / "file" / "below")
    assert "\n" not in str(caught.value)


def test_absent_data_are_one_sentence(tmp_path):
    with pytest.raises(SudareError, match=r"adult\.data.*--data"):
        EXPERIMENTS["ild-adult"](tmp_path)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 99_999), st.sampled_from([*"abc京"])), min_size=1, max_size=40),
    st.integers(2, 9),
)
def test_groups_of_k_and_the_rest_with_the_last(rows, k):
    frame = pl.DataFrame(rows, schema={"capital-gain": pl.Int64, "marital-status": pl.String}, orient="row")
    found = _microaggregated(frame, k)
    assert found.height == len(rows)
    starts = [*range(0, len(rows) - k + 1, k)] or [0]
    for place, start in enumerate(starts):
        stop = starts[place + 1] if place + 1 < len(starts) else len(rows)
        assert stop - start < 2 * k
        group, made = rows[start:stop], found[start:stop]
        mean = sum(number for number, _ in group) / len(group)
        assert made["capital-gain"].to_list() == pytest.approx([mean] * len(group))
        counts = Counter(category for _, category in group)
        (category,) = set(made["marital-status"])
        assert counts[category] == max(counts.values())
