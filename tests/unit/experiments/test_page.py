"""The page of an experiment: its head, published figures beside ours, tables that stay tables, files whole or absent."""

import polars as pl
import pytest

from sudare.errors import OutputError
from sudare.experiments.machine import head, machine, versions
from sudare.experiments.result import Check, Compared, Experiment


@pytest.fixture
def experiment():
    return Experiment(
        name="small",
        title="A small one",
        paper="Paper 9.",
        tables={"all": pl.DataFrame({"x": [1, 2]})},
        printed={"Shown": pl.DataFrame({"a|b": ["1\n2"], "c": ["x*"]})},
        checks=(Check("This came out.", holds=True), Check("That did not.", holds=False)),
        compared=(Compared("loss", "0.5", "0.4", "The print has a misprint."),),
        notes=("First.", "", "| a |", "|---|", "| 1 |", "", "Last."),
    )


def test_the_head_comes_first(experiment, tmp_path):
    lines = experiment.write(tmp_path, "sudare experiment small --out x").read_text("utf-8").splitlines()
    assert lines[0] == "# A small one"
    assert lines[4] == "| command | `sudare experiment small --out x` |"
    assert [line.split(" | ")[0] for line in lines[5:8]] == ["| date", "| machine", "| versions"]
    assert "`sudare experiment small`" in experiment.write(tmp_path).read_text("utf-8")


def test_published_and_ours_with_the_reason(experiment, tmp_path):
    text = experiment.write(tmp_path).read_text("utf-8")
    assert "| figure | published | ours | why they differ |" in text
    assert "| loss | 0.5 | 0.4 | The print has a misprint. |" in text
    assert "- holds: This came out." in text
    assert "- **DOES NOT HOLD**: That did not." in text
    assert not experiment.holds


def test_cells_and_tables_in_notes_stay_whole(experiment, tmp_path):
    text = experiment.write(tmp_path).read_text("utf-8")
    assert "| a\\|b | c |\n| --- | --- |\n| 1<br>2 | x\\* |" in text
    assert "First.\n\n| a |\n|---|\n| 1 |\n\nLast.\n" in text


def test_files_are_whole_and_nothing_else_is_left(experiment, tmp_path):
    experiment.write(tmp_path)
    experiment.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small-all.csv", "small.md"]


def test_a_place_that_cannot_be_written_is_one_sentence(experiment, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="choose another path"):
        experiment.write(tmp_path / "file")


def test_machine_and_versions_are_named():
    assert set(machine()) == {"processor", "cores", "memory", "system"}
    assert list(versions(["numpy", "no such package"])) == ["python", "numpy"]
    assert all(line.startswith("|") and line.endswith("|") for line in head("x"))
