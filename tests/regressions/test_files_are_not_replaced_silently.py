"""No command replaces a file that is already there, unless --overwrite says so."""

import polars as pl
import pytest

import sudare as sd
from sudare.cli import main
from sudare.experiments.catalogue import EXPERIMENTS
from sudare.experiments.result import Experiment


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"age": [30, 31, 40, 41] * 5, "sex": ["f", "m"] * 10, "ill": ["flu", "cold"] * 10})
    frame.write_csv("people.csv")
    table = sd.read(frame).describe(quasi=["age", "sex"], sensitive=["ill"])
    for k in (2, 5):
        sd.anonymize(table, sd.KAnonymity(k)).write(f"release-{k}")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["crosstab", "people.csv", "--by", "sex", "--draws", "0"], "--out"),
        (["crosstab", "people.csv", "--by", "sex,ill", "--draws", "0"], "--plot"),
        (["measure", "people.csv", "release-2"], "--plot"),
        (["compare", "release-2", "release-5"], "--plot"),
        (["describe", "people.csv"], "--out"),
    ],
)
@pytest.mark.parametrize("linked", [False, True])
def test_a_file_that_is_there_stays(place, capsys, arguments, option, linked):
    file = place / "mine.svg"
    if linked:
        (place / "other.svg").write_text("mine")
        file.symlink_to("other.svg")
    else:
        file.write_text("mine")
    asked = [*arguments, option, "mine.svg"]
    assert main(asked) == 2
    assert "'mine.svg' already exists" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert main([*asked, "--overwrite"]) == 0
    assert file.read_text() != "mine"


@pytest.mark.parametrize("taken", ["small.md", "small-one.csv"])
def test_a_page_of_an_experiment_stays(tmp_path, monkeypatch, capsys, taken):
    def small(_data, _progress):
        return Experiment("small", "Small", "A paper", tables={"one": pl.DataFrame({"a": [1]})})

    monkeypatch.setitem(EXPERIMENTS, "small", small)
    (tmp_path / taken).write_text("mine")
    asked = ["experiment", "small", "--out", str(tmp_path)]
    assert main(asked) == 2
    assert "already exists" in capsys.readouterr().err
    assert (tmp_path / taken).read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    assert main([*asked, "--overwrite"]) == 0
    assert (tmp_path / taken).read_text() != "mine"


def test_a_demonstration_that_cannot_be_released_writes_nothing(tmp_path, capsys):
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "mine.txt").write_text("mine")
    assert main(["demo", "--rows", "100", "--out", str(tmp_path)]) == 2
    assert main(["demo", "--rows", "100", "--out", str(tmp_path), "--overwrite"]) == 2
    assert "--overwrite" not in capsys.readouterr().err.splitlines()[-1]
    assert [path.name for path in tmp_path.rglob("*")] == ["release", "mine.txt"]
