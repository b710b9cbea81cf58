"""The page of an experiment: its head, published figures beside ours, tables that stay tables, files whole or absent."""

from dataclasses import replace
from importlib import import_module

import polars as pl
import pytest
from tests.cases.benchmark_scripts import BENCHMARKS, importable

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


def test_what_holds_by_construction_is_apart_and_not_counted(experiment, tmp_path):
    chosen = Check("The table has the printed shape.", holds=True, by_construction=True)
    told = replace(experiment, checks=(*experiment.checks, chosen))
    text = told.write(tmp_path).read_text("utf-8")
    apart = text.index("## What could not come out otherwise")
    assert text.index("- **DOES NOT HOLD**: That did not.") < apart
    assert apart < text.index("- holds, by construction: The table has the printed shape.")
    assert "could not come out otherwise" not in experiment.write(tmp_path).read_text("utf-8")
    told.write(tmp_path)
    with importable(BENCHMARKS):
        assert "1 of 2 expectations hold" in import_module("experiments").index_of(tmp_path)


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
