"""What a disk refuses is told in the same words, whatever was to be written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import altair as alt
import polars as pl
import pytest

from sudare.cli import main
from sudare.errors import OutputError
from sudare.formats.data import write_data, writing
from sudare.release.plots import save_chart
from sudare.release.recipe.table import Recipe

RECIPE = """
source: {path: people.csv}
columns: {age: {role: quasi}}
requirements: [{type: k-anonymity, k: 3}]
output: {folder: release}
"""


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "There is no space left on the disk for 'a'; free some, or choose another folder."),
        (errno.EROFS, "You are not permitted to write 'a'; choose another folder, or ask for permission."),
        (errno.ENOENT, "The folder of 'a' does not exist; create it, or choose another one."),
        (errno.EISDIR, "'a' cannot be written (Is a directory); choose another path."),
    ],
)
def test_every_sentence_says_what_to_do_next(number, sentence):
    with pytest.raises(OutputError) as told, writing(Path("a")):
        raise OSError(number, os.strerror(number))
    assert str(told.value) == sentence


def test_polars_tells_the_number_in_its_message_only():
    with pytest.raises(OutputError, match="no space left"), writing(Path("a")):
        raise pl.exceptions.ComputeError("No space left on device (os error 28)")


def test_recipes_drafts_and_charts_say_it_alike(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [1, 2, 3]}).write_csv("people.csv")
    sentence = "The folder of 'no/{}' does not exist; create it, or choose another one."
    with pytest.raises(OutputError) as told:
        Recipe.parse(RECIPE).save("no/recipe.yaml")
    assert str(told.value) == sentence.format("recipe.yaml")
    with pytest.raises(OutputError) as told:
        save_chart(alt.Chart(pl.DataFrame({"a": [1]})).mark_point().encode(x="a:Q"), Path("no/chart.svg"))
    assert str(told.value) == sentence.format("chart.svg")
    assert main(["describe", "people.csv", "-o", "no/draft.yaml"]) == 2
    assert sentence.format("draft.yaml") in " ".join(capsys.readouterr().err.split())


def test_an_older_file_stays_when_the_new_one_cannot_be_written(tmp_path, monkeypatch):
    target = tmp_path / "cells.csv"
    target.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="no space left"):
        write_data(pl.DataFrame({"a": [1]}), target, format="csv")
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [
        ("cells.csv", "old")
    ]
